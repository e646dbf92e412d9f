// What stands out, as the server found it.

import { el, write } from "./dom.js";
import { callPage } from "./place.js";

const SIGNS = { critical: "✕", warning: "▲", notice: "●" };

/** Show alerts; written anew only when they have changed. */
export function showAlerts(host, alerts, whenNone, heading = null) {
  const written = JSON.stringify([alerts, whenNone]);
  if (host.written === written) return;
  host.written = written;
  if (heading) write(heading, alerts.length ? String(alerts.length) : "");
  host.replaceChildren(...(alerts.length ? alerts.map(item) : [el("li", { class: "calm dim" }, whenNone)]));
}

function item({ Severity, Title, Why, Call, Path }) {
  return el("li", { class: `alert ${Severity}` },
    el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[Severity]),
    el("div", { class: "title" }, ...linked(Title, Call), " ", el("span", { class: "word" }, Severity)),
    Path ? el("code", { class: "path" }, Path) : null,
    el("p", { class: "why" }, Why));
}

/** The title, with the name of the call as a link where it begins with it. */
function linked(title, call) {
  if (!call || !title.startsWith(call)) return [title];
  return [el("a", { href: callPage(call) }, call), title.slice(call.length)];
}
