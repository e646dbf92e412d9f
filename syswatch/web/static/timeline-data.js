// Requests to the server, most of them about the recording.

import { askForToken, authorization } from "./token.js";
import { address } from "./urls.js";

/** Return an answer about the recording. */
export const ask = (path, method) => request(`recording/${path}`, method);

/** Return an answer of the API; an Error has the server's sentence. */
export async function request(path, method = "GET") {
  const response = await fetch(address(`api/${path}`), { method, cache: "no-store", headers: authorization() });
  if (response.status === 401) {
    await askForToken();
    return request(path, method);
  }
  if (!response.ok) throw Object.assign(new Error(await messageOf(response)), { status: response.status });
  return response.json();
}

async function messageOf(response) {
  try { return (await response.json()).message; } catch { return `HTTP status ${response.status}`; }
}

/** Asks for the newest path; what was wanted meanwhile is left out. */
export class Newest {
  #isPending = false;
  #wanted = null;

  constructor(onAnswer, onError) {
    Object.assign(this, { onAnswer, onError });
  }

  async want(path) {
    this.#wanted = path;
    if (this.#isPending) return;
    this.#isPending = true;
    while (this.#wanted !== null) {
      const now = this.#wanted;
      this.#wanted = null;
      // oxlint-disable-next-line no-await-in-loop -- one question at a time: later ones replace it
      try { this.onAnswer(await ask(now)); } catch (error) { this.onError(error); }
    }
    this.#isPending = false;
  }
}

/** The calls in which a text is found; more of them are searched for when they are needed. */
export class Matches {
  #found = [];
  #at = -1;
  #next = 0;

  constructor(text) {
    this.text = text;
  }

  /** The match that is shown, or undefined if there is none. */
  get current() { return this.#found[this.#at]; }

  /** Go to the next match, or to the previous one. */
  async step(by) {
    while (this.#at + by >= this.#found.length && this.#next >= 0) {
      // oxlint-disable-next-line no-await-in-loop -- each answer tells where to continue
      const part = await ask(`search?${new URLSearchParams({ text: this.text, segment: this.#next })}`);
      part.ID.forEach((id, index) => this.#found.push({ id, start: part.Start[index], length: Math.max(part.Duration[index], 0) }));
      this.#next = part.Next;
    }
    this.#at = Math.min(Math.max(this.#at + by, 0), this.#found.length - 1);
  }
}
