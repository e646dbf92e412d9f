// Stacked charts with a common time axis and cursor; dragging selects a range.

import { draw, setClass, write } from "./dom.js";
import { clock, text } from "./numbers.js";
import { area, bins, roundUp, stacked, ticks } from "./chart-math.js";

// A low window keeps its space for the tables.
export const IS_LOW = matchMedia("(min-width: 701px) and (max-height: 860px)").matches;

const AXIS_PX = 18;
const MARGIN_RIGHT_PX = 74;
const LABEL_EVERY_PX = 110;
const MIN_BIN_PX = 2;
const DRAG_PX = 4;
// The usual axis: a position is a second of the day.
const SECONDS = { label: (at, step) => clock(at, step < 60) };

export class TimeCharts {
  #cursor = null;
  #drag = null;
  #selection = null;
  #frame = 0;
  #view = null;
  #inSight = true;

  /**
   * A lane is `{ title, height, parts: [{ measure, colour }], format }`.
   * `onCursor(second | null)` is called as the cursor moves, `onSelect(from, to)` when a range is selected.
   */
  constructor(host, lanes, { onCursor, onSelect }) {
    Object.assign(this, { host, lanes, onCursor, onSelect });
    this.host.tabIndex = 0;
    this.host.setAttribute("role", "slider");
    this.#build();
    this.#listen();
    // Reading the width instead would force a synchronous layout.
    new ResizeObserver(([{ contentRect }]) => { this.#resize(contentRect.width); }).observe(host);
    new IntersectionObserver(([{ isIntersecting }]) => { this.#inSight = isIntersecting; this.redraw(); }).observe(host);
  }

  /**
   * Show the history from second `from` up to, but not including, `to`. An axis of other bins than
   * seconds has `steps` between labels, and `label(at, step)`.
   */
  show(history, from, to, axis = SECONDS) {
    this.#view = { history, from, to, axis };
    this.redraw();
  }

  select(selection) {
    this.#selection = selection;
    this.redraw();
  }

  redraw() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#view && this.#inSight && this.width) this.#draw();
    });
  }

  #resize(width) {
    this.width = width;
    this.svg.setAttribute("width", width);
    // A printed page has another width.
    this.svg.setAttribute("viewBox", `0 0 ${width} ${this.bottom + AXIS_PX}`);
    this.redraw();
  }

