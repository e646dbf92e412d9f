// Tables that are sorted by the buttons in their first row. Rows keep their place under the pointer.

import { el, setHidden, write } from "./dom.js";
import { exact } from "./numbers.js";

// More rows than anyone scrolls through.
const MOST_ROWS = 200;

export class SortedTable {
  #rows = new Map();
  #items = [];
  #held = false;

  /**
   * A column is `{ key, title, about, wide, minor, whole, className, value(item), cell(item) }`; a minor
   * one is left out on narrow screens, and a whole one cannot be limited to a range of time. `order` has `sort` and `downwards`, `keyOf` identifies an item,
   * `onSort` is called after a click, and `hint` tells how to see rows that are left out.
   */
  constructor(caption, columns, { order, keyOf, onSort, className = "", hint = "filter to find them" }) {
    Object.assign(this, { columns, order, keyOf, onSort, hint });
    this.body = el("tbody");
    this.heads = el("tr", {}, ...columns.map((column) => this.#head(column)));
    this.more = el("p", { class: "empty dim", hidden: true });
    this.scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", { class: `sorted ${className}` }, el("caption", { class: "hidden-words" }, `${caption}, sortable by the buttons in the first row`),
        el("thead", {}, this.heads), this.body));
    this.node = el("div", {}, this.scroll, this.more);
    for (const [kind, held] of [["pointerenter", true], ["pointerleave", false]]) {
      this.body.addEventListener(kind, () => { this.#held = held; if (!held) this.refresh(); });
    }
  }

  update(items) {
    this.#items = items;
    this.#draw();
  }

  /** Sort again, also under the pointer. */
  refresh() {
    this.#held = false;
    this.#draw();
  }

  /** Move the focus by a number of rows. */
  step(by) {
    const rows = [...this.body.children];
    const here = rows.indexOf(document.activeElement?.closest("tr"));
    const next = here < 0 ? (by > 0 ? 0 : rows.length - 1) : here + by;
    rows[Math.min(Math.max(next, 0), rows.length - 1)]?.querySelector("a, button")?.focus();
  }

  #draw() {
    const found = this.#inOrder().slice(0, MOST_ROWS);
    const keys = new Set(found.map((item) => this.keyOf(item)));
    for (const [key, row] of this.#rows) if (!keys.has(key)) { row.node.remove(); this.#rows.delete(key); }
    for (const item of found) this.#show(item);
    this.#place(found.map((item) => this.#rows.get(this.keyOf(item)).node));
    setHidden(this.more, this.#items.length <= MOST_ROWS);
    write(this.more, `${exact(this.#items.length - found.length)} more; ${this.hint}`);
    this.#mark();
  }

  #inOrder() {
    const { sort, downwards } = this.order;
    const column = this.columns.find((each) => each.key === sort) ?? this.columns[0];
    const direction = downwards ? -1 : 1;
    // Array.sort is stable, so equal rows keep the order of the server.
    return this.#items.toSorted((a, b) => direction * compare(column.value(a), column.value(b)));
  }

  #show(item) {
    const key = this.keyOf(item);
    if (!this.#rows.has(key)) this.#rows.set(key, { node: el("tr"), text: "" });
    const row = this.#rows.get(key);
    const text = JSON.stringify(item);
    if (row.text === text) return;
    row.text = text;
    const hadFocus = row.node.contains(document.activeElement);
    row.node.replaceChildren(...this.columns.map((column, index) => cellOf(column, index, item)));
    if (hadFocus) row.node.querySelector("a, button")?.focus();
  }

  /** Put the rows in order; while held, those that are there keep theirs. */
  #place(nodes) {
    const there = [...this.body.children];
    if (this.#held) {
      this.body.append(...nodes.filter((node) => !node.parentNode));
    } else if (nodes.length !== there.length || nodes.some((node, index) => node !== there[index])) {
      const focused = document.activeElement;
      this.body.replaceChildren(...nodes);
      // Moving a row takes the focus from it.
      if (focused !== document.activeElement && this.body.contains(focused)) focused.focus();
    }
  }

  #head(column) {
    const button = el("button", { type: "button", class: "sort", title: column.about ?? null, onclick: () => this.#sortBy(column) }, column.title);
    return el("th", { scope: "col", class: classOf(column), "data-column": column.key }, column.value ? button : column.title);
  }

  #sortBy(column) {
    const { order } = this;
    order.downwards = order.sort === column.key ? !order.downwards : !column.wide;
    order.sort = column.key;
    this.onSort();
    this.refresh();
  }

  #mark() {
    for (const head of this.heads.children) {
      const direction = this.order.downwards ? "descending" : "ascending";
      head.setAttribute("aria-sort", head.dataset.column === this.order.sort ? direction : "none");
    }
  }
}

const classOf = ({ wide, minor, whole, className = "" }) => [wide && "w", minor && "minor", whole && "of-whole", className].filter(Boolean).join(" ");

/** The first cell of a row is its heading. */
function cellOf(column, index, item) {
  return index ? el("td", { class: classOf(column) }, column.cell(item)) : el("th", { scope: "row", class: classOf(column) }, column.cell(item));
}

const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
