// The page of one system call.

import { showAlerts } from "./alerts.js";
import { CallCards, showErrnos } from "./call-cards.js";
import { keepRange, restoredRange } from "./call-range.js";
import { colour } from "./lookup.js";
import { objectLink, time } from "./cells.js";
import { byId, isTyping, quantity, setClass, setHidden, write } from "./dom.js";
import { Latency } from "./latency.js";
import { Listing, amount, bar } from "./listing.js";
import { LivePage } from "./live-page.js";
import { exact, moment, share } from "./numbers.js";
import { reference } from "./reference.js";
import { limitsOf, showSelection } from "./selection.js";
import { slowColumns } from "./slow-calls.js";
import { ONE_CALL, SMALL_LANES, Timeline } from "./timeline.js";
import { address } from "./urls.js";

class CallPage extends LivePage {
  constructor(name) {
    super({ ofCall: true });
    this.name = name;
    this.cards = new CallCards(byId("cards"));
    this.latency = new Latency(byId("latency"), { reading: byId("latency-reading") });
    this.range = restoredRange();
    this.timeline = new Timeline({ lanes: [ONE_CALL, ...SMALL_LANES], onSelect: (from, to) => { if (this.answer?.Replay) this.#select({ from, to }); } });
    byId("frozen").addEventListener("click", () => this.#select({ from: null, to: null }));
    this.recent = recentErrors();
    this.paths = topPaths();
    this.objects = objectsOfCall();
    this.processes = processesOfCall();
    this.slowest = slowestCalls();
    for (const key of ["objects", "processes", "slowest"]) byId(key).append(this[key].node);
    byId("recent").append(this.recent.node);
    byId("paths").append(this.paths.node);
    write(byId("name"), name);
    this.poller.now();
  }

  url() {
    const query = new URLSearchParams();
    if (this.since) query.set("since", this.since);
    if (this.#isLimited) ["from", "to"].forEach((name, place) => query.set(name, limitsOf(this.range)[place]));
    return address(`api/dashboard/${encodeURIComponent(this.name)}?${query}`);
  }

  /** Whether the range that is selected in the dashboard is known for single calls. */
  get #isLimited() { return this.range.from !== null && Boolean(this.answer?.Replay); }

  #select(range) {
    this.range = range;
    keepRange(range);
    this.poller.now();
  }

  /** Show the range, and request its numbers if these are of another one. */
  #showRange({ Call: { FromMs, ToMs }, Replay }) {
    const range = this.#isLimited ? this.range : null;
    if (Replay) showSelection(range, { isReplay: true });
    this.timeline.select(range);
    const isShown = range ? String(limitsOf(range)) === `${FromMs},${ToMs}` : FromMs === undefined;
    if (!isShown) this.poller.now();
  }

  /** Any answer shows that the trace has such a call, even if Linux has none. */
  begin(answer) {
    document.body.classList.remove("unknown");
    this.#showReference(answer.Call);
  }

  show(answer) {
    this.#showRange(answer);
    this.#showWhetherCalled(answer);
    this.cards.update(answer);
    this.latency.update(answer.Call, answer.Bars, answer.WaitBars);
    setHidden(byId("latency-legend"), !answer.WaitBars.length);
    showErrnos(byId("errnos"), answer.Call);
    byId("alerts-panel").hidden = !answer.Alerts.length;
    showAlerts(byId("alerts"), answer.Alerts, "");
    this.#showLists(answer);
    this.#showTimes(answer);
  }

  showStatus() {
    super.showStatus();
    document.title = `${this.name} · ${document.title}`;
  }

  /** The page of an unknown call shows no trouble: an error is the expected answer. */
  showConnection() {
    if (!document.body.classList.contains("unknown")) super.showConnection();
  }

  #showWhetherCalled({ Call: { Count }, Status: { Done } }) {
    const note = byId("uncalled");
    setHidden(note, Count > 0);
    write(note, Done ? "Not called" : "Not called yet");
    document.body.classList.toggle("uncalled", !Count);
  }

  #showLists({ Call, Paths, Opens, AllCounted }) {
    const samples = Call.RecentErrors ?? [];
    setHidden(byId("recent-panel"), !Call.Errors);
    setHidden(byId("recent"), !samples.length);
    this.recent.update(samples.toReversed());
    write(byId("recent-note"), samples.length ? `newest ${samples.length}, newest first` : "no samples");
    byId("paths-panel").hidden = !Paths.length;
    this.paths.update(Paths.map((path) => ({ ...path, part: path.count / Opens, size: path.count / Paths[0].count })));
    write(byId("paths-title"), AllCounted ? "Top paths" : "Paths in recent calls");
    write(byId("paths-note"), AllCounted
      ? "in open, openat, openat2 and creat together"
      : `in ${exact(Opens)} calls of the log; only opens are counted from the start`);
  }

  /** Show what the time was spent on. */
  #showTimes({ Call, Objects, ByProcess, Slowest }) {
    for (const [key, rows] of [["objects", Objects], ["processes", ByProcess], ["slowest", Slowest]]) {
      setHidden(byId(`${key}-panel`), !rows.length || !Call.Count);
      this[key].update(rows);
    }
  }

