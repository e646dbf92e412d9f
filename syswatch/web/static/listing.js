// Plain tables that are written anew as a whole, but only when something in them has changed.

import { el, quantity } from "./dom.js";
import { count, exact } from "./numbers.js";

export class Listing {
  #written = "";

  /** A column is `{ title, wide, cell(item) }`; a cell is a text or a node. */
  constructor(caption, columns, className = "") {
    this.columns = columns;
    this.body = el("tbody");
    const heads = columns.map(({ title, wide }) => el("th", { scope: "col", class: wide ? "w" : "" }, title));
    this.node = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", { class: className }, el("caption", { class: "hidden-words" }, caption),
        el("thead", {}, el("tr", {}, ...heads)), this.body));
  }

  update(items) {
    const written = JSON.stringify(items);
    if (written === this.#written) return;
    this.#written = written;
    this.body.replaceChildren(...items.map((item) => this.#row(item)));
  }

  #row(item) {
    return el("tr", {}, ...this.columns.map(({ wide, cell, className = "" }) =>
      el("td", { class: `${wide ? "w" : ""} ${className}` }, cell(item))));
  }
}

/** A bar as long as a part of the widest. */
export function bar(part, className = "") {
  const fill = el("i", { class: `bar-fill ${className}` });
  fill.style.setProperty("--part", part.toFixed(3));
  return el("span", { class: "bar-track", "aria-hidden": "true" }, fill);
}

/** How often, with the exact number in the title; a dash for nothing. */
export const amount = (number) => number ? quantity(count(number), { title: exact(number) }) : dash();

export const dash = () => el("span", { class: "dim" }, "–");
