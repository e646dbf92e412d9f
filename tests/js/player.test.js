// Tests of playing a recording: which ranges are requested, and when.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { activityOf, between, factorOf, firstSpeed, firstWindow, partAt, resized, shifted } from "../../syswatch/web/static/playback.js";
import { PERIOD_MS, Player } from "../../syswatch/web/static/player.js";

const WHOLE = [1_000_000, 1_100_000];
let now = 0;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  now = 0;
});
afterEach(() => mock.timers.reset());

function afterMs(ms) {
  now += ms;
  mock.timers.tick(ms);
}

function player({ isAwaited = true } = {}) {
  const sent = [];
  const subject = new Player({ send: (range) => { sent.push(range); return isAwaited; }, onChange: () => {}, now: () => now });
  subject.whole = WHOLE;
  return { subject, sent };
}

test("playing begins with a small window at the begin, which moves as a whole", () => {
  const { subject, sent } = player();
  subject.toggle();
  assert.deepEqual(sent, [[1_000_000, 1_005_000]]);
  for (let turn = 0; turn < 3; turn++) { subject.answered(); afterMs(1000); }
  assert.deepEqual(sent.slice(1), [[1_001_000, 1_006_000], [1_002_000, 1_007_000], [1_003_000, 1_008_000]]);
});

test("a selected range keeps its length, and the speed counts", () => {
  const { subject, sent } = player();
  subject.factor = 10;
  subject.range = [1_020_000, 1_020_400];
  subject.toggle();
  subject.answered();
  afterMs(500);
  assert.deepEqual(sent, [[1_020_000, 1_020_400], [1_025_000, 1_025_400]]);
});

test("nothing is requested while an answer is missing, and the time goes on meanwhile", () => {
  const { subject, sent } = player();
  subject.toggle();
  afterMs(3000);
  assert.equal(sent.length, 1);
  subject.answered();
  assert.deepEqual(sent[1], [1_003_000, 1_008_000]);
});

test("there are at most a few requests in a second, however fast the answers are", () => {
  const { subject, sent } = player();
  subject.toggle();
  for (let turn = 0; turn < 200; turn++) { subject.answered(); afterMs(10); }
  assert.ok(sent.length <= 2000 / PERIOD_MS + 1, String(sent.length));
  assert.ok(sent.length >= 5);
});

test("after a long interruption, playing goes on close to where it was", () => {
  const { subject, sent } = player();
  subject.toggle();
  afterMs(60_000);
  subject.answered();
  assert.deepEqual(sent[1], [1_005_000, 1_010_000]);
});

test("playing stops at the end, and begins anew from there", () => {
  const { subject, sent } = player();
  subject.factor = 1000;
  subject.range = [1_090_000, 1_095_000];
  subject.toggle();
  subject.answered();
  afterMs(1000);
  assert.deepEqual(sent.at(-1), [1_095_000, 1_100_000]);
  assert.equal(subject.isPlaying, false);
  subject.answered();
  assert.equal(subject.isMoving, false);
  afterMs(1000);
  assert.equal(sent.length, 2);
  subject.toggle();
  assert.deepEqual(sent.at(-1), [1_000_000, 1_005_000]);
});

test("while dragging, the newest range is requested as soon as the one before is shown", () => {
  const { subject, sent } = player();
  subject.show([1_000_000, 1_000_100]);
  for (let at = 1_000_001; at < 1_000_050; at++) subject.show([at, at + 100]);
  assert.equal(sent.length, 1);
  subject.answered();
  afterMs(PERIOD_MS);
  assert.deepEqual(sent, [[1_000_000, 1_000_100], [1_000_049, 1_000_149]]);
  subject.answered();
  afterMs(10_000);
  assert.equal(sent.length, 2);
});

test("what is wanted is forgotten when something else is shown", () => {
  const { subject, sent } = player();
  subject.show([1_000_000, 1_000_100]);
  subject.answered();
  subject.show([1_000_050, 1_000_150]);
  subject.pause();
  afterMs(10_000);
  assert.equal(sent.length, 1);
  assert.equal(subject.isMoving, false);
});

test("a range that is shown already needs no answer", () => {
  const { subject, sent } = player({ isAwaited: false });
  subject.toggle();
  afterMs(PERIOD_MS);
  afterMs(PERIOD_MS);
  assert.equal(sent.length, 3);
  subject.pause();
  afterMs(10_000);
  assert.equal(sent.length, 3);
});

test("slow motion moves by single milliseconds in time", () => {
  const { subject, sent } = player({ isAwaited: false });
  subject.factor = 0.001;
  subject.range = [1_000_000, 1_000_010];
  subject.toggle();
  for (let turn = 0; turn < 12; turn++) afterMs(PERIOD_MS);
  assert.equal(sent.at(-1)[0], 1_000_003);
});

test("an hour takes a minute at the speed that a long recording begins with", () => {
  const hour = [0, 3_600_000];
  assert.equal(firstSpeed(hour), "minute");
  assert.equal(factorOf("minute", hour), 60);
  assert.equal(firstSpeed([0, 5000]), "1");
  assert.equal(factorOf("100", hour), 100);
  assert.deepEqual(firstWindow(hour), [0, 60_000]);
  assert.deepEqual(firstWindow([7, 9]), [7, 8]);
});

test("a range stays inside of the whole, and keeps its length", () => {
  assert.deepEqual(shifted([1_000_000, 1_000_100], -50, WHOLE), [1_000_000, 1_000_100]);
  assert.deepEqual(shifted([1_000_000, 1_000_100], 1e9, WHOLE), [1_099_900, 1_100_000]);
  assert.deepEqual(shifted([0, 1e9], 5, WHOLE), WHOLE);
  assert.deepEqual(resized([1_000_000, 1_000_100], 2, WHOLE), [1_000_000, 1_000_200]);
  assert.deepEqual(resized([1_000_000, 1_000_001], 0.5, WHOLE), [1_000_000, 1_000_001]);
  assert.deepEqual(between(1_000_500, 1_000_100, WHOLE), [1_000_100, 1_000_500]);
  assert.deepEqual(between(5e9, 5e9, WHOLE), [1_099_999, 1_100_000]);
  assert.deepEqual(between(0, 0, WHOLE), [1_000_000, 1_000_001]);
});

test("the ends of a range can be taken hold of, also of a narrow one", () => {
  assert.deepEqual([3, 50, 97, 120].map((x) => partAt(x, [5, 100], 6)), ["from", "inside", "to", "outside"]);
  assert.equal(partAt(50, [50, 50], 6), "to");
});

test("the picture has the sums of all threads, of intervals or of single calls", () => {
  const bins = { From: 0, To: 100, Bins: { Step: 50, Start: [0, 0, 50], Calls: [2, 3, 4], Errors: [1, 0, 4] } };
  assert.deepEqual(activityOf(bins, 2), [{ calls: 5, errors: 1 }, { calls: 4, errors: 4 }]);
  const slices = { From: 0, To: 100, Bins: null, Slices: { Start: [1, 99, 100], Failed: [1, 0, 0] } };
  assert.deepEqual(activityOf(slices, 2), [{ calls: 1, errors: 1 }, { calls: 2, errors: 0 }]);
});
