// The tab Now: what each thread is doing, the one that is blocked longest first.

import { callLink, objectLink, stateChip, thread } from "./cells.js";
import { el, quantity, write } from "./dom.js";
import { dash } from "./listing.js";
import { duration, exact } from "./numbers.js";
import { STATES } from "./registry.js";
import { SortedTable } from "./sorted-table.js";

const RANKS = new Map(STATES.map(({ key }, rank) => [key, STATES.length - rank]));

export class NowTab {
  #answer = null;

  constructor(page) {
    this.page = page;
    this.order = page.view.table("now", { sort: "State", downwards: true });
    this.filter = el("input", {
      type: "search", id: "now-filter", placeholder: "/ filter", "aria-label": "Filter threads", autocomplete: "off", spellcheck: "false",
      oninput: () => { this.order.filter = this.filter.value.trim(); page.view.keep(); this.#render(); },
    });
    this.tools = [this.filter];
    this.table = new SortedTable("Threads and what they are doing", [
      { key: "Thread", title: "Thread", wide: true, value: (each) => `${each.Comm} ${each.TID}`, cell: thread },
      { key: "State", title: "State", wide: true, value: (each) => RANKS.get(each.State) * 1e18 + (leastOf(each) ?? 0), cell: (each) => stateChip(each.State) },
      { key: "Elapsed", title: "For", about: "How long the call has taken so far", value: (each) => leastOf(each) ?? -1, cell: spent },
      { key: "Call", title: "Call", wide: true, value: (each) => each.Call, cell: (each) => each.Call ? callLink(each.Call) : dash() },
      { key: "Object", title: "Object", wide: true, className: "name-cell", value: (each) => each.Object.Name, cell: (each) => objectLink(each.Object, page) },
      { key: "Args", title: "Arguments", wide: true, minor: true, className: "code args-cell", value: (each) => each.Args, cell: (each) => each.Args || dash() },
      { key: "Reason", title: "Why", wide: true, minor: true, className: "dim", value: (each) => each.Reason, cell: (each) => each.Reason },
    ], { order: this.order, keyOf: (each) => each.TID, onSort: () => page.view.keep(), className: "now" });
    this.note = el("p", { class: "empty dim" });
    this.node = el("div", {}, this.table.node, this.note);
  }

  restore() {
    if (this.filter.value.trim() !== this.order.filter) this.filter.value = this.order.filter;
    this.table.refresh();
  }

  step(by) { this.table.step(by); }

  update({ answer }) {
    if (!answer.ThreadsNow) return;
    this.#answer = answer;
    this.#render();
  }

  #render() {
    if (!this.#answer) return;
    const { ThreadsNow: { Threads: threads }, Status: { Done } } = this.#answer;
    const text = this.order.filter.toLowerCase();
    const found = threads.filter((each) => `${each.Comm} ${each.TID} ${each.PID} ${each.State} ${each.Call} ${each.Object.Name} ${each.Args}`.toLowerCase().includes(text));
    this.table.update(found);
    this.table.node.hidden = !found.length;
    if (found.length) write(this.note, summary(found));
    else if (threads.length) write(this.note, "No matching threads");
    else write(this.note, Done ? "Ended: no thread is running" : "No data yet");
  }
}

const leastOf = (each) => each.Elapsed ?? each.LeastElapsed;

/** How long a call has taken; of one that began before the trace, how long at least. */
function spent(each) {
  if (!leastOf(each)) return dash();
  const isLeast = each.Elapsed === null;
  const { value, unit } = duration(leastOf(each));
  const title = isLeast ? "It began before the trace" : `${exact(each.Elapsed)} ns`;
  return quantity({ value: isLeast ? `>${value}` : value, unit }, { title });
}

/** How many threads are in each state. */
function summary(threads) {
  const groups = Map.groupBy(threads, (each) => each.State);
  const words = STATES.filter(({ key }) => groups.has(key)).map(({ key, title }) => `${exact(groups.get(key).length)} ${title.toLowerCase()}`);
  return `${exact(threads.length)} ${threads.length === 1 ? "thread" : "threads"}: ${words.join(", ")}`;
}
