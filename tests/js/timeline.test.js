// Tests of the geometry of the timeline of calls.

import assert from "node:assert/strict";
import { test } from "node:test";

import { axisOf, callAt, columnAt, fitted, moved, rowsOf, rowsWithin, zoomed } from "../../syswatch/web/static/timeline-view.js";

const WHOLE = [0, 1_000_000];
const lengthOf = ([from, to]) => to - from;

test("a moment keeps its place while zooming", () => {
  const at = 300_000;
  for (const factor of [0.5, 0.1, 1.25]) {
    const range = [200_000, 600_000];
    const found = zoomed(range, factor, at, WHOLE);
    assert.ok(Math.abs((at - found[0]) / lengthOf(found) - 0.25) < 1e-9, String(factor));
    assert.equal(Math.round(lengthOf(found)), Math.round(400_000 * factor));
  }
});

test("zooming ends at the whole and at the shortest range", () => {
  assert.deepEqual(zoomed([200_000, 600_000], 100, 300_000, WHOLE), WHOLE);
  const shortest = zoomed([200_000, 600_000], 1e-9, 300_000, WHOLE);
  assert.ok(Math.abs(lengthOf(shortest) - 100) < 1e-6);
  assert.ok(shortest[0] <= 300_000 && shortest[1] >= 300_000);
});

test("zooming in and out again returns to the same range", () => {
  const range = [123_456, 345_678];
  const back = zoomed(zoomed(range, 1 / 1.5, 200_000, WHOLE), 1.5, 200_000, WHOLE);
  back.forEach((each, index) => assert.ok(Math.abs(each - range[index]) < 1e-6));
});

test("moving stops at both ends and keeps the length", () => {
  assert.deepEqual(moved([100_000, 300_000], 0.5, WHOLE), [200_000, 400_000]);
  assert.deepEqual(moved([100_000, 300_000], -5, WHOLE), [0, 200_000]);
  assert.deepEqual(moved([100_000, 300_000], 50, WHOLE), [800_000, 1_000_000]);
  assert.deepEqual(fitted([-50, 2_000_000], WHOLE), WHOLE);
  assert.deepEqual(fitted([5, 6], [5, 5]), [5, 105]);
});

test("axis labels are at round moments, few, and different from each other", () => {
  for (const length of [100, 7_777, 5e6, 3e9, 6e13]) {
    const { step, found, decimals } = axisOf([1.5e9, 1.5e9 + length], 8);
    assert.ok(found.length <= 9 && found.length >= 2, String(length));
    assert.ok(found.every((at) => at % step === 0));
    const texts = found.map((at) => (at / 1e9).toFixed(decimals));
    assert.equal(new Set(texts).size, texts.length, String(length));
  }
});

const lane = (Lane, PID, TID) => ({ Lane, PID, TID, Command: `name-${PID}` });

test("threads are below the head of their process", () => {
  const { rows, height } = rowsOf([lane(0, 7, 7), lane(1, 9, 9), lane(2, 7, 8)]);
  assert.deepEqual(rows.map((row) => row.lane ? row.lane.TID : `${row.command} ${row.threads.length}`), ["name-7 2", 7, 8, "name-9 1", 9]);
  assert.equal(rows.at(-1).top + rows.at(-1).height, height);
  rows.slice(1).forEach((row, index) => assert.equal(row.top, rows[index].top + rows[index].height));
  assert.equal(rowsWithin(rows, 0, height).length, 5);
  assert.deepEqual(rowsWithin(rows, rows[1].top, 1), [rows[1]]);
});

test("a call is found by its lane and a moment, and a short one from close by", () => {
  const slices = { Lane: [0, 1, 0, 0], Start: [100, 100, 500, 900], Duration: [200, 50, 1, -1] };
  assert.equal(callAt(slices, 0, 150, 1), 0);
  assert.equal(callAt(slices, 1, 150, 1), 1);
  assert.equal(callAt(slices, 0, 498, 1), 2);
  assert.equal(callAt(slices, 0, 450, 1), -1);
  assert.equal(callAt(slices, 0, 5000, 1), 3);
  assert.equal(callAt(slices, 2, 150, 1), -1);
});

test("a column is found by its lane and a moment", () => {
  const bins = { Lane: [0, 1], Start: [0, 10], Step: 10 };
  assert.equal(columnAt(bins, 0, 9), 0);
  assert.equal(columnAt(bins, 0, 10), -1);
  assert.equal(columnAt(bins, 1, 10), 1);
});