  #showReference({ Reference }) {
    const category = byId("category");
    write(category, Reference.Category);
    setClass(category, `chip dim ${colour(Reference.Category)}`);
    write(byId("description"), Reference.Description);
    byId("reference").replaceChildren(...reference(Reference));
  }
}

const recentErrors = () => new Listing("Recent errors", [
  { title: "Time", wide: true, className: "dim code", cell: (sample) => moment(sample.Time, 3) },
  { title: "PID", className: "dim", cell: (sample) => String(sample.PID || "–") },
  { title: "Errno", wide: true, className: "failing code", cell: (sample) => sample.Errno },
  { title: "Arguments", wide: true, className: "args code", cell: (sample) => sample.Args },
], "recent");

const COSTS = [
  { title: "Calls", cell: (each) => amount(each.Count) },
  { title: "Blocked", cell: (each) => time(each.Blocked) },
  { title: "Idle", minor: true, cell: (each) => time(each.Idle) },
  { title: "In calls", minor: true, cell: (each) => time(each.Working) },
  { title: "No CPU", minor: true, cell: (each) => time(each.Ready) },
  { title: "Errors", minor: true, cell: (each) => amount(each.Errors) },
];

const objectsOfCall = () => new Listing("Objects of this call", [
  { title: "Object", wide: true, className: "name-cell", cell: (each) => objectLink({ ...each, Name: each.Title }) }, ...COSTS,
]);

const processesOfCall = () => new Listing("Processes that made this call", [
  { title: "Process", wide: true, cell: ({ PID, Comm }) => PID ? `${PID} ${Comm}` : "others" }, ...COSTS,
]);

const slowestCalls = () => new Listing("Slowest calls", slowColumns().filter(({ key }) => key !== "Call"));

const topPaths = () => new Listing("Top paths", [
  { title: "Path", wide: true, className: "code path-cell", cell: (path) => path.path },
  { title: "Calls", cell: (path) => amount(path.count) },
  { title: "Failed", cell: (path) => amount(path.failed) },
  { title: "Share", cell: (path) => quantity(share(path.part)) },
  { title: "", wide: true, className: "bar-cell", cell: (path) => bar(path.size) },
]);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (event.key === "t") document.querySelector("[data-switch-theme]").click();
  if (event.key === "?") byId("help-button").click();
  if (event.key === "Escape") byId("back").click();
});

/** The name in the URL, or "" if it cannot be decoded. */
function nameInUrl() {
  try { return decodeURIComponent(location.pathname.split("/").at(-1)); } catch { return ""; }
}

const name = nameInUrl();
export const page = name ? new CallPage(name) : null;
