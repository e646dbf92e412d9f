// The header: the target and its status.

import { byId, el, setClass, setTitle, write } from "./dom.js";
import { age } from "./numbers.js";

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
  if (status.Recordings?.some(({ KeptFrom }) => KeptFrom)) import("./saving.js").then(({ show }) => show(status));
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
  for (const { Text, Lost, Trouble } of status.Recordings ?? []) lines.push([Trouble ? "failing" : Lost ? "slow" : "dim", `${Trouble ? "✕" : Lost ? "▲" : "●"} ${sentence(Text)}`]);
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
