// Words on recorded calls: on one, in a panel, on what is below the pointer, and on what is missing.

import { CATEGORIES } from "./lookup.js";
import { el } from "./dom.js";
import { bytes, count, duration, exact, text } from "./numbers.js";
import { callPage } from "./urls.js";

/** How long a call took, as far as that is known. */
export function took({ Duration, Untimed }) {
  if (Duration === null) return "it had not returned when tracing ended";
  const known = `${text(duration(Duration))} (${exact(Duration)} ns)`;
  if (!Untimed) return known;
  return Duration ? `at least ${known}: it began before the trace` : "not known";
}

/** Fill a panel with a call. */
export function showCall(panel, call, when) {
  const facts = [
    ["Call", el("code", {}, `${call.Name}(${call.Args}) = ${call.Result}`)],
    ["Began", `${when}, ${(call.Start / 1e9).toFixed(9)} s after the start of the trace`],
    ["Took", took(call)],
    ["Of that", call.Working === null ? null : spent(call)],
    ["Error", call.Errno || null],
    ["Object", call.Object || null],
    ["Moved", call.Bytes ? `${text(bytes(call.Bytes))} (${exact(call.Bytes)} bytes)` : null],
    ["Thread", `${call.Comm && `${call.Comm} `}${call.TID} of ${call.Command || "process"} (${call.PID})${call.CPU === null ? "" : `, CPU ${call.CPU}`}`],
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

const joined = (parts) => parts.filter(Boolean).join(" · ");

/** One of the single calls that are shown. */
export function aboutCall({ Names, Name, Duration, Waiting, Failed, Untimed }, index) {
  const isOver = Duration[index] >= 0;
  const known = Duration[index] && `${Untimed[index] ? "at least " : ""}${text(duration(Duration[index]))}`;
  return joined([
    Names[Name[index]], isOver ? known : "not returned",
    isOver && !Untimed[index] && Waiting[index] && `waited ${text(duration(Waiting[index]))}`, Failed[index] && "failed",
  ]);
}

/** The sums of a column. */
export function aboutColumn({ Calls, Errors, Working, Waiting, Ready, Longest, Category, Step }, index) {
  const times = [["working", Working], ["waiting", Waiting], ["ready", Ready]].map(([name, sums]) => sums[index] && `${text(duration(sums[index]))} ${name}`);
  return joined([
    `${text(duration(Step))}: ${text(count(Calls[index]))} calls`, Errors[index] && `${text(count(Errors[index]))} failed`,
    `most time: ${CATEGORIES[Category[index]]}`, ...times, Longest[index] && `longest ${text(duration(Longest[index]))}`,
  ]);
}

/** What is missing from the timeline, or from what is shown of it. */
export function notesOn({ Lost, Damaged, Unread, Threads, Lanes }) {
  return joined([
    Lost && `▲ ${exact(Lost)} calls are missing (hatched)`,
    Damaged.length && `▲ damaged and left out: ${Damaged.join("; ")}`,
    Unread && `Reading… ${exact(Unread)} segments left`,
    Threads > Lanes.length && `The ${exact(Lanes.length)} threads with the most calls of ${exact(Threads)}`,
  ]);
}
