// Draws the timeline of calls.

import { CATEGORIES, colour } from "./lookup.js";
import { el } from "./dom.js";
import { labelOf } from "./timeline-folding.js";
import { axisOf, rowsWithin } from "./timeline-view.js";

export const AXIS = 22;
const PIXELS_PER_LABEL = 110;
const NAMED_WIDTH = 34;
const STATES = [["Working", "state-working"], ["Waiting", "state-blocked"], ["Ready", "state-ready"]];

/** The width of the names of lanes. */
export const gutterOf = (width) => width < 600 ? 86 : 132;

/** The colours of the page as it is shown, which a canvas cannot take from its style. */
function paletteOf(node) {
  const read = (name, value) => {
    const probe = el("i", { class: `timeline-probe ${name}` });
    if (value) probe.style.color = value;
    node.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  return {
    categories: CATEGORIES.map((category) => read(colour(category))),
    states: STATES.map(([, style]) => read(style)),
    ...Object.fromEntries(["panel", "raised", "line", "ink", "dim", "failing", "accent", "slow"].map((name) => [name, read("", `var(--${name})`)])),
  };
}

export class TimelineCanvas {
  constructor(host) {
    this.host = host;
    this.node = el("canvas", { class: "timeline-canvas", "aria-hidden": "true" });
  }

  /** `by` is what colours mean: "category" or "state". */
  draw({ width, height, top, rows, range, picture, by, selected }) {
    const scale = globalThis.devicePixelRatio || 1;
    const { node } = this;
    if (node.width !== Math.round(width * scale) || node.height !== Math.round(height * scale)) {
      [node.width, node.height] = [Math.round(width * scale), Math.round(height * scale)];
      [node.style.width, node.style.height] = [`${width}px`, `${height}px`];
    }
    const context = node.getContext("2d");
    const left = gutterOf(width);
    const x = (at) => left + ((at - range[0]) / (range[1] - range[0])) * (width - left);
    Object.assign(this, { context, x, width, left, range, colours: paletteOf(this.host) });
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const places = new Map();
    const shown = rowsWithin(rows, top, height - AXIS);
    for (const row of shown) {
      const y = AXIS + row.top - top;
      this.#background(row, y);
      if (row.lane) places.set(row.lane.Lane, [y + 2, row.height - 3]);
    }
    context.save();
    context.beginPath();
    context.rect(left, AXIS, width - left, height - AXIS);
    context.clip();
    if (picture?.Bins) this.#bins(picture.Bins, places, by);
    if (picture?.Slices) this.#slices(picture.Slices, places, by, selected);
    if (picture) this.#losses(picture.Losses, places, height);
    context.restore();
    for (const row of shown) this.#label(row, AXIS + row.top - top);
    this.#axis(height);
  }

  #background(row, y) {
    const { context, colours, width } = this;
    context.fillStyle = row.lane ? colours.panel : colours.raised;
    context.fillRect(0, y, width, row.height);
    context.fillStyle = colours.line;
    context.fillRect(0, y + row.height - 0.5, width, 0.5);
  }

  #label(row, y) {
    const { context, colours, left } = this;
    const isHead = row.pid !== undefined;
    context.font = isHead ? "600 12px system-ui, sans-serif" : "12px system-ui, sans-serif";
    context.fillStyle = isHead ? colours.ink : colours.dim;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(this.#cut(labelOf(row), row.lane ? left - 24 : this.width - 16), isHead ? 8 : 16, y + row.height / 2);
  }

  #bins({ Lane, Start, Step, Errors, Category, Threads, ...sums }, places, by) {
    const { context, colours, x } = this;
    Lane.forEach((lane, index) => {
      const place = places.get(lane);
      if (!place) return;
      const [top, full] = place;
      // Whole pixels, so that columns neither overlap nor have gaps.
      const at = Math.round(x(Start[index]));
      const width = Math.max(Math.round(x(Start[index] + Step)) - at, 1);
      const parts = STATES.map(([name]) => (sums[name][index] / Step / (Threads?.[index] ?? 1)) * full);
      const height = Math.min(Math.max(parts.reduce((sum, part) => sum + part, 0), sums.Calls[index] ? 3 : 1), full);
      let bottom = top + full;
      if (by === "category") {
        context.fillStyle = colours.categories[Category[index]];
        context.fillRect(at, bottom - height, width, height);
      } else {
        const total = parts.reduce((sum, part) => sum + part, 0) || 1;
        parts.forEach((part, state) => {
          const piece = (part / total) * height;
          context.fillStyle = colours.states[state];
          context.fillRect(at, bottom - piece, width, piece);
          bottom -= piece;
        });
      }
      if (Errors[index]) { context.fillStyle = colours.failing; context.fillRect(at, top - 1, Math.max(width, 2), 2); }
    });
  }

  #slices(slices, places, by, selected) {
    const { context, colours, x, range } = this;
    slices.Lane.forEach((lane, index) => {
      const place = places.get(lane);
      if (!place) return;
      const [top, height] = place;
      const begin = Math.max(x(slices.Start[index]), this.left - 2);
      const isOver = slices.Duration[index] >= 0;
      const end = isOver ? x(slices.Start[index] + slices.Duration[index]) : x(range[1]) + 2;
      const width = Math.max(end - begin, 1);
      const waited = isOver ? width * Math.min(slices.Waiting[index] / Math.max(slices.Duration[index], 1), 1) : width;
      const main = by === "category" ? colours.categories[slices.Category[slices.Name[index]]] : colours.states[0];
      context.fillStyle = main;
      context.fillRect(begin, top, width - waited, height);
      // Time waiting is pale, or has its own colour.
      context.fillStyle = by === "category" ? main : colours.states[1];
      context.globalAlpha = by === "category" ? 0.45 : 1;
      context.fillRect(begin + width - waited, top, waited, height);
      context.globalAlpha = 1;
      if (slices.Failed[index]) { context.fillStyle = colours.failing; context.fillRect(begin, top - 1, Math.max(width, 2), 3); }
      if (slices.ID[index] === selected) {
        context.strokeStyle = colours.ink;
        context.lineWidth = 2;
        context.strokeRect(begin - 1, top - 1, width + 2, height + 2);
      }
      if (width > NAMED_WIDTH) this.#name(`${slices.Failed[index] ? "✕ " : ""}${slices.Names[slices.Name[index]]}`, begin, top, Math.min(end, this.width) - begin, height);
    });
  }

  #name(text, at, top, width, height) {
    const { context, colours } = this;
    context.font = "11px ui-monospace, monospace";
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.strokeStyle = colours.panel;
    const cut = this.#cut(text, width - 8);
    context.strokeText(cut, at + 4, top + height / 2);
    context.fillStyle = colours.ink;
    context.fillText(cut, at + 4, top + height / 2);
  }

  /** Hatch the seconds in which calls are missing. */
  #losses({ Lane, Start, Count }, places, height) {
    const { context, colours, x } = this;
    Start.forEach((start, index) => {
      const [top, tall] = places.get(Lane[index]) ?? (Lane[index] < 0 ? [AXIS, height] : []);
      if (top === undefined) return;
      const [begin, end] = [Math.max(x(start), this.left), Math.min(x(start + 1e9), this.width)];
      context.save();
      context.beginPath();
      context.rect(begin, top, Math.max(end - begin, 2), tall);
      context.clip();
      context.fillStyle = colours.panel;
      context.globalAlpha = 0.7;
      context.fillRect(begin, top, end - begin, tall);
      context.globalAlpha = 1;
      context.strokeStyle = colours.slow;
      context.lineWidth = 2;
      context.beginPath();
      for (let at = begin - tall; at < end; at += 8) { context.moveTo(at, top + tall); context.lineTo(at + tall, top); }
      context.stroke();
      context.restore();
      if (end - begin > 70) this.#name(`${Count[index]} missing`, begin, top, end - begin, Math.min(tall, 20));
    });
  }

  #axis(height) {
    const { context, colours, x, range, width, left } = this;
    const { found, decimals } = axisOf(range, Math.max((width - left) / PIXELS_PER_LABEL, 1));
    context.fillStyle = colours.panel;
    context.fillRect(0, 0, width, AXIS);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const at of found) {
      const text = `${(at / 1e9).toFixed(decimals)} s`;
      context.fillStyle = colours.line;
      context.fillRect(x(at), AXIS - 4, 1, height);
      context.fillStyle = colours.dim;
      context.textAlign = x(at) > width - 40 ? "right" : x(at) < left + 40 ? "left" : "center";
      context.fillText(text, x(at), AXIS / 2 - 1);
    }
  }

  #cut(text, width) {
    if (this.context.measureText(text).width <= width) return text;
    let length = Math.max(Math.floor(width / 6), 0);
    while (length && this.context.measureText(`${text.slice(0, length)}…`).width > width) length -= 1;
    return length ? `${text.slice(0, length)}…` : "";
  }
}
