// The time charts with their legend, cursor reading and choice of range.

import { CATEGORIES, colour } from "./lookup.js";
import { IS_LOW, TimeCharts } from "./charts.js";
import { byId, el, quantity, write, writeQuantity } from "./dom.js";
import { clock, load, rate, text } from "./numbers.js";
import { Ranges } from "./ranges.js";

const ERRORS = { title: "errors/s", height: 46, parts: [{ measure: (second) => second.errors, colour: "failing-area" }], format: rate };
const LOAD = { title: "time in calls", height: 46, parts: [{ measure: (second) => second.ns, colour: "load-area" }], format: load };
const CALLS = {
  height: IS_LOW ? 58 : 132,
  parts: CATEGORIES.map((category) => ({
    measure: (second) => second.byCategory[category] ?? 0, colour: colour(category),
  })),
  format: rate,
};
export const ONE_CALL = { title: "calls/s", height: 90, parts: [{ measure: (second) => second.calls, colour: "load-area" }], format: rate };
export const SMALL_LANES = [ERRORS, LOAD];

export class Timeline {
  #cursor = null;
  #selection = null;
  #history = null;

  constructor({ onSelect, lanes = IS_LOW ? [CALLS] : [CALLS, ERRORS, LOAD] }) {
    this.charts = new TimeCharts(byId("charts"), lanes, {
      onCursor: (second) => { this.#cursor = second; this.#read(); },
      onSelect,
    });
    this.ranges = new Ranges(byId("ranges"), () => { if (this.#history?.first != null) this.#show(false); });
    this.#buildLegend();
    byId("charts").setAttribute("aria-label", "Calls, errors and time per second; arrow keys move the cursor, Enter selects a second");
  }

  update(history, { done, lostS }) {
    this.#history = history;
    this.ranges.lose(done ? 0 : Math.ceil(lostS));
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
    this.charts.show(this.#history, ...this.ranges.span(first, end, done));
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
