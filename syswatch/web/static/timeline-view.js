// The geometry of the timeline of calls: zooming, moving, axis labels, and the rows of its lanes.

import { clock } from "./numbers.js";

/** Nothing is measured in smaller units. */
const SHORTEST_NS = 100;
const ROW = 22;
const HEAD = 20;
/** A slice that is narrower than this many pixels is found this far from its middle. */
const NEAR = 4;

/** A range that is within the whole, and not too short. */
export function fitted([from, to], [first, last]) {
  const whole = Math.max(last - first, SHORTEST_NS);
  const length = Math.min(Math.max(to - from, SHORTEST_NS), whole);
  const begin = Math.min(Math.max(from, first), first + whole - length);
  return [begin, begin + length];
}

/** A range that is longer by a factor, in which the moment `at` has the same place. */
export function zoomed([from, to], factor, at, whole) {
  const length = Math.min(Math.max((to - from) * factor, SHORTEST_NS), Math.max(whole[1] - whole[0], SHORTEST_NS));
  const begin = at - (at - from) * (length / (to - from));
  return fitted([begin, begin + length], whole);
}

/** A range of the same length, later by a part of it. */
export function moved([from, to], part, whole) {
  const by = (to - from) * part;
  return fitted([from + by, to + by], whole);
}

/** The moments of at most so many axis labels, and the number of decimals that tells them apart in seconds. */
export function axisOf([from, to], most) {
  let step = 1;
  for (let power = 1; ; power *= 10) {
    step = [1, 2, 5].map((factor) => factor * power).find((each) => (to - from) / each <= most);
    if (step) break;
  }
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return { step, found, decimals: Math.min(Math.max(9 - Math.floor(Math.log10(step)), 0), 9) };
}

/**
 * The rows of lanes: a head for each process, and below it its threads; and the height of all.
 * A folded process is one row, which has the first of its lanes.
 */
export function rowsOf(lanes, folded = new Set()) {
  const processes = new Map();
  for (const lane of lanes) {
    if (!processes.has(lane.PID)) processes.set(lane.PID, []);
    processes.get(lane.PID).push(lane);
  }
  const rows = [];
  let top = 0;
  for (const [pid, threads] of processes) {
    const head = { pid, command: threads[0].Command, threads, top };
    if (folded.has(pid)) {
      rows.push({ ...head, lane: threads[0], isFolded: true, height: ROW });
      top += ROW;
      continue;
    }
    rows.push({ ...head, height: HEAD });
    top += HEAD;
    for (const lane of threads) {
      rows.push({ lane, threads: [lane], top, height: ROW });
      top += ROW;
    }
  }
  return { rows, height: top };
}

/** The rows that are in sight, at least in part. */
export function rowsWithin(rows, top, height) {
  return rows.filter((row) => row.top + row.height > top && row.top < top + height);
}

/** The index of the call of a lane at a moment, or the nearest one that is not far from it; -1 if there is none. */
export function callAt({ Lane, Start, Duration }, lane, at, nsPerPixel) {
  let found = -1;
  let least = NEAR * nsPerPixel;
  for (let index = 0; index < Start.length; index++) {
    if (Lane[index] !== lane) continue;
    const end = Duration[index] < 0 ? Infinity : Start[index] + Duration[index];
    const distance = Math.max(Start[index] - at, at - end, 0);
    // Of nested intervals, such as an unfinished call, the last one that began is on top.
    if (distance < least || (distance === 0 && least === 0)) { least = distance; found = index; }
  }
  return found;
}

/** The index of the column of a lane at a moment, or -1. */
export function columnAt({ Lane, Start, Step }, lane, at) {
  return Start.findIndex((start, index) => Lane[index] === lane && at >= start && at < start + Step);
}

/** The time of day of a moment, in nanoseconds from the origin, with some digits after the second. */
export function timeOfDay(at, digits, originMs) {
  const ns = Math.round(at) + Math.round((originMs % 1000) * 1e6);
  const second = Math.floor(originMs / 1000) + Math.floor(ns / 1e9);
  const rest = ((ns % 1e9) + 1e9) % 1e9;
  return `${clock(second)}.${String(Math.floor(rest)).padStart(9, "0").slice(0, digits)}`;
}
