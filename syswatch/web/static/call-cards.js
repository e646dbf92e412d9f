// The summary cards and the errors of one system call.

import { el, setClass, setTitle, write, writeQuantity } from "./dom.js";
import { count, duration, exact, rate, share, text } from "./numbers.js";
import { MOSTLY_FAILING } from "./registry.js";

const NONE = { value: "–", unit: "" };
const CARDS = [
  ["calls", "Count"], ["now", "Rate"], ["average", "AvgTime"], ["minimum", "MinTime"], ["maximum", "MaxTime"],
  ["median", "P50"], ["P95", "P95"], ["P99", "P99"], ["total time", "TotalTime"], ["blocked", "Blocked"], ["idle", "Idle"], ["working", "Working"], ["no CPU", "Ready"], ["waits", "Waits"], ["errors", "Errors"], ["error rate", "ErrPct"],
];
const TIMES = new Set(["AvgTime", "MinTime", "MaxTime", "P50", "P95", "P99", "TotalTime", "Blocked", "Idle", "Working", "Ready"]);

export class CallCards {
  constructor(host) {
    this.cards = CARDS.map(([label, key]) => {
      const figure = el("b");
      const item = el("li", {}, figure, el("span", { class: "label" }, label));
      host.append(item);
      return { key, figure, item };
    });
  }

  update({ Call: call, Rate, Timed, Status: { Done } }) {
    const failed = call.Count ? call.Errors / call.Count : 0;
    for (const { key, figure, item } of this.cards) {
      writeQuantity(figure, amount(key, { call, failed, Rate, Timed, Done }));
      setTitle(item, TIMES.has(key) && Timed ? `${exact(call[key])} ns` : exact(call[key] ?? Rate));
      if (key === "ErrPct") setClass(figure, failed >= MOSTLY_FAILING ? "failing" : "");
    }
  }
}

function amount(key, { call, failed, Rate, Timed, Done }) {
  if (TIMES.has(key)) return Timed && call[key] ? duration(call[key]) : NONE;
  if (key === "Rate") return Done ? NONE : rate(Rate);
  if (key === "ErrPct") return call.Errors ? share(failed) : NONE;
  return ["Errors", "Waits"].includes(key) && !call[key] ? NONE : count(call[key]);
}

/** Show a bar for each errno, with its meaning for this call. */
export function showErrnos(host, { ErrorBreakdown = {}, Errors, Reference: { Errnos } }) {
  const entries = Object.entries(ErrorBreakdown);
  const entriesText = JSON.stringify(entries);
  if (host.shown === entriesText) return;
  host.shown = entriesText;
  const meanings = new Map(Errnos.map(({ Name, Meaning }) => [Name, Meaning]));
  host.replaceChildren(...(entries.length
    ? entries.map(([name, number]) => errnoLine(name, number, number / Errors, meanings.get(name)))
    : [el("li", { class: "dim" }, el("span", { class: "fine" }, "✓ "), "No errors")]));
}

function errnoLine(name, number, part, meaning = "") {
  const total = el("span", { class: "amount" });
  write(total, `${exact(number)} · ${text(share(part))}`);
  const fill = el("i", { class: "bar-fill" });
  fill.style.setProperty("--part", part.toFixed(3));
  return el("li", {},
    el("div", { class: "line" }, el("code", {}, name), el("span", { class: "dim" }, meaning), total),
    el("span", { class: "bar-track", "aria-hidden": "true" }, fill));
}

