// One row of the table of calls: of one call after another, as their order changes.

import { COLUMNS } from "./columns.js";
import { el, quantity, setTitle, write } from "./dom.js";
import { callPage } from "./place.js";
import { sparkline } from "./sparkline.js";

const AFTER_NAME = COLUMNS.slice(1);
const DASH = { value: "–", unit: "" };

export class Row {
  #told = null;
  #cells = null;
  #name = "";
  #isExplained = false;

  /** A row that nobody sees has no cells at first, and is not drawn anew each second. */
  constructor(isSeen) {
    this.isSeen = isSeen;
    this.link = el("a", { class: "code", draggable: "false" });
    this.node = el("tr", { role: "row" }, el("th", { class: "w", scope: "row", role: "rowheader" }, this.link));
    this.node.row = this;
  }

  offer(row, context) {
    this.#told = [row, context];
    const isAnother = row.Name !== this.#name;
    if (isAnother) this.#entitle(row.Name);
    // No name ever stands beside the numbers of another call.
    if (this.isSeen || (isAnother && this.#cells)) this.draw();
  }

  #entitle(name) {
    this.#name = name;
    this.link.href = callPage(name);
    write(this.link, name);
  }

  see(isSeen) {
    this.isSeen = isSeen;
    if (isSeen) this.draw();
  }

  draw() {
    if (!this.#told) return;
    const [row, context] = this.#told;
    if (!this.#cells) {
      this.#cells = AFTER_NAME.map((column) => this.#cell(column.name));
      this.node.append(...this.#cells);
    }
    AFTER_NAME.forEach((column, index) => column.show(this.#cells[index], row, context));
    if (this.#isExplained) this.#explainCells();
  }

  /** Say in titles what is exact: of one row at a time, for each change of one has its cost. */
  explain(isExplained) {
    this.#isExplained = isExplained;
    this.#explainCells();
  }

  #explainCells() {
    for (const cell of this.#cells ?? []) setTitle(cell, this.#isExplained ? cell.about ?? "" : "");
  }

  #cell(kind) {
    const cell = el("td", { role: "cell" });
    if (kind === "calls") {
      cell.bar = el("i", { class: "bar-fill" });
      cell.append(cell.bar, (cell.amount = quantity(DASH)));
      cell.className = "with-bar";
    } else if (kind === "now") {
      cell.spark = sparkline(56, 16);
      cell.append((cell.amount = quantity(DASH)), cell.spark);
    } else if (kind === "errors") {
      cell.append((cell.amount = quantity(DASH)), (cell.errno = el("span", { class: "errno dim" })));
    }
    return cell;
  }
}
