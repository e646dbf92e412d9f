// The length of time that the charts show.

import { el } from "./dom.js";
import { HISTORY_S } from "./registry.js";

const LENGTHS = [[0, "auto"], [60, "1 min"], [300, "5 min"], [HISTORY_S, "15 min"]];
const AUTO_S = [60, 90, 120, 180, 300, 450, 600, HISTORY_S];
const SHORTEST_S = 10;

export class Ranges {
  #length = 0;
  #listeners;
  /** Seconds without a response from the server: the charts continue with a gap. */
  lostS = 0;

  constructor(host, onChange) {
    this.#listeners = [onChange];
    const buttons = LENGTHS.map(([length, label]) => el("button", {
      type: "button", "aria-pressed": String(length === this.#length),
      onclick: () => {
        this.#length = length;
        buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(LENGTHS[index][0] === length)));
        this.#notify();
      },
    }, label));
    host.replaceChildren(...buttons);
  }

  listen(onChange) {
    this.#listeners.push(onChange);
  }

  lose(seconds) {
    if (seconds === this.lostS) return;
    this.lostS = seconds;
    this.#notify();
  }

  #notify() {
    for (const listener of this.#listeners) listener();
  }

  /** The seconds to show, from the first one up to the last. */
  span(first, end, done) {
    const to = end + this.lostS;
    const known = Math.max(to - first, 1);
    const length = this.#length || (done ? Math.min(Math.max(known, SHORTEST_S), HISTORY_S) : AUTO_S.find((each) => known <= each) ?? HISTORY_S);
    return [to - length, to];
  }
}
