// Tests of the table: sorting, filtering and choosing columns.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import "./dom-stub.js";

import { columnChooser } from "../../syswatch/web/static/chooser.js";
import { COLUMNS } from "../../syswatch/web/static/columns.js";
import { CallTable } from "../../syswatch/web/static/table.js";

const row = (Name, Category, Count, more = {}) => ({
  Name, Category, Count, Errors: 0, TotalTime: Count * 10, AvgTime: 10, P95: 10, P99: 10, MaxTime: 10, MinTime: 10, Timed: Count, Rate: 1, ...more,
});
const ROWS = [
  row("read", "I/O", 5, { MaxTime: 90 }), row("openat", "FS", 9, { Errors: 9, ErrorBreakdown: { ENOENT: 9 }, TopPath: "/x" }),
  row("close", "I/O", 7, { Timed: 0, MaxTime: null }), row("getpid", "PROC", 5),
];
const BUSY_READ = ROWS.with(0, { ...ROWS[0], Count: 50 });
const CONTEXT = { total: 26, most: 9, spark: () => [], source: 0 };

function table(changes = {}) {
  const view = { sort: "Count", downwards: true, filter: "", kinds: new Set(), ...changes };
  const subject = new CallTable(view, () => {});
  subject.update(ROWS, CONTEXT, "No data yet");
  return { subject, view, names: () => subject.body.children.map((node) => node.row.link.textContent) };
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  localStorage.clear();
});
afterEach(() => mock.timers.reset());

test("rows are sorted by a column, equal ones by name", () => {
  assert.deepEqual(table().names(), ["openat", "close", "getpid", "read"]);
  assert.deepEqual(table({ downwards: false }).names(), ["getpid", "read", "close", "openat"]);
  assert.deepEqual(table({ sort: "Name", downwards: false }).names(), ["close", "getpid", "openat", "read"]);
});

test("at first, calls are sorted by the time that was not idle, and in a range by their whole time", () => {
  const none = { Working: 0, Blocked: 0, Ready: 0 };
  const times = { openat: { Working: 5, Blocked: 30, Ready: 1 }, read: { ...none, Working: 60 }, close: { ...none, TotalTime: 900 }, getpid: none };
  const { subject, names } = table({ sort: "Time" });
  assert.deepEqual(names(), ["openat", "close", "getpid", "read"]);
  subject.update(ROWS.map((each) => Object.assign({}, each, times[each.Name])), { ...CONTEXT, source: 1 }, "No data yet");
  assert.deepEqual(names(), ["read", "openat", "close", "getpid"]);
});

test("every column sorts every row, unknown values last", () => {
  for (const { key } of COLUMNS) {
    const names = table({ sort: key }).names();
    assert.deepEqual(names.toSorted(), ["close", "getpid", "openat", "read"], key);
  }
  assert.equal(table({ sort: "MaxTime" }).names().at(-1), "close");
});

test("rows are filtered by name and category", () => {
  assert.deepEqual(table({ filter: "E" }).names(), ["openat", "close", "getpid", "read"]);
  assert.deepEqual(table({ filter: "re" }).names(), ["read"]);
  assert.deepEqual(table({ kinds: new Set(["I/O"]) }).names(), ["close", "read"]);
});

test("an empty table says why", () => {
  const { subject } = table({ filter: "zzz" });
  assert.equal(subject.empty.hidden, false);
  assert.match(subject.empty.textContent, /match/);
  subject.update([], CONTEXT, "No data yet");
  assert.equal(subject.empty.textContent, "No data yet");
});

test("rows keep their order until the timer, and new ones are inserted at once", () => {
  const { subject, names } = table();
  subject.update(BUSY_READ, CONTEXT, "");
  assert.deepEqual(names(), ["openat", "close", "getpid", "read"]);
  mock.timers.tick(5000);
  assert.deepEqual(names(), ["read", "openat", "close", "getpid"]);
  subject.update([...BUSY_READ, row("mmap", "MEM", 60)], CONTEXT, "");
  assert.deepEqual(names(), ["mmap", "read", "openat", "close", "getpid"]);
});

test("rows do not move under the pointer", () => {
  const { subject, names } = table();
  subject.body.dispatch("pointerenter");
  subject.update(BUSY_READ, CONTEXT, "");
  mock.timers.tick(10_000);
  assert.deepEqual(names(), ["openat", "close", "getpid", "read"]);
  subject.body.dispatch("pointerleave");
  assert.equal(names()[0], "read");
});

test("a click on a heading sorts, a second one reverses", () => {
  const { subject, names } = table();
  const heading = subject.heads.children.find((node) => node.dataset.column === "Name").children[0];
  heading.dispatch("click");
  assert.deepEqual(names(), ["close", "getpid", "openat", "read"]);
  heading.dispatch("click");
  assert.deepEqual(names(), ["read", "openat", "getpid", "close"]);
});

test("chosen columns are kept in this browser", () => {
  const chosen = [];
  const node = columnChooser((columns) => chosen.push(columns.map(({ key }) => key)));
  const boxes = node.children[1].children.map((label) => label.children[0]);
  const usual = COLUMNS.filter(({ extra }) => !extra).map(({ key }) => key);
  assert.deepEqual(chosen, [usual]);
  const extra = COLUMNS.findIndex((column) => column.extra);
  boxes[extra - 1].dispatch("change", { target: { checked: true } });
  assert.ok(chosen[1].includes(COLUMNS[extra].key));
  columnChooser((columns) => chosen.push(columns.map(({ key }) => key)));
  assert.deepEqual(chosen[2], chosen[1]);
});
