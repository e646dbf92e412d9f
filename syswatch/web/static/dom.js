// Elements made and changed. Text stays text: nothing here ever reads HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element. A child is a node or a text. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Make an element of a drawing. */
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

/** Change a text, and touch the page only if it is another one. */
export function write(node, text) {
  const only = node.firstChild;
  // A text that changes costs the browser less than one that takes the place of another.
  if (only?.nodeType === Node.TEXT_NODE && !only.nextSibling) {
    if (only.data !== text) only.data = text;
  } else if (node.textContent !== text) node.textContent = text;
}

/** Hide or show; to hide what is hidden already would have its style computed anew. */
export function setHidden(node, hidden) {
  if (node.hidden !== hidden) node.hidden = hidden;
}

export function setClass(node, name) {
  if (node.getAttribute("class") !== name) node.setAttribute("class", name);
}

export function setTitle(node, text) {
  if (node.title !== text) node.title = text;
}

/** Show a number with its unit dimmed. */
export function writeQuantity(node, { value, unit }) {
  node.texts ??= quantityTexts(node);
  const [number, measure] = node.texts;
  const after = unit ? `\u202f${unit}` : "";
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

/** Whether an event comes from where people type. */
export function isTyping(event) {
  return event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog") != null;
}
