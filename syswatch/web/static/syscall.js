// The page of one system call.

import { showAlerts } from "./alerts.js";
import { CallCards, showErrnos } from "./call-cards.js";
import { colour } from "./categories.js";
import { byId, isTyping, quantity, setClass, setHidden, write } from "./dom.js";
import { showHeader, showNotices } from "./header.js";
import { KEYS_OF_A_CALL, showHelp } from "./help.js";
import { History, isAnotherTrace } from "./history.js";
import { Latency } from "./latency.js";
import { Link } from "./link.js";
import { Listing, bar } from "./listing.js";
import { count, exact, moment, share } from "./numbers.js";
import { address } from "./place.js";
import { Poller } from "./poll.js";
import { reference } from "./reference.js";
import { ONE_CALL, SMALL_LANES, Timeline } from "./timeline.js";
import { keepView, restoredView } from "./view.js";

class CallPage {
  #answer = null;
  #wasDone = false;

  constructor(name) {
    this.name = name;
    this.history = new History();
    this.link = new Link(() => this.#showLink());
    this.cards = new CallCards(byId("cards"));
    this.latency = new Latency(byId("latency"));
    this.timeline = new Timeline({ lanes: [ONE_CALL, ...SMALL_LANES], onSelect: () => {} });
    this.recent = recentErrors();
    this.paths = topPaths();
    byId("recent").append(this.recent.node);
    byId("paths").append(this.paths.node);
    write(byId("name"), name);
    byId("exact").addEventListener("click", () => keepView({ ...restoredView(), tab: "ledger" }));
    this.poller = new Poller(() => this.#question(), (answer) => this.#take(answer), (trouble) => this.link.set(trouble));
    this.poller.now();
  }

  #question() {
    const since = this.history.since && !this.#fillsAnyhow() ? `?since=${this.history.since}` : "";
    return address(`api/dashboard/${encodeURIComponent(this.name)}${since}`);
  }

  #fillsAnyhow() {
    const { Reading, Done } = this.#answer.Status;
    return (Reading?.TotalBytes != null && !Done) || (Done && !this.#wasDone);
  }

  #take(answer) {
    document.body.classList.remove("unknown");
    if (this.#answer && isAnotherTrace(this.#answer.Status, answer.Status)) return this.#beginAnew();
    const whole = !this.#answer || this.#fillsAnyhow();
    if (!this.#answer) this.#showReference(answer.Call);
    this.#wasDone = this.#answer?.Status.Done ?? false;
    this.#answer = answer;
    this.history.merge(answer.History, answer.Now, { done: answer.Status.Done, whole });
    this.#show();
  }

  /** What came was asked for as the newest part of something else. */
  #beginAnew() {
    this.#answer = null;
    this.history = new History();
    this.poller.anew();
  }

  #show() {
    const answer = this.#answer;
    this.#showAbove();
    this.#showUncalled(answer);
    this.cards.update(answer);
    this.latency.update(answer.Call);
    showErrnos(byId("errnos"), answer.Call);
    this.timeline.update(this.history, { done: answer.Status.Done, lostS: 0 });
    byId("alerts-panel").hidden = !answer.Alerts.length;
    showAlerts(byId("alerts"), answer.Alerts, "");
    this.#showLists(answer);
  }

  #showUncalled({ Call: { Count }, Status: { Done } }) {
    const words = byId("uncalled");
    setHidden(words, Count > 0);
    write(words, Done ? "It was not called." : "It has not been called so far.");
    document.body.classList.toggle("uncalled", !Count);
  }

  #showAbove() {
    showHeader(this.#answer.Status, this.link);
    showNotices(this.#answer.Status, null, this.link);
    document.title = `${this.name} · ${document.title}`;
  }

  #showLists({ Call, Paths, Opens, AllCounted }) {
    const samples = Call.RecentErrors ?? [];
    setHidden(byId("recent-panel"), !Call.Errors);
    setHidden(byId("recent"), !samples.length);
    this.recent.update(samples.toReversed());
    write(byId("recent-note"), samples.length ? `the newest ${samples.length}, newest first` : "none was kept");
    byId("paths-panel").hidden = !Paths.length;
    this.paths.update(Paths.map((path) => ({ ...path, part: path.count / Opens, size: path.count / Paths[0].count })));
    write(byId("paths-title"), AllCounted ? "Paths opened most" : "Paths in the newest calls");
    write(byId("paths-note"), AllCounted
      ? "by open, openat, openat2 and creat together"
      : `of ${exact(Opens)} of them, in the log; only opens are counted from the start`);
  }

  #showReference({ Reference }) {
    const category = byId("category");
    write(category, Reference.Category);
    setClass(category, `chip dim ${colour(Reference.Category)}`);
    write(byId("description"), Reference.Description);
    byId("reference").replaceChildren(...reference(Reference));
  }

  #showLink() {
    // Until the trace has such a call, to be told that there is none is no trouble.
    if (document.body.classList.contains("unknown")) return;
    document.body.classList.toggle("lost", Boolean(this.link.trouble));
    if (!this.#answer) {
      showNotices({}, null, this.link);
      return;
    }
    this.#showAbove();
    this.timeline.update(this.history, { done: this.#answer.Status.Done, lostS: this.link.lostS });
  }
}

const recentErrors = () => new Listing("Latest failures", [
  { title: "Time", wide: true, className: "dim code", cell: (sample) => moment(sample.Time, 3) },
  { title: "Pid", className: "dim", cell: (sample) => String(sample.PID || "–") },
  { title: "Errno", wide: true, className: "failing code", cell: (sample) => sample.Errno },
  { title: "Arguments", wide: true, className: "args code", cell: (sample) => sample.Args },
], "recent");

const topPaths = () => new Listing("Paths it was asked for most", [
  { title: "Path", wide: true, className: "code path-cell", cell: (path) => path.path },
  { title: "Times", cell: (path) => quantity(count(path.count), { title: exact(path.count) }) },
  { title: "Share", cell: (path) => quantity(share(path.part)) },
  { title: "", wide: true, className: "bar-cell", cell: (path) => bar(path.size) },
]);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (event.key === "t") document.querySelector("[data-switch-theme]").click();
  if (event.key === "?") showHelp(KEYS_OF_A_CALL);
  if (event.key === "Escape") byId("back").click();
});
byId("help-button").addEventListener("click", () => showHelp(KEYS_OF_A_CALL));

/** What the address names, empty where that can be no name. */
function nameHere() {
  try { return decodeURIComponent(location.pathname.split("/").at(-1)); } catch { return ""; }
}

const name = nameHere();
if (name) new CallPage(name);
