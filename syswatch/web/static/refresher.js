// Requests beside those of the dashboard, for what takes the server long to compute.

import { request } from "./timeline-data.js";

/** Asks again when the trace has changed; while it is running, only now and then. */
export class Refresher {
  #wanted = null;
  #isPending = false;
  #timer = null;
  #shown = { path: "", of: null, at: 0 };

  constructor({ periodMs, onAnswer, onError }) {
    Object.assign(this, { periodMs, onAnswer, onError });
  }

  /** Ask for a path, of which `answer` is the newest answer for the dashboard. */
  want(path, answer) {
    this.#wanted = { path, answer };
    this.#refresh();
  }

  async #refresh() {
    const { path, answer } = this.#wanted;
    const { path: shown, of, at } = this.#shown;
    if (this.#isPending || (path === shown && answer === of)) return;
    const waitMs = path === shown && !(answer.Status.Done && of) ? at + this.periodMs - performance.now() : 0;
    clearTimeout(this.#timer);
    if (waitMs > 0) {
      this.#timer = setTimeout(() => this.#refresh(), waitMs);
      return;
    }
    this.#isPending = true;
    try {
      this.onAnswer(await request(path));
      this.#shown = { path, of: answer, at: performance.now() };
    } catch (error) {
      this.onError(error);
      this.#shown = { path, of: error.status ? answer : null, at: performance.now() };
    }
    this.#isPending = false;
    // Something may have changed meanwhile, or the server could not be reached.
    this.#refresh();
  }
}
