// Which columns are shown: a list of boxes to check, kept for this browser.

import { COLUMNS } from "./columns.js";
import { el } from "./dom.js";

const KEY = "syswatch.columns";
const CHOICE = COLUMNS.slice(1);

/** `onChoice` is called with the columns to show, at once and whenever another one is chosen. */
export function columnChooser(onChoice) {
  const shown = stored();
  const choose = () => onChoice(COLUMNS.filter(({ key }) => key === COLUMNS[0].key || shown.has(key)));
  const box = ({ key, title, about }) => el("label", { title: about }, el("input", {
    type: "checkbox", checked: shown.has(key),
    onchange: ({ target }) => {
      if (target.checked) shown.add(key);
      else shown.delete(key);
      keep([...shown]);
      choose();
    },
  }), title);
  const summary = el("summary", { class: "small" }, "Columns");
  const node = el("details", { class: "chooser", onkeydown: (event) => {
    if (event.key !== "Escape" || !node.open) return;
    node.open = false;
    summary.focus();
  } }, summary, el("div", { role: "group", "aria-label": "Columns", class: "panel" }, ...CHOICE.map(box)));
  document.addEventListener("click", ({ target }) => { if (!node.contains(target)) node.open = false; });
  choose();
  return node;
}

function stored() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    if (Array.isArray(kept)) return new Set(kept);
  } catch { /* Then it is as at first. */ }
  return new Set(CHOICE.filter(({ extra }) => !extra).map(({ key }) => key));
}

function keep(keys) {
  try { localStorage.setItem(KEY, JSON.stringify(keys)); } catch { /* It holds for this page, then. */ }
}
