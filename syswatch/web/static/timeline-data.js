// Requests of the timeline: one at a time, and always the newest one.

import { askForToken, authorization } from "./token.js";
import { address } from "./urls.js";

/** Return an answer about the recording; an Error has the server's sentence. */
export async function ask(path) {
  const response = await fetch(address(`api/recording/${path}`), { cache: "no-store", headers: authorization() });
  if (response.status === 401) {
    await askForToken();
    return ask(path);
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
      try { this.onAnswer(await ask(now)); } catch (error) { this.onError(error); }
    }
    this.#isPending = false;
  }
}
