// Tests of the geometry of time charts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { area, bins, roundUp, runs, stacked, ticks } from "../../syswatch/web/static/chart-math.js";

const history = (seconds) => ({ at: (second) => seconds[second] ?? null });
const identity = (value) => value;
const calls = (second) => second.calls;

test("bins are means over the known seconds", () => {
  const known = history({ 0: { calls: 4 }, 1: { calls: 2 }, 2: { calls: 5 } });
  assert.deepEqual(bins(known, 0, 6, 2, [calls]), [[3], [5], null]);
});

test("the last bin may be shorter", () => {
  assert.deepEqual(bins(history({ 0: { calls: 1 }, 1: { calls: 1 }, 2: { calls: 9 } }), 0, 3, 2, [calls]), [[1], [9]]);
});

test("parts are stacked", () => {
  assert.deepEqual(stacked([[1, 2], null]), [[[0, 1], [1, 3]], null]);
});

test("known bins form runs, with gaps between them", () => {
  assert.deepEqual(runs([null, [1], [2], null, [3]]), [[1, 3], [4, 5]]);
  assert.deepEqual(runs([null]), []);
});

test("an area has a closed path for each run", () => {
  assert.equal(area(stacked([[2], null, [1]]), 0, identity, identity), "M0,2V2H1V0H0ZM2,1V1H3V0H2Z");
});

test("scales end at a round number that leaves at most a third of the chart empty", () => {
  for (const [value, expected] of [[0, 1], [1, 1], [1.2, 1.5], [7, 8], [11, 15], [99, 100], [0.03, 0.03]]) {
    assert.ok(Math.abs(roundUp(value) - expected) < 1e-9, `${value}: ${roundUp(value)}`);
  }
});

test("axis labels are at multiples of a round step", () => {
  assert.deepEqual(ticks(3, 33, 6), { step: 5, found: [5, 10, 15, 20, 25, 30] });
  assert.deepEqual(ticks(0, 10_000, 2).step, 900);
});
