// The columns of the table of calls: what each sorts by, and what it shows.

import { colour } from "./categories.js";
import { setClass, write, writeQuantity } from "./dom.js";
import { count, duration, exact, rate, share } from "./numbers.js";
import { drawSparkline } from "./sparkline.js";

const DASH = { value: "–", unit: "" };
// From here on a failing call gets a colour: most of what it wants it does not get.
const MANY_ERRORS = 0.5;

const errorShare = (row) => row.Count ? row.Errors / row.Count : 0;

/** A column of durations; where there is none they are not known for what is shown. */
const times = (key, title, about) => ({
  key, title, about, width: 5.4, downwards: true,
  sort: (row) => row[key] ?? -1,
  show: (cell, row) => {
    const known = row[key] != null && row.Timed > 0;
    showAmount(cell, known ? duration(row[key]) : DASH, known ? `${exact(row[key])} ns` : "");
  },
});

/** All columns in their order, with their widths in em; an extra one is shown only if it is chosen. */
export const COLUMNS = [
  { key: "Name", title: "Call", width: 11.6, sort: (row) => row.Name, show: () => {} },
  { key: "Category", title: "Cat", width: 6, about: "Category", sort: (row) => row.Category, show: showCategory },
  { key: "Count", title: "Calls", width: 10.4, downwards: true, sort: (row) => row.Count, show: showCalls },
  { key: "Share", title: "Share", width: 5, about: "Part of all calls", downwards: true, sort: (row) => row.Count, show: (cell, row, { total }) => showAmount(cell, total ? share(row.Count / total) : DASH) },
  { key: "Rate", title: "Now", width: 10.4, about: "Calls per second over the last four seconds, and in the last minute", downwards: true, sort: (row) => row.Rate ?? -1, show: showRate },
  { ...times("MinTime", "Min", "The shortest call"), extra: true },
  times("AvgTime", "Avg", "Average duration"),
  times("P95", "P95", "95 of 100 calls take no longer"),
  times("P99", "P99", "99 of 100 calls take no longer"),
  times("MaxTime", "Max", "The longest call"),
  times("TotalTime", "Total", "Time in all calls together"),
  { key: "Errors", title: "Errors", width: 11.6, about: "Failed calls, and the commonest errno", downwards: true, sort: (row) => row.Errors, show: showErrors },
  { key: "ErrPct", title: "Err %", width: 5.3, about: "Part of the calls that fail", downwards: true, sort: errorShare, show: (cell, row) => showAmount(cell, row.Errors ? share(errorShare(row)) : DASH) },
  { key: "ErrRate60s", title: "Err 60 s", about: "Failed calls within the last minute", width: 6, extra: true, downwards: true, sort: (row) => row.ErrRate60s ?? -1, show: (cell, row) => showAmount(cell, row.ErrRate60s ? count(row.ErrRate60s) : DASH) },
  { key: "TopPath", title: "Top file", width: 6, about: "The path it was asked for most", sort: (row) => row.TopPath ?? "\uFFFF", show: showPath },
];

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
  const many = errorShare(row) >= MANY_ERRORS;
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
