// Where the time went: the verdict, the bar of the states, and their history.

import { IS_LOW, TimeCharts } from "./charts.js";
import { byId, el, setHidden, setTitle, write } from "./dom.js";
import { clock, duration, exact, share, text, threeDigits } from "./numbers.js";
import { OBJECT_KINDS, SHARES, STATES } from "./registry.js";
import { kindOf, stateOf } from "./lookup.js";
import { TimeHistory, keyOf } from "./time-history.js";

// Smaller segments have no label, and the smallest ones are left out.
const LABELLED_PART = 0.09;
const LISTED_PART = 0.002;
const FINE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const KEYS = STATES.flatMap(({ key }) => key === "blocked" ? OBJECT_KINDS.map(({ name }) => `blocked ${name}`) : [key]);
const LANE = {
  title: "threads",
  height: IS_LOW ? 50 : 84,
  parts: KEYS.map((key) => ({ measure: (bin) => bin[key] ?? 0, colour: colourOf(key) })),
  format: (threads) => ({ value: threeDigits(threads), unit: "" }),
};

export class TimePanel {
  #answer = null;
  #segments = new Map();
  #history = new TimeHistory();
  #offset = 0;
  #cursor = null;

  /** `go` changes what the page shows, `onSelect(from, to)` selects seconds, and `ranges` is the length of the charts. */
  constructor({ view, ranges, go, onSelect }) {
    Object.assign(this, { view, ranges, go });
    this.charts = new TimeCharts(byId("time-charts"), [LANE], {
      onCursor: (at) => { this.#cursor = at; this.#read(); },
      onSelect: (from, to) => onSelect((from + this.#offset) / this.#history.perSecond, (to + this.#offset) / this.#history.perSecond),
    });
    byId("time-charts").setAttribute("aria-label", "Threads by state over time; arrow keys move the cursor, Enter selects a moment");
    ranges.listen(() => this.#showHistory());
    for (const button of byId("chart-kinds").children) {
      button.addEventListener("click", () => go({ chart: button.value }));
    }
  }

  /** The process whose times are known; 0 for all. */
  get pid() { return this.#history.pid; }

  update(answer, { whole }) {
    this.#answer = answer;
    for (const { State, Title: title, About: about } of answer.Time.States ?? []) Object.assign(stateOf(State), { title, about });
    this.#history.merge(answer, { whole });
    write(byId("verdict"), unbroken(answer.Time.Verdict));
    write(byId("verdict-note"), answer.Time.Note);
    this.follow();
    this.#showBar();
    this.#showHistory();
  }

  /** Show the chart that the view says; without times, only the other one has anything to show. */
  follow() {
    const hasTimes = !this.#answer || this.#history.first !== null;
    const chart = hasTimes ? this.view.chart : "calls";
    setHidden(byId("chart-kinds"), !hasTimes);
    for (const button of byId("chart-kinds").children) button.setAttribute("aria-pressed", String(button.value === chart));
    for (const kind of ["time", "calls"]) setHidden(byId(`${kind}-chart`), kind !== chart);
    setHidden(byId("reading"), chart === "time");
    setHidden(byId("time-reading"), chart !== "time");
    setHidden(byId("ranges"), chart === "time" && this.#history.binMs < 1000);
  }

  /** Mark a range of time; the next answer is limited to it. */
  select(range) {
    const { perSecond } = this.#history;
    this.charts.select(range && { from: range.from * perSecond - this.#offset, to: range.to * perSecond - this.#offset });
    if (this.#answer) this.#showBar();
  }

  #showBar() {
    const { Parts, ShareOf } = this.#answer.Time;
    const segments = ranked(sumsOf(Parts));
    const wall = segments.reduce((sum, [, ns]) => sum + ns, 0);
    const { title, without } = SHARES.find(({ key }) => key === ShareOf);
    const isOutside = (key) => without.includes(factsOf(key).state.key);
    const whole = segments.reduce((sum, [key, ns]) => isOutside(key) ? sum : sum + ns, 0);
    setHidden(byId("budget"), !wall);
    write(byId("budget-shares"), wall ? `% of ${title}` : "");
    const keys = new Set(segments.map(([key]) => key));
    for (const [key, segment] of this.#segments) if (!keys.has(key)) { segment.remove(); this.#segments.delete(key); }
    segments.forEach(([key, ns], index) => {
      if (!this.#segments.has(key)) this.#segments.set(key, new Segment(key, () => this.go(...targetOf(key))));
      this.#segments.get(key).show({ ns, index, part: ns / wall, shareOf: isOutside(key) || !whole ? null : ns / whole });
    });
  }

  #showHistory() {
    const history = this.#history;
    if (history.first === null) return;
    const isFine = history.binMs < 1000;
    this.#offset = isFine ? history.first : 0;
    const shifted = { at: (bin) => inThreads(history.at(bin + this.#offset), history.binMs), end: history.end - this.#offset };
    if (isFine) this.charts.show(shifted, 0, Math.max(shifted.end + this.ranges.lostS * history.perSecond, 10), { steps: FINE_STEPS, label: (at) => text(duration(at * history.binMs * 1e6)) });
    else this.charts.show(shifted, ...this.ranges.span(history.first, history.end, this.#answer.Status.Done));
    this.#read();
  }

  /** Show the values of the bin at the cursor. */
  #read() {
    const { binMs } = this.#history;
    const at = this.#cursor;
    const reading = byId("time-reading");
    if (at === null) return write(reading, "");
    const bin = inThreads(this.#history.at(at + this.#offset), binMs);
    const when = binMs < 1000 ? text(duration(at * binMs * 1e6)) : clock(at);
    const parts = bin && KEYS.filter((key) => bin[key]).map((key) => `${titleOf(key)} ${text(share(bin[key]))}`);
    const label = `${when} · ${parts?.length ? parts.join(", ") : "no data"}`;
    this.charts.describe(label);
    return write(reading, label);
  }
}

/** A text in which no number is at the end of a line, with its unit on the next. */
const unbroken = (words) => words.replaceAll(/(\d) (?=%|[a-zµ])/gu, "$1\u00A0");

function sumsOf(parts) {
  const sums = new Map();
  for (const { State, Kind, Time } of parts) {
    const key = keyOf(State, Kind);
    sums.set(key, (sums.get(key) ?? 0) + Time);
  }
  return sums;
}

/** The parts by state, and of each state the largest first. */
function ranked(sums) {
  const places = new Map(STATES.map(({ key }, place) => [key, place]));
  const place = (key) => places.get(factsOf(key).state.key);
  return [...sums].filter(([, ns]) => ns).sort(([a, less], [b, more]) => place(a) - place(b) || more - less);
}

/** One segment of the bar, and its line in the legend. */
class Segment {
  constructor(key, onOpen) {
    const { state, kind } = factsOf(key);
    this.title = titleOf(key);
    this.short = kind ? nameOf(kind) : state.title;
    this.about = state.about;
    this.label = el("span");
    this.bar = el("button", { type: "button", class: `segment ${colourOf(key)}`, tabindex: "-1", "aria-hidden": "true", onclick: onOpen }, this.label);
    this.amount = el("span");
    this.button = el("button", { type: "button", class: `chip ${colourOf(key)}`, onclick: onOpen }, el("span", { class: "dim" }, `${this.short} `), this.amount);
    this.item = el("li", { class: kind ? "blocked" : "" }, this.button);
    byId("budget").append(this.bar);
    byId("budget-legend").append(this.item);
  }

  /** `part` is the part of the bar; `shareOf` is null if shares are of something without this state. */
  show({ ns, index, part, shareOf }) {
    const percent = shareOf === null ? "" : text(share(shareOf));
    const amount = [text(duration(ns)), percent].filter(Boolean).join(" · ");
    const isSmall = Math.max(part, shareOf ?? 0) < LISTED_PART;
    this.bar.style.flexGrow = part.toFixed(4);
    this.bar.style.order = this.item.style.order = index;
    write(this.label, part >= LABELLED_PART ? `${this.short} ${percent}` : "");
    write(this.amount, amount);
    for (const node of [this.bar, this.item]) setHidden(node, isSmall);
    this.button.setAttribute("aria-label", `${this.title} ${amount}`);
    for (const node of [this.bar, this.button]) setTitle(node, `${this.title}: ${amount}, ${exact(ns)} ns\n${this.about}`);
  }

  remove() {
    this.bar.remove();
    this.item.remove();
  }
}

/** The state and, of blocked time, the kind of object that a key stands for. */
function factsOf(key) {
  const [state, kind] = key.split(" ");
  return { state: stateOf(state), kind: kindOf(kind) };
}

function colourOf(key) {
  const { state, kind } = factsOf(key);
  return kind?.style ?? `state-${state.key}`;
}

function titleOf(key) {
  const { state, kind } = factsOf(key);
  return kind ? `${state.title}: ${nameOf(kind)}` : state.title;
}

const nameOf = ({ name, title }) => name === "none" ? "other calls" : title;

/** What a click on a segment shows: code and some calls have no objects. */
function targetOf(key) {
  const { state, kind } = factsOf(key);
  const order = { sort: state.field, downwards: true, filter: "" };
  if (["user", "stopped"].includes(state.key)) return [{ tab: "threads", object: "" }, order];
  if (kind?.name === "none") return [{ tab: "calls", object: "" }, { sort: "Time", downwards: true, filter: "", kinds: new Set() }];
  const kinds = state.key === "idle" ? ["idle"] : kind ? [kind.name] : [];
  return [{ tab: "objects", object: "" }, { ...order, kinds: new Set(kinds) }];
}

/** Time per bin as a number of threads: one that waits all the time counts as one. */
function inThreads(bin, binMs) {
  return bin && Object.fromEntries(Object.entries(bin).map(([key, ns]) => [key, ns / (binMs * 1e6)]));
}
