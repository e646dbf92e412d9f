// The summary cards of the dashboard.

import { notIdle } from "./columns.js";
import { el, setClass, setTitle, write, writeQuantity } from "./dom.js";
import { count, duration, exact, rate, share, text } from "./numbers.js";
import { MOSTLY_FAILING } from "./registry.js";
import { drawSparkline, sparkline } from "./sparkline.js";

export class Cards {
  constructor(host) {
    this.cards = Object.fromEntries(["calls", "rate", "errors", "unique", "time"].map((key) => {
      const figure = el("b");
      const label = el("span", { class: "label" });
      const item = el("li", { class: `card-${key}` }, figure, label);
      host.append(item);
      return [key, { item, figure, label }];
    }));
    this.spark = sparkline(120, 20);
    this.cards.rate.item.insertBefore(this.spark, this.cards.rate.label);
  }

  update({ PID, Status, Stats: rows, ExactRange, Time }, history) {
    const status = PID || ExactRange ? { ...Status, ...totals(rows) } : Status;
    this.#show("calls", count(status.Total), "calls", `${exact(status.Total)} calls`);
    this.#showRate(status, ExactRange && (Time.ToMs - Time.FromMs) / 1000);
    drawSparkline(this.spark, history.totals());
    const failed = status.Total ? status.Errors / status.Total : 0;
    this.#show("errors", status.Errors ? share(failed) : none(), status.Errors ? "of calls failed" : "no errors", `${exact(status.Errors)} failed calls`);
    setClass(this.cards.errors.figure, failed >= MOSTLY_FAILING ? "failing" : "");
    this.#show("unique", count(status.Unique), "distinct calls", "");
    this.#showTime(rows);
  }

  /** The calls per second, on average if a recorded range of so many seconds is shown. */
  #showRate({ Total, Rate, Done }, seconds) {
    if (seconds) this.#show("rate", rate(Total / seconds), "on average", "");
    else this.#show("rate", Done ? none() : rate(Rate), Done ? "ended" : "now", "");
  }

  #showTime(rows) {
    const isKnown = rows.some(notIdle);
    const spent = (row) => isKnown ? notIdle(row) : row.TotalTime;
    const whole = rows.reduce((sum, row) => sum + spent(row), 0);
    const longest = rows.reduce((most, row) => spent(row) > (most ? spent(most) : 0) ? row : most, null);
    if (!longest) return this.#show("time", none(), "no durations", "");
    const label = `of the ${isKnown ? "busy " : ""}time in calls (${text(duration(whole))}): ${longest.Name}`;
    return this.#show("time", share(spent(longest) / whole), label, `${exact(spent(longest))} ns`);
  }

  #show(key, figure, label, title) {
    const card = this.cards[key];
    writeQuantity(card.figure, figure);
    write(card.label, label);
    setTitle(card.item, title);
  }
}

/** The totals of one process. */
function totals(rows) {
  const sum = (key) => rows.reduce((whole, row) => whole + row[key], 0);
  return { Total: sum("Count"), Errors: sum("Errors"), Unique: rows.length, Rate: sum("Rate") };
}

const none = () => ({ value: "–", unit: "" });
