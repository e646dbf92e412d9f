// Tests of the distributions of durations that are drawn over each other.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./dom-stub.js";
import { outline } from "../../syswatch/web/static/overlaid.js";

test("neighbouring bars are one outline", () => {
  assert.equal(outline([[40, 0.5], [41, 0.25]], 40, 100), "M0,70V20.00h1V45.00h1V70");
});

test("a missing bar is a gap down to the axis", () => {
  assert.equal(outline([[41, 0.5], [43, 0.5]], 40, 140), "M1,70V0.00h1V70M3,70V0.00h1V70");
});
