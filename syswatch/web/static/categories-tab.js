// The tab of categories.

import { CATEGORIES, colour } from "./lookup.js";
import { el, quantity } from "./dom.js";
import { Listing, amount, bar, dash } from "./listing.js";
import { duration, exact, share } from "./numbers.js";

export class CategoriesTab {
  tools = [];

  constructor() {
    this.note = el("p", { class: "empty dim" }, "No data yet");
    this.listing = new Listing("Categories", [
      { title: "Category", wide: true, cell: ({ category }) => el("span", { class: `chip ${colour(category)}` }, category) },
      { title: "Distinct calls", cell: ({ names }) => String(names) },
      { title: "Calls", cell: ({ calls }) => amount(calls) },
      { title: "Share", cell: ({ part }) => quantity(share(part)) },
      { title: "", wide: true, className: "bar-cell", cell: ({ category, part }) => bar(part, `of-category ${colour(category)}`) },
      { title: "Errors", cell: ({ errors }) => amount(errors) },
      { title: "Err%", cell: ({ calls, errors }) => errors ? quantity(share(errors / calls)) : dash() },
      { title: "Time in calls", cell: ({ ns }) => ns ? quantity(duration(ns), { title: `${exact(ns)} ns` }) : dash() },
    ], "categories");
    this.node = el("div", {}, this.listing.node, this.note);
  }

  /** A category is the sum of its rows, also for one process or a range of time. */
  update({ answer, frozen }) {
    const rows = frozen?.rows ?? answer.Stats;
    const total = rows.reduce((sum, row) => sum + row.Count, 0);
    const groups = Map.groupBy(rows, (row) => row.Category);
    const sum = (category, key) => groups.get(category).reduce((whole, row) => whole + row[key], 0);
    this.note.hidden = rows.length > 0;
    this.listing.update(CATEGORIES.filter((category) => groups.has(category)).map((category) => ({
      category,
      names: groups.get(category).length,
      calls: sum(category, "Count"),
      part: sum(category, "Count") / total,
      errors: sum(category, "Errors"),
      ns: sum(category, "TotalTime"),
    })));
  }
}
