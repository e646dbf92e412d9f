// Polls the server once a second, but not while a response is pending or the page is hidden.

import { askForToken, authorization } from "./token.js";

const PERIOD_MS = 1000;
const TIMEOUT_MS = 8000;
const MAX_RETRY_MS = 5000;

// The messages of browsers for these errors differ and are meant for developers.
const TROUBLES = {
  TimeoutError: "no response", TypeError: "server unreachable", SyntaxError: "invalid response",
};

export class Poller {
  #timer = null;
  #isPending = false;
  #isRequested = false;
  #failures = 0;
  #known = { url: "", tag: "" };

  /**
   * Request `url()`; call `onAnswer(answer)` with each new answer, and `onConnection(trouble, code)`
   * with null after a response, or with the reason why there is none, and its code.
   */
  constructor(url, onAnswer, onConnection) {
    Object.assign(this, { url, onAnswer, onConnection });
    document.addEventListener("visibilitychange", () => this.now());
  }

  /** Poll at once, or right after the pending response. */
  now() {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    if (this.#isPending) this.#isRequested = true;
    else this.#poll();
  }

  /** Poll at once, and get the answer even if it has not changed. */
  refresh() {
    this.#known = { url: "", tag: "" };
    this.now();
  }

  async #poll() {
    this.#isPending = true;
    const began = performance.now();
    let answer = null;
    try {
      answer = await this.#exchange();
      this.#failures = 0;
      this.onConnection(null);
    } catch (error) {
      this.#failures += 1;
      this.onConnection(TROUBLES[error.name] ?? error.message, error.error);
    }
    this.#isPending = false;
    this.#schedule(performance.now() - began);
    // Outside of the try: an error while drawing is not a lost connection.
    if (answer) this.onAnswer(answer);
  }

  /** The answer, or null if it has not changed. */
  async #exchange() {
    const url = this.url();
    const known = this.#known.url === url ? { "If-None-Match": this.#known.tag } : {};
    const response = await fetch(url, {
      cache: "no-store",
      headers: { ...authorization(), ...known },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 304) return null;
    if (response.status === 401) {
      await askForToken();
      this.#isRequested = true;
      return null;
    }
    if (!response.ok) throw Object.assign(new Error(), await errorOf(response));
    const answer = await response.json();
    this.#known = { url, tag: response.headers.get("ETag") ?? "" };
    return answer;
  }

  #schedule(tookMs) {
    clearTimeout(this.#timer);
    if (this.#isRequested) {
      this.#isRequested = false;
      this.now();
    } else if (!document.hidden) {
      const period = Math.min(PERIOD_MS * 2 ** Math.max(this.#failures - 2, 0), MAX_RETRY_MS);
      this.#timer = setTimeout(() => this.now(), Math.max(period - tookMs, 50));
    }
  }
}

async function errorOf(response) {
  try { return await response.json(); } catch { return { message: `HTTP status ${response.status}` }; }
}
