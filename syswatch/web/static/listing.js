// Simple tables, which are rebuilt as a whole when something in them has changed.

import { el, quantity } from "./dom.js";
import { count, exact } from "./numbers.js";

export class Listing {
  #shown = "";

  /** A column is `{ title, wide, minor, cell(item) }`; a cell is a text or a node, and a minor one is left out on narrow screens. */
  constructor(caption, columns, className = "") {
    this.columns = columns;
    this.body = el("tbody");
    const heads = columns.map(({ title, wide, minor }) => el("th", { scope: "col", class: `${wide ? "w" : ""} ${minor ? "minor" : ""}` }, title));
    this.node = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", { class: className }, el("caption", { class: "hidden-words" }, caption),
        el("thead", {}, el("tr", {}, ...heads)), this.body));
  }

  update(items) {
    const text = JSON.stringify(items);
    if (text === this.#shown) return;
    this.#shown = text;
    this.body.replaceChildren(...items.map((item) => this.#row(item)));
  }

  #row(item) {
    return el("tr", {}, ...this.columns.map(({ wide, minor, cell, className = "" }) =>
      el("td", { class: `${wide ? "w" : ""} ${minor ? "minor" : ""} ${className}` }, cell(item))));
  }
}

/** A bar; `part` is its length relative to the longest one. */
export function bar(part, className = "") {
  const fill = el("i", { class: `bar-fill ${className}` });
  fill.style.setProperty("--part", part.toFixed(3));
  return el("span", { class: "bar-track", "aria-hidden": "true" }, fill);
}

/** A number, with the exact value in the title; a dash for 0. */
export const amount = (number) => number ? quantity(count(number), { title: exact(number) }) : dash();

export const dash = () => el("span", { class: "dim" }, "–");
