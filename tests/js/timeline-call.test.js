// Tests of the words on a recorded call.

import assert from "node:assert/strict";
import { test } from "node:test";

import { aboutCall, took } from "../../syswatch/web/static/timeline-call.js";

test("how long a call took is told as far as it is known", () => {
  const known = took({ Duration: 1500, Untimed: false });
  assert.match(known, /^1\.5 µs \(1.500 ns\)$/u);
  assert.equal(took({ Duration: 1500, Untimed: true }), `at least ${known}: it began before the trace`);
  assert.equal(took({ Duration: 0, Untimed: true }), "not known");
  assert.equal(took({ Duration: null, Untimed: false }), "it had not returned when tracing ended");
});

test("a call that began before the trace is not said to have taken or waited what was seen of it", () => {
  const slices = { Names: ["read"], Name: [0, 0], Duration: [1500, 1500], Waiting: [1500, 1000], Failed: [0, 0], Untimed: [true, false] };
  assert.deepEqual([0, 1].map((index) => aboutCall(slices, index)), ["read · at least 1.5 µs", "read · 1.5 µs · waited 1 µs"]);
});

test("a call of a log without durations is not said to have taken none", () => {
  const slices = { Names: ["read"], Name: [0, 0, 0], Duration: [0, 1500, -1], Waiting: [0, 0, 0], Failed: [0, 1, 0], Untimed: [false, false, false] };
  assert.deepEqual([0, 1, 2].map((index) => aboutCall(slices, index)), ["read", "read · 1.5 µs · failed", "read · not returned"]);
});
