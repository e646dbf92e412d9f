// The table of calls: sorted, filtered, and calm while somebody points at it.

import { COLUMNS } from "./columns.js";
import { el, write } from "./dom.js";
import { Row } from "./row.js";

export class CallTable {
  #rows = new Map();
  #held = false;
  #shown = null;

  /** `view` holds `sort`, `downwards`, `filter` and `categories`, and is shared with the tools. */
  constructor(view, onSort) {
    Object.assign(this, { view, onSort });
    this.body = el("tbody");
    this.heads = COLUMNS.map((column) => this.#head(column));
    this.empty = el("p", { class: "empty dim", hidden: true });
    const table = el("table", { class: "calls" },
      el("caption", { class: "hidden-words" }, "System calls; the buttons in the first row sort"),
      el("colgroup", {}, ...COLUMNS.map((column) => el("col", { class: `col-${column.name}` }))),
      el("thead", {}, el("tr", {}, ...this.heads)), this.body);
    this.node = el("div", { class: "scroll", tabindex: "-1" }, table, this.empty);
    this.#listen();
  }

  /** Show rows; `context` tells the cells what they are a part of. */
  update(rows, context, whenEmpty) {
    this.#shown = { rows, context, whenEmpty };
    const wanted = this.#wanted(rows);
    for (const row of wanted) this.#row(row.Name).update(row, context);
    this.#arrange(wanted.map((row) => this.#row(row.Name).node));
    this.empty.hidden = wanted.length > 0;
    write(this.empty, rows.length ? "No call matches the filter." : whenEmpty);
  }

  refresh() {
    this.#held = false;
    this.#mark();
    if (this.#shown) this.update(this.#shown.rows, this.#shown.context, this.#shown.whenEmpty);
  }

  /** Move the focus by some rows, from wherever it is. */
  step(by) {
    const nodes = [...this.body.children];
    const here = nodes.indexOf(document.activeElement?.closest("tr"));
    const next = here < 0 ? (by > 0 ? 0 : nodes.length - 1) : here + by;
    nodes[Math.min(Math.max(next, 0), nodes.length - 1)]?.row.link.focus();
  }

  #row(name) {
    let row = this.#rows.get(name);
    if (!row) this.#rows.set(name, (row = new Row(name)));
    return row;
  }

  #wanted(rows) {
    const { filter, categories, sort, downwards } = this.view;
    const words = filter.toLowerCase();
    const column = COLUMNS.find((each) => each.key === sort);
    const order = downwards ? -1 : 1;
    return rows
      .filter((row) => (!categories.size || categories.has(row.Category)) && row.Name.includes(words))
      .sort((a, b) => order * compare(column.sort(a), column.sort(b)) || compare(a.Name, b.Name));
  }

  /** Put the rows in order. While held, those that are there stay, and new ones go to the end. */
  #arrange(nodes) {
    const wanted = new Set(nodes);
    for (const node of [...this.body.children]) if (!wanted.has(node)) node.remove();
    if (this.#held) {
      for (const node of nodes) if (!node.parentNode) this.body.append(node);
      return;
    }
    let place = this.body.firstElementChild;
    for (const node of nodes) {
      if (node === place) place = place.nextElementSibling;
      else this.body.insertBefore(node, place);
    }
  }

  #head(column) {
    const button = el("button", { type: "button", class: "sort", title: column.about ?? null, onclick: () => this.#sortBy(column) }, column.title);
    return el("th", { scope: "col", class: column.downwards ? "" : "w" }, button);
  }

  #sortBy(column) {
    const { view } = this;
    view.downwards = view.sort === column.key ? !view.downwards : Boolean(column.downwards);
    view.sort = column.key;
    this.onSort();
    this.refresh();
  }

  #mark() {
    COLUMNS.forEach((column, index) => {
      const sorted = column.key === this.view.sort;
      const direction = this.view.downwards ? "descending" : "ascending";
      this.heads[index].setAttribute("aria-sort", sorted ? direction : "none");
    });
  }

  #listen() {
    this.#mark();
    this.body.addEventListener("pointerenter", () => { this.#held = true; });
    this.body.addEventListener("pointerleave", () => { this.#held = this.body.contains(document.activeElement); });
    this.body.addEventListener("focusin", () => { this.#held = true; });
    this.body.addEventListener("focusout", () => { this.#held = this.body.matches(":hover"); });
    this.body.addEventListener("click", (event) => this.#follow(event));
  }

  /** A click anywhere on a row opens it, unless it was one to select text or on the link itself. */
  #follow(event) {
    const row = event.target.closest("tr")?.row;
    if (!row || event.target.closest("a") || String(getSelection())) return;
    if (event.ctrlKey || event.metaKey) window.open(row.link.href, "_blank", "noopener");
    else location.assign(row.link.href);
  }
}

const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
