// Creation and changes of elements. Text stays text: nothing here parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Create an element. A child is a node or a string. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Create an SVG element. */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

export const byId = (id) => document.getElementById(id);

/** Set the text of a node, without touching the page if it is the same. */
export function write(node, text) {
  const only = node.firstChild;
  // Changing a text node costs the browser less than replacing it.
  if (only?.nodeType === Node.TEXT_NODE && !only.nextSibling) {
    if (only.data !== text) only.data = text;
  } else if (node.textContent !== text) node.textContent = text;
}

/** Hide or show a node; setting the same value again would recompute its style. */
export function setHidden(node, hidden) {
  if (node.hidden !== hidden) node.hidden = hidden;
}

export function setClass(node, name) {
  if (node.getAttribute("class") !== name) node.setAttribute("class", name);
}

export function setTitle(node, text) {
  if (node.title !== text) node.title = text;
}

/** Show a number with a dimmed unit. */
export function writeQuantity(node, { value, unit }) {
  node.texts ??= quantityTexts(node);
  const [number, measure] = node.texts;
  const after = unit ? `\u202F${unit}` : "";
  if (number.data !== value) number.data = value;
  if (measure.data !== after) measure.data = after;
}

function quantityTexts(node) {
  const [number, measure] = ["", ""].map((text) => document.createTextNode(text));
  node.replaceChildren(number, el("i", { class: "unit" }, measure));
  return [number, measure];
}

export function quantity(amount, attributes = {}) {
  const node = el("span", attributes);
  writeQuantity(node, amount);
  return node;
}

/** Whether an event comes from an input. */
export function isTyping(event) {
  return event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog") != null;
}
