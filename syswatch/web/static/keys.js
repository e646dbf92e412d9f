// Keys that work everywhere on the dashboard.

import { isTyping } from "./dom.js";
import { showHelp } from "./help.js";

export function listenForKeys({ tabs, onFreeze }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event)) return leave(event);
    if (act(event, tabs, onFreeze)) event.preventDefault();
  });
}

function act(event, tabs, onFreeze) {
  const { key } = event;
  if (key === "/") ask(tabs.current.filter);
  else if (key === "j") tabs.current.step?.(1);
  else if (key === "k") tabs.current.step?.(-1);
  else if (key >= "1" && key <= "7") tabs.open(Number(key) - 1);
  else if (key === " " && !event.target.closest?.("button, a, summary, input")) onFreeze();
  else if (key === "t") document.querySelector("[data-switch-theme]").click();
  else if (key === "?") showHelp();
  else return false;
  return true;
}

/** What was asked before is replaced by what is typed. */
function ask(filter) {
  filter?.focus();
  filter?.select();
}

/** In a field keys are text; only the way out of it is ours. */
function leave(event) {
  if (event.key === "Escape" && event.target.matches("input")) event.target.blur();
}
