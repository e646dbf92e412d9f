// Processes of the timeline whose threads share one row.

import { rowsOf, rowsWithin } from "./timeline-view.js";

/** With more lanes, the server is asked for all. */
const MOST_LANES = 1000;
const SUMS = ["Calls", "Errors", "Working", "Waiting", "Ready"];

/** The name of a row: a thread, or a process with a sign that tells whether it is folded. */
export function labelOf({ pid, command, threads, isFolded, lane }) {
  if (pid === undefined) return lane.Comm ? `${lane.Comm} ${lane.TID}` : `thread ${lane.TID}`;
  const name = `${command || "process"} (${pid})`;
  return threads.length > 1 ? `${isFolded ? "▸" : "▾"} ${name}` : name;
}

/** The rows of lanes, and the picture in them. */
export class Rows {
  #folded = new Set();
  #lanes = [];
  #picture = null;
  rows = [];
  height = 0;
  picture = null;

  arrange(lanes) {
    this.#lanes = lanes;
    Object.assign(this, rowsOf(lanes, this.#folded));
    this.show(this.#picture);
  }

  show(picture) {
    this.#picture = picture;
    this.picture = picture && foldedPicture(picture, this.rows);
  }

  /** Show the threads of some processes in one row, or in rows of their own; of all if none is given. */
  fold(pids = this.#foldable()) {
    const isFolded = pids.every((pid) => this.#folded.has(pid));
    pids.forEach((pid) => isFolded ? this.#folded.delete(pid) : this.#folded.add(pid));
    this.arrange(this.#lanes);
  }

  /** The processes that have several threads. */
  #foldable() {
    const seen = new Set();
    return [...new Set(this.#lanes.map(({ PID }) => PID).filter((pid) => seen.has(pid) || !seen.add(pid)))];
  }

  /** The lanes that are in sight, as the server takes them; nothing if they are too many. */
  lanesWithin(top, height) {
    const shown = rowsWithin(this.rows, top, height).filter(({ lane }) => lane).flatMap(({ threads }) => threads.map(({ Lane }) => Lane));
    return shown.length <= MOST_LANES ? { lanes: shown.join(",") } : {};
  }

  /** The row at a height, or undefined. */
  at(y) {
    return this.rows.find((each) => y >= each.top && y < each.top + each.height);
  }
}

/** A picture in which the lanes of folded processes are their first one. */
function foldedPicture(picture, rows) {
  const heads = new Map(rows.filter(({ isFolded }) => isFolded).flatMap((row) => row.threads.map(({ Lane }) => [Lane, row])));
  if (!heads.size) return picture;
  const laneOf = (lane) => heads.get(lane)?.lane.Lane ?? lane;
  return {
    ...picture,
    Bins: picture.Bins && foldedBins(picture.Bins, laneOf, (lane) => heads.get(lane)?.threads.length ?? 1),
    Slices: picture.Slices && { ...picture.Slices, Lane: picture.Slices.Lane.map(laneOf) },
    Losses: { ...picture.Losses, Lane: picture.Losses.Lane.map(laneOf) },
  };
}

/** Columns with the sums of all threads, of which `Threads` is the number; their category is that of the busiest thread. */
function foldedBins(bins, laneOf, sizeOf) {
  const found = { Step: bins.Step, Start: [], Lane: [], Longest: [], Category: [], Threads: [], ...Object.fromEntries(SUMS.map((name) => [name, []])) };
  const places = new Map();
  const most = [];
  bins.Lane.forEach((lane, index) => {
    const [start, to] = [bins.Start[index], laneOf(lane)];
    const key = `${to} ${start}`;
    const spent = bins.Working[index] + bins.Waiting[index] + bins.Ready[index];
    let place = places.get(key);
    if (place === undefined) {
      place = found.Start.push(start) - 1;
      places.set(key, place);
      found.Lane.push(to);
      found.Threads.push(sizeOf(lane));
      found.Longest.push(0);
      SUMS.forEach((name) => found[name].push(0));
    }
    if (!(most[place] >= spent)) { most[place] = spent; found.Category[place] = bins.Category[index]; }
    SUMS.forEach((name) => { found[name][place] += bins[name][index]; });
    found.Longest[place] = Math.max(found.Longest[place], bins.Longest[index]);
  });
  return found;
}
