// The histogram of durations: a logarithmic axis, with the percentiles marked.

import { byId, draw, el, write } from "./dom.js";
import { count, duration, exact, share, text } from "./numbers.js";

const HEIGHT_PX = 190;
const BASE_PX = 164;
const TOP_PX = 42;
// The server sends a bar for each quarter of an octave.
const BARS_PER_OCTAVE = 4;
const MIN_BAR_PX = 2;
// From this width on, 2 and 5 fit between 1 and 10; if only some fitted, the axis would look arbitrary.
const WIDE_DECADE_PX = 150;

export class Latency {
  #key = "";
  #shown = null;
  #width = 0;

  constructor(host) {
    this.host = host;
    this.svg = draw("svg", { height: HEIGHT_PX, role: "img" });
    this.note = el("p", { class: "dim" });
    host.append(this.svg, this.note);
    new ResizeObserver(([{ contentRect }]) => { this.#width = contentRect.width; this.#redraw(); }).observe(host);
  }

  /** A bar is `[at, calls]`; `at` counts quarters of octaves from one nanosecond. */
  update(call, bars) {
    this.#shown = { ...call, bars };
    this.#redraw();
  }

  #redraw() {
    const width = this.#width;
    if (!this.#shown || !width) return;
    const { bars, P50, P95, P99 } = this.#shown;
    const key = JSON.stringify([width, bars]);
    if (key === this.#key) return;
    this.#key = key;
    this.svg.toggleAttribute("hidden", !bars.length);
    this.svg.style.display = bars.length ? "" : "none";
    write(this.note, bars.length ? "" : "No data yet");
    if (bars.length) this.#draw(bars.map(([at, calls]) => ({ at, calls })), [["P50", P50], ["P95", P95], ["P99", P99]], width);
  }

  #draw(groups, marks, width) {
    const from = Math.floor(groups[0].at / BARS_PER_OCTAVE) * BARS_PER_OCTAVE;
    const to = Math.max(groups.at(-1).at + 1, from + 2 * BARS_PER_OCTAVE);
    const x = (position) => ((position - from) / (to - from)) * width;
    const peak = Math.max(...groups.map((group) => group.calls));
    const total = groups.reduce((sum, group) => sum + group.calls, 0);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT_PX}`);
    this.svg.setAttribute("aria-label", `Durations of ${exact(total)} calls: ${marks.map(([name, ns]) => `${name} ${text(duration(ns))}`).join(", ")}`);
    this.svg.replaceChildren(
      draw("path", { class: "grid", d: `M0,${BASE_PX}H${width}M0,${(BASE_PX + TOP_PX) / 2}H${width}M0,${TOP_PX}H${width}` }),
      ...groups.map((group) => this.#bar(group, x, peak, total)),
      ...axis(from, to, x, width), ...marks.flatMap(([name, ns], index) => mark(name, ns, index, x, width)),
      peakLabel(peak, x(position(marks.at(-1)[1])), width));
  }

  #bar(group, x, peak, total) {
    const height = Math.max((group.calls / peak) * (BASE_PX - TOP_PX), MIN_BAR_PX);
    const label = `${text(duration(2 ** (group.at / BARS_PER_OCTAVE)))} – ${text(duration(2 ** ((group.at + 1) / BARS_PER_OCTAVE)))}: ${exact(group.calls)} ${group.calls === 1 ? "call" : "calls"}, ${text(share(group.calls / total))}`;
    const bar = draw("rect", {
      class: "area", x: x(group.at) + 0.5, width: Math.max(x(group.at + 1) - x(group.at) - 1, 1),
      y: BASE_PX - height, height,
    });
    bar.addEventListener("pointerenter", () => write(byId("latency-reading"), label));
    bar.addEventListener("pointerleave", () => write(byId("latency-reading"), ""));
    return bar;
  }
}

const position = (ns) => BARS_PER_OCTAVE * Math.log2(ns);

function axis(from, to, x, width) {
  const labels = [];
  const decade = (position(10) * width) / (to - from);
  let free = 0;
  for (let power = 0; power <= 18; power++) {
    for (const digit of decade > WIDE_DECADE_PX ? [1, 2, 5] : [1]) {
      const at = position(digit * 10 ** power);
      if (at < from || at > to || x(at) < free + 26 || x(at) > width - 22) continue;
      labels.push(draw("text", { x: x(at), y: BASE_PX + 15 }, text(duration(digit * 10 ** power))));
      free = x(at) + 26;
    }
  }
  return [draw("g", { class: "axis" }, ...labels)];
}

/** The number of calls of the highest bar, on the side without marks. */
function peakLabel(peak, lastMark, width) {
  const right = lastMark < width / 2;
  return draw("text", { x: right ? width : 0, y: TOP_PX - 4, "text-anchor": right ? "end" : "start" }, `${text(count(peak))} ${peak === 1 ? "call" : "calls"}`);
}

function mark(name, ns, index, x, width) {
  if (!ns) return [];
  const at = Math.min(Math.max(x(position(ns)), 0), width - 1);
  const end = at > width - 90;
  return [
    draw("path", { class: "mark", d: `M${at},${12 * index + 3}V${BASE_PX}` }),
    draw("text", { class: "mark-label", x: end ? at - 4 : at + 4, y: 12 * index + 10, "text-anchor": end ? "end" : "start" }, `${name} ${text(duration(ns))}`),
  ];
}
