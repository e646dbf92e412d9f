// The tab of objects: what calls acted on, such as files, peers and locks, and the page of one.

import { objectLink, size, time, timeBar } from "./cells.js";
import { el, setHidden, write } from "./dom.js";
import { amount } from "./listing.js";
import { exact } from "./numbers.js";
import { ObjectPage } from "./object-page.js";
import { SortedTable } from "./sorted-table.js";
import { kindOf, stateOf } from "./states.js";

// The server sends no more.
const MOST = 500;
const NO_OBJECTS = "No objects in this trace: the source recorded none, or --no-objects was given";

export class ObjectsTab {
  #answer = null;
  #most = 0;

  constructor(page) {
    this.page = page;
    this.order = page.view.table("objects", { sort: "Blocked", downwards: true });
    this.filter = el("input", {
      type: "search", id: "objects-filter", placeholder: "/ filter", "aria-label": "Filter objects", autocomplete: "off", spellcheck: "false",
      oninput: () => { this.order.filter = this.filter.value.trim(); this.#changed(); },
    });
    this.kind = el("select", { "aria-label": "Kind of object", onchange: () => { this.order.kinds = new Set(this.kind.value ? [this.kind.value] : []); this.#changed(); } });
    this.tools = [this.kind, this.filter];
    this.table = new SortedTable("Objects", this.#columns(), { order: this.order, keyOf: (each) => each.ID, onSort: () => page.view.keep(), className: "objects" });
    this.note = el("p", { class: "empty dim" });
    this.list = el("div", {}, this.table.node, this.note);
    this.one = new ObjectPage(page);
    this.node = el("div", {}, this.list, this.one.node);
  }

  restore() {
    if (this.filter.value.trim() !== this.order.filter) this.filter.value = this.order.filter;
    this.#render();
    this.table.refresh();
  }

  step(by) { this.table.step(by); }

  update({ answer }) {
    this.#answer = answer.Objects ? answer : this.#answer;
    this.one.update(answer);
    this.#render();
  }

  #columns() {
    return [
      { key: "Name", title: "Object", wide: true, className: "name-cell", value: (each) => each.Name, cell: (each) => this.#name(each) },
      { key: "Kind", title: "Kind", wide: true, minor: true, value: (each) => kindOf(each.Kind).title, cell: (each) => el("span", { class: `chip ${kindOf(each.Kind).style}` }, kindOf(each.Kind).title) },
      { key: "Blocked", title: "Blocked", about: stateOf("blocked").about, className: "bar-column", value: (each) => each.Blocked, cell: (each) => timeBar(each.Blocked, this.#most, kindOf(each.Kind).style) },
      { key: "Idle", title: "Idle", minor: true, about: stateOf("idle").about, value: (each) => each.Idle, cell: (each) => time(each.Idle) },
      { key: "Working", title: "In calls", minor: true, about: stateOf("working").about, value: (each) => each.Working, cell: (each) => time(each.Working) },
      { key: "Ready", title: "No CPU", minor: true, about: stateOf("ready").about, value: (each) => each.Ready, cell: (each) => time(each.Ready) },
      { key: "Count", title: "Calls", about: "Number of calls that have returned", value: (each) => each.Count, cell: (each) => amount(each.Count) },
      { key: "Errors", title: "Errors", minor: true, about: "Number of failed calls", value: (each) => each.Errors, cell: (each) => amount(each.Errors) },
      { key: "BytesIn", title: "Read", minor: true, about: "Bytes read or received", value: (each) => each.BytesIn, cell: (each) => size(each.BytesIn) },
      { key: "BytesOut", title: "Written", minor: true, about: "Bytes written or sent", value: (each) => each.BytesOut, cell: (each) => size(each.BytesOut) },
      { key: "Bytes", title: "Bytes", minor: true, about: "Bytes in both directions", value: (each) => each.BytesIn + each.BytesOut, cell: (each) => size(each.BytesIn + each.BytesOut) },
    ];
  }

  /** The name, and what is known besides. */
  #name(each) {
    const waiting = each.InProgress ? `${exact(each.InProgress)} waiting now` : "";
    const about = [each.Detail, each.Idle > each.Blocked && each.Reason && `idle: ${each.Reason}`, waiting];
    return el("div", { class: "one-line" }, objectLink({ ...each, Name: each.Title }, this.page), el("span", { class: "dim" }, ` ${about.filter(Boolean).join(" · ")}`));
  }

  #changed() {
    this.page.view.keep();
    this.#render();
    this.table.refresh();
  }

  #render() {
    const isOne = Boolean(this.page.view.object);
    setHidden(this.list, isOne);
    setHidden(this.one.node, !isOne);
    for (const tool of this.tools) setHidden(tool, isOne);
    if (!this.#answer) return;
    const { Objects: objects, Status: status } = this.#answer;
    this.#showKinds(objects);
    const found = objects.filter((each) => this.#matches(each));
    this.#most = Math.max(...found.map((each) => each.Blocked), 0);
    this.table.update(found);
    setHidden(this.table.node, !found.length);
    const none = status.Done ? NO_OBJECTS : "No data yet";
    if (found.length) write(this.note, objects.length >= MOST ? `The ${exact(MOST)} objects that took the most time` : "");
    else write(this.note, objects.length ? "No matching objects" : none);
  }

  #matches(each) {
    const { filter, kinds } = this.order;
    const isWanted = !kinds.size || kinds.has(each.Kind) || (kinds.has("idle") && each.Idle > 0);
    return isWanted && `${each.Title} ${each.Detail} ${each.Host}`.toLowerCase().includes(filter.toLowerCase());
  }

  /** Offer the kinds that occur, and the objects of idle waits. */
  #showKinds(objects) {
    const [chosen = ""] = this.order.kinds;
    const names = new Set([...objects.map((each) => each.Kind), ...this.order.kinds].filter((name) => kindOf(name)));
    const options = [["", "All kinds"], ["idle", `${stateOf("idle").title} waits`], ...[...names].map((name) => [name, kindOf(name).plural])];
    const text = JSON.stringify(options);
    if (this.kind.shown !== text && document.activeElement !== this.kind) {
      this.kind.shown = text;
      this.kind.replaceChildren(...options.map(([value, label]) => el("option", { value }, label)));
    }
    if (this.kind.value !== chosen) this.kind.value = chosen;
  }
}
