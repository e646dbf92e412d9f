// The tab of calls: the table, and its filters by name and category.

import { CATEGORIES, about, colour } from "./lookup.js";
import { columnChooser } from "./chooser.js";
import { el, setHidden, write } from "./dom.js";
import { CallTable } from "./table.js";

export class CallsTab {

  constructor(view) {
    this.view = view;
    this.order = view.table("calls", { sort: "Time", downwards: true });
    this.table = new CallTable(this.order, () => view.keep());
    this.node = this.table.node;
    this.filter = el("input", {
      type: "search", id: "filter", placeholder: "/ filter", "aria-label": "Filter calls by name",
      autocomplete: "off", spellcheck: "false", oninput: () => this.#filterBy(this.filter.value),
    });
    this.pills = new Map(CATEGORIES.map((category) => [category, this.#pill(category)]));
    this.tools = [
      el("div", { class: "pills", role: "group", "aria-label": "Categories" }, ...this.pills.values()),
      this.filter,
      columnChooser((columns) => this.table.choose(columns)),
    ];
    this.restore();
  }

  /** Show the order and the filters of the view. */
  restore() {
    if (this.filter.value.trim() !== this.order.filter) this.filter.value = this.order.filter;
    for (const [category, pill] of this.pills) pill.setAttribute("aria-pressed", String(this.order.kinds.has(category)));
    this.table.refresh();
  }

  update({ answer, history, frozen }) {
    const rows = frozen?.rows ?? answer.Stats;
    const total = rows.reduce((sum, row) => sum + row.Count, 0);
    const most = rows.reduce((peak, row) => Math.max(peak, row.Count), 0);
    const source = frozen ?? this.view.pid;
    const spark = (name) => frozen ? frozen.sparks.get(name) : history.rates(name);
    this.table.update(rows, { total, most, spark, source }, this.#whenEmpty(answer, frozen));
    this.#showPills(rows, total);
  }

  step(by) { this.table.step(by); }

  #whenEmpty({ Status: { Done } }, frozen) {
    if (frozen) return "No calls in this period";
    return Done ? "Ended without a system call" : "No data yet";
  }

  #filterBy(text) {
    this.order.filter = text.trim();
    this.#changed();
  }

  #pill(category) {
    const button = el("button", {
      type: "button", class: `pill chip ${colour(category)}`, title: about(category), hidden: true,
      "aria-pressed": "false",
      onclick: () => {
        const { kinds } = this.order;
        if (!kinds.delete(category)) kinds.add(category);
        button.setAttribute("aria-pressed", String(kinds.has(category)));
        this.#changed();
      },
    }, `${category} `);
    button.append(el("span", { class: "dim" }));
    return button;
  }

  #changed() {
    this.view.keep();
    this.table.refresh();
  }

  #showPills(rows, total) {
    const sums = {};
    for (const row of rows) sums[row.Category] = (sums[row.Category] ?? 0) + row.Count;
    for (const [category, pill] of this.pills) {
      setHidden(pill, !sums[category] && !this.order.kinds.has(category));
      write(pill.lastChild, percent(total ? (sums[category] ?? 0) / total : 0));
    }
  }
}

/** A short form of a share, to fit into a pill. */
const percent = (part) => part && part < 0.01 ? "<1%" : `${Math.round(100 * part)}%`;
