// The dashboard: a request per second, and all that is shown of the answer.

import { showAlerts } from "./alerts.js";
import { CallsTab } from "./calls-tab.js";
import { Cards } from "./cards.js";
import { byId, write } from "./dom.js";
import { listenForKeys } from "./keys.js";
import { LivePage } from "./live-page.js";
import { ProcessChoice } from "./process-choice.js";
import { isAnswerFor, limitsOf, movedTo, pausedNow, selectedRange, showSelection } from "./selection.js";
import { Tabs } from "./tabs.js";
import { TimePanel } from "./time-panel.js";
import { Timeline } from "./timeline.js";
import { address } from "./urls.js";
import { restoredView } from "./view.js";

const entire = () => "whole run";

class Dashboard extends LivePage {
  #selection = null;
  #painted = "";
  #isLoading = false;

  /** `inRange` returns what a tab shows instead of the selected range, or what else to know of it. */
  #tabs = [
    { key: "calls", isStyled: true, inRange: () => this.#scopeOfCalls(), make: () => new CallsTab(this.view) },
    { key: "objects", parts: "objects", inRange: () => this.view.object ? entire() : "", load: () => import("./objects-tab.js") },
    { key: "now", parts: "threads_now", isWhole: true, inRange: () => "at present", load: () => import("./now-tab.js") },
    { key: "threads", parts: "threads", hasLanes: true, load: () => import("./threads-tab.js") },
    { key: "slowest", parts: "slowest", load: () => import("./slowest-tab.js") },
    { key: "log", parts: "log", inRange: () => "of the newest calls", load: () => import("./log-tab.js") },
    { key: "files", parts: "files", inRange: entire, load: () => import("./files-tab.js") },
    { key: "processes", parts: "processes", inRange: entire, load: () => import("./processes-tab.js") },
    { key: "categories", inRange: () => this.#scopeOfCalls(), load: () => import("./categories-tab.js") },
    { key: "api", title: "API", load: () => import("./api-tab.js") },
    { key: "ledger", isWhole: true, inRange: entire, load: () => import("./ledger-tab.js") },
    { key: "timeline", load: () => import("./timeline-tab.js") },
    { key: "query", isWhole: true, inRange: entire, load: () => import("./query-tab.js") },
    { key: "groups", parts: "groups", needs: "Grouped", inRange: entire, load: () => import("./groups-tab.js") },
    { key: "compare", needs: "Baselines", inRange: entire, load: () => import("./compare-tab.js") },
    { key: "profile", needs: "Profile", isWhole: true, inRange: entire, load: () => import("./profile-tab.js") },
  ];

  constructor() {
    super({ ofCall: false });
    this.view = restoredView();
    this.cards = new Cards(byId("cards"));
    const onSelect = (from, to) => this.go({ from, to });
    this.timeline = new Timeline({ onSelect });
    this.time = new TimePanel({ view: this.view, ranges: this.timeline.ranges, onSelect, go: (...all) => this.go(...all) });
    this.process = new ProcessChoice(byId("process"), (pid) => this.go({ pid, object: "" }));
    this.tabs = new Tabs(this.#tabs, { page: this, onChoose: (tab) => this.go({ tab, object: "" }), onOpen: (tab) => this.#opened(tab) });
    listenForKeys({ tabs: this.tabs, onPause: () => this.#togglePause(), onOther: (event) => this.#isForScrubber(event) && this.scrubber.press(event) });
    byId("frozen").addEventListener("click", () => this.#resume());
    byId("exact").addEventListener("click", (event) => {
      event.preventDefault();
      this.go({ tab: "ledger" });
    });
    byId("downloads").addEventListener("toggle", async ({ target }) => { if (target.open) (await import("./downloads.js")).showDownloads(target, this); });
    addEventListener("popstate", () => { this.scrubber?.stop(); this.view.read(); this.#follow(); });
    this.tabs.openKey(this.view.tab);
    this.poller.now();
  }

  url() {
    const { pid, object } = this.view;
    const query = new URLSearchParams();
    // The times of another process, and lanes, are needed from their start.
    const lacksLanes = this.tabs.current.hasLanes && (this.tabs.content?.needsAll ?? true);
    const since = this.time.pid === pid && !lacksLanes ? this.since : 0;
    if (since) query.set("since", since);
    if (this.tabs.current.parts) query.set("with", this.tabs.current.parts);
    if (pid) query.set("pid", pid);
    if (object) query.set("object", object);
    if (this.view.from !== null) {
      const [from, to] = limitsOf(this.view);
      query.set("from", from);
      query.set("to", to);
    }
    return address(`api/dashboard?${query}`);
  }

  /** A process may have been chosen in another trace. */
  recovers(code) {
    if (code !== "unknown_process") return false;
    Object.assign(this.view, { pid: 0, object: "" });
    this.view.keep();  // Back must not lead to the same error.
    this.#follow();
    return true;
  }

  show(answer, { whole }) {
    if (this.#isPaused && this.#painted === this.tabs.current.key) return;
    if (answer.Replay) this.#loadScrubber();
    this.cards.update(answer, this.history);
    this.time.update(answer, { whole });
    this.process.update(answer.Tables, this.view.pid);
    showAlerts(byId("alerts"), answer.Alerts, answer.Status.Total ? "No alerts" : "No data yet", byId("alerts-count"));
    this.tabs.offer(answer);
    this.tabs.flag("ledger", answer.Fidelity.Exact ? "✓" : "▲");
    if (this.view.from !== null && (!this.#selection || answer.ExactRange)) this.#applyRange();
    this.#showScope();
    this.#showTab();
    if (isAnswerFor(answer, this.view)) this.scrubber?.answered();
    this.scrubber?.follow();
  }

  /** Show another range of a replay; return whether an answer for it will follow. */
  seek(range) {
    Object.assign(this.view, range);
    this.#applyRange();
    if (isAnswerFor(this.answer, this.view)) return false;
    this.poller.now();
    return true;
  }

  /** Load the scrubber; if that fails, again later. */
  async #loadScrubber() {
    if (this.#isLoading || this.scrubber) return;
    this.#isLoading = true;
    try { this.scrubber = new (await import("./scrubber.js")).Scrubber(byId("scrubber"), this); } catch { /* The connection shows its trouble itself. */ }
    this.#isLoading = false;
  }

  /** The arrow keys have another meaning in the tabs and the charts. */
  #isForScrubber({ key, target }) {
    return ["ArrowLeft", "ArrowRight"].includes(key) && (target === document.body || byId("scrubber").contains(target)) && this.scrubber;
  }

  /** Change what is shown; the browser's Back undoes it. `table` is for the order and the filters of the tab. */
  go(changes, table = {}) {
    if ("from" in changes) this.scrubber?.stop();
    Object.assign(this.view, changes);
    Object.assign(this.view.table(this.view.tab), table);
    this.view.keep({ isStep: true });
    this.#follow();
  }

  /** Show what the view says. */
  #follow() {
    const { tab } = this.view;
    if (this.tabs.current.key === tab) this.tabs.content?.restore?.();
    else this.tabs.openKey(tab);
    this.time.follow();
    this.#applyRange();
    this.scrubber?.follow();
    this.#showTab();
    this.poller.now();
  }

  #showTab() {
    const { content, current } = this.tabs;
    if (!this.answer || !content) return;
    content.update({ answer: this.answer, history: this.history, frozen: this.#selection });
    this.#painted = current.key;
  }

  /** Tell what is not limited to the selected range, or not yet. */
  #showScope() {
    const isRange = this.view.from !== null;
    write(byId("scope"), (isRange && !(this.answer.ExactRange && !this.tabs.current.isWhole) && this.tabs.current.inRange?.()) || "");
    document.body.classList.toggle("ranged", isRange);
    document.body.classList.toggle("exact-range", Boolean(this.answer.ExactRange));
    document.body.classList.toggle("stale", !isAnswerFor(this.answer, this.view) && !this.scrubber?.isMoving);
  }

  /** The calls by second are not known by process. */
  #scopeOfCalls() {
    const { from, to, pid } = this.view;
    const isPartial = !Number.isInteger(from) || !Number.isInteger(to);
    return [pid && "all processes", isPartial && "whole seconds"].filter(Boolean).join(", ");
  }

  get #isPaused() { return this.#selection !== null && this.#selection.from === undefined; }

  /** A tab was opened, or its content was loaded. */
  #opened(tab) {
    const content = this.tabs?.content;
    if (!content) return;
    content.restore?.();
    this.#showTab();
    // Its newest line is the last one.
    if (tab.key === "log") content.node.scrollIntoView({ block: "nearest" });
  }

  #togglePause() {
    const { content } = this.tabs;
    if (this.scrubber) this.scrubber.toggle();
    else if (content?.togglePause) content.togglePause();
    else if (this.#selection) this.#resume();
    else this.#select(pausedNow(this.answer, this.history));
  }

  #resume() {
    this.#select(null);
    if (this.view.from !== null) this.go({ from: null, to: null });
  }

  #applyRange() {
    const { from, to } = this.view;
    const isKnown = this.answer && isAnswerFor(this.answer, this.view);
    if (from !== null && !isKnown && this.answer?.Replay) this.#select(movedTo(from, to, this.#selection, this.answer, this.history));
    else if (from !== null) this.#select(selectedRange(this.history, from, to, isKnown ? this.answer : null));
    else if (this.#selection?.from !== undefined) this.#select(null);
  }

  #select(selection) {
    if (!this.answer) return;
    this.#selection = selection;
    const range = selection?.from === undefined ? null : selection;
    showSelection(selection, { isReplay: Boolean(this.answer.Replay) });
    this.timeline.select(range);
    this.time.select(range);
    this.#showScope();
    this.#showTab();
  }
}

export const page = new Dashboard();
