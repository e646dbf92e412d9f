// The tab of the timeline: every call of a recording on a lane for its thread.

import { el, isTyping, setHidden, write } from "./dom.js";
import { duration, exact, text } from "./numbers.js";
import { KeptZoom } from "./timeline-address.js";
import { aboutCall, aboutColumn, notesOn, showCall } from "./timeline-call.js";
import { AXIS, gutterOf } from "./timeline-canvas.js";
import { Matches, Newest, ask } from "./timeline-data.js";
import { dragged } from "./timeline-drag.js";
import { Rows } from "./timeline-folding.js";
import { buttonsOf, legendOf, partsOf, placeTip } from "./timeline-parts.js";
import { callAt, columnAt, fitted, moved, timeOfDay, zoomed } from "./timeline-view.js";

const ZOOM = 1.5;
const PART = 0.2;
const COLUMN_PIXELS = 2;

export class TimelineTab {
  #lanes = null;
  #layout = new Rows();
  #range = null;
  #by = "category";
  #selected = "";
  #matches = new Matches("");
  #pictures = new Newest((picture) => this.#show(picture), (error) => this.#fail(error));
  #overviews = new Newest((lanes) => this.#overview(lanes), (error) => this.#fail(error));
  #isLive = true;
  #followed = "";

  constructor(page) {
    Object.assign(this, { page, kept: new KeptZoom(page.view) });
    this.filter = el("input", {
      type: "search", id: "timeline-filter", placeholder: "/ search calls", "aria-label": "Search calls by name, error, arguments or object", autocomplete: "off", spellcheck: "false",
      onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); this.#search(event.shiftKey ? -1 : 1); } },
    });
    this.tools = [this.filter, ...buttonsOf(this.#by, {
      colourBy: (key) => { this.#by = key; this.#showLegend(); this.#draw(); },
      zoomOut: () => this.#zoom(ZOOM), zoomIn: () => this.#zoom(1 / ZOOM), fit: () => this.#fit(), fold: () => this.#fold(), useRange: () => this.#useRange(),
    })];
    Object.assign(this, partsOf());
    this.#listen();
    this.#showLegend();
  }

  #listen() {
    this.port.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.port.addEventListener("scroll", () => { this.#draw(); this.#load(); });
    this.port.addEventListener("pointerdown", (event) => this.#press(event));
    this.port.addEventListener("pointermove", (event) => { if (!event.buttons) this.#point(event); });
    this.port.addEventListener("pointerleave", () => setHidden(this.tip, true));
    document.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => { this.#draw(); this.#load(); }).observe(this.port);
  }

  restore() {
    this.#isLive = true;
    if (this.kept.isNew) this.#followed = "";
  }

  /** Called once a second while the trace goes on. */
  update() {
    if (this.#isLive || this.#lanes?.Unread) this.#overviews.want("lanes");
    this.#followPage();
  }

  /** Show the range of the page when it has changed; at first, that of the address. */
  #followPage() {
    const { from, to } = this.page.view;
    if (!this.#lanes?.Calls || this.#followed === `${from} ${to}`) return;
    const kept = this.#followed ? null : this.kept.take();
    // It may not be within what has been read so far.
    this.#followed = this.#lanes.Unread ? "" : `${from} ${to}`;
    this.#range = kept ? fitted(kept, this.#whole) : this.#rangeOfPage();
    this.#changed();
  }

  /** Select the next or previous call that is shown. */
  step(by) {
    const slices = this.#picture?.Slices;
    if (!slices?.ID.length) return;
    const shown = slices.ID.filter((_, index) => slices.Start[index] < this.#range[1]);
    const next = shown[Math.min(Math.max(shown.indexOf(this.#selected) + by, 0), shown.length - 1)];
    if (next !== undefined) this.#open(next);
  }

  #overview(lanes) {
    const former = this.#lanes;
    const wasAll = !former || !this.#range || (this.#range[0] <= former.First && this.#range[1] >= former.Last);
    this.#lanes = lanes;
    this.#isLive = lanes.Live;
    this.#showVerdict();
    setHidden(this.stage, !lanes.Calls);
    if (!lanes.Calls) return;
    this.#arrange();
    if (wasAll) this.#range = this.#whole;
    this.#followPage();
    this.#changed();
    if (lanes.Unread) this.#overviews.want("lanes");
  }

  /** Place the rows, and show the picture in them. */
  #arrange() {
    this.#layout.arrange(this.#lanes.Lanes);
    this.spacer.style.height = `${this.#layout.height}px`;
    this.port.style.setProperty("--rows", `${this.#layout.height + AXIS + 2}px`);
  }

  #fold(pids) {
    if (!this.#lanes) return;
    this.#layout.fold(pids);
    this.#arrange();
    this.#changed();
  }

  get #picture() { return this.#layout.picture; }

  /** The range that is selected in the charts. */
  #rangeOfPage() {
    const { from, to } = this.page.view;
    if (from === null) return this.#whole;
    return fitted([from, to].map((second) => (second * 1000 - this.#lanes.OriginMs) * 1e6), this.#whole);
  }

  get #whole() { return [Math.max(this.#lanes.First, 0), Math.max(this.#lanes.Last, this.#lanes.First + 1000)]; }

  #showVerdict() {
    const { Verdict, Longest } = this.#lanes;
    this.verdict.replaceChildren(Verdict);
    if (Longest) {
      const go = () => { this.#goTo(Longest.Start, Longest.Duration); this.#open(Longest.ID); };
      this.verdict.append(" at ", el("button", { type: "button", class: "plain-link", onclick: go }, this.#clockOf(Longest.Start, 3)));
    }
    write(this.note, notesOn(this.#lanes));
  }

  #fail(error) {
    setHidden(this.stage, error.status === 404 || !this.#lanes);
    if (error.status === 404) this.#isLive = false;
    this.verdict.replaceChildren(error.status ? error.message : "The server cannot be reached; retrying…");
  }

  #showLegend() { this.legend.replaceChildren(...legendOf(this.#by)); }

  #changed() {
    this.#draw();
    this.#load();
    if (!this.#lanes.Unread) this.kept.keep(this.#range, this.#rangeOfPage());
  }

  #load() {
    if (!this.#range || !this.node.isConnected) return;
    const width = this.port.clientWidth - gutterOf(this.port.clientWidth);
    if (width < 1) return;
    const query = new URLSearchParams({ from: Math.max(Math.floor(this.#range[0]), 0), to: Math.max(Math.ceil(this.#range[1]), 1), width: Math.max(Math.round(width / COLUMN_PIXELS), 1), ...this.#layout.lanesWithin(this.port.scrollTop, this.port.clientHeight) });
    this.#pictures.want(`timeline?${query}`);
  }

  #show(picture) {
    this.#layout.show(picture);
    this.#draw();
    const [from, to] = this.#range;
    const calls = `${exact(picture.Calls)} ${picture.Calls === 1 ? "call" : "calls"}`;
    const what = picture.Slices ? "each one shown" : `sums over ${text(duration(picture.Bins.Step))}; zoom in for single calls`;
    write(this.reading, `${this.#clockOf(from, 6)} – ${this.#clockOf(to, 6)} (${text(duration(to - from))}): ${calls}, ${what}`);
  }

  #draw() {
    if (!this.#range || !this.node.isConnected || !this.port.clientWidth) return;
    this.canvas.draw({
      width: this.port.clientWidth, height: this.port.clientHeight, top: this.port.scrollTop,
      rows: this.#layout.rows, range: this.#range, picture: this.#picture, by: this.#by, selected: this.#selected,
    });
  }

  /** The time of day of a moment. */
  #clockOf(at, digits) { return timeOfDay(at, digits, this.#lanes.OriginMs); }

  #showRange(range) {
    this.#range = range;
    this.#changed();
  }

  #zoom(factor, at = (this.#range[0] + this.#range[1]) / 2) { this.#showRange(zoomed(this.#range, factor, at, this.#whole)); }

  #move(part) { this.#showRange(moved(this.#range, part, this.#whole)); }

  #fit() { if (this.#lanes) this.#showRange(this.#whole); }

  /** Show a call with something before and after it. */
  #goTo(start, length) {
    const around = Math.max(length, 1000);
    this.#showRange(fitted([start - around, start + 2 * around], this.#whole));
  }

  #useRange() {
    if (!this.#range) return;
    const [from, to] = this.#range.map((at) => (this.#lanes.OriginMs + at / 1e6) / 1000);
    this.page.go({ from: Math.floor(from * 1000) / 1000, to: Math.max(Math.ceil(to * 1000), Math.floor(from * 1000) + 1) / 1000 });
  }

  #momentAt(x) {
    const left = gutterOf(this.port.clientWidth);
    return this.#range[0] + ((x - left) / (this.port.clientWidth - left)) * (this.#range[1] - this.#range[0]);
  }

  /** What is at a place: a moment, and a lane or nothing. */
  #under(event) {
    const box = this.port.getBoundingClientRect();
    const y = event.clientY - box.top - AXIS + this.port.scrollTop;
    const row = event.clientY - box.top > AXIS ? this.#layout.at(y) : null;
    const isName = row && (!row.lane || event.clientX - box.left < gutterOf(this.port.clientWidth));
    return { at: this.#momentAt(event.clientX - box.left), lane: row?.lane ?? null, process: isName && row.threads.length > 1 ? row.pid : undefined };
  }

  #wheel(event) {
    if (!this.#range) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.#move(((event.deltaX || event.deltaY) / this.port.clientWidth) * 0.8);
    else this.#zoom(1.0015 ** event.deltaY, this.#under(event).at);
  }

  #press(event) {
    if (event.button || !this.#range) return;
    const begin = { x: event.clientX, y: event.clientY, range: this.#range, top: this.port.scrollTop };
    const width = this.port.clientWidth - gutterOf(this.port.clientWidth);
    dragged(begin, {
      onDrag: (x, y) => {
        this.port.scrollTop = begin.top - y;
        this.#showRange(moved(begin.range, -x / width, this.#whole));
      },
      onClick: (now) => this.#click(now),
    });
  }

  #hit(event) {
    const { at, lane } = this.#under(event);
    if (!lane || !this.#picture) return {};
    const perPixel = (this.#range[1] - this.#range[0]) / this.port.clientWidth;
    const { Slices, Bins } = this.#picture;
    return { at, lane, call: Slices ? callAt(Slices, lane.Lane, at, perPixel) : -1, column: Bins ? columnAt(Bins, lane.Lane, at) : -1 };
  }

  #click(event) {
    const { process } = this.#under(event);
    if (process !== undefined) return this.#fold([process]);
    const { at, call, column } = this.#hit(event);
    if (call >= 0) this.#open(this.#picture.Slices.ID[call]);
    else if (column >= 0) this.#zoom(1 / 8, at);
  }

  #point(event) {
    const { call = -1, column = -1 } = this.#hit(event);
    const words = call >= 0 ? aboutCall(this.#picture.Slices, call) : column >= 0 ? aboutColumn(this.#picture.Bins, column) : "";
    write(this.tip, words);
    setHidden(this.tip, !words);
    if (words) placeTip(this.tip, event);
  }

  async #open(id) {
    this.#selected = id;
    try {
      const call = await ask(`calls/${encodeURIComponent(id)}`);
      if (this.#selected !== id) return;
      showCall(this.panel, call, this.#clockOf(call.Start, 9));
    } catch (error) { this.panel.replaceChildren(error.message); }
    setHidden(this.panel, false);
    this.#draw();
  }

  /** Go to the next or previous call that has the text. */
  async #search(by) {
    const wanted = this.filter.value.trim();
    if (!wanted || !this.#lanes) return;
    if (wanted !== this.#matches.text) this.#matches = new Matches(wanted);
    const matches = this.#matches;
    write(this.reading, `Searching for ${wanted}…`);
    try { await matches.step(by); } catch (error) { return write(this.reading, error.message); }
    if (matches !== this.#matches) return;
    if (!matches.current) return write(this.reading, `No call has “${wanted}” in its name, error, arguments or object`);
    const { id, start, length } = matches.current;
    this.#goTo(start, length);
    await this.#open(id);
  }

  #key(event) {
    if (!this.node.isConnected || !this.#range || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const acts = {
      w: () => this.#zoom(1 / ZOOM), s: () => this.#zoom(ZOOM), "+": () => this.#zoom(1 / ZOOM), "=": () => this.#zoom(1 / ZOOM), "-": () => this.#zoom(ZOOM),
      a: () => this.#move(-PART), d: () => this.#move(PART), f: () => this.#fit(), z: () => this.#fold(),
      ...(this.port.contains(event.target) && {
        ArrowLeft: () => this.#move(-PART), ArrowRight: () => this.#move(PART),
        ArrowUp: () => { this.port.scrollTop -= 66; }, ArrowDown: () => { this.port.scrollTop += 66; },
      }),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }
}
