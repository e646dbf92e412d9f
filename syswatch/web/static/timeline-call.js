// The panel with everything about one recorded call.

import { el } from "./dom.js";
import { bytes, duration, exact, text } from "./numbers.js";
import { callPage } from "./urls.js";

const took = (ns) => `${text(duration(ns))} (${exact(ns)} ns)`;

/** Fill a panel with a call. */
export function showCall(panel, call, when) {
  const isOver = call.Duration !== null;
  const facts = [
    ["Call", el("code", {}, `${call.Name}(${call.Args}) = ${call.Result}`)],
    ["Began", `${when}, ${(call.Start / 1e9).toFixed(9)} s after the start of the trace`],
    ["Took", isOver ? took(call.Duration) : "it had not returned when tracing ended"],
    ["Of that", isOver ? spent(call) : null],
    ["Error", call.Errno || null],
    ["Object", call.Object || null],
    ["Moved", call.Bytes ? `${text(bytes(call.Bytes))} (${exact(call.Bytes)} bytes)` : null],
    ["Thread", `${call.TID} of ${call.Command || "process"} (${call.PID})${call.CPU === null ? "" : `, CPU ${call.CPU}`}`],
  ];
  panel.replaceChildren(
    el("h3", {}, el("a", { href: callPage(call.Name) }, call.Name), call.About ? `: ${call.About}` : ""),
    el("dl", { class: "call-facts" }, ...facts.filter(([, fact]) => fact).flatMap(([name, fact]) => [el("dt", { class: "dim" }, name), el("dd", {}, fact)])));
}

function spent({ Working, Waiting, Ready, Estimated }) {
  const parts = [["working", Working], ["waiting", Waiting], ["ready, without a CPU", Ready]];
  const words = parts.filter(([, ns]) => ns).map(([name, ns]) => `${text(duration(ns))} ${name}`);
  return `${words.join(", ") || "0 ns working"}${Estimated ? " (estimated)" : ""}`;
}