  #build() {
    let top = 0;
    this.svg = draw("svg", { "aria-hidden": "true" });
    this.gap = draw("rect", { class: "gap" });
    this.range = draw("rect", { class: "range" });
    this.svg.append(this.gap);
    this.drawn = this.lanes.map((lane) => {
      const drawn = laneOf(lane, top);
      top += lane.height;
      this.svg.append(drawn.group);
      return drawn;
    });
    this.marks = draw("path", { class: "grid" });
    this.axis = draw("g", { class: "axis" }, this.marks);
    this.labels = [];
    this.line = draw("path", { class: "cursor" });
    this.svg.append(this.axis, this.range, this.line);
    this.bottom = top;
    this.svg.setAttribute("height", top + AXIS_PX);
    this.host.append(this.svg);
  }

  #draw() {
    const { history, from, to } = this.#view;
    this.plot = Math.max(this.width - MARGIN_RIGHT_PX, 40);
    const step = Math.max(1, Math.ceil(((to - from) * MIN_BIN_PX) / this.plot));
    // Bins begin at fixed times: otherwise all values would change every second.
    const begin = Math.floor(from / step) * step;
    for (const lane of this.drawn) {
      const rows = bins(history, begin, to, step, lane.parts.map((part) => part.measure));
      drawLane(lane, rows, (index) => this.#x(Math.min(Math.max(begin + index * step, from), to)), this.plot);
    }
    this.#drawGap(history.end, to);
    this.#drawAxis(this.#view);
    this.#drawCursor();
  }

  #x(second) {
    const { from, to } = this.#view;
    return round(((second - from) / (to - from)) * this.plot);
  }

  #drawGap(end, to) {
    const begin = Math.max(0, this.#x(Math.min(end ?? to, to)));
    place(this.gap, begin, Math.max(this.plot - begin, 0), this.bottom);
  }

  #drawAxis({ from, to, axis }) {
    const { step, found } = ticks(from, to, this.plot / LABEL_EVERY_PX, axis.steps);
    this.marks.setAttribute("d", found.map((at) => `M${this.#x(at)},${this.bottom}v4`).join(""));
    const labelled = found.filter((at) => this.#x(at) > 26 && this.#x(at) < this.plot - 20);
    while (this.labels.length > labelled.length) this.labels.pop().remove();
    labelled.forEach((at, index) => {
      const label = (this.labels[index] ??= this.axis.appendChild(draw("text", { y: this.bottom + 13 })));
      label.setAttribute("x", this.#x(at));
      write(label, axis.label(at, step));
    });
  }

  #drawCursor() {
    const { from, to } = this.#view;
    const at = this.#cursor;
    const shown = at !== null && at >= from && at < to;
    this.line.setAttribute("d", shown ? `M${this.#x(at + 0.5)},0V${this.bottom}` : "");
    const selected = this.#dragged() ?? this.#selection;
    const begin = selected && Math.max(selected.from, from);
    place(this.range, selected ? this.#x(begin) : 0,
      selected ? Math.max(this.#x(Math.max(selected.to, from)) - this.#x(begin), 0) : 0, this.bottom);
    this.host.setAttribute("aria-valuemin", from);
    this.host.setAttribute("aria-valuemax", to);
    this.host.setAttribute("aria-valuenow", shown ? at : to);
  }

  /** Set the text for screen readers. */
  describe(label) {
    this.host.setAttribute("aria-valuetext", label);
  }

  #listen() {
    const host = this.host;
    host.addEventListener("pointermove", (event) => this.#point(this.#secondAt(event)));
    host.addEventListener("pointerleave", () => { if (!this.#drag) this.#point(null); });
    host.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.#view) return;
      host.setPointerCapture(event.pointerId);
      this.#drag = { x: event.clientX, from: this.#secondAt(event), moved: event.pointerType === "mouse" };
    });
    host.addEventListener("pointerup", (event) => this.#release(event));
    host.addEventListener("pointercancel", () => { this.#drag = null; this.#point(null); });
    host.addEventListener("keydown", (event) => this.#press(event));
    host.addEventListener("blur", () => this.#point(null));
  }

  #secondAt(event) {
    if (!this.#view) return null;
    const { from, to } = this.#view;
    const part = (event.clientX - this.host.getBoundingClientRect().left) / this.plot;
    return Math.floor(Math.min(Math.max(from + part * (to - from), from), to - 1));
  }

  #point(second) {
    this.#cursor = second;
    this.onCursor(second);
    if (this.#view && this.plot) this.#drawCursor();
  }

  #dragged() {
    if (!this.#drag || this.#cursor === null) return null;
    const [from, to] = [this.#drag.from, this.#cursor].sort((a, b) => a - b);
    return { from, to: to + 1 };
  }

  #release(event) {
    const range = this.#dragged();
    const wide = this.#drag && Math.abs(event.clientX - this.#drag.x) >= DRAG_PX;
    this.#drag = null;
    if (range) this.onSelect(wide ? range.from : this.#cursor, wide ? range.to : this.#cursor + 1);
  }

  #press(event) {
    if (!this.#view) return;
    const { from, to } = this.#view;
    const here = this.#cursor ?? to - 1;
    const stride = event.shiftKey ? 10 : 1;
    if (event.key === "ArrowLeft") this.#point(Math.max(here - stride, from));
    else if (event.key === "ArrowRight") this.#point(Math.min(here + stride, to - 1));
    else if (event.key === "Home") this.#point(from);
    else if (event.key === "End") this.#point(to - 1);
    else if (event.key === "Enter") this.onSelect(here, here + 1);
    else return;
    event.preventDefault();
  }
}

function laneOf(lane, top) {
  const parts = lane.parts.map((part) => ({ ...part, path: draw("path", { class: `area ${part.colour}` }) }));
  const grid = draw("path", { class: "grid" });
  const title = draw("text", { class: "lane-title", x: 0, y: top + 12 }, lane.title ?? "");
  const scale = draw("text", { class: "scale", y: top + 12 });
  const last = draw("text", { class: "last", y: top + lane.height });
  const group = draw("g", {}, grid, ...parts.map((part) => part.path), title, scale, last);
  return { ...lane, top, parts, grid, scale, last, group };
}

function drawLane(lane, rows, x, plot) {
  const stacks = stacked(rows);
  const peak = roundUp(Math.max(0, ...stacks.map((stack) => stack?.at(-1)[1] ?? 0)));
  const base = lane.top + lane.height - 2;
  const plotHeight = lane.height - 20;
  const y = (value) => round(base - (value / peak) * plotHeight);
  lane.parts.forEach((part, index) => {
    const used = stacks.some((stack) => stack && stack[index][1] > stack[index][0]);
    part.path.setAttribute("d", used ? area(stacks, index, x, y) : "");
  });
  lane.grid.setAttribute("d", [0, peak / 2, peak].map((value) => `M0,${y(value)}H${plot}`).join(""));
  lane.scale.setAttribute("x", lane.title ? plot : 0);
  setClass(lane.scale, lane.title ? "scale right" : "scale");
  // An empty lane has no scale, only a dash at its end.
  const isEmpty = !stacks.some((stack) => stack?.at(-1)[1]);
  write(lane.scale, isEmpty ? "" : text(lane.format(peak)));
  drawLast(lane, stacks, y, plot);
}

/** The newest value, at the end of its line. */
function drawLast(lane, stacks, y, plot) {
  const newest = stacks.findLast(Boolean)?.at(-1)[1];
  write(lane.last, newest === undefined ? "" : newest ? text(lane.format(newest)) : "–");
  const height = newest === undefined ? lane.top : y(newest) + 4;
  lane.last.setAttribute("x", plot + 6);
  lane.last.setAttribute("y", Math.min(Math.max(height, lane.top + 24), lane.top + lane.height - 3));
}

function place(rect, x, width, height) {
  rect.setAttribute("x", x);
  rect.setAttribute("width", width);
  rect.setAttribute("height", height);
}

const round = (value) => Math.round(value * 10) / 10;
