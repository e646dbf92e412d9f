// One row of the table of calls: of one call after another, as their order changes.

import { el, quantity, setTitle, write } from "./dom.js";
import { callPage } from "./urls.js";
import { sparkline } from "./sparkline.js";

const DASH = { value: "–", unit: "" };

export class Row {
  #told = null;
  #cells = null;
  #name = "";
  #isExplained = false;

  #columns;

  /** A row that nobody sees has no cells at first, and is not drawn anew each second. */
  constructor(isSeen, [, ...columns]) {
    this.isSeen = isSeen;
    this.#columns = columns;
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
      this.#cells = this.#columns.map((column) => this.#cell(column.key));
      this.node.append(...this.#cells);
    }
    this.#columns.forEach((column, index) => column.show(this.#cells[index], row, context));
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
