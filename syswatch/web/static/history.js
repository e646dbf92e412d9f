// The last fifteen minutes by second and call, merged from the answers.

import { bins } from "./chart-math.js";
import { HISTORY_S } from "./registry.js";

const MINUTE_S = 60;
// Calls reach the server a little late, so the newest seconds may still change.
const STILL_GROWING_S = 3;

export const NOTHING = Object.freeze({ calls: 0, errors: 0, ns: 0, byCategory: {}, byName: new Map() });

export class History {
  #seconds = new Map();
  #categories = new Map();
  first = null;
  now = null;
  last = null;
  end = null;

  /** The second after which the next answer must have everything. */
  get since() {
    return this.last === null ? 0 : Math.max(this.last - STILL_GROWING_S, 0);
  }

  /** Merge an answer; `whole` if it is complete and not only the newest part. */
  merge(answer, now, { done, whole }) {
    if (whole) this.#seconds.clear();
    this.first = answer.First;
    this.now = now;
    this.last = now === null ? null : Math.floor(now);
    answer.Names.forEach((name, place) => this.#categories.set(name, answer.Categories[place]));
    for (const point of answer.Points) this.#seconds.set(point[0], new Second(point, answer));
    for (const at of this.#seconds.keys()) {
      if (at < this.last - HISTORY_S) this.#seconds.delete(at);
    }
    // The newest second is incomplete, except at the end.
    this.end = this.last === null ? null : this.last + (done ? 1 : 0);
  }

  /** A second; null if it is not known. */
  at(second) {
    if (this.first === null || second < this.first || second >= this.end) return null;
    return this.#seconds.get(second) ?? NOTHING;
  }

  get categories() {
    return new Set(this.#categories.values());
  }

  categoryOf(name) {
    return this.#categories.get(name);
  }

  /** Calls per second of one name in the minute before a time, one value per two seconds. */
  rates(name, until = this.end) {
    return this.#minute(until, 2, (second) => second.byName.get(name)?.[0] ?? 0);
  }

  /** Calls per second of all names in the newest minute. */
  totals() {
    return this.#minute(this.end, 1, (second) => second.calls);
  }

  /** Means over `step` complete seconds each; null where nothing is known. */
  #minute(until, step, measure) {
    if (until === null) return [];
    // Steps begin at fixed times: otherwise all values would change every second.
    const to = Math.floor(until / step) * step;
    return bins(this, to - MINUTE_S, to, step, [measure]).map((row) => row && row[0]);
  }

  /** Calls, errors and nanoseconds of each name from second `from` up to, but not including, `to`. */
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

/** Whether the server was restarted: counts never decrease, and a trace has one main process. */
export const isAnotherTrace = (was, is) => was.Total > is.Total || (was.Proc.PID && was.Proc.PID !== is.Proc.PID);

/** One second: sums, and calls by name, which are computed on first use. */
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
