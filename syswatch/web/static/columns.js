// The columns of the table of calls: how each is sorted and shown.

import { colour } from "./lookup.js";
import { setClass, write, writeQuantity } from "./dom.js";
import { count, duration, exact, rate, share } from "./numbers.js";
import { COLUMNS as FACTS, MOSTLY_FAILING } from "./registry.js";
import { drawSparkline } from "./sparkline.js";

const DASH = { value: "–", unit: "" };

/** The time in a call that was not idle, by which all views sort at first; null for a selected range. */
export const notIdle = ({ Working = null, Ready, Blocked }) => Working === null ? null : Working + Ready + Blocked;

const errorShare = (row) => row.Count ? row.Errors / row.Count : 0;

/** How a column is sorted and shown; durations are unknown where none was measured. */
const times = (key) => timed((row) => row[key]);

// No duration is 0: the calls of one process may have no percentiles, and a call in progress only a wait.
const timed = (value) => ({
  sort: (row) => value(row) ?? -1,
  show: (cell, row) => {
    const ns = value(row);
    showAmount(cell, ns > 0 ? duration(ns) : DASH, ns > 0 ? `${exact(ns)} ns` : "");
  },
});

const DRAWN = {
  Name: { sort: (row) => row.Name, show: () => {} },
  Category: { sort: (row) => row.Category, show: showCategory },
  Count: { sort: (row) => row.Count, show: showCalls },
  // A range is sorted by the whole time instead.
  Time: { ...timed(notIdle), sort: (row) => notIdle(row) ?? row.TotalTime },
  Share: { sort: (row) => row.Count, show: (cell, row, { total }) => showAmount(cell, total ? share(row.Count / total) : DASH) },
  Rate: { sort: (row) => row.Rate ?? -1, show: showRate },
  MinTime: times("MinTime"),
  AvgTime: times("AvgTime"),
  P95: times("P95"),
  P99: times("P99"),
  MaxTime: times("MaxTime"),
  TotalTime: times("TotalTime"),
  Blocked: times("Blocked"),
  Working: times("Working"),
  Errors: { sort: (row) => row.Errors, show: showErrors },
  ErrPct: { sort: errorShare, show: (cell, row) => showAmount(cell, row.Errors ? share(errorShare(row)) : DASH) },
  ErrRate60s: { sort: (row) => row.ErrRate60s ?? -1, show: (cell, row) => showAmount(cell, row.ErrRate60s ? count(row.ErrRate60s) : DASH) },
  TopPath: { sort: (row) => row.TopPath ?? "\uFFFF", show: showPath },
};

/** All columns in their order, with their widths in em; an extra one is shown only if chosen. */
export const COLUMNS = FACTS.map((column) => Object.assign(column, DRAWN[column.key]));

/** The function whose values a column sorts by; that of the first one if there is no such column. */
export const valueOf = (key) => (COLUMNS.find((each) => each.key === key) ?? COLUMNS[0]).sort;

function showAmount(cell, amount, title = "") {
  writeQuantity(cell, amount);
  setClass(cell, amount === DASH ? "none" : "");
  cell.about = title;
}

function showCategory(cell, row) {
  write(cell, row.Category);
  setClass(cell, `w chip ${colour(row.Category)}`);
}

function showCalls(cell, row, { most }) {
  writeQuantity(cell.amount, count(row.Count));
  cell.about = `${exact(row.Count)} calls`;
  const part = most ? (row.Count / most).toFixed(2) : "0";
  if (cell.part !== part) cell.bar.style.setProperty("--part", (cell.part = part));
}

function showRate(cell, row, { spark }) {
  writeQuantity(cell.amount, row.Rate ? rate(row.Rate) : DASH);
  setClass(cell.amount, row.Rate ? "" : "none");
  drawSparkline(cell.spark, spark(row.Name));
}

function showErrors(cell, row) {
  const many = errorShare(row) >= MOSTLY_FAILING;
  writeQuantity(cell.amount, row.Errors ? count(row.Errors) : DASH);
  setClass(cell.amount, row.Errors ? (many ? "failing" : "") : "none");
  const [errno = ""] = Object.keys(row.ErrorBreakdown ?? {});
  write(cell.errno, errno);
  cell.about = Object.entries(row.ErrorBreakdown ?? {}).map(([name, number]) => `${name} ${exact(number)}`).join("\n");
}

function showPath(cell, row) {
  write(cell, row.TopPath ?? "–");
  setClass(cell, row.TopPath ? "w code" : "w none");
  cell.about = row.TopPath ?? "";
}
