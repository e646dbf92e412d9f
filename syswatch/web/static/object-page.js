// The page of one object: its numbers, its waits, and the calls, processes and threads that use it.

import { callLink, follow, size, stateChip, thread, time } from "./cells.js";
import { el, quantity, setHidden, write } from "./dom.js";
import { Latency } from "./latency.js";
import { Listing, amount, dash } from "./listing.js";
import { bytes, count, duration, exact } from "./numbers.js";
import { kindOf } from "./lookup.js";
import { address } from "./urls.js";

const CARDS = [
  ["blocked", ({ Blocked }) => Blocked && duration(Blocked)], ["idle", ({ Idle }) => Idle && duration(Idle)],
  ["in calls", ({ Working }) => Working && duration(Working)], ["no CPU", ({ Ready }) => Ready && duration(Ready)],
  ["calls", ({ Count }) => Count && count(Count)], ["waits", ({ Waits }) => Waits && count(Waits)],
  ["errors", ({ Errors }) => Errors && count(Errors)], ["opens", ({ Opens }) => Opens && count(Opens)],
  ["failed opens", ({ FailedOpens }) => FailedOpens && count(FailedOpens)],
  ["read", ({ BytesIn }) => BytesIn && bytes(BytesIn)], ["written", ({ BytesOut }) => BytesOut && bytes(BytesOut)],
];
const TIMES = [
  { title: "Blocked", cell: (each) => time(each.Blocked) }, { title: "Idle", cell: (each) => time(each.Idle) },
  { title: "In calls", minor: true, cell: (each) => time(each.Working) }, { title: "No CPU", minor: true, cell: (each) => time(each.Ready) },
];
const NUMBERS = [
  { title: "Calls", cell: (each) => amount(each.Count) }, ...TIMES, { title: "Errors", minor: true, cell: (each) => amount(each.Errors) },
  { title: "Read", minor: true, cell: (each) => size(each.BytesIn) }, { title: "Written", minor: true, cell: (each) => size(each.BytesOut) },
];

export class ObjectPage {
  #shown = "";

  constructor(page) {
    this.page = page;
    this.name = el("h2", { class: "code long" });
    this.about = el("p", { class: "dim long" });
    this.reason = el("p", {});
    this.cards = el("ul", { class: "cards", "aria-label": "Totals of the object" });
    this.reading = el("span", { class: "dim reading" });
    this.waits = new Latency(el("div", { class: "latency" }), { reading: this.reading, words: { one: "wait", many: "waits", title: "Waits" } });
    this.calls = new Listing("Calls on this object", [
      { title: "Call", wide: true, cell: (each) => callLink(each.Name) }, ...NUMBERS,
      { title: "Why", wide: true, minor: true, className: "dim", cell: (each) => each.Reason ? el("span", {}, stateChip(each.State), `: ${each.Reason}`) : "" },
    ], "numbers");
    this.processes = new Listing("Processes that use this object", [
      { title: "Process", wide: true, cell: (each) => this.#process(each) }, ...NUMBERS,
    ], "numbers");
    this.threads = new Listing("Threads that use this object", [{ title: "Thread", wide: true, cell: thread }, ...NUMBERS], "numbers");
    this.missing = el("p", { class: "empty dim" }, "Loading…");
    this.content = el("div", { hidden: true },
      el("div", { class: "object-head" }, this.name, this.about, this.reason), this.cards,
      section("Waits", this.waits.host, this.reading), section("Calls", this.calls.node),
      section("Processes", this.processes.node), section("Threads", this.threads.node));
    this.back = el("a", { class: "back", href: address("?tab=objects"), onclick: (event) => follow(event, () => page.go({ object: "" })) }, "← All objects");
    this.node = el("div", { class: "object-page", hidden: true }, this.back, this.missing, this.content);
  }

  update({ Object: shown, Status: { Done } }) {
    const { object } = this.page.view;
    const isKnown = shown?.ID === object;
    setHidden(this.missing, isKnown);
    setHidden(this.content, !isKnown);
    write(this.missing, shown === null ? `No calls on this object${Done ? "" : " yet"}; a process that is chosen limits them to its own` : "Loading…");
    if (isKnown) this.#show(shown);
  }

  #show(shown) {
    write(this.name, shown.Title);
    write(this.about, factsOf(shown).filter(Boolean).join(" · "));
    this.reason.replaceChildren(...(shown.Reason ? [stateChip(shown.State), `: ${shown.Reason}`] : []));
    if (shown.InProgress) this.reason.append(` · ${exact(shown.InProgress)} waiting now, the longest for `, quantity(duration(shown.LongestInProgress)));
    this.cards.replaceChildren(...CARDS.filter(([, value]) => value(shown))
      .map(([label, value]) => el("li", {}, quantity(value(shown), { class: "figure" }), el("span", { class: "label" }, label))));
    this.waits.update(shown, shown.Bars);
    this.calls.update(shown.Calls);
    this.processes.update(shown.ByProcess);
    this.threads.update(shown.ByThread);
    if (this.#shown !== shown.ID) this.node.scrollIntoView({ block: "nearest" });
    this.#shown = shown.ID;
  }

  /** A process; a click limits the page to it. */
  #process({ PID, Comm }) {
    if (!PID) return dash();
    return el("button", { type: "button", class: "plain-link", title: "Show this process only", onclick: () => this.page.go({ pid: PID, object: "" }) }, `${PID} ${Comm}`);
  }
}

/** What is known of an object besides its name. */
function factsOf({ Kind, Name, Title, Detail, Local, Service, Host, Side, PIDs }) {
  return [
    kindOf(Kind).title, Name === Title ? "" : Name, Detail, Service && `service ${Service}`, Host && `host ${Host}`,
    Local && `local address ${Local}`, SIDES[Side], PIDs.length > 0 && `PIDs ${PIDs.join(", ")}`,
  ];
}

const SIDES = { client: "the program connected to it", server: "it connected to the program", listening: "listening" };

const section = (title, node, note = null) => el("section", {}, el("header", { class: "bar" }, el("h3", {}, title), note), node);
