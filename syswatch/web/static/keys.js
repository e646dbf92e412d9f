// The keyboard shortcuts of the dashboard.

import { byId, isTyping } from "./dom.js";

export function listenForKeys({ tabs, onPause, onOther }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event)) leaveFilter(event);
    else if (act(event, tabs, onPause) || (!event.defaultPrevented && onOther(event))) event.preventDefault();
  });
}

function act(event, tabs, onPause) {
  const { key } = event;
  if (key === "/") focusFilter(tabs.content?.filter);
  else if (key === "j") tabs.content?.step?.(1);
  else if (key === "k") tabs.content?.step?.(-1);
  else if (/^[0-9]$/.test(key)) tabs.choose((Number(key) + 9) % 10);
  else if (key === " " && !event.target.closest?.("button, a, summary, input")) onPause();
  else if (key === "t") document.querySelector("[data-switch-theme]").click();
  else if (key === "?") byId("help-button").click();
  else return false;
  return true;
}

/** Typing replaces the previous filter. */
function focusFilter(filter) {
  filter?.focus();
  filter?.select();
}

/** In an input, Escape is the only shortcut. */
function leaveFilter(event) {
  if (event.key === "Escape" && event.target.matches("input")) event.target.blur();
}
