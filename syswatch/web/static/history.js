// The last fifteen minutes, second by second and call by call, as the answers bring them.

import { bins } from "./steps.js";

const LENGTH_S = 900;
const MINUTE_S = 60;
// Seconds that may still grow: what was traced reaches the server a little later.
const STILL_GROWING_S = 3;

export const NOTHING = Object.freeze({ calls: 0, errors: 0, ns: 0, byCategory: {}, byName: new Map() });

export class History {
  #seconds = new Map();
  #categories = new Map();
  first = null;
  now = null;
  last = null;
  end = null;

  /** From which second on the next answer should tell. */
  get since() {
    return this.last === null ? 0 : Math.max(this.last - STILL_GROWING_S, 0);
  }

  /** Take what an answer tells; `whole` means that it tells everything. */
  merge(told, now, { done, whole }) {
    if (whole) this.#seconds.clear();
    this.first = told.First;
    this.now = now;
    this.last = now === null ? null : Math.floor(now);
    told.Names.forEach((name, place) => this.#categories.set(name, told.Categories[place]));
    for (const point of told.Points) this.#seconds.set(point[0], new Second(point, told));
    for (const at of this.#seconds.keys()) {
      if (at < this.last - LENGTH_S) this.#seconds.delete(at);
    }
    // The newest second is still being written; at the end there is nothing to wait for.
    this.end = this.last === null ? null : this.last + (done ? 1 : 0);
  }

  /** What happened in a second; undefined where nothing is known. */
  at(second) {
    if (this.first === null || second < this.first || second >= this.end) return undefined;
    return this.#seconds.get(second) ?? NOTHING;
  }

  get categories() {
    return new Set(this.#categories.values());
  }

  categoryOf(name) {
    return this.#categories.get(name);
  }

  /** Calls a second of one name, in the minute up to a moment; a value for every two seconds. */
  rates(name, until = this.end) {
    return this.#minute(until, 2, (second) => second.byName.get(name)?.[0] ?? 0);
  }

  /** Calls a second of all names together, in the newest minute. */
  totals() {
    return this.#minute(this.end, 1, (second) => second.calls);
  }

  /** Means over so many seconds each, none of them half known; null where nothing is known. */
  #minute(until, step, measure) {
    if (until === null) return [];
    // The steps begin at fixed moments: otherwise every value would change at each second.
    const to = Math.floor(until / step) * step;
    return bins(this, to - MINUTE_S, to, step, [measure]).map((row) => row && row[0]);
  }

  /** Calls, errors and nanoseconds of each name from one second up to before another. */
  sums(from, to) {
    const sums = new Map();
    for (let at = from; at < to; at++) {
      for (const [name, numbers] of (this.at(at) ?? NOTHING).byName) {
        const sum = sums.get(name) ?? [0, 0, 0];
        sums.set(name, sum.map((value, index) => value + numbers[index]));
      }
    }
    return sums;
  }
}

/** Whether the server was started anew: counts never fall, and a trace is of one process. */
export const isAnotherTrace = (was, is) => was.Total > is.Total || (was.Proc.PID && was.Proc.PID !== is.Proc.PID);

/** One second: its sums at once, and its calls by name only if somebody asks for them. */
class Second {
  #point;
  #names;
  #byName = null;
  calls = 0;
  errors = 0;
  ns = 0;
  byCategory = {};

  constructor(point, { Names, Categories }) {
    this.#point = point;
    this.#names = Names;
    for (let index = 1; index < point.length; index += 4) {
      const category = Categories[point[index]];
      const calls = point[index + 1];
      this.byCategory[category] = (this.byCategory[category] ?? 0) + calls;
      this.calls += calls;
      this.errors += point[index + 2];
      this.ns += point[index + 3];
    }
  }

  get byName() {
    this.#byName ??= new Map(this.#entries());
    return this.#byName;
  }

  *#entries() {
    for (let index = 1; index < this.#point.length; index += 4) {
      yield [this.#names[this.#point[index]], this.#point.slice(index + 1, index + 4)];
    }
  }
}
