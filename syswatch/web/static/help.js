// The list of keys.

import { byId, el } from "./dom.js";

export const KEYS = [
  ["/", "filter"], ["j  k", "next and previous row"], ["Enter", "open the row"], ["1 – 7", "tabs"],
  ["space", "freeze, and back to live; in the log: pause"], ["← →", "on the charts: read second by second"],
  ["t", "light or dark"], ["Esc", "leave the filter, close this"], ["?", "this list"],
];
export const KEYS_OF_A_CALL = [
  ["Esc", "back to all calls"], ["← →", "on the charts: read second by second"], ["t", "light or dark"], ["?", "this list"],
];
const ABOUT_CHARTS = "Drag over the charts to freeze the table on that time; click for one second.";

export function showHelp(keys = KEYS) {
  const dialog = byId("help");
  if (!dialog.childElementCount) {
    dialog.append(
      el("h2", { id: "help-title" }, "Keys"),
      el("dl", { class: "keys" }, ...keys.flatMap(([keys, words]) => [
        el("dt", {}, ...keys.split("  ").map((key) => el("kbd", {}, key))), el("dd", {}, words)])),
      ...(keys === KEYS ? [el("p", { class: "dim" }, ABOUT_CHARTS)] : []),
      el("form", { method: "dialog" }, el("button", { class: "primary" }, "Close")));
  }
  if (!dialog.open) dialog.showModal();
}
