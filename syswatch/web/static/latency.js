// The histogram of durations: a logarithmic axis, with the percentiles marked. The durations of waits
// are drawn in front of those of whole calls.

import { draw, el, write } from "./dom.js";
import { count, duration, exact, share, text } from "./numbers.js";

const HEIGHT_PX = 190;
const BASE_PX = 164;
const TOP_PX = 42;
// The server sends a bar for each quarter of an octave.
const BARS_PER_OCTAVE = 4;
const MIN_BAR_PX = 2;
// From this width on, 2 and 5 fit between 1 and 10; if only some fitted, the axis would look arbitrary.
const WIDE_DECADE_PX = 150;
// The bars of waits are narrower, so that those behind them can be seen.
const WAIT_MARGIN = 0.3;
const CALLS = { one: "call", many: "calls", title: "Durations" };

export class Latency {
  #key = "";
  #shown = null;
  #width = 0;

  /** `reading` shows the values of the bar under the pointer; `words` name what is counted. */
  constructor(host, { reading, words = CALLS }) {
    Object.assign(this, { host, reading, words });
    this.svg = draw("svg", { height: HEIGHT_PX, role: "img" });
    this.note = el("p", { class: "dim" });
    host.append(this.svg, this.note);
    new ResizeObserver(([{ contentRect }]) => { this.#width = contentRect.width; this.#redraw(); }).observe(host);
  }

  /** A bar is `[at, number]`; `at` counts quarters of octaves from one nanosecond. */
  update(call, bars, waits = []) {
    this.#shown = { ...call, bars, waits };
    this.#redraw();
  }

  #redraw() {
    const width = this.#width;
    if (!this.#shown || !width) return;
    const { bars, waits, P50, P95, P99 } = this.#shown;
    const key = JSON.stringify([width, bars, waits]);
    if (key === this.#key) return;
    this.#key = key;
    this.svg.toggleAttribute("hidden", !bars.length);
    this.svg.style.display = bars.length ? "" : "none";
    write(this.note, bars.length ? "" : "No data yet");
    if (bars.length) this.#draw(groupsOf(bars), groupsOf(waits), [["P50", P50], ["P95", P95], ["P99", P99]], width);
  }

  #draw(groups, waits, marks, width) {
    const from = Math.floor(Math.min(groups[0].at, waits[0]?.at ?? Infinity) / BARS_PER_OCTAVE) * BARS_PER_OCTAVE;
    const to = Math.max(groups.at(-1).at + 1, (waits.at(-1)?.at ?? 0) + 1, from + 2 * BARS_PER_OCTAVE);
    const x = (position) => ((position - from) / (to - from)) * width;
    const peak = Math.max(...[...groups, ...waits].map((group) => group.number));
    const total = sumOf(groups);
    const ofWaits = waits.length ? `; ${exact(sumOf(waits))} of them waited` : "";
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT_PX}`);
    this.svg.setAttribute("aria-label", `${this.words.title} of ${exact(total)} ${this.words.many}: ${marks.map(([name, ns]) => `${name} ${text(duration(ns))}`).join(", ")}${ofWaits}`);
    this.svg.replaceChildren(
      draw("path", { class: "grid", d: `M0,${BASE_PX}H${width}M0,${(BASE_PX + TOP_PX) / 2}H${width}M0,${TOP_PX}H${width}` }),
      ...groups.map((group) => this.#bar(group, x, { peak, total, words: this.words })),
      ...waits.map((group) => this.#bar(group, x, { peak, total: sumOf(waits), words: WAITS, style: "wait-bar state-blocked", margin: WAIT_MARGIN })),
      ...axis(from, to, x, width), ...marks.flatMap(([name, ns], index) => mark(name, ns, index, x, width)),
      this.#peakLabel(peak, x(position(marks.at(-1)[1])), width));
  }

  #bar(group, x, { peak, total, words, style = "", margin = 0 }) {
    const height = Math.max((group.number / peak) * (BASE_PX - TOP_PX), MIN_BAR_PX);
    const [begin, full] = [x(group.at), x(group.at + 1) - x(group.at)];
    const label = `${text(duration(2 ** (group.at / BARS_PER_OCTAVE)))} – ${text(duration(2 ** ((group.at + 1) / BARS_PER_OCTAVE)))}: ${exact(group.number)} ${group.number === 1 ? words.one : words.many}, ${text(share(group.number / total))}`;
    const bar = draw("rect", {
      class: `area ${style}`, x: begin + 0.5 + margin * full, width: Math.max(full * (1 - 2 * margin) - 1, 1),
      y: BASE_PX - height, height,
    });
    bar.addEventListener("pointerenter", () => write(this.reading, label));
    bar.addEventListener("pointerleave", () => write(this.reading, ""));
    return bar;
  }

  /** The number of the highest bar, on the side without marks. */
  #peakLabel(peak, lastMark, width) {
    const right = lastMark < width / 2;
    const { one, many } = this.words;
    return draw("text", { x: right ? width : 0, y: TOP_PX - 4, "text-anchor": right ? "end" : "start" }, `${text(count(peak))} ${peak === 1 ? one : many}`);
  }
}

const WAITS = { one: "wait", many: "waits" };

const groupsOf = (bars) => bars.map(([at, number]) => ({ at, number }));

const sumOf = (groups) => groups.reduce((sum, group) => sum + group.number, 0);

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

function mark(name, ns, index, x, width) {
  if (!ns) return [];
  const at = Math.min(Math.max(x(position(ns)), 0), width - 1);
  const end = at > width - 90;
  return [
    draw("path", { class: "mark", d: `M${at},${12 * index + 3}V${BASE_PX}` }),
    draw("text", { class: "mark-label", x: end ? at - 4 : at + 4, y: 12 * index + 10, "text-anchor": end ? "end" : "start" }, `${name} ${text(duration(ns))}`),
  ];
}
