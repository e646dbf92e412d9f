// Tests of the merging of answers into a history, and of ranges selected in it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { History, NOTHING, isAnotherTrace } from "../../syswatch/web/static/history.js";
import { describe, isAnswerFor, pausedNow, selectedRange } from "../../syswatch/web/static/selection.js";

const NAMES = { Names: ["read", "openat"], Categories: ["I/O", "FS"] };
// A point is a second, followed by name, calls, errors and nanoseconds for each call.
const ANSWER = { First: 100, ...NAMES, Points: [[100, 0, 4, 0, 40], [101, 0, 2, 1, 20, 1, 3, 3, 30]] };

const status = (Total, PID) => ({ Total, Proc: { PID } });

function merged(now = 103.5, { done = false, whole = true } = {}) {
  const history = new History();
  history.merge(ANSWER, now, { done, whole });
  return history;
}

test("a second has its sums and its calls by name", () => {
  const second = merged().at(101);
  assert.deepEqual([second.calls, second.errors, second.ns], [5, 4, 50]);
  assert.deepEqual(second.byCategory, { "I/O": 2, "FS": 3 });
  assert.deepEqual([...second.byName], [["read", [2, 1, 20]], ["openat", [3, 3, 30]]]);
});

test("a second without calls is known, others are not", () => {
  const history = merged();
  assert.equal(history.at(102), NOTHING);
  assert.equal(history.at(99), null);
  assert.equal(history.at(103), null, "the newest second is incomplete");
  assert.equal(merged(103.5, { done: true }).at(103), NOTHING);
});

test("an empty trace has no history", () => {
  const history = new History();
  history.merge({ First: null, Names: [], Categories: [], Points: [] }, null, { done: false, whole: true });
  assert.deepEqual([history.since, history.end, history.at(0), history.totals()], [0, null, null, []]);
});

test("the next answer repeats the newest seconds, which may still change", () => {
  const history = merged();
  assert.equal(history.since, 100);
  history.merge({ First: 100, ...NAMES, Points: [[101, 0, 9, 0, 90]] }, 104, { done: false, whole: false });
  assert.deepEqual([history.at(100).calls, history.at(101).calls], [4, 9]);
});

test("a complete answer replaces everything", () => {
  const history = merged();
  history.merge({ First: 101, ...NAMES, Points: [[101, 0, 9, 0, 90]] }, 104, { done: false, whole: true });
  assert.deepEqual([history.at(100), history.at(101).calls], [null, 9]);
});

test("seconds older than 15 minutes are dropped", () => {
  const history = merged();
  history.merge({ First: 100, ...NAMES, Points: [] }, 1001, { done: false, whole: false });
  assert.equal(history.at(100), NOTHING);
  assert.equal(history.at(101).calls, 5);
});

test("rates are means over two seconds in the last minute", () => {
  const rates = merged().rates("read", 102);
  assert.equal(rates.length, 30);
  assert.deepEqual(rates.slice(-2), [null, 3]);
});

test("a range has counts but no percentiles", () => {
  const { rows, from, to } = selectedRange(merged(), 100, 102);
  assert.deepEqual([from, to], [100, 102]);
  assert.deepEqual(rows[0], {
    Name: "read", Category: "I/O", Count: 6, Errors: 1, TotalTime: 60, Timed: 6, AvgTime: 10, Rate: 3,
  });
  assert.equal(rows[0].P95, undefined);
});

test("a range of a recording has the rows of the answer", () => {
  const answer = { ExactRange: true, Stats: [{ Name: "read", Count: 6, P95: 7 }] };
  const { rows } = selectedRange(merged(), 100.5, 102.5, answer);
  assert.deepEqual(rows, [{ Name: "read", Count: 6, P95: 7, Rate: 3 }]);
});

const answerFor = (FromMs, ToMs, ExactRange) => ({ ExactRange, Time: { FromMs, ToMs, History: { BinMs: 1000 } } });

test("an answer is for the selected range, in whole intervals or exactly", () => {
  const view = { from: 1.234, to: 2.5 };
  assert.ok(isAnswerFor(answerFor(1000, 3000), view));
  assert.ok(!isAnswerFor(answerFor(1234, 2500), view));
  assert.ok(isAnswerFor(answerFor(1234, 2500, true), view));
  assert.ok(!isAnswerFor(answerFor(1000, 3000, true), view));
  assert.ok(!isAnswerFor(answerFor(1234, 2500, true), { from: null }));
});

test("a paused table keeps its rows and sparklines", () => {
  const history = merged();
  const rows = [{ Name: "read" }];
  const paused = pausedNow({ Now: 103.5, Stats: rows }, history);
  assert.equal(paused.at, 103);
  assert.equal(paused.rows, rows);
  assert.deepEqual([...paused.sparks.keys()], ["read"]);
  assert.equal(pausedNow(null, history), null);
});

test("a selection is described by its times", () => {
  const noon = new Date(2024, 0, 1, 12, 0, 0).getTime() / 1000;
  assert.equal(describe({ at: noon }), "Paused at 12:00:00");
  assert.equal(describe({ at: null }), "Paused");
  assert.equal(describe({ from: noon, to: noon + 1 }), "Second 12:00:00");
  assert.equal(describe({ from: noon, to: noon + 9 }), "12:00:00 – 12:00:09");
});

test("another trace has another process or fewer calls", () => {
  assert.ok(isAnotherTrace(status(5, 1), status(4, 1)));
  assert.ok(isAnotherTrace(status(5, 1), status(6, 2)));
  assert.ok(!isAnotherTrace(status(5, 1), status(5, 1)));
  assert.ok(!isAnotherTrace(status(5, 0), status(6, 2)), "the process may become known later");
});
