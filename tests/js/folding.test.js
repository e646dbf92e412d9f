// Tests of processes whose threads share one row of the timeline.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Rows, labelOf } from "../../syswatch/web/static/timeline-folding.js";

const lane = (Lane, PID, TID, Comm = "") => ({ Lane, PID, TID, Comm, Command: `name-${PID}` });
const LANES = [lane(0, 7, 7, "main"), lane(1, 9, 9), lane(2, 7, 8, "worker")];
const NO_LOSSES = { Lane: [], Start: [], Count: [] };

function arranged(picture = null) {
  const rows = new Rows();
  rows.arrange(LANES);
  rows.show(picture);
  return rows;
}

const labels = ({ rows }) => rows.map(labelOf);

test("threads have their names, processes a sign if they have several threads", () => {
  assert.deepEqual(labels(arranged()), ["▾ name-7 (7)", "main 7", "worker 8", "name-9 (9)", "thread 9"]);
});

test("folding shows the threads of a process in one row, and folding again in their own", () => {
  const rows = arranged();
  const { height } = rows;
  rows.fold();
  assert.deepEqual(labels(rows), ["▸ name-7 (7)", "name-9 (9)", "thread 9"]);
  assert.deepEqual(rows.lanesWithin(0, rows.rows[0].height), { lanes: "0,2" });
  assert.equal(rows.at(1).pid, 7);
  assert.ok(rows.height < height);
  rows.fold([7]);
  assert.equal(rows.height, height);
});

test("a recording that grows stays folded", () => {
  const rows = arranged();
  rows.fold([7]);
  rows.arrange([...LANES, lane(3, 7, 10)]);
  assert.equal(rows.rows[0].threads.length, 3);
});

test("so many lanes that a request would be too long are all requested", () => {
  const rows = new Rows();
  rows.arrange(Array.from({ length: 1001 }, (_, index) => lane(index, 7, index)));
  rows.fold();
  assert.deepEqual(rows.lanesWithin(0, 100), {});
});

test("columns of a folded process have the sums of its threads, and the colour of the busiest", () => {
  const Bins = { Step: 10, Start: [0, 0, 10, 0], Lane: [0, 2, 2, 1], Calls: [1, 2, 4, 8], Errors: [0, 1, 0, 0], Working: [3, 4, 5, 6], Waiting: [0, 1, 0, 0], Ready: [0, 0, 0, 1], Longest: [3, 2, 5, 6], Category: [1, 2, 3, 4] };
  const rows = arranged({ Bins, Slices: null, Losses: NO_LOSSES });
  assert.equal(rows.picture.Bins, Bins);
  rows.fold();
  assert.deepEqual(rows.picture.Bins, {
    Step: 10, Start: [0, 10, 0], Lane: [0, 0, 1], Calls: [3, 4, 8], Errors: [1, 0, 0], Working: [7, 5, 6], Waiting: [1, 0, 0], Ready: [0, 0, 1], Longest: [3, 5, 6], Category: [2, 3, 4], Threads: [2, 2, 1],
  });
});

test("single calls and losses of a folded process are in its row", () => {
  const rows = arranged({ Bins: null, Slices: { ID: ["a", "b"], Lane: [2, 1] }, Losses: { Lane: [2, -1], Start: [0, 0], Count: [1, 1] } });
  rows.fold();
  assert.deepEqual([rows.picture.Slices.Lane, rows.picture.Losses.Lane], [[0, 1], [0, -1]]);
});
