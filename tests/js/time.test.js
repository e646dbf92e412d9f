// Tests of the history of states, and of the lanes of threads.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./dom-stub.js";

import { Lanes, drawnLane } from "../../syswatch/web/static/lanes.js";
import { TimeHistory } from "../../syswatch/web/static/time-history.js";

const answer = (BinMs, Bins, { PID = 0, Done = true } = {}) => ({
  PID, Status: { Done },
  Time: { History: { BinMs, States: ["user", "blocked", "idle", "idle"], Kinds: ["", "tcp", "pipe", "tcp"], Bins } },
});

test("parts are kept by state, and only blocked time by kind", () => {
  const history = new TimeHistory();
  history.merge(answer(1000, [[5000, 0, 10, 1, 20, 2, 30, 3, 40]]), { whole: true });
  assert.deepEqual(history.at(5), { user: 10, "blocked tcp": 20, idle: 70 });
  assert.equal(history.at(4), null);
  assert.equal(history.at(6), null);
});

test("newer bins replace those that were incomplete", () => {
  const history = new TimeHistory();
  history.merge(answer(1000, [[5000, 0, 10], [6000, 0, 5]]), { whole: true });
  history.merge(answer(1000, [[6000, 0, 50], [8000, 0, 1]]), { whole: false });
  assert.deepEqual([history.first, history.end, history.at(6).user, history.at(7)], [5, 9, 50, {}]);
});

test("the newest bin is left out until the end", () => {
  const history = new TimeHistory();
  history.merge(answer(1000, [[5000, 0, 10], [6000, 0, 5]], { Done: false }), { whole: true });
  assert.deepEqual([history.at(5), history.at(6)], [{ user: 10 }, null]);
});

test("fine bins are added to seconds when the trace becomes longer", () => {
  const history = new TimeHistory();
  history.merge(answer(10, [[5000, 0, 1], [5010, 0, 2, 1, 3], [5990, 0, 4]]), { whole: true });
  assert.equal(history.perSecond, 100);
  history.merge(answer(1000, [[6000, 0, 9]]), { whole: false });
  assert.deepEqual([history.at(5), history.at(6)], [{ user: 7, "blocked tcp": 3 }, { user: 9 }]);
});

test("another process has a history of its own", () => {
  const history = new TimeHistory();
  history.merge(answer(1000, [[5000, 0, 10]]), { whole: true });
  history.merge(answer(1000, [[6000, 0, 5]], { PID: 7 }), { whole: false });
  assert.deepEqual([history.pid, history.first, history.at(5)], [7, 6, null]);
});

test("lanes are merged, and equal states are one run", () => {
  const lanes = new Lanes();
  lanes.merge({ PID: 0, BinMs: 1000, First: 10, End: 14, From: 10, Letters: [[41, "BBU"], [42, " I"]] });
  lanes.merge({ PID: 0, BinMs: 1000, First: 11, End: 15, From: 12, Letters: [[41, "BBB"]] });
  assert.deepEqual(lanes.runs(41, 11, 15), [["blocked", 0, 4]]);
  assert.deepEqual(lanes.runs(42, 10, 15), [["idle", 1, 2]]);
  lanes.merge({ PID: 7, BinMs: 1000, First: 11, End: 15, From: 11, Letters: [[42, "   U"]] });
  assert.deepEqual([lanes.runs(41, 11, 15), lanes.runs(42, 11, 15)], [[], [["user", 3, 4]]]);
});

test("lanes without their start are not shown, but requested again", () => {
  const lanes = new Lanes();
  lanes.merge({ PID: 0, BinMs: 1000, First: 10, End: 14, From: 12, Letters: [[41, "BB"]] });
  assert.deepEqual([lanes.pid, lanes.runs(41, 10, 14)], [-1, []]);
});

test("each state has a height of its own, so that a lane is told without colours", () => {
  const runs = ["user", "working", "blocked", "ready", "stopped", "idle"].map((state, at) => [state, at, at + 1]);
  const drawn = drawnLane(runs, 6).children.map((path) => path.getAttribute("d").match(/,(\d+)H/)[1]);
  assert.equal(new Set(drawn).size, 6);
});
