// The menu of downloads: what the open tab shows, everything, and the recording.

import { el, write } from "./dom.js";
import { limitsOf } from "./selection.js";
import { loadStyle } from "./tabs.js";
import { authorization } from "./token.js";
import { address } from "./urls.js";

// The tables by tab; the categories are sums over the calls.
const TABLES = { calls: "calls", categories: "calls", objects: "objects", threads: "threads", slowest: "slowest", log: "log", files: "files", processes: "processes" };
const PARTS = "log,files,processes,threads_now,objects,threads,slowest";

/** Fill the menu for the open tab. */
export async function showDownloads(menu, page) {
  await loadStyle();
  const table = TABLES[page.view.tab];
  const note = el("p", { class: "failing", role: "alert" });
  const item = (title, path, file) => el("button", { type: "button", onclick: () => save(path, file, note) }, title);
  const tables = table ? ["CSV", "JSON"].map((form) => item(`These ${table} as ${form}`, tablePath(page.view, table, form.toLowerCase()), `${table}.${form.toLowerCase()}`)) : [];
  const whole = item("Everything as JSON", `api/dashboard?${rangeOf(page.view, { with: PARTS })}`, "syswatch.json");
  menu.lastElementChild.replaceChildren(...tables, whole, ...(isRecorded(page.answer) ? [recording()] : []), note);
}

/** What is shown: the process, the range and the filters of the tab. */
function tablePath(view, table, format) {
  const { filter = "", kinds } = view.table(view.tab);
  const query = rangeOf(view, { table, format });
  if (filter) query.set("filter", filter);
  if (kinds.size) query.set("kinds", [...kinds].join(","));
  return `api/download?${query}`;
}

function rangeOf(view, parameters) {
  const query = new URLSearchParams(parameters);
  if (view.pid) query.set("pid", view.pid);
  if (view.from !== null) ["from", "to"].forEach((name, place) => query.set(name, limitsOf(view)[place]));
  return query;
}

const isRecorded = (answer) => Boolean(answer?.Replay || answer?.Status.Recordings?.length);

/** A link, because a recording may be too large for a page; with a token, a link cannot be followed. */
function recording() {
  const target = address("api/recording/download");
  if (!authorization().Authorization) return el("a", { href: target, download: "" }, "Recording as tar");
  return el("p", { class: "dim" }, "Recording: ", el("code", {}, `curl -OJ -H "Authorization: Bearer TOKEN" ${target}`));
}

/** Save what a path has as a file; a note tells what went wrong. */
export async function save(path, file, note) {
  write(note, "");
  try {
    const response = await fetch(address(path), { headers: authorization(), cache: "no-store" });
    if (!response.ok) throw new Error((await response.json()).message);
    const link = el("a", { href: URL.createObjectURL(await response.blob()), download: file });
    link.click();
    // The browser has the data by then.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    write(note, error instanceof TypeError ? "The server cannot be reached." : error.message);
  }
}
