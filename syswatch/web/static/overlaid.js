// The durations of a call on both sides, over each other, as on the page of `syswatch diff`.

import { draw, el } from "./dom.js";
import { duration, exact, text } from "./numbers.js";
import { callPage } from "./urls.js";

const HEIGHT_PX = 70;
// The server sends a bar for each quarter of an octave.
const BARS_PER_OCTAVE = 4;

/** Return the drawing: an area before, a line after. Both show shares of the calls of their side. */
export function overlaid({ Name, Before, After }) {
  const [before, after] = [Before, After].map(sharesOf);
  const places = [...before, ...after].map(([at]) => at);
  const first = Math.min(...places);
  const width = Math.max(Math.max(...places) + 1 - first, 2 * BARS_PER_OCTAVE);
  const scale = HEIGHT_PX / Math.max(...[...before, ...after].map(([, part]) => part));
  const label = `${exact(sumOf(Before))} calls before, ${exact(sumOf(After))} after`;
  const marks = [first, first + width / 2, first + width];
  return el("figure", {},
    el("figcaption", {}, el("a", { class: "code", href: callPage(Name) }, Name), el("span", { class: "dim" }, label)),
    draw("svg", { viewBox: `0 0 ${width} ${HEIGHT_PX}`, height: HEIGHT_PX, preserveAspectRatio: "none", role: "img", "aria-label": `Durations of ${Name}: ${label}` },
      draw("path", { class: "before", d: outline(before, first, scale) }), draw("path", { class: "after", d: outline(after, first, scale) })),
    el("p", { class: "dim" }, ...marks.map((at) => el("span", {}, text(duration(2 ** (at / BARS_PER_OCTAVE)))))));
}

const sumOf = (bars) => bars.reduce((sum, [, number]) => sum + number, 0);

function sharesOf(bars) {
  const total = sumOf(bars);
  return bars.map(([at, number]) => [at, number / total]);
}

/** The outline of the bars of a side; it goes down to the axis where a bar is missing. */
export function outline(shares, first, scale) {
  let path = "";
  let end = null;
  for (const [at, part] of shares) {
    const x = at - first;
    if (end !== x) path += `${path && `V${HEIGHT_PX}`}M${x},${HEIGHT_PX}`;
    path += `V${(HEIGHT_PX - part * scale).toFixed(2)}h1`;
    end = x + 1;
  }
  return `${path}V${HEIGHT_PX}`;
}
