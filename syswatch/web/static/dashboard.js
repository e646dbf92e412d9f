// The dashboard: one request per second, and everything that is shown of the answer.

import { showAlerts } from "./alerts.js";
import { ApiTab } from "./api-tab.js";
import { CallsTab } from "./calls-tab.js";
import { CategoriesTab } from "./categories-tab.js";
import { byId } from "./dom.js";
import { FilesTab } from "./files-tab.js";
import { Cards } from "./header.js";
import { SHORTCUTS } from "./help.js";
import { listenForKeys } from "./keys.js";
import { LedgerTab } from "./ledger-tab.js";
import { LivePage } from "./live-page.js";
import { LogTab } from "./log-tab.js";
import { ProcessesTab } from "./processes-tab.js";
import { pausedNow, selectedRange, showSelection } from "./selection.js";
import { Tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";
import { address } from "./urls.js";
import { keepView, restoredView } from "./view.js";

class Dashboard extends LivePage {
  #selection = null;

  constructor() {
    super(SHORTCUTS);
    this.view = restoredView();
    this.cards = new Cards(byId("cards"));
    this.timeline = new Timeline({ onSelect: (from, to) => this.#select(selectedRange(this.history, from, to)) });
    this.log = new LogTab();
    this.calls = new CallsTab(this.view, () => this.poller.now());
    this.tabs = new Tabs(
      [this.calls, this.log, new FilesTab(), new ProcessesTab(), new CategoriesTab(), new ApiTab(), new LedgerTab()],
      this.view.tab, (tab) => this.#opened(tab));
    listenForKeys({ tabs: this.tabs, onPause: () => this.#togglePause() });
    byId("frozen").addEventListener("click", () => this.#select(null));
    byId("exact").addEventListener("click", (event) => {
      event.preventDefault();
      this.tabs.openKey("ledger");
    });
    this.poller.now();
  }

  url() {
    const { pid } = this.view;
    const { parts } = this.tabs.current;
    const query = new URLSearchParams();
    if (this.since) query.set("since", this.since);
    if (parts.length) query.set("with", parts.join(","));
    if (pid) query.set("pid", pid);
    return address(`api/dashboard?${query}`);
  }

  /** A process chosen in another trace would hide everything. */
  accepts(answer) {
    if (this.calls.knows(answer.Tables)) return true;
    this.calls.showAll();
    return false;
  }

  show(answer) {
    this.cards.update(answer, this.history);
    showAlerts(byId("alerts"), answer.Alerts, answer.Status.Total ? "No alerts" : "No data yet", byId("alerts-count"));
    this.tabs.flag("ledger", answer.Fidelity.Exact ? "✓" : "▲");
    this.#showTab();
  }

  #showTab() {
    if (this.answer) this.tabs.current.update({ answer: this.answer, history: this.history, frozen: this.#selection });
  }

  #opened(tab) {
    this.view.tab = tab.key;
    keepView(this.view);
    // The constructor of the tabs opens the first one.
    if (!this.tabs) return;
    this.#showTab();
    // The newest line of the log is the last one, which may be below the window.
    if (tab === this.log) tab.node.scrollIntoView({ block: "nearest" });
    if (tab.parts.length) this.poller.now();
  }

  #togglePause() {
    if (this.tabs.current === this.log) this.log.togglePause();
    else this.#select(this.#selection ? null : pausedNow(this.answer, this.history));
  }

  #select(selection) {
    if (!this.answer) return;
    this.#selection = selection;
    showSelection(selection);
    this.timeline.select(selection?.from === undefined ? null : selection);
    this.#showTab();
  }
}

export const page = new Dashboard();
