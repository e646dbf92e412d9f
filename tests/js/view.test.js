// Tests of the view: what is shown, in the URL and kept for this tab.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "./dom-stub.js";

import { restoredView } from "../../syswatch/web/static/view.js";

const ORDER = { sort: "Blocked", downwards: true };

beforeEach(() => {
  sessionStorage.clear();
  Object.assign(location, { search: "" });
  history.steps = 0;
});

test("a page without parameters shows the calls of all processes", () => {
  const view = restoredView();
  assert.deepEqual([view.tab, view.pid, view.object, view.from], ["calls", 0, "", null]);
});

test("what is chosen is in the URL, and a link shows the same", () => {
  const view = restoredView();
  Object.assign(view, { tab: "objects", pid: 41, object: "00ab", from: 1.25, to: 3 });
  Object.assign(view.table("objects", ORDER), { sort: "Name", downwards: false, filter: "a b&c", kinds: new Set(["tcp", "udp"]) });
  view.keep();
  sessionStorage.clear();
  const other = restoredView();
  assert.deepEqual([other.tab, other.pid, other.object, other.from, other.to], ["objects", 41, "00ab", 1.25, 3]);
  assert.deepEqual(other.table("objects", ORDER), { sort: "Name", downwards: false, filter: "a b&c", kinds: new Set(["tcp", "udp"]) });
});

test("the usual order is not in the URL", () => {
  const view = restoredView();
  view.tab = "objects";
  view.table("objects", ORDER);
  view.keep();
  assert.equal(location.search, "?tab=objects");
});

test("only a step is one for Back, and only if something changed", () => {
  const view = restoredView();
  view.pid = 41;
  view.keep({ isStep: true });
  view.keep({ isStep: true });
  view.table("calls").filter = "re";
  view.keep();
  assert.equal(history.steps, 1);
});

test("Back shows the state before, also of a table", () => {
  const view = restoredView();
  const table = view.table("calls", { sort: "Count", downwards: true });
  table.filter = "re";
  view.keep();
  const before = location.search;
  Object.assign(view, { pid: 41 });
  table.sort = "Name";
  view.keep({ isStep: true });
  location.search = before;
  view.read();
  assert.deepEqual([view.pid, table.sort, table.filter], [0, "Count", "re"]);
});

test("the view is kept for this tab, and a damaged one is ignored", () => {
  const view = restoredView();
  view.table("calls", { sort: "Count", downwards: true }).kinds.add("FS");
  view.keep();
  location.search = "";
  assert.deepEqual(restoredView().table("calls").kinds, new Set(["FS"]));
  location.search = "";
  sessionStorage.setItem("syswatch.view", "{");
  assert.equal(restoredView().table("calls").filter, undefined);
});

test("a parameter that is no number is ignored", () => {
  location.search = "?tab=calls&process=nginx&from=x";
  const view = restoredView();
  assert.deepEqual([view.pid, view.from], [0, null]);
});
