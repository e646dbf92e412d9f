// Plays a recording: moves a range through it, and waits for the answer to each range.

import { firstWindow, shifted } from "./playback.js";

/** Not more than three ranges are requested in a second. */
export const PERIOD_MS = 333;
// After a pause of the connection or of the browser, playing continues where it was.
const LONGEST_STEP_MS = 5000;

export class Player {
  #isPlaying = false;
  #isWaiting = false;
  #isWanted = false;
  #movedAt = 0;
  #sentAt = -PERIOD_MS;
  #timer = null;
  whole = null;
  range = null;
  factor = 1;

  /**
   * `send(range)` shows a range, and returns whether `answered` will be called once it is shown;
   * `onChange` is called when another range is wanted, and when playing begins or ends.
   */
  constructor({ send, onChange, now = () => performance.now() }) {
    Object.assign(this, { send, onChange, now });
  }

  get isPlaying() { return this.#isPlaying; }

  /** Whether another range is wanted than the one that is shown. */
  get isMoving() { return this.#isPlaying || this.#isWaiting || this.#isWanted; }

  toggle() {
    if (this.#isPlaying) this.pause();
    else this.#play();
  }

  /** Stop playing, and request no other range. */
  pause() {
    this.#isPlaying = false;
    this.#isWanted = false;
    this.onChange();
  }

  /** Show a range as soon as the one before has been shown; of several, the newest. */
  show(range) {
    this.range = range;
    this.#movedAt = this.now();
    this.#isWanted = true;
    this.onChange();
    this.#next();
  }

  /** Continue, because the range that was sent is shown. */
  answered() {
    this.#isWaiting = false;
    this.#next();
  }

  #play() {
    this.#isPlaying = true;
    if (this.range && this.range[1] < this.whole[1]) this.show(this.range);
    else this.show(this.range ? shifted(this.range, this.whole[0] - this.range[0], this.whole) : firstWindow(this.whole));
  }

  #next() {
    if (this.#timer !== null || this.#isWaiting || !(this.#isWanted || this.#isPlaying)) return;
    const inMs = this.#sentAt + PERIOD_MS - this.now();
    if (inMs > 0) {
      this.#timer = setTimeout(() => { this.#timer = null; this.#next(); }, inMs);
      return;
    }
    if (this.#isPlaying && !this.#isWanted) this.#advance();
    this.#sentAt = this.now();
    this.#isWanted = false;
    this.#isWaiting = this.send(this.range);
    if (!this.#isWaiting) this.#next();
  }

  #advance() {
    const now = this.now();
    const elapsed = Math.min(now - this.#movedAt, LONGEST_STEP_MS);
    const byMs = Math.floor(elapsed * this.factor);
    // The part of a millisecond that is left is for the next step.
    this.#movedAt = now - (elapsed - byMs / this.factor);
    this.range = shifted(this.range, byMs, this.whole);
    if (this.range[1] >= this.whole[1]) this.#isPlaying = false;
    this.onChange();
  }
}
