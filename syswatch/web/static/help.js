// The list of keyboard shortcuts.

import { byId, el } from "./dom.js";

const SHORTCUTS = [
  ["/", "filter"], ["j  k", "next, previous row"], ["Enter", "open row"], ["1 – 9", "open tab"], ["0", "open tenth tab"],
  ["Space", "pause or resume; in a replay, play or pause"], ["Shift  ← →", "in a replay: next, previous range; without Shift, a tenth of it"], ["← →", "on the charts: previous, next second"],
  ["t", "light or dark theme"], ["Esc", "leave filter, close dialog"], ["?", "keyboard shortcuts"],
];
const CALL_SHORTCUTS = [
  ["Esc", "back to all calls"], ["← →", "on the charts: previous, next second"], ["t", "light or dark theme"], ["?", "keyboard shortcuts"],
];
const ABOUT_CHARTS = "Drag on the charts to show a range of time in the table and the bar; click for one second.";

/** Show the shortcuts of the dashboard, or those of the page of a call. */
export function showHelp({ ofCall }) {
  const shortcuts = ofCall ? CALL_SHORTCUTS : SHORTCUTS;
  const dialog = byId("help");
  if (!dialog.childElementCount) {
    dialog.append(
      el("h2", { id: "help-title" }, "Keyboard shortcuts"),
      el("dl", { class: "keys" }, ...shortcuts.flatMap(([keys, effect]) => [
        el("dt", {}, ...keys.split("  ").map((key) => el("kbd", {}, key))), el("dd", {}, effect)])),
      ...(shortcuts === SHORTCUTS ? [el("p", { class: "dim" }, ABOUT_CHARTS)] : []),
      el("form", { method: "dialog" }, el("button", { class: "primary" }, "Close")));
  }
  if (!dialog.open) dialog.showModal();
}
