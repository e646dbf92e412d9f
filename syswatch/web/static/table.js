// The table of calls: sorted, filtered, and without moving rows under the pointer.

import { COLUMNS, valueOf } from "./columns.js";
import { el, setHidden, write } from "./dom.js";
import { Row } from "./row.js";

// About as many rows as fit on a screen: drawn before it is known which are visible.
const FIRST_ROWS = 20;
// Rows out of sight are redrawn in turns, so that they are at most this many seconds old.
const TURNS = 10;
// The interval between reordering: short enough to be current, long enough to read.
const ORDER_MS = 5000;
// What is wider than the usual columns has a frame to scroll in, however wide the page.
const UNFRAMED_EM = COLUMNS.reduce((sum, { extra, width }) => extra ? sum : sum + width, 0.1);

export class CallTable {
  // A row belongs to a position, not to a call: moving it would cost the browser more than changing
  // all of its cells.
  #rows = [];
  #names = [];
  #order = [];
  #turn = 0;
  #held = false;
  #explained = null;
  #timer = null;
  #isDue = true;
  #shown = null;

  /** `view` holds `sort`, `downwards`, `filter` and `kinds`, and is shared with the tools. */
  constructor(view, onSort) {
    Object.assign(this, { view, onSort });
    this.body = el("tbody", { role: "rowgroup" });
    this.heads = el("tr", { role: "row" });
    this.empty = el("p", { class: "empty dim", hidden: true });
    this.table = el("table", { class: "calls", role: "table" },
      el("caption", { class: "hidden-words" }, "System calls, sortable by the buttons in the first row"),
      el("thead", { role: "rowgroup" }, this.heads), this.body);
    this.node = el("div", { class: "scroll", tabindex: "-1" }, this.table, this.empty);
    this.sight = new IntersectionObserver(
      (entries) => { for (const { target, isIntersecting } of entries) target.row.setVisible(isIntersecting); },
      { rootMargin: "30px" });
    this.choose(COLUMNS.filter((column) => !column.extra));
    this.#listen();
  }

