// A line as small as a word.

import { draw } from "./dom.js";

export function sparkline(width, height) {
  const line = draw("path", { class: "spark-line" });
  const svg = draw("svg", { class: "spark", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, line);
  svg.line = line;
  svg.size = { width, height };
  return svg;
}

/** Draw a line through the values; null is nothing known. */
export function drawSparkline(svg, values) {
  const { width, height } = svg.size;
  const peak = Math.max(...values, 0);
  const y = (value) => (height - 1.5 - (value / peak) * (height - 3)).toFixed(1);
  const x = (index) => ((index / (values.length - 1)) * width).toFixed(1);
  const points = values.flatMap((value, index) => value === null ? [] : [`${x(index)},${y(value)}`]);
  const path = peak ? `M${points.join("L")}` : "";
  if (svg.drawn === path) return;
  svg.drawn = path;
  svg.line.setAttribute("d", path);
}
