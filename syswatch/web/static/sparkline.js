// A line as small as a word.

import { draw } from "./dom.js";

export function sparkline(width, height) {
  // A polyline: a new `d` of a path would have its style computed anew as well.
  const line = draw("polyline", { class: "spark-line" });
  const svg = draw("svg", { class: "spark", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, line);
  svg.line = line;
  svg.size = { width, height };
  return svg;
}

// Less than that is a scratch and no course of time.
const FEWEST_POINTS = 5;

/** Draw a line through the values; null is nothing known. */
export function drawSparkline(svg, values) {
  const { width, height } = svg.size;
  const peak = Math.max(...values, 0);
  const y = (value) => (height - 1.5 - (value / peak) * (height - 3)).toFixed(1);
  const x = (index) => ((index / (values.length - 1)) * width).toFixed(1);
  const points = values.flatMap((value, index) => value === null ? [] : [`${x(index)},${y(value)}`]);
  const drawn = peak && points.length >= FEWEST_POINTS ? points.join(" ") : "";
  if (svg.drawn === drawn) return;
  svg.drawn = drawn;
  svg.line.setAttribute("points", drawn);
}
