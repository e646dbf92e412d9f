// The tab of objects: what calls acted on, such as files, peers and locks, and the page of one.

import { objectLink, size, time, timeBar } from "./cells.js";
import { el, setHidden } from "./dom.js";
import { FilteredTab } from "./filtered-tab.js";
import { amount } from "./listing.js";
import { exact } from "./numbers.js";
import { ObjectPage } from "./object-page.js";
import { kindOf, stateOf } from "./lookup.js";

// The server sends no more.
const MOST = 500;
const NO_OBJECTS = "No objects in this trace: the source recorded none, or --no-objects was given";

export class ObjectsTab extends FilteredTab {
  constructor(page) {
    super(page, {
      tab: "objects", what: "objects", caption: "Objects", columns: columns(page), sort: "Blocked",
      keyOf: (each) => each.ID, none: NO_OBJECTS,
    });
    this.kind = el("select", { "aria-label": "Kind of object", onchange: () => this.#choose(this.kind.value) });
    this.tools.unshift(this.kind);
    this.list = this.node;
    this.one = new ObjectPage(page);
    this.node = el("div", {}, this.list, this.one.node);
  }

  items(answer) { return answer.Objects; }

  words(each) { return `${each.Title} ${each.Detail} ${each.Host}`; }

  matches(each) {
    const { kinds } = this.order;
    const isWanted = !kinds.size || kinds.has(each.Kind) || (kinds.has("idle") && each.Idle > 0);
    return isWanted && super.matches(each);
  }

  restore() {
    this.#showEither();
    this.render();
    super.restore();
  }

  update(now) {
    this.one.update(now.answer);
    this.#showEither();
    super.update(now);
  }

  prepared(found) {
    this.#showKinds(this.answer.Objects);
    const most = Math.max(...found.map((each) => each.Blocked), 1);
    // Rounded, because a row is redrawn when it changes.
    return found.map((each) => ({ ...each, part: Math.round((100 * each.Blocked) / most) / 100 }));
  }

  describe() {
    return this.answer.Objects.length >= MOST ? `The ${exact(MOST)} objects that took the most time` : "";
  }

  /** Show the list, or the page of one object. */
  #showEither() {
    const isOne = Boolean(this.page.view.object);
    setHidden(this.list, isOne);
    setHidden(this.one.node, !isOne);
    for (const tool of this.tools) setHidden(tool, isOne);
  }

  #choose(kind) {
    this.order.kinds = new Set(kind ? [kind] : []);
    this.page.view.keep();
    this.render();
    this.table.refresh();
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

const columns = (page) => [
  { key: "Name", title: "Object", wide: true, className: "name-cell", value: (each) => each.Name, cell: (each) => nameOf(each, page) },
  { key: "Kind", title: "Kind", wide: true, minor: true, value: (each) => kindOf(each.Kind).title, cell: (each) => el("span", { class: `chip ${kindOf(each.Kind).style}` }, kindOf(each.Kind).title) },
  { key: "Blocked", title: "Blocked", about: stateOf("blocked").about, className: "bar-column", value: (each) => each.Blocked, cell: (each) => timeBar(each.Blocked, each.part, kindOf(each.Kind).style) },
  { key: "Idle", title: "Idle", minor: true, about: stateOf("idle").about, value: (each) => each.Idle, cell: (each) => time(each.Idle) },
  { key: "Working", title: "In calls", minor: true, whole: true, about: stateOf("working").about, value: (each) => each.Working, cell: (each) => time(each.Working) },
  { key: "Ready", title: "No CPU", minor: true, whole: true, about: stateOf("ready").about, value: (each) => each.Ready, cell: (each) => time(each.Ready) },
  { key: "Count", title: "Calls", whole: true, about: "Number of calls that have returned", value: (each) => each.Count, cell: (each) => amount(each.Count) },
  { key: "Errors", title: "Errors", minor: true, whole: true, about: "Number of failed calls", value: (each) => each.Errors, cell: (each) => amount(each.Errors) },
  { key: "BytesIn", title: "Read", minor: true, whole: true, about: "Bytes read or received", value: (each) => each.BytesIn, cell: (each) => size(each.BytesIn) },
  { key: "BytesOut", title: "Written", minor: true, whole: true, about: "Bytes written or sent", value: (each) => each.BytesOut, cell: (each) => size(each.BytesOut) },
  { key: "Bytes", title: "Bytes", minor: true, whole: true, about: "Bytes in both directions", value: (each) => each.BytesIn + each.BytesOut, cell: (each) => size(each.BytesIn + each.BytesOut) },
];

/** The name, and what is known besides. */
function nameOf(each, page) {
  const waiting = each.InProgress ? `${exact(each.InProgress)} waiting now` : "";
  const about = [each.Detail, each.Idle > each.Blocked && each.Reason && `idle: ${each.Reason}`, waiting];
  return el("div", { class: "one-line" }, objectLink({ ...each, Name: each.Title }, page), el("span", { class: "dim" }, ` ${about.filter(Boolean).join(" · ")}`));
}
