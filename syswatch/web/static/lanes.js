// The lanes of threads: for each interval, the state in which a thread was longest.

import { draw } from "./dom.js";
import { STATES } from "./registry.js";

// A lane can be read without its colours: the more a thread does, the higher it is.
const HEIGHTS = { user: 16, working: 13, blocked: 9, ready: 6, stopped: 4, idle: 2 };
const HEIGHT = 16;
const UNKNOWN = -1;
const KEYS = new Map(STATES.map(({ letter, key }) => [letter, key]));

/** The states of all threads, merged from the answers. */
export class Lanes {
  #lanes = new Map();
  pid = UNKNOWN;
  binMs = 0;
  first = 0;
  end = 0;

  /** Merge an answer, which has a letter for each interval from `From` on. */
  merge({ PID, BinMs, First, End, From, Letters }) {
    if (PID !== this.pid || BinMs !== this.binMs) {
      this.#lanes.clear();
      this.pid = UNKNOWN;
      // The start would be missing.
      if (From > First) return;
    }
    Object.assign(this, { pid: PID, binMs: BinMs, first: First, end: End });
    for (const [tid, letters] of Letters) {
      if (!this.#lanes.has(tid)) this.#lanes.set(tid, new Map());
      const lane = this.#lanes.get(tid);
      [...letters].forEach((letter, index) => lane.set(From + index, letter));
      for (const bin of lane.keys()) if (bin < First) lane.delete(bin);
    }
  }

  /** The states from one bin to another: `[state, begin, end]` for each run, relative to the first. */
  runs(tid, from, to) {
    const lane = this.#lanes.get(tid);
    const found = [];
    for (let at = from; at < to; at++) {
      const key = KEYS.get(lane?.get(at));
      const last = found.at(-1);
      if (last?.[0] === key && last?.[2] === at - from) last[2] += 1;
      else if (key) found.push([key, at - from, at - from + 1]);
    }
    return found;
  }
}

/** Draw one lane, as wide as its cell. */
export function drawnLane(runs, bins) {
  const paths = new Map();
  for (const [key, begin, end] of runs) {
    const height = HEIGHTS[key];
    paths.set(key, `${paths.get(key) ?? ""}M${begin},${HEIGHT - height}H${end}V${HEIGHT}H${begin}Z`);
  }
  return draw("svg", { class: "lane", viewBox: `0 0 ${Math.max(bins, 1)} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...[...paths].map(([key, d]) => draw("path", { class: `area state-${key}`, d })));
}
