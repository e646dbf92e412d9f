// Who is watched, how it fares, and the few numbers that say most.

import { byId, el, setClass, setTitle, write, writeQuantity } from "./dom.js";
import { age, count, duration, exact, rate, share } from "./numbers.js";
import { sparkline, drawSparkline } from "./sparkline.js";

/** The state in a word, and the class that colours its dot. */
export function stateOf(status, link) {
  if (link.trouble) return { word: "server lost", kind: "lost" };
  const { State: word, Done, ExitCode, ExitSignal, Trouble } = status;
  if (Trouble || ExitCode || ExitSignal) return { word, kind: "bad" };
  return { word, kind: Done ? "done" : "live" };
}

export function showHeader(status, link) {
  const { word, kind } = stateOf(status, link);
  const state = byId("state");
  write(state, word);
  setClass(state, `state ${kind}`);
  const { Comm, PID, Cmdline, Exe, Cwd } = status.Proc;
  const name = Comm || "system calls";
  write(byId("comm"), name);
  write(byId("pid"), PID ? `pid ${PID}` : "");
  write(byId("cmdline"), Cmdline);
  setTitle(byId("cmdline"), Cmdline);
  write(byId("place"), [Exe, Cwd && `in ${Cwd}`].filter(Boolean).join(" · "));
  write(byId("backend"), status.Backend);
  write(byId("elapsed"), status.Done && status.Elapsed === "0s" ? "<1s" : status.Elapsed);
  showExact(status);
  document.title = `${kind === "live" ? "" : `${word} · `}${name} · syswatch`;
}

/** Show whether the numbers hold all that happened, and if not, of which kind the gap is. */
function showExact({ Exact, Trouble }) {
  const badge = byId("exact");
  if (!badge) return;
  write(badge, Exact ? "✓ exact" : Trouble ? "▲ cut short" : "▲ not exact");
  setClass(badge, `plain ${Exact ? "fine" : "slow"}`);
}

/** The lines under the header: what is not as it should be, or that it is over. */
export function showNotices(status, fidelity, link) {
  const lines = [];
  if (link.trouble) lines.push(["failing", `✕ The server is gone: ${link.trouble}. What you see is ${age(link.lostS)} old; the page goes on asking.`]);
  if (status.Trouble) lines.push(["failing", `✕ ${sentence(status.Trouble)}`]);
  else if (status.Done) lines.push(["dim", `■ ${farewell(status)} What you see is final.`]);
  if (status.Only) lines.push(["dim", `▽ Only what ${status.Only} selects is counted.`]);
  for (const note of Object.values(fidelity?.Inexact ?? {})) lines.push(["slow", `▲ Not exact: ${note}.`]);
  for (const note of Object.values(fidelity?.Noted ?? {})) lines.push(["dim", `Note: ${note}.`]);
  const host = byId("notices");
  const words = lines.map((line) => line.join(" ")).join("\n");
  if (host.dataset.words === words) return;
  host.dataset.words = words;
  host.replaceChildren(...lines.map(([ink, text]) => el("p", { class: `notice-line ${ink}` }, text)));
}

/** A log covers a time, however long it takes to read it. */
function farewell({ Reading, State, Elapsed }) {
  const long = Elapsed === "0s" ? "less than a second" : Elapsed;
  return sentence(`${State}${Reading ? "; the log covers" : " after"} ${long}`);
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;

/** The cards under the header. */
export class Cards {
  constructor(host) {
    this.cards = Object.fromEntries(["calls", "rate", "errors", "unique", "time"].map((key) => {
      const figure = el("b");
      const label = el("span", { class: "label" });
      const item = el("li", { class: `card-${key}` }, figure, label);
      host.append(item);
      return [key, { item, figure, label }];
    }));
    this.spark = sparkline(120, 20);
    this.cards.rate.item.insertBefore(this.spark, this.cards.rate.label);
  }

  update({ Status: status, Stats: rows }, history) {
    this.#show("calls", count(status.Total), "calls", `${exact(status.Total)} calls`);
    this.#show("rate", status.Done ? none() : rate(status.Rate), status.Done ? "it is over" : "now", "");
    drawSparkline(this.spark, history.totals());
    const failed = status.Total ? status.Errors / status.Total : 0;
    this.#show("errors", status.Errors ? share(failed) : none(), status.Errors ? "of calls fail" : "no errors at all", `${exact(status.Errors)} failed calls`);
    setClass(this.cards.errors.figure, failed >= 0.5 ? "failing" : "");
    this.#show("unique", count(status.Unique), "different calls", "");
    this.#showTime(rows);
  }

  #showTime(rows) {
    const whole = rows.reduce((sum, row) => sum + row.TotalTime, 0);
    const longest = rows.reduce((most, row) => row.TotalTime > (most?.TotalTime ?? 0) ? row : most, null);
    if (!longest) return this.#show("time", none(), "no durations known", "");
    return this.#show("time", share(longest.TotalTime / whole), `of the time in calls (${words(duration(whole))}) goes to ${longest.Name}`, `${exact(longest.TotalTime)} ns`);
  }

  #show(key, figure, label, title) {
    const card = this.cards[key];
    writeQuantity(card.figure, figure);
    write(card.label, label);
    setTitle(card.item, title);
  }
}

const none = () => ({ value: "–", unit: "" });
const words = ({ value, unit }) => `${value} ${unit}`;
