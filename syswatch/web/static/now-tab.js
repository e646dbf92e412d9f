// The tab Now: what each thread is doing, the one that is blocked longest first.

import { callLink, objectLink, stateChip, thread } from "./cells.js";
import { quantity } from "./dom.js";
import { FilteredTab } from "./filtered-tab.js";
import { dash } from "./listing.js";
import { duration, exact } from "./numbers.js";
import { STATES } from "./registry.js";

const RANKS = new Map(STATES.map(({ key }, rank) => [key, STATES.length - rank]));

export class NowTab extends FilteredTab {
  constructor(page) {
    super(page, {
      tab: "now", what: "threads", caption: "Threads and what they are doing", columns: columns(page), sort: "State",
      keyOf: (each) => each.TID, none: "Ended: no thread is running",
    });
  }

  items(answer) { return answer.ThreadsNow?.Threads; }

  words(each) { return `${each.Comm} ${each.TID} ${each.PID} ${each.State} ${each.Call} ${each.Object.Name} ${each.Args}`; }

  describe(found) { return summary(found); }
}

const columns = (page) => [
  { key: "Thread", title: "Thread", wide: true, value: (each) => `${each.Comm} ${each.TID}`, cell: thread },
  { key: "State", title: "State", wide: true, value: (each) => RANKS.get(each.State) * 1e18 + (leastOf(each) ?? 0), cell: (each) => stateChip(each.State) },
  { key: "Elapsed", title: "For", about: "How long the call has taken so far", value: (each) => leastOf(each) ?? -1, cell: spent },
  { key: "Call", title: "Call", wide: true, value: (each) => each.Call, cell: (each) => each.Call ? callLink(each.Call) : dash() },
  { key: "Object", title: "Object", wide: true, className: "name-cell", value: (each) => each.Object.Name, cell: (each) => objectLink(each.Object, page) },
  { key: "Args", title: "Arguments", wide: true, minor: true, className: "code args-cell", value: (each) => each.Args, cell: (each) => each.Args || dash() },
  { key: "Reason", title: "Why", wide: true, minor: true, className: "dim", value: (each) => each.Reason, cell: (each) => each.Reason },
];

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
