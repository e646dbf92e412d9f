// Whether the server answers, and since when it does not.

const TICK_MS = 1000;

export class Link {
  trouble = null;
  #since = 0;
  #timer = null;

  constructor(onChange) {
    this.onChange = onChange;
  }

  /** Seconds since the last answer that came. */
  get lostS() {
    return this.trouble ? (performance.now() - this.#since) / 1000 : 0;
  }

  set(trouble) {
    if (!this.trouble && !trouble) {
      this.#since = performance.now();
      return;
    }
    if (!this.#since) this.#since = performance.now();
    this.trouble = trouble;
    clearInterval(this.#timer);
    // The age of what is shown grows although nothing comes in.
    if (trouble) this.#timer = setInterval(this.onChange, TICK_MS);
    else this.#since = performance.now();
    this.onChange();
  }
}
