// The dashboard: one question a second, and everything that is shown of its answer.

import { showAlerts } from "./alerts.js";
import { ApiTab } from "./api-tab.js";
import { CallsTab } from "./calls-tab.js";
import { CategoriesTab } from "./categories-tab.js";
import { byId } from "./dom.js";
import { FilesTab } from "./files-tab.js";
import { freezeMoment, freezeRange, showFrozen } from "./freeze.js";
import { Cards, showHeader, showNotices } from "./header.js";
import { showHelp } from "./help.js";
import { History, isAnotherTrace } from "./history.js";
import { listenForKeys } from "./keys.js";
import { LedgerTab } from "./ledger-tab.js";
import { Link } from "./link.js";
import { LogTab } from "./log-tab.js";
import { address } from "./place.js";
import { Poller } from "./poll.js";
import { ProcessesTab } from "./processes-tab.js";
import { Tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";
import { keepView, restoredView } from "./view.js";

class Dashboard {
  #answer = null;
  #frozen = null;
  #wasDone = false;

  constructor() {
    this.view = restoredView();
    this.history = new History();
    this.link = new Link(() => this.#showLink());
    this.poller = new Poller(() => this.#question(), (answer) => this.#take(answer), (trouble) => this.link.set(trouble));
    this.cards = new Cards(byId("cards"));
    this.timeline = new Timeline({ onSelect: (from, to) => this.#freeze(freezeRange(this.history, from, to)) });
    this.log = new LogTab();
    this.calls = new CallsTab(this.view, () => this.poller.now());
    this.tabs = new Tabs(
      [this.calls, this.log, new FilesTab(), new ProcessesTab(), new CategoriesTab(), new ApiTab(), new LedgerTab()],
      this.view.tab, (tab) => this.#opened(tab));
    listenForKeys({ tabs: this.tabs, onFreeze: () => this.#toggle() });
    byId("frozen").addEventListener("click", () => this.#freeze(null));
    byId("help-button").addEventListener("click", () => showHelp());
    byId("exact").addEventListener("click", () => this.tabs.openKey("ledger"));
    this.poller.now();
  }

  #question() {
    const { pid } = this.view;
    const { parts } = this.tabs.current;
    const query = new URLSearchParams();
    // While a log is being read its seconds fill in any order; so each answer tells all of them.
    if (this.history.since && !this.#fillsAnyhow()) query.set("since", this.history.since);
    if (parts.length) query.set("with", parts.join(","));
    if (pid) query.set("pid", pid);
    return address(`api/dashboard?${query}`);
  }

  #fillsAnyhow() {
    const { Reading, Done } = this.#answer.Status;
    return (Reading?.TotalBytes != null && !Done) || (Done && !this.#wasDone);
  }

  #take(answer) {
    if (this.#answer && isAnotherTrace(this.#answer.Status, answer.Status)) return this.#beginAnew();
    if (!this.#answer && !this.calls.knows(answer.Tables)) return this.calls.showAll();
    const whole = !this.#answer || this.#fillsAnyhow();
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
    showHeader(answer.Status, this.link);
    showNotices(answer.Status, answer.Fidelity, this.link);
    this.cards.update(answer, this.history);
    this.timeline.update(this.history, { done: answer.Status.Done, lostS: 0 });
    const calm = answer.Status.Total ? "Nothing stands out. Calls that fail or wait do so as is usual for them." : "Nothing has happened yet.";
    showAlerts(byId("alerts"), answer.Alerts, calm, byId("alerts-count"));
    this.tabs.flag("ledger", answer.Fidelity.Exact ? "✓" : "▲");
    this.#showTab();
  }

  #showTab() {
    if (this.#answer) this.tabs.current.update({ answer: this.#answer, history: this.history, frozen: this.#frozen });
  }

  #showLink() {
    document.body.classList.toggle("lost", Boolean(this.link.trouble));
    if (!this.#answer) return showNotices({}, null, this.link);
    showHeader(this.#answer.Status, this.link);
    showNotices(this.#answer.Status, this.#answer.Fidelity, this.link);
    return this.timeline.update(this.history, { done: this.#answer.Status.Done, lostS: this.link.lostS });
  }

  #opened(tab) {
    this.view.tab = tab.key;
    keepView(this.view);
    if (!this.tabs) return;
    this.#showTab();
    // Its newest line is its last one, which would be below the window.
    if (tab === this.log) tab.node.scrollIntoView({ block: "nearest" });
    if (tab.parts.length) this.poller.now();
  }

  #toggle() {
    if (this.tabs.current === this.log) this.log.togglePause();
    else this.#freeze(this.#frozen ? null : freezeMoment(this.#answer, this.history));
  }

  #freeze(frozen) {
    if (!this.#answer) return;
    this.#frozen = frozen;
    showFrozen(frozen);
    this.timeline.select(frozen?.from === undefined ? null : frozen);
    this.#showTab();
  }
}

new Dashboard();
