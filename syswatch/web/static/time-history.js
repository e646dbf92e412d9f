// The times by state of the last fifteen minutes, in bins of a second or of 10 ms.

import { HISTORY_S } from "./registry.js";

/** The key of a part: only blocked time is shown by kind of object. */
export const keyOf = (state, kind) => state === "blocked" ? `${state} ${kind}` : state;

const NOTHING = Object.freeze({});

export class TimeHistory {
  #bins = new Map();
  pid = 0;
  binMs = 1000;
  first = null;
  end = null;

  /** Bins per second. */
  get perSecond() { return 1000 / this.binMs; }

  /** Merge an answer; `whole` if it is complete and not only the newest part. */
  merge({ PID, Status: { Done }, Time: { History: { BinMs, States, Kinds, Bins } } }, { whole }) {
    if (whole || PID !== this.pid) this.#bins.clear();
    else if (BinMs !== this.binMs) this.#coarsen(BinMs / this.binMs);
    Object.assign(this, { pid: PID, binMs: BinMs });
    const keys = States.map((state, place) => keyOf(state, Kinds[place]));
    for (const [beginMs, ...pairs] of Bins) this.#bins.set(Math.floor(beginMs / BinMs), byKey(pairs, keys));
    // The newest bin is incomplete, except at the end.
    this.end = this.#bins.size ? Math.max(...this.#bins.keys()) + (Done || this.#bins.size === 1 ? 1 : 0) : null;
    const oldest = this.end - HISTORY_S * this.perSecond;
    for (const at of this.#bins.keys()) if (at < oldest) this.#bins.delete(at);
    this.first = this.#bins.size ? Math.min(...this.#bins.keys()) : null;
  }

  /** The nanoseconds by segment in one bin; null if nothing is known of it. */
  at(bin) {
    if (this.first === null || bin < this.first || bin >= this.end) return null;
    return this.#bins.get(bin) ?? NOTHING;
  }

  /** A long trace has longer bins. */
  #coarsen(factor) {
    const fine = [...this.#bins];
    this.#bins.clear();
    for (const [at, times] of fine) {
      const place = Math.floor(at / factor);
      const sums = { ...this.#bins.get(place) };
      for (const [key, ns] of Object.entries(times)) sums[key] = (sums[key] ?? 0) + ns;
      this.#bins.set(place, sums);
    }
  }
}

function byKey(pairs, keys) {
  const times = {};
  for (let index = 0; index < pairs.length; index += 2) {
    const key = keys[pairs[index]];
    times[key] = (times[key] ?? 0) + pairs[index + 1];
  }
  return times;
}
