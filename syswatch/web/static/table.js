// The table of calls: sorted, filtered, and calm while somebody points at it.

import { COLUMNS } from "./columns.js";
import { el, write } from "./dom.js";
import { Row } from "./row.js";

// About as many rows as a screen has: these are drawn before it is known which can be seen.
const FIRST_ROWS = 20;
// Rows out of sight are drawn in turn, so that even they are never older than this many seconds.
const TURNS = 10;
// Rows are put in order often enough to be true, and seldom enough to be read: a row that moves
// also costs the browser more than all that changes within a row.
const ORDER_MS = 5000;

export class CallTable {
  #rows = new Map();
  #turn = 0;
  #held = false;
  #order = [];
  #timer = null;
  #isDue = true;
  #shown = null;

  /** `view` holds `sort`, `downwards`, `filter` and `categories`, and is shared with the tools. */
  constructor(view, onSort) {
    Object.assign(this, { view, onSort });
    this.body = el("tbody", { role: "rowgroup" });
    this.heads = COLUMNS.map((column) => this.#head(column));
    this.empty = el("p", { class: "empty dim", hidden: true });
    const table = el("table", { class: "calls", role: "table" },
      el("caption", { class: "hidden-words" }, "System calls; the buttons in the first row sort"),
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...this.heads)), this.body);
    this.node = el("div", { class: "scroll", tabindex: "-1" }, table, this.empty);
    this.sight = new IntersectionObserver(
      (entries) => { for (const { target, isIntersecting } of entries) target.row.see(isIntersecting); },
      { rootMargin: "30px" });
    this.#listen();
  }

  /** Show rows; `context` tells the cells what they are a part of, and `source` whose rows they are. */
  update(rows, context, whenEmpty) {
    this.#isDue ||= context.source !== this.#shown?.context.source;
    this.#shown = { rows, context, whenEmpty };
    const wanted = this.#wanted(rows);
    this.#turn = (this.#turn + 1) % TURNS;
    wanted.forEach((row, index) => this.#offer(row, context, index));
    this.#arrange(wanted.map((row) => this.#rows.get(row.Name).node));
    this.empty.hidden = wanted.length > 0;
    write(this.empty, rows.length ? "No call matches the filter." : whenEmpty);
  }

  refresh() {
    this.#held = false;
    this.#isDue = true;
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

  #offer(told, context, index) {
    let row = this.#rows.get(told.Name);
    if (!row) {
      this.#rows.set(told.Name, (row = new Row(told.Name, index < FIRST_ROWS)));
      this.sight.observe(row.node);
    }
    row.offer(told, context);
    if (!row.isSeen && index % TURNS === this.#turn) row.draw();
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

  /** Bring new rows in and others out; while held, those that are there stay in their places. */
  #arrange(nodes) {
    const wanted = new Set(nodes);
    for (const node of [...this.body.children]) if (!wanted.has(node)) node.remove();
    const fresh = nodes.filter((node) => !node.parentNode);
    this.#order = nodes;
    if (this.#held) this.body.append(...fresh);
    else if (fresh.length || this.#isDue) this.#settle();
    else this.#timer ??= setTimeout(() => this.#settle(), ORDER_MS);
  }

  /** Put the rows in order, unless somebody is pointing at one. */
  #settle() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#held) return;
    this.#isDue = false;
    let place = this.body.firstElementChild;
    for (const node of this.#order) {
      if (node === place) place = place.nextElementSibling;
      else this.body.insertBefore(node, place);
    }
  }

  #head(column) {
    const button = el("button", { type: "button", class: "sort", title: column.about ?? null, onclick: () => this.#sortBy(column) }, column.title);
    return el("th", { scope: "col", role: "columnheader", class: column.downwards ? "" : "w" }, button);
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
    this.body.addEventListener("pointerenter", () => this.#hold(true));
    this.body.addEventListener("pointerleave", () => this.#hold(this.body.contains(document.activeElement)));
    this.body.addEventListener("focusin", () => this.#hold(true));
    this.body.addEventListener("focusout", () => this.#hold(this.body.matches(":hover")));
    this.body.addEventListener("click", (event) => this.#follow(event));
  }

  #hold(held) {
    this.#held = held;
    if (!held) this.#settle();
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
