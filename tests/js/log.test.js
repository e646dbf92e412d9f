// Tests of the log: the text of a line, and the lines that two answers share.

import assert from "node:assert/strict";
import { test } from "node:test";

import { overlap, straceLine } from "../../syswatch/web/static/log-tab.js";

const ENTRY = { Time: "2024-01-01T00:00:00.123456789Z", PID: 41, Name: "openat", Args: 'AT_FDCWD, "/x"', RetVal: "-1", Error: "ENOENT" };

test("a line is as strace -f -ttt prints it", () => {
  assert.equal(straceLine(ENTRY), '41 1704067200.123456 openat(AT_FDCWD, "/x") = -1 ENOENT');
  assert.equal(straceLine({ ...ENTRY, PID: 0, Time: "", Error: "", RetVal: "3" }), 'openat(AT_FDCWD, "/x") = 3');
});

test("the overlap is the longest end of the old lines at the start of the new ones", () => {
  for (const [old, fresh, expected] of [
    ["abc", "bcd", 2], ["abc", "abc", 3], ["abc", "def", 0], ["", "abc", 0], ["abc", "", 0],
    ["aaa", "aaaa", 3], ["abab", "abab", 4], ["xab", "abx", 2], ["ba", "abca", 1],
  ]) assert.equal(overlap([...old], [...fresh]), expected, `${old} ${fresh}`);
});
