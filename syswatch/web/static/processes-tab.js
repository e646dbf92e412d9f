// The tab of processes: who started whom, and what each did.

import { el, quantity, write } from "./dom.js";
import { Listing, amount, bar, dash } from "./listing.js";
import { duration, exact } from "./numbers.js";

export class ProcessesTab {
  key = "processes";
  title = "Processes";
  parts = ["processes"];
  tools = [];

  constructor() {
    this.note = el("p", { class: "empty dim" });
    this.listing = new Listing("Processes, children under their parents", [
      { title: "Process", wide: true, className: "code", cell: (process) => branch(process) },
      { title: "Calls", cell: (process) => amount(process.Count) },
      { title: "", wide: true, className: "bar-cell", cell: (process) => bar(process.size) },
      { title: "Errors", cell: (process) => amount(process.Errors) },
      { title: "Time in calls", cell: (process) => process.TotalTime ? quantity(duration(process.TotalTime)) : dash() },
      { title: "End", wide: true, cell: (process) => process.Ending || dash() },
    ], "processes");
    this.node = el("div", {}, this.listing.node, this.note);
  }

  update({ answer }) {
    if (!answer.Processes) return;
    const { Done, Reading } = answer.Status;
    // A log need not tell how a process ended.
    const unended = Done || Reading ? "" : "running";
    const most = answer.Processes.reduce((peak, process) => Math.max(peak, process.Count), 1);
    const tree = inTree(answer.Processes).map(({ process, depth }) => ({ ...process, Ending: process.Ending || unended, depth, size: process.Count / most }));
    this.listing.update(tree);
    write(this.note, tree.length ? "" : "No process is known: the trace does not tell them apart.");
  }
}

/** Order parents before their children, and say how deep each lies. */
function inTree(processes) {
  const known = new Set(processes.map((process) => process.PID));
  const children = Map.groupBy(processes, (process) =>
    known.has(process.Parent) && process.Parent !== process.PID ? process.Parent : 0);
  const found = [];
  const seen = new Set();
  const visit = (process, depth) => {
    if (seen.has(process.PID)) return;
    seen.add(process.PID);
    found.push({ process, depth });
    for (const child of children.get(process.PID) ?? []) visit(child, depth + 1);
  };
  for (const root of children.get(0) ?? []) visit(root, 0);
  // A number that was used twice can make a circle that hangs on no root.
  for (const process of processes) visit(process, 0);
  return found;
}

function branch({ PID, Comm, Lives, depth }) {
  const name = el("span", { class: "branch" }, el("span", { class: "dim" }, depth ? "└ " : ""), `${PID} `, el("b", {}, Comm),
    Lives > 1 ? el("span", { class: "dim", title: `${exact(Lives)} processes had this number, one after the other` }, ` ×${exact(Lives)}`) : null);
  name.style.setProperty("--depth", Math.min(depth, 12));
  return name;
}
