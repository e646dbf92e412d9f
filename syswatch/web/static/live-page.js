// The part that both live pages share: polling, history, status and connection.

import { Connection } from "./connection.js";
import { byId } from "./dom.js";
import { showHeader, showNotices } from "./header.js";
import { History, isAnotherTrace } from "./history.js";
import { Poller } from "./poll.js";

/** A subclass has a `timeline`, `url()` and `show(answer, { whole })`, maybe `begin(answer)` and `recovers(code)`. */
export class LivePage {
  answer = null;
  history = new History();
  #wasDone = false;

  constructor({ ofCall }) {
    this.connection = new Connection(() => this.showConnection());
    this.poller = new Poller(() => this.url(), (answer) => this.#take(answer), (trouble, code) => this.recovers?.(code) || this.connection.set(trouble));
    byId("help-button").addEventListener("click", async () => (await import("./help.js")).showHelp({ ofCall }));
  }

  /** The second after which history is missing; 0 if all of it is. */
  get since() {
    return this.#needsAllHistory() ? 0 : this.history.since;
  }

  /** While a log is read, any second may still change. */
  #needsAllHistory() {
    if (!this.answer) return true;
    const { Reading, Done } = this.answer.Status;
    return (Reading?.TotalBytes != null && !Done) || (Done && !this.#wasDone);
  }

  #take(answer) {
    if (this.answer && isAnotherTrace(this.answer.Status, answer.Status)) {
      this.#startOver();
      return;
    }
    if (!this.answer) this.begin?.(answer);
    const whole = this.#needsAllHistory();
    this.#wasDone = this.answer?.Status.Done ?? false;
    this.answer = answer;
    this.history.merge(answer.History, answer.Now, { done: answer.Status.Done, whole });
    this.showStatus();
    this.timeline.update(this.history, { done: answer.Status.Done, lostS: 0 });
    this.show(answer, { whole });
  }

  /** The answer is a continuation of another trace, so all of the new one is requested. */
  #startOver() {
    this.answer = null;
    this.history = new History();
    this.poller.refresh();
  }

  showStatus() {
    showHeader(this.answer.Status, this.connection);
    showNotices(this.answer.Status, this.answer.Fidelity ?? null, this.connection);
  }

  showConnection() {
    document.body.classList.toggle("lost", Boolean(this.connection.trouble));
    if (!this.answer) {
      showNotices({}, null, this.connection);
      return;
    }
    this.showStatus();
    this.timeline.update(this.history, { done: this.answer.Status.Done, lostS: this.connection.lostS });
  }
}
