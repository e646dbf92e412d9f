// Tests of the range of the timeline in the address.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import "./dom-stub.js";

import { KeptZoom, zoomOf, zoomText } from "../../syswatch/web/static/timeline-address.js";
import { restoredView } from "../../syswatch/web/static/view.js";

beforeEach(() => {
  sessionStorage.clear();
  Object.assign(location, { search: "?tab=timeline" });
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

test("a range is kept in whole nanoseconds, and damaged ones are ignored", () => {
  assert.equal(zoomText([1.4, 9_000_000_000_000.6]), "1-9000000000001");
  assert.deepEqual(zoomOf("1-9000000000001"), [1, 9_000_000_000_001]);
  assert.equal(zoomText(null), "");
  for (const damaged of ["", undefined, "5", "9-1", "3-3", "-1-4", "1-2-3", "1e3-2e3", `0-${"9".repeat(30)}`]) assert.equal(zoomOf(damaged), null, String(damaged));
});

test("a link shows the range, which is kept once it stays", () => {
  const kept = new KeptZoom(restoredView());
  assert.equal(kept.take(), null);
  for (const from of [10, 20, 30]) kept.keep([from, 50], [0, 100]);
  assert.equal(location.search, "?tab=timeline");
  mock.timers.tick(600);
  assert.equal(location.search, "?tab=timeline&zoom=30-50");
  sessionStorage.clear();
  assert.deepEqual(new KeptZoom(restoredView()).take(), [30, 50]);
});

test("the range of the page is not kept twice", () => {
  Object.assign(location, { search: "?tab=timeline&zoom=30-50" });
  const kept = new KeptZoom(restoredView());
  kept.take();
  kept.keep([0, 100.2], [0, 100]);
  mock.timers.tick(600);
  assert.equal(location.search, "?tab=timeline");
});

test("only another address is new", () => {
  const view = restoredView();
  const kept = new KeptZoom(view);
  kept.keep([30, 50], [0, 100]);
  assert.equal(kept.isNew, false);
  Object.assign(location, { search: "?tab=timeline&zoom=40-60" });
  view.read();
  assert.equal(kept.isNew, true);
  assert.deepEqual(kept.take(), [40, 60]);
  Object.assign(location, { search: "?tab=timeline" });
  view.read();
  assert.equal(kept.isNew, true);
  assert.equal(kept.take(), null);
});
