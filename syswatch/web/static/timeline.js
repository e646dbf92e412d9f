// The charts of the dashboard, with their legend, their reading and their length.

import { CATEGORIES, colour } from "./categories.js";
import { TimeCharts } from "./charts.js";
import { byId, el, quantity, write, writeQuantity } from "./dom.js";
import { clock, load, rate, text } from "./numbers.js";

const LENGTHS = [[0, "auto"], [60, "1 min"], [300, "5 min"], [900, "15 min"]];
const AUTO_S = [60, 90, 120, 180, 300, 450, 600, 900];
const SHORTEST_S = 10;

const ERRORS = { title: "errors/s", height: 46, parts: [{ measure: (second) => second.errors, colour: "failing-area" }], format: rate };
const LOAD = { title: "time in calls", height: 46, parts: [{ measure: (second) => second.ns, colour: "load-area" }], format: load };
const CALLS = {
  height: 132,
  parts: CATEGORIES.map((category) => ({
    measure: (second) => second.byCategory[category] ?? 0, colour: colour(category),
  })),
  format: rate,
};
export const ONE_CALL = { title: "calls/s", height: 90, parts: [{ measure: (second) => second.calls, colour: "load-area" }], format: rate };
export const SMALL_LANES = [ERRORS, LOAD];

export class Timeline {
  #length = 0;
  #cursor = null;
  #selection = null;
  #history = null;
  #lostS = 0;

  constructor({ onSelect, lanes = [CALLS, ERRORS, LOAD] }) {
    this.charts = new TimeCharts(byId("charts"), lanes, {
      onCursor: (second) => { this.#cursor = second; this.#read(); },
      onSelect,
    });
    this.#buildLengths();
    this.#buildLegend();
    byId("charts").setAttribute("aria-label", "Calls, errors and time by the second; arrow keys read, Enter freezes");
  }

  update(history, { done, lostS }) {
    this.#history = history;
    this.#lostS = done ? 0 : Math.ceil(lostS);
    byId("charts").classList.toggle("unborn", history.first === null);
    if (history.first !== null) this.#show(done);
    this.#read();
  }

  select(selection) {
    this.#selection = selection;
    this.charts.select(selection);
    this.#read();
  }

  #show(done) {
    const { first, end } = this.#history;
    const to = end + this.#lostS;
    const known = Math.max(to - first, 1);
    const length = this.#length || (done ? Math.min(Math.max(known, SHORTEST_S), 900) : AUTO_S.find((each) => known <= each) ?? 900);
    this.charts.show(this.#history, to - length, to);
  }

  #buildLengths() {
    const buttons = LENGTHS.map(([length, words]) => el("button", {
      type: "button", "aria-pressed": String(length === this.#length),
      onclick: () => {
        this.#length = length;
        buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(LENGTHS[index][0] === length)));
        if (this.#history?.first != null) this.#show(false);
      },
    }, words));
    byId("ranges").replaceChildren(...buttons);
  }

  #buildLegend() {
    this.legend = new Map();
    const legend = byId("legend");
    if (!legend) return;
    for (const category of CATEGORIES) {
      const value = quantity(rate(0));
      const item = el("li", { class: `chip ${colour(category)}`, hidden: true }, `${category} `, value);
      this.legend.set(category, { item, value, seen: false });
      legend.append(item);
    }
  }

  /** Write the values of the cursor, or the newest ones. */
  #read() {
    const history = this.#history;
    if (!history || history.first === null) return;
    const at = this.#cursor ?? history.end - 1;
    const second = history.at(at);
    const { categories } = history;
    for (const [category, entry] of this.legend) {
      const value = second?.byCategory[category] ?? 0;
      if (!entry.seen && categories.has(category)) { entry.seen = true; entry.item.hidden = false; }
      writeQuantity(entry.value, value ? rate(value) : { value: "–", unit: "" });
    }
    this.#describe(at, second);
  }

  #describe(at, second) {
    const words = second
      ? `${clock(at)} · ${text(rate(second.calls))} · ${second.errors ? text(rate(second.errors)) : "no"} errors · ${text(load(second.ns))} in calls`
      : `${clock(at)} · nothing is known`;
    const reading = byId("reading");
    write(reading, this.#cursor === null && !this.#selection ? "" : words);
    this.charts.describe(words);
  }
}
