// The time charts with their legend, cursor reading and choice of range.

import { CATEGORIES, colour } from "./categories.js";
import { TimeCharts } from "./charts.js";
import { byId, el, quantity, write, writeQuantity } from "./dom.js";
import { clock, load, rate, text } from "./numbers.js";
import { HISTORY_S } from "./registry.js";

const LENGTHS = [[0, "auto"], [60, "1 min"], [300, "5 min"], [HISTORY_S, "15 min"]];
const AUTO_S = [60, 90, 120, 180, 300, 450, 600, HISTORY_S];
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
    this.#buildRanges();
    this.#buildLegend();
    byId("charts").setAttribute("aria-label", "Calls, errors and time per second; arrow keys move the cursor, Enter selects a second");
  }

  update(history, { done, lostS }) {
    this.#history = history;
    this.#lostS = done ? 0 : Math.ceil(lostS);
    byId("charts").classList.toggle("without-data", history.first === null);
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
    const length = this.#length || (done ? Math.min(Math.max(known, SHORTEST_S), HISTORY_S) : AUTO_S.find((each) => known <= each) ?? HISTORY_S);
    this.charts.show(this.#history, to - length, to);
  }

  #buildRanges() {
    const buttons = LENGTHS.map(([length, label]) => el("button", {
      type: "button", "aria-pressed": String(length === this.#length),
      onclick: () => {
        this.#length = length;
        buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(LENGTHS[index][0] === length)));
        if (this.#history?.first != null) this.#show(false);
      },
    }, label));
    byId("ranges").replaceChildren(...buttons);
  }

  #buildLegend() {
    this.legend = new Map();
    const legend = byId("legend");
    if (!legend) return;
    for (const category of CATEGORIES) {
      const value = quantity(rate(0));
      const item = el("li", { class: `chip ${colour(category)}`, hidden: true }, `${category} `, value);
      this.legend.set(category, { item, value, wasShown: false });
      legend.append(item);
    }
  }

  /** Show the values at the cursor, or the newest ones. */
  #read() {
    const history = this.#history;
    if (!history || history.first === null) return;
    const at = this.#cursor ?? history.end - 1;
    const second = history.at(at);
    const { categories } = history;
    for (const [category, entry] of this.legend) {
      const value = second?.byCategory[category] ?? 0;
      if (!entry.wasShown && categories.has(category)) { entry.wasShown = true; entry.item.hidden = false; }
      writeQuantity(entry.value, value ? rate(value) : { value: "–", unit: "" });
    }
    this.#describe(at, second);
  }

  #describe(at, second) {
    const label = second
      ? `${clock(at)} · ${text(rate(second.calls))} · ${second.errors ? text(rate(second.errors)) : "no"} errors · ${text(load(second.ns))} in calls`
      : `${clock(at)} · no data`;
    const reading = byId("reading");
    write(reading, this.#cursor === null && !this.#selection ? "" : label);
    this.charts.describe(label);
  }
}
