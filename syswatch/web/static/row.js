// A row of the table of calls, which shows another call when the order changes.

import { el, quantity, setTitle, write } from "./dom.js";
import { callPage } from "./urls.js";
import { sparkline } from "./sparkline.js";

const DASH = { value: "–", unit: "" };

export class Row {
  #data = null;
  #cells = null;
  #name = "";
  #isExplained = false;

  #columns;

  /** A row out of sight has no cells at first, and is not redrawn every second. */
  constructor(isVisible, [, ...columns]) {
    this.isVisible = isVisible;
    this.#columns = columns;
    this.link = el("a", { class: "code", draggable: "false" });
    this.node = el("tr", { role: "row" }, el("th", { class: "w", scope: "row", role: "rowheader" }, this.link));
    this.node.row = this;
  }

  offer(row, context) {
    this.#data = [row, context];
    const isAnother = row.Name !== this.#name;
    if (isAnother) this.#setName(row.Name);
    // A name must never be shown with the numbers of another call.
    if (this.isVisible || (isAnother && this.#cells)) this.draw();
  }

  #setName(name) {
    this.#name = name;
    this.link.href = callPage(name);
    write(this.link, name);
  }

  setVisible(isVisible) {
    this.isVisible = isVisible;
    if (isVisible) this.draw();
  }

  draw() {
    if (!this.#data) return;
    const [row, context] = this.#data;
    if (!this.#cells) {
      this.#cells = this.#columns.map((column) => this.#cell(column.key));
      this.node.append(...this.#cells);
    }
    this.#columns.forEach((column, index) => column.show(this.#cells[index], row, context));
    if (this.#isExplained) this.#explainCells();
  }

  /** Show exact values in titles, of one row at a time because each change has its cost. */
  explain(isExplained) {
    this.#isExplained = isExplained;
    this.#explainCells();
  }

  #explainCells() {
    for (const cell of this.#cells ?? []) setTitle(cell, this.#isExplained ? cell.about ?? "" : "");
  }

  #cell(kind) {
    const cell = el("td", { role: "cell", "data-column": kind });
    if (kind === "Count") {
      cell.bar = el("i", { class: "bar-fill" });
      cell.append(cell.bar, (cell.amount = quantity(DASH)));
      cell.className = "with-bar";
    } else if (kind === "Rate") {
      cell.spark = sparkline(56, 16);
      cell.append((cell.amount = quantity(DASH)), cell.spark);
    } else if (kind === "Errors") {
      cell.append((cell.amount = quantity(DASH)), (cell.errno = el("span", { class: "errno dim" })));
    }
    return cell;
  }
}
