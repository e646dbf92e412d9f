// The tab of calls: the table, and its filters by name, category and process.

import { CATEGORIES, about, colour } from "./categories.js";
import { columnChooser } from "./chooser.js";
import { el, setHidden, write } from "./dom.js";
import { CallTable } from "./table.js";
import { keepView } from "./view.js";

export class CallsTab {
  key = "calls";
  title = "Calls";
  parts = [];

  constructor(view, onProcessChange) {
    Object.assign(this, { view, onProcessChange });
    this.table = new CallTable(view, () => keepView(view));
    this.node = this.table.node;
    this.filter = el("input", {
      type: "search", id: "filter", placeholder: "/ filter", "aria-label": "Filter calls by name",
      autocomplete: "off", spellcheck: "false", oninput: () => this.#filterBy(this.filter.value),
    });
    this.filter.value = view.filter;
    this.pills = new Map(CATEGORIES.map((category) => [category, this.#pill(category)]));
    this.process = el("select", { "aria-label": "Process", hidden: true, onchange: () => this.#choose(Number(this.process.value)) });
    this.tools = [
      this.process,
      el("div", { class: "pills", role: "group", "aria-label": "Categories" }, ...this.pills.values()),
      this.filter,
      columnChooser((columns) => this.table.choose(columns)),
    ];
  }

  update({ answer, history, frozen }) {
    const rows = frozen?.rows ?? answer.Stats;
    const total = rows.reduce((sum, row) => sum + row.Count, 0);
    const most = rows.reduce((peak, row) => Math.max(peak, row.Count), 0);
    const source = frozen ?? this.view.pid;
    const spark = (name) => frozen ? frozen.sparks.get(name) : history.rates(name);
    this.table.update(rows, { total, most, spark, source }, this.#whenEmpty(answer, frozen));
    this.#showPills(rows, total);
    this.#showProcesses(answer.Tables);
  }

  /** Whether the chosen process is in this trace; the choice may be from another one. */
  knows(tables) {
    return !this.view.pid || tables.some((table) => table.PID === this.view.pid);
  }

  showAll() { this.#choose(0); }

  step(by) { this.table.step(by); }

  #whenEmpty({ Status: { Done } }, frozen) {
    if (frozen) return "No calls in this period";
    return Done ? "Ended without a system call" : "No data yet";
  }

  #filterBy(text) {
    this.view.filter = text.trim();
    this.#changed();
  }

  #pill(category) {
    const button = el("button", {
      type: "button", class: `pill chip ${colour(category)}`, title: about(category), hidden: true,
      "aria-pressed": String(this.view.categories.has(category)),
      onclick: () => {
        const { categories } = this.view;
        if (!categories.delete(category)) categories.add(category);
        button.setAttribute("aria-pressed", String(categories.has(category)));
        this.#changed();
      },
    }, `${category} `);
    button.append(el("span", { class: "dim" }));
    return button;
  }

  #changed() {
    keepView(this.view);
    this.table.refresh();
  }

  #showPills(rows, total) {
    const sums = {};
    for (const row of rows) sums[row.Category] = (sums[row.Category] ?? 0) + row.Count;
    for (const [category, pill] of this.pills) {
      setHidden(pill, !sums[category] && !this.view.categories.has(category));
      write(pill.lastChild, percent(total ? (sums[category] ?? 0) / total : 0));
    }
  }

  #showProcesses(tables) {
    setHidden(this.process, tables.length < 2 && !this.view.pid);
    const wanted = ["All processes", ...tables.map((table) => `${table.PID} ${table.Comm}`)];
    if (this.process.options.length === wanted.length || this.process === document.activeElement) return;
    const pids = [0, ...tables.map((table) => table.PID)];
    this.process.replaceChildren(...wanted.map((label, index) => el("option", { value: pids[index] }, label)));
    this.process.value = this.view.pid;
  }

  #choose(pid) {
    this.view.pid = pid;
    keepView(this.view);
    this.onProcessChange();
  }
}

/** A short form of a share, to fit into a pill. */
const percent = (part) => part && part < 0.01 ? "<1%" : `${Math.round(100 * part)}%`;
