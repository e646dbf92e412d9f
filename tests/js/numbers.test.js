// Tests of the formatting of numbers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { age, clock, count, duration, exact, load, moment, rate, share, text, threeDigits } from "../../syswatch/web/static/numbers.js";

const table = (format, cases) => {
  for (const [value, expected] of cases) assert.equal(text(format(value)), expected, String(value));
};

test("numbers have at most three significant digits", () => {
  for (const [value, expected] of [[0, "0"], [1.5, "1.5"], [9.994, "9.99"], [9.996, "10"], [99.96, "100"], [123.4, "123"]]) {
    assert.equal(threeDigits(value), expected);
  }
});

test("counts have a decimal unit from 10 000 on", () => {
  table(count, [[0, "0"], [9999, "9999"], [10_000, "10 k"], [12_345, "12.3 k"], [1e6, "1 M"], [2.5e9, "2.5 G"], [1e12, "1 T"], [0.25, "0.25"]]);
});

test("durations have the largest unit that fits", () => {
  table(duration, [[0, "0 ns"], [999, "999 ns"], [1000, "1 µs"], [1_500_000, "1.5 ms"], [2e9, "2 s"], [7.2e12, "7200 s"]]);
});

test("rates and loads are per second", () => {
  table(rate, [[0, "0 /s"], [0.5, "0.5 /s"], [12.6, "13 /s"], [20_000, "20 k/s"]]);
  table(load, [[5e8, "500 ms/s"]]);
});

test("shares never round to 0 % or 100 %", () => {
  table(share, [[0, "0 %"], [0.0001, "<0.1 %"], [0.005, "0.5 %"], [0.5, "50 %"], [0.99999, ">99.9 %"], [1, "100 %"]]);
});

test("exact numbers have thousands separators", () => {
  assert.equal(exact(1_234_567), "1,234,567");
});

test("times are local times of day", () => {
  const noon = new Date(2024, 0, 1, 12, 3, 4).getTime() / 1000;
  assert.equal(clock(noon), "12:03:04");
  assert.equal(clock(noon, false), "12:03");
  const iso = `${new Date(noon * 1000).toISOString().slice(0, 19)}.123456789Z`;
  assert.equal(moment(iso, 3), "12:03:04.123");
  assert.equal(moment("", 3), "–");
});

test("ages are in seconds, minutes or hours", () => {
  assert.deepEqual([5, 89, 90, 5400].map(age), ["5 s", "89 s", "2 min", "1.5 h"]);
});