  /** Show the given columns; the first one is always among them. */
  choose(columns) {
    this.columns = columns;
    const widths = columns.map(({ width }) => `calc(${width}em * var(--roomy))`);
    const least = columns.reduce((sum, { width }) => sum + width, 0);
    this.table.style.setProperty("--columns", `${widths.slice(0, -1).join(" ")} minmax(${columns.at(-1).width}em, 1fr)`);
    this.table.style.setProperty("--least", `${least}em`);
    this.table.classList.toggle("wide", least > UNFRAMED_EM);
    this.heads.replaceChildren(...columns.map((column) => this.#head(column)));
    for (const row of this.#rows.splice(0)) this.#drop(row);
    this.refresh();
  }

  /** Show rows; `context` has the totals, and `source` identifies the process or the selection. */
  update(rows, context, whenEmpty) {
    this.#isDue ||= context.source !== this.#shown?.context.source;
    this.#shown = { rows, context, whenEmpty };
    const wanted = this.#wanted(rows);
    this.#turn = (this.#turn + 1) % TURNS;
    this.#arrange(wanted.map((row) => row.Name));
    this.#fill();
    setHidden(this.empty, wanted.length > 0);
    write(this.empty, rows.length ? "No matching calls" : whenEmpty);
  }

  refresh() {
    this.#held = false;
    this.#isDue = true;
    this.#mark();
    if (this.#shown) this.update(this.#shown.rows, this.#shown.context, this.#shown.whenEmpty);
  }

  /** Move the focus by a number of rows. */
  step(by) {
    const nodes = [...this.body.children];
    const here = nodes.indexOf(document.activeElement?.closest("tr"));
    const next = here < 0 ? (by > 0 ? 0 : nodes.length - 1) : here + by;
    nodes[Math.min(Math.max(next, 0), nodes.length - 1)]?.row.link.focus();
  }

  /** Update each row with the call at its position. */
  #fill() {
    const { rows, context } = this.#shown;
    const data = new Map(rows.map((row) => [row.Name, row]));
    while (this.#rows.length > this.#names.length) this.#drop(this.#rows.pop());
    this.#names.forEach((name, index) => {
      const row = (this.#rows[index] ??= this.#add(index));
      row.offer(data.get(name), context);
      if (!row.isVisible && index % TURNS === this.#turn) row.draw();
    });
  }

  #add(index) {
    const row = new Row(index < FIRST_ROWS, this.columns);
    this.body.append(row.node);
    this.sight.observe(row.node);
    return row;
  }

  #drop(row) {
    this.sight.unobserve(row.node);
    row.node.remove();
  }

  #wanted(rows) {
    const { filter, kinds, sort, downwards } = this.view;
    const text = filter.toLowerCase();
    const value = valueOf(sort);
    const order = downwards ? -1 : 1;
    return rows
      .filter((row) => (!kinds.size || kinds.has(row.Category)) && row.Name.includes(text))
      .sort((a, b) => order * compare(value(a), value(b)) || compare(b.Count, a.Count) || compare(a.Name, b.Name));
  }

  /** Insert new calls and remove others; while held, the rest keep their positions. */
  #arrange(names) {
    const there = new Set(this.#names);
    const wanted = new Set(names);
    const added = names.filter((name) => !there.has(name));
    this.#names = [...this.#names.filter((name) => wanted.has(name)), ...added];
    this.#order = names;
    if (!this.#held && (added.length || this.#isDue)) this.#settle();
    else this.#timer ??= setTimeout(() => this.#settleAndFill(), ORDER_MS);
  }

  /** Reorder the calls, unless the pointer or the focus is on one. */
  #settle() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#held) return;
    this.#isDue = false;
    this.#names = this.#order;
  }

  #settleAndFill() {
    this.#settle();
    if (this.#shown) this.#fill();
  }

  #head(column) {
    const button = el("button", { type: "button", class: "sort", title: column.about ?? null, onclick: () => this.#sortBy(column) }, column.title);
    return el("th", { scope: "col", role: "columnheader", class: column.isNumber ? "" : "w", "data-column": column.key }, button);
  }

  #sortBy(column) {
    const { view } = this;
    view.downwards = view.sort === column.key ? !view.downwards : column.isNumber;
    view.sort = column.key;
    this.onSort();
    this.refresh();
  }

  #mark() {
    for (const head of this.heads.children) {
      const sorted = head.dataset.column === this.view.sort;
      const direction = this.view.downwards ? "descending" : "ascending";
      head.setAttribute("aria-sort", sorted ? direction : "none");
    }
  }

  #listen() {
    this.body.addEventListener("pointerenter", () => this.#hold(true));
    this.body.addEventListener("pointerleave", () => this.#hold(this.body.contains(document.activeElement)));
    this.body.addEventListener("focusin", () => this.#hold(true));
    this.body.addEventListener("focusout", () => this.#hold(this.body.matches(":hover")));
    for (const kind of ["pointerover", "focusin"]) {
      this.body.addEventListener(kind, ({ target }) => this.#explain(target.closest("tr")?.row ?? null));
    }
    this.body.addEventListener("click", (event) => this.#follow(event));
    // In print all rows are visible.
    addEventListener("beforeprint", () => { for (const row of this.#rows) row.draw(); });
  }

  #explain(row) {
    if (row === this.#explained) return;
    this.#explained?.explain(false);
    this.#explained = row;
    row?.explain(true);
  }

  #hold(held) {
    this.#held = held;
    if (!held) this.#settleAndFill();
  }

  /** A click anywhere on a row opens it, unless it selected text or was on the link. */
  #follow(event) {
    const row = event.target.closest("tr")?.row;
    if (!row || event.target.closest("a") || String(getSelection())) return;
    if (event.ctrlKey || event.metaKey) window.open(row.link.href, "_blank", "noopener");
    else location.assign(row.link.href);
  }
}

const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
