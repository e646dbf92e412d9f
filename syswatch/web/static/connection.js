// The state of the connection to the server.

const TICK_MS = 1000;

export class Connection {
  trouble = null;
  #since = 0;
  #timer = null;

  constructor(onChange) {
    this.onChange = onChange;
  }

  /** Seconds since the last response while the server does not respond, else 0. */
  get lostS() {
    return this.trouble ? (performance.now() - this.#since) / 1000 : 0;
  }

  /** Set what is wrong, or null after a response. */
  set(trouble) {
    if (!this.trouble && !trouble) {
      this.#since = performance.now();
      return;
    }
    if (!this.#since) this.#since = performance.now();
    this.trouble = trouble;
    clearInterval(this.#timer);
    // The age of the data increases while nothing arrives.
    if (trouble) this.#timer = setInterval(this.onChange, TICK_MS);
    else this.#since = performance.now();
    this.onChange();
  }
}
