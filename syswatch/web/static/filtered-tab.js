// A tab with one sorted table, a field that filters it, and a note below it.

import { el, setHidden, write } from "./dom.js";
import { SortedTable } from "./sorted-table.js";

/**
 * A subclass has the methods `items(answer)`, which returns what the table shows or nothing if the
 * answer lacks it, `words(item)`, in which the filter searches, and `describe(found)`, the note.
 */
export class FilteredTab {
  answer = null;
  /** What is selected in the charts, or null. */
  range = null;

  /** `sort` is the column that sorts at first, `what` names the items, and `none` is the note if there are none. */
  constructor(page, { tab, what, caption, columns, sort, keyOf, none }) {
    Object.assign(this, { page, none });
    this.order = page.view.table(tab, { sort, downwards: true });
    this.filter = el("input", {
      type: "search", id: `${tab}-filter`, placeholder: "/ filter", "aria-label": `Filter ${what}`, autocomplete: "off", spellcheck: "false",
      oninput: () => { this.order.filter = this.filter.value.trim(); page.view.keep(); this.render(); },
    });
    this.tools = [this.filter];
    this.table = new SortedTable(caption, columns, { order: this.order, keyOf, onSort: () => page.view.keep(), className: tab });
    this.note = el("p", { class: "empty dim" });
    this.node = el("div", {}, this.table.node, this.note);
    this.what = what;
  }

  restore() {
    if (this.filter.value.trim() !== this.order.filter) this.filter.value = this.order.filter;
    this.table.refresh();
  }

  step(by) { this.table.step(by); }

  update({ answer, frozen }) {
    if (!this.items(answer)) return;
    this.answer = answer;
    this.range = frozen?.from === undefined ? null : frozen;
    this.render();
  }

  render() {
    if (!this.answer) return;
    const items = this.items(this.answer);
    const found = items.filter((item) => this.matches(item));
    this.table.update(this.prepared(found));
    setHidden(this.table.node, !found.length);
    if (found.length) write(this.note, this.describe(found));
    else if (items.length) write(this.note, `No matching ${this.what}`);
    else if (this.range) write(this.note, `No ${this.what} in this range`);
    else write(this.note, this.answer.Status.Done ? this.none : "No data yet");
  }

  matches(item) {
    return this.words(item).toLowerCase().includes(this.order.filter.toLowerCase());
  }

  /** Return the items with what their cells need. */
  prepared(found) { return found; }
}
