// The tab of threads: a lane over time for each, coloured by state, and the time in each state.

import { callLink, objectLink, thread, time } from "./cells.js";
import { el, setHidden, setTitle, write } from "./dom.js";
import { FilteredTab } from "./filtered-tab.js";
import { Lanes, drawnLane } from "./lanes.js";
import { amount, dash } from "./listing.js";
import { clock, duration, exact, share, text } from "./numbers.js";
import { STATES } from "./registry.js";
import { stateOf } from "./lookup.js";

const MS = 1e6;

export class ThreadsTab extends FilteredTab {
  #lanes = new Lanes();

  constructor(page) {
    super(page, {
      tab: "threads", what: "threads", caption: "Threads", columns: columns(page), sort: "Busy",
      keyOf: (each) => each.TID, none: "No threads were recorded",
    });
    this.legend = el("ul", { class: "legend" }, ...STATES.map(({ key }) => el("li", { class: `chip state-${key}` })));
    this.span = el("span", { class: "dim" });
    this.head = el("div", { class: "lanes-head" }, this.legend, this.span);
    this.node.prepend(this.head);
  }

  /** Whether the lanes of the chosen process are missing. */
  get needsAll() { return this.#lanes.pid !== this.page.view.pid; }

  items(answer) { return answer.Threads?.Threads; }

  words(each) { return `${each.Comm} ${each.TID} ${each.PID} ${each.Waits[0]?.Object.Name}`; }

  update(now) {
    if (now.answer.Threads) this.#lanes.merge(now.answer.Lanes);
    this.#showTitles();
    super.update(now);
  }

  /** What the states are called is known from the first answer on. */
  #showTitles() {
    STATES.forEach(({ title, about, field }, place) => {
      for (const node of [this.legend.children[place], this.node.querySelector(`[data-column="${field}"] button`)]) {
        write(node, title);
        setTitle(node, about);
      }
    });
  }

  prepared(found) {
    const [from, to] = this.#bins();
    setHidden(this.head, !found.length);
    write(this.span, this.#describeSpan(from, to));
    return found.map((each) => Object.assign(each, { runs: this.#lanes.runs(each.TID, from, to), bins: to - from }));
  }

  describe() {
    const { Threads: threads, Total: count } = this.answer.Threads;
    return count > threads.length ? `The ${exact(threads.length)} busiest of ${exact(count)} threads` : "";
  }

  /** The first and the last interval of the lanes. */
  #bins() {
    const { first, end, binMs } = this.#lanes;
    if (!this.range) return [first, end];
    return [Math.max(Math.floor((this.range.from * 1000) / binMs), first), Math.min(Math.ceil((this.range.to * 1000) / binMs), end)];
  }

  #describeSpan(from, to) {
    const { binMs } = this.#lanes;
    if (to <= from) return "";
    if (binMs < 1000) return `${text(duration((to - from) * binMs * MS))}; each ${binMs} ms has the colour of its longest state`;
    return `${clock(from)} – ${clock(to)}; each second has the colour of its longest state`;
  }
}

const columns = (page) => [
  { key: "Thread", title: "Thread", wide: true, value: (each) => `${each.Comm} ${each.TID}`, cell: (each) => nameOf(each) },
  { key: "Lane", title: "Over time", wide: true, className: "lane-cell", cell: (each) => drawnLane(each.runs, each.bins) },
  { key: "Busy", title: "Not idle", about: "All time but idle waits", minor: true, value: (each) => each.WallTime - each.Idle, cell: (each) => time(each.WallTime - each.Idle) },
  ...["blocked", "user", "working", "ready", "stopped", "idle"].map((key) => timeColumn(key)),
  { key: "Calls", title: "Calls", minor: true, whole: true, about: "Number of calls", value: (each) => each.Calls, cell: (each) => amount(each.Calls) },
  { key: "Main", title: "Waits most for", wide: true, minor: true, className: "name-cell", value: (each) => each.Waits[0]?.Object.Name ?? "", cell: (each) => mainWait(each, page) },
];

function timeColumn(key) {
  const { title, field, about } = stateOf(key);
  const shareOf = (each) => text(share(each.WallTime ? each[field] / each.WallTime : 0));
  return { key: field, title, about, minor: key !== "blocked", value: (each) => each[field], cell: (each) => el("span", { title: `${shareOf(each)} of its time` }, time(each[field])) };
}

function nameOf(each) {
  return el("div", {}, thread(each), each.Ended ? el("span", { class: "dim" }, " · ended") : null);
}

/** What a thread waited for longest; a link if that is an object. */
function mainWait({ Waits: [wait] }, page) {
  if (!wait) return dash();
  return el("span", { title: wait.Reason }, time(wait.Time), " ", wait.Object.Name ? objectLink(wait.Object, page) : callLink(wait.Call));
}
