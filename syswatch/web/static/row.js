// One row of the table of calls.

import { COLUMNS } from "./columns.js";
import { el, quantity } from "./dom.js";
import { callPage } from "./place.js";
import { sparkline } from "./sparkline.js";

const AFTER_NAME = COLUMNS.slice(1);
const DASH = { value: "–", unit: "" };

export class Row {
  #told = null;
  #cells = null;

  /** A row that nobody sees has no cells at first, and is not drawn anew each second. */
  constructor(name, isSeen) {
    this.isSeen = isSeen;
    this.link = el("a", { href: callPage(name), class: "code", draggable: "false" }, name);
    this.node = el("tr", { role: "row" }, el("th", { class: "w", scope: "row", role: "rowheader" }, this.link));
    this.node.row = this;
  }

  offer(row, context) {
    this.#told = [row, context];
    if (this.isSeen) this.draw();
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
