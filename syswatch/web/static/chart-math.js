// The geometry of time charts: bins, step paths, and round numbers for axes.

import { HISTORY_S } from "./registry.js";

const TICKS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, HISTORY_S];

/** Means over `step` seconds; null where nothing is known. */
export function bins(history, from, to, step, measures) {
  const found = [];
  for (let begin = from; begin < to; begin += step) found.push(bin(history, begin, Math.min(begin + step, to), measures));
  return found;
}

function bin(history, begin, end, measures) {
  const sums = measures.map(() => 0);
  let known = 0;
  for (let at = begin; at < end; at++) {
    const second = history.at(at);
    if (!second) continue;
    known += 1;
    measures.forEach((measure, index) => { sums[index] += measure(second); });
  }
  return known ? sums.map((sum) => sum / known) : null;
}

/** Stack the values of each bin: a [bottom, top] for each part. */
export function stacked(rows) {
  return rows.map((values) => {
    let height = 0;
    return values && values.map((value) => [height, (height += value)]);
  });
}

/** The path of one part of a stack, with gaps where nothing is known. */
export function area(stacks, part, x, y) {
  let path = "";
  for (const [begin, end] of runs(stacks)) {
    path += `M${x(begin)},${y(stacks[begin][part][1])}`;
    for (let at = begin; at < end; at++) path += `V${y(stacks[at][part][1])}H${x(at + 1)}`;
    for (let at = end - 1; at >= begin; at--) path += `V${y(stacks[at][part][0])}H${x(at)}`;
    path += "Z";
  }
  return path;
}

/** The ranges of consecutive known bins. */
export function runs(rows) {
  const found = [];
  let begin = -1;
  for (let at = 0; at <= rows.length; at++) {
    if (rows[at] && begin < 0) begin = at;
    if (!rows[at] && begin >= 0) { found.push([begin, at]); begin = -1; }
  }
  return found;
}

/** The next round number, close enough that a chart is never mostly empty. */
export function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 6, 8, 10].find((factor) => factor * power >= value * 0.999999) * power;
}

/** The positions of at most `maximum` axis labels, at a distance that is one of some steps. */
export function ticks(from, to, maximum, steps = TICKS_S) {
  const step = steps.find((each) => (to - from) / each <= maximum) ?? steps.at(-1);
  const found = [];
  for (let at = Math.ceil(from / step) * step; at < to; at += step) found.push(at);
  return { step, found };
}
