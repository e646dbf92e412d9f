// The tab of processes: their tree and totals.

import { el, quantity, write } from "./dom.js";
import { Listing, amount, bar, dash } from "./listing.js";
import { duration, exact } from "./numbers.js";

export class ProcessesTab {
  tools = [];

  constructor(page) {
    this.page = page;
    this.note = el("p", { class: "empty dim" });
    this.listing = new Listing("Process tree", [
      { title: "Process", wide: true, className: "code", cell: (process) => branch(process, () => page.go({ pid: process.PID, object: "" })) },
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
    // A log may lack the end of a process.
    const unended = Done || Reading ? "" : "running";
    const most = answer.Processes.reduce((peak, process) => Math.max(peak, process.Count), 1);
    this.listing.update(answer.Processes.map((process) => ({ ...process, Ending: process.Ending || unended, size: process.Count / most })));
    write(this.note, answer.Processes.length ? "" : "No per-process data in this trace");
  }
}

/** A process in its place in the tree; a click limits all tabs to it. */
function branch({ PID, Comm, Lives, Depth }, onClick) {
  const name = el("span", { class: "branch" }, el("span", { class: "dim" }, Depth ? "└ " : ""), el("button", { type: "button", class: "plain-link", title: "Show this process only", onclick: onClick }, `${PID} `, el("b", {}, Comm)),
    Lives > 1 ? el("span", { class: "dim", title: `PID reused by ${exact(Lives)} processes` }, ` ×${exact(Lives)}`) : null);
  name.style.setProperty("--depth", Depth);
  return name;
}
