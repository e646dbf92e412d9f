// The tab of the slowest calls, with their arguments.

import { el, write } from "./dom.js";
import { slowColumns } from "./slow-calls.js";
import { SortedTable } from "./sorted-table.js";

export class SlowestTab {
  #answer = null;

  constructor(page) {
    this.page = page;
    this.order = page.view.table("slowest", { sort: "Duration", downwards: true });
    this.filter = el("input", {
      type: "search", id: "slowest-filter", placeholder: "/ filter", "aria-label": "Filter slow calls", autocomplete: "off", spellcheck: "false",
      oninput: () => { this.order.filter = this.filter.value.trim(); page.view.keep(); this.#render(); },
    });
    this.tools = [this.filter];
    this.table = new SortedTable("Slowest calls", slowColumns(page), { order: this.order, keyOf: slowKey, onSort: () => page.view.keep(), className: "slowest" });
    this.note = el("p", { class: "empty dim" });
    this.node = el("div", {}, this.table.node, this.note);
  }

  restore() {
    if (this.filter.value.trim() !== this.order.filter) this.filter.value = this.order.filter;
    this.table.refresh();
  }

  step(by) { this.table.step(by); }

  update({ answer }) {
    if (!answer.Slowest) return;
    this.#answer = answer;
    this.#render();
  }

  #render() {
    if (!this.#answer) return;
    const { Slowest: calls, Status: { Done } } = this.#answer;
    const text = this.order.filter.toLowerCase();
    const found = calls.filter((each) => `${each.Name} ${each.Args} ${each.Object.Name} ${each.TID} ${each.Error}`.toLowerCase().includes(text));
    this.table.update(found);
    this.table.node.hidden = !found.length;
    const none = Done ? "No slow calls were recorded" : "No data yet";
    if (found.length) write(this.note, `The ${calls.length} slowest of all calls; the page of a call has its 10 slowest`);
    else write(this.note, calls.length ? "No matching calls" : none);
  }
}

/** What tells apart two calls. */
const slowKey = ({ Time, TID, Name, Duration }) => `${Time} ${TID} ${Name} ${Duration}`;
