// Small line charts for table cells and cards.

import { draw } from "./dom.js";

export function sparkline(width, height) {
  // Not a path: changing its `d` would recompute its style as well.
  const line = draw("polyline", { class: "spark-line" });
  const svg = draw("svg", { class: "spark", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, line);
  svg.line = line;
  svg.size = { width, height };
  return svg;
}

// Fewer points do not show a course.
const MIN_POINTS = 5;

/** Draw a line through values; null if one is not known. */
export function drawSparkline(svg, values) {
  const { width, height } = svg.size;
  const peak = Math.max(...values, 0);
  const y = (value) => (height - 1.5 - (value / peak) * (height - 3)).toFixed(1);
  const x = (index) => ((index / (values.length - 1)) * width).toFixed(1);
  const points = values.flatMap((value, index) => value === null ? [] : [`${x(index)},${y(value)}`]);
  const drawn = peak && points.length >= MIN_POINTS ? points.join(" ") : "";
  if (svg.drawn === drawn) return;
  svg.drawn = drawn;
  svg.line.setAttribute("points", drawn);
}
