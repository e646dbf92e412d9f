// One row of the table of calls.

import { COLUMNS } from "./columns.js";
import { el, quantity } from "./dom.js";
import { callPage } from "./place.js";
import { sparkline } from "./sparkline.js";

const DASH = { value: "–", unit: "" };

export class Row {
  constructor(name) {
    this.name = name;
    this.link = el("a", { href: callPage(name), class: "code", draggable: "false" }, name);
    this.cells = COLUMNS.slice(1).map((column) => this.#cell(column.name));
    this.node = el("tr", {}, el("th", { class: "w", scope: "row" }, this.link), ...this.cells);
    this.node.row = this;
  }

  update(row, context) {
    COLUMNS.slice(1).forEach((column, index) => column.show(this.cells[index], row, context));
  }

  #cell(kind) {
    const cell = el("td");
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
