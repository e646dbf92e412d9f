// Asks once a second, and never while an answer is still awaited or nobody looks.

import { askForToken, authorisation } from "./token.js";

const PERIOD_MS = 1000;
const PATIENCE_MS = 8000;
const SLOWEST_RETRY_MS = 5000;

// What browsers say of these is meant for developers, and in each of them something else.
const TROUBLES = {
  TimeoutError: "it does not answer", TypeError: "it cannot be reached", SyntaxError: "something else answers in its place",
};

export class Poller {
  #timer = null;
  #waiting = false;
  #askAgain = false;
  #failures = 0;
  #known = { url: "", tag: "" };

  /**
   * `url()` is asked, `onAnswer(answer)` gets each new answer, and `onLink(trouble)` learns
   * whether the server answers: null, or a sentence.
   */
  constructor(url, onAnswer, onLink) {
    Object.assign(this, { url, onAnswer, onLink });
    document.addEventListener("visibilitychange", () => this.now());
  }

  /** Ask at once, or right after the answer that is awaited. */
  now() {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    if (this.#waiting) this.#askAgain = true;
    else this.#ask();
  }

  /** Ask at once, and be told even what was told before. */
  anew() {
    this.#known = { url: "", tag: "" };
    this.now();
  }

  async #ask() {
    this.#waiting = true;
    const began = performance.now();
    let answer = null;
    try {
      answer = await this.#exchange();
      this.#failures = 0;
      this.onLink(null);
    } catch (error) {
      this.#failures += 1;
      this.onLink(TROUBLES[error.name] ?? error.message);
    }
    this.#waiting = false;
    this.#plan(performance.now() - began);
    // Last, and outside: a page that cannot draw an answer has not lost its server.
    if (answer) this.onAnswer(answer);
  }

  /** The answer, or null where there is nothing new. */
  async #exchange() {
    const url = this.url();
    const known = this.#known.url === url ? { "If-None-Match": this.#known.tag } : {};
    const response = await fetch(url, {
      cache: "no-store",
      headers: { ...authorisation(), ...known },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.status === 304) return null;
    if (response.status === 401) {
      await askForToken();
      this.#askAgain = true;
      return null;
    }
    if (!response.ok) throw new Error(await complaint(response));
    const answer = await response.json();
    this.#known = { url, tag: response.headers.get("ETag") ?? "" };
    return answer;
  }

  #plan(tookMs) {
    clearTimeout(this.#timer);
    if (this.#askAgain) {
      this.#askAgain = false;
      this.now();
    } else if (!document.hidden) {
      const period = Math.min(PERIOD_MS * 2 ** Math.max(this.#failures - 2, 0), SLOWEST_RETRY_MS);
      this.#timer = setTimeout(() => this.now(), Math.max(period - tookMs, 50));
    }
  }
}

async function complaint(response) {
  try { return (await response.json()).message; } catch { return `it answers with status ${response.status}`; }
}
