// The tab of the slowest calls, with their arguments.

import { FilteredTab } from "./filtered-tab.js";
import { slowColumns } from "./slow-calls.js";

export class SlowestTab extends FilteredTab {
  constructor(page) {
    super(page, {
      tab: "slowest", what: "calls", caption: "Slowest calls", columns: slowColumns(page), sort: "Duration",
      keyOf: slowKey, none: "No slow calls were recorded",
    });
  }

  items(answer) { return answer.Slowest; }

  words(each) { return `${each.Name} ${each.Args} ${each.Object.Name} ${each.TID} ${each.Error}`; }

  describe() {
    if (this.range && this.answer.ExactRange) return `The ${this.answer.Slowest.length} slowest of the calls that ended in this range`;
    if (this.range) return "Those of the slowest calls of the whole run that took place in this range, at least in part";
    return `The ${this.answer.Slowest.length} slowest of all calls; the page of a call has its 10 slowest`;
  }
}

/** What tells apart two calls. */
const slowKey = ({ Time, TID, Name, Duration }) => `${Time} ${TID} ${Name} ${Duration}`;
