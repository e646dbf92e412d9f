// The header: the target and its status, and the summary cards.

import { byId, el, setClass, setTitle, write, writeQuantity } from "./dom.js";
import { age, count, duration, exact, rate, share, text } from "./numbers.js";
import { MOSTLY_FAILING } from "./registry.js";
import { sparkline, drawSparkline } from "./sparkline.js";

/** The state as text, and the class for the colour of its dot. */
export function stateOf(status, connection) {
  if (connection.trouble) return { label: "disconnected", kind: "lost" };
  const { State: label, Done, ExitCode, ExitSignal, Trouble } = status;
  if (Trouble || ExitCode || ExitSignal) return { label, kind: "bad" };
  return { label, kind: Done ? "done" : "live" };
}

export function showHeader(status, connection) {
  const { label, kind } = stateOf(status, connection);
  const state = byId("state");
  write(state, label);
  setClass(state, `state ${kind}`);
  const { Comm, PID, Cmdline, Exe, Cwd } = status.Proc;
  const name = Comm || "system calls";
  write(byId("comm"), name);
  write(byId("pid"), PID ? `PID ${PID}` : "");
  write(byId("cmdline"), Cmdline);
  const place = [Exe, Cwd && `in ${Cwd}`].filter(Boolean).join(" · ");
  setTitle(byId("cmdline"), `${Cmdline}\n${place}`);
  write(byId("place"), place);
  write(byId("backend"), status.Backend);
  write(byId("elapsed"), status.Done && status.Elapsed === "0s" ? "<1s" : status.Elapsed);
  showExact(status);
  document.title = `${kind === "live" ? "" : `${label} · `}${name} · syswatch`;
}

/** Show whether the numbers are exact, and if not, why. */
function showExact({ Exact, Trouble }) {
  const badge = byId("exact");
  write(badge, Exact ? "✓ exact" : Trouble ? "▲ cut short" : "▲ not exact");
  setClass(badge, `plain ${Exact ? "fine" : "slow"}`);
}

/** Show the lines under the header: problems, the filter, and the end. */
export function showNotices(status, fidelity, connection) {
  const lines = [];
  if (connection.trouble) lines.push(["failing", `✕ Connection lost: ${connection.trouble}. Data is ${age(connection.lostS)} old. Retrying…`]);
  if (status.Trouble) lines.push(["failing", `✕ ${sentence(status.Trouble)}`]);
  else if (status.Done) lines.push(["dim", `■ ${ending(status)} These are the final numbers.`]);
  if (status.Only) lines.push(["dim", `▽ Only calls selected by ${status.Only} are counted.`]);
  for (const note of Object.values(fidelity?.Inexact ?? {})) lines.push(["slow", `▲ Not exact: ${note}.`]);
  for (const note of Object.values(fidelity?.Noted ?? {})) lines.push(["dim", `Note: ${note}.`]);
  const host = byId("notices");
  const shown = lines.map((line) => line.join(" ")).join("\n");
  if (host.dataset.shown === shown) return;
  host.dataset.shown = shown;
  host.replaceChildren(...lines.map(([colour, line]) => el("p", { class: `notice-line ${colour}` }, line)));
}

/** The end and the duration; that of a log is the time it covers. */
function ending({ Reading, State, Elapsed }) {
  const long = Elapsed === "0s" ? "less than a second" : Elapsed;
  return sentence(`${State}${Reading ? ", covering" : " after"} ${long}`);
}

const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}${words.endsWith(".") ? "" : "."}`;

/** The summary cards of the dashboard. */
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

  update({ PID, Status, Stats: rows }, history) {
    const status = PID ? { ...Status, ...totals(rows) } : Status;
    this.#show("calls", count(status.Total), "calls", `${exact(status.Total)} calls`);
    this.#show("rate", status.Done ? none() : rate(status.Rate), status.Done ? "ended" : "now", "");
    drawSparkline(this.spark, history.totals());
    const failed = status.Total ? status.Errors / status.Total : 0;
    this.#show("errors", status.Errors ? share(failed) : none(), status.Errors ? "of calls failed" : "no errors", `${exact(status.Errors)} failed calls`);
    setClass(this.cards.errors.figure, failed >= MOSTLY_FAILING ? "failing" : "");
    this.#show("unique", count(status.Unique), "distinct calls", "");
    this.#showTime(rows);
  }

  #showTime(rows) {
    const whole = rows.reduce((sum, row) => sum + row.TotalTime, 0);
    const longest = rows.reduce((most, row) => row.TotalTime > (most?.TotalTime ?? 0) ? row : most, null);
    if (!longest) return this.#show("time", none(), "no durations", "");
    return this.#show("time", share(longest.TotalTime / whole), `of the time in calls (${text(duration(whole))}): ${longest.Name}`, `${exact(longest.TotalTime)} ns`);
  }

  #show(key, figure, label, title) {
    const card = this.cards[key];
    writeQuantity(card.figure, figure);
    write(card.label, label);
    setTitle(card.item, title);
  }
}

/** The totals of one process. */
function totals(rows) {
  const sum = (key) => rows.reduce((whole, row) => whole + row[key], 0);
  return { Total: sum("Count"), Errors: sum("Errors"), Unique: rows.length, Rate: sum("Rate") };
}

const none = () => ({ value: "–", unit: "" });
