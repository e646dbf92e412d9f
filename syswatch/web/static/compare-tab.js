// The tab of the comparison with baselines: the finding in words, all changes, and durations.

import { el, setHidden, write } from "./dom.js";
import { FilteredTab } from "./filtered-tab.js";
import { exact } from "./numbers.js";
import { overlaid } from "./overlaid.js";
import { Refresher } from "./refresher.js";
import { limitsOf } from "./selection.js";

// A comparison takes up to a second of the server.
const PERIOD_MS = 5000;
const MOST_ROWS = 500;
const MOST_SENTENCES = 12;
const MOST_NAMES = 3;

export class CompareTab extends FilteredTab {
  #dashboard = null;
  #refresher = new Refresher({ periodMs: PERIOD_MS, onAnswer: (answer) => this.#show(answer), onError: (error) => this.#fail(error) });

  constructor(page) {
    super(page, { tab: "compare", what: "changes", caption: "Changes", columns: COLUMNS, sort: "#", keyOf: ({ key }) => key, none: "" });
    this.verdict = el("p", { class: "verdict", role: "status" }, "Comparing…");
    this.limit = el("p", { class: "notes dim" });
    this.notes = el("ul", { class: "notes dim", "aria-label": "Notes" });
    this.sides = el("dl", { class: "sides" });
    this.sentences = el("ol", { class: "sentences", "aria-label": "Other changes" });
    this.error = el("p", { class: "empty failing", role: "alert", hidden: true });
    this.durations = el("section", { class: "compared-durations", hidden: true },
      el("h3", {}, "Durations of the calls whose time changed"),
      el("p", { class: "keys dim" }, el("span", { class: "before" }, "before"), el("span", { class: "after" }, "after"), "share of the calls by duration, on a logarithmic axis"),
      el("div", { class: "overlaid-grid" }));
    this.found = el("div", {}, this.verdict, this.limit, this.sides, this.sentences, this.node, this.durations, this.notes);
    this.node = el("div", { class: "compare-page" }, this.error, this.found);
  }

  update({ answer }) {
    this.#dashboard = answer;
    this.#refresher.want(this.#path(), answer);
  }

  items({ Changes, Rows }) {
    return Rows.map((row, index) => ({ ...row, index, change: Changes[index], key: `${row.Kind} ${row.Subject} ${row.Figure}` }));
  }

  words({ Kind, Subject, Figure, Change }) { return `${Kind} ${Subject} ${Figure} ${Change}`; }

  describe() {
    const { Rows, Total } = this.answer;
    return Total > Rows.length ? `The ${exact(Rows.length)} most important of ${exact(Total)} changes` : "";
  }

  #path() {
    const query = new URLSearchParams({ limit: MOST_ROWS });
    if (this.#dashboard.ExactRange && this.page.view.from !== null) {
      const [from, to] = limitsOf(this.page.view);
      query.set("from", from);
      query.set("to", to);
    }
    return `diff?${query}`;
  }

  #fail(error) {
    setHidden(this.error, false);
    setHidden(this.found, Boolean(error.status));
    write(this.error, error.status ? error.message : "The server cannot be reached.");
  }

  #show(answer) {
    setHidden(this.error, true);
    setHidden(this.found, false);
    const { Verdict, Findings, Running, Part, Notes, NotCompared, Before, After, Durations } = answer;
    write(this.verdict, Verdict);
    // That some changes cannot be known yet is the first note.
    const [limit, ...notes] = Running || Part ? Notes : ["", ...Notes];
    write(this.limit, limit && `${limit[0].toUpperCase()}${limit.slice(1)}.`);
    const said = new Set([...notes, ...NotCompared.map((what) => `not compared: ${what}`)]);
    this.notes.replaceChildren(...[...said].map((note) => el("li", { class: "long" }, `Note: ${note}.`)));
    this.sides.replaceChildren(...side("Before", Before), ...side("After", After));
    this.#list(Findings.slice(1));
    setHidden(this.durations, !Durations.length);
    this.durations.lastChild.replaceChildren(...Durations.map(overlaid));
    // Nothing else is known of the rows than what is listed.
    this.answer = { ...answer, Status: { Done: true } };
    this.render();
  }

  #list(findings) {
    const rest = findings.length - MOST_SENTENCES;
    const items = findings.slice(0, MOST_SENTENCES).map(({ Text }) => el("li", {}, Text));
    if (rest > 0) items.push(el("li", { class: "dim" }, `${exact(rest)} other ${rest === 1 ? "change" : "changes"} in the table`));
    this.sentences.replaceChildren(...items);
  }
}

const COLUMNS = [
  // The most important is the first, however the table is sorted by default.
  { key: "#", title: "#", minor: true, value: ({ index }) => -index, cell: ({ index }) => el("span", { class: "dim" }, String(index + 1)) },
  { key: "Kind", title: "Kind", wide: true, minor: true, className: "dim", value: ({ Kind }) => Kind, cell: ({ Kind }) => Kind },
  { key: "Subject", title: "What", wide: true, className: "what", value: ({ Subject }) => Subject, cell: ({ Subject, change }) => el("code", { title: change.Example ? `such as ${change.Example}` : null }, Subject) },
  { key: "Figure", title: "Figure", wide: true, value: ({ Figure }) => Figure, cell: ({ Figure }) => Figure },
  { key: "Before", title: "Before", value: ({ change }) => change.Before.Middle, cell: ({ Before }) => Before },
  { key: "After", title: "After", value: ({ change }) => change.After.Middle, cell: ({ After }) => After },
  { key: "Change", title: "Change", value: ({ change }) => change.Difference, cell: ({ Change, change }) => el("span", { class: change.Difference > 0 ? "slow" : "" }, Change) },
];

function side(title, runs) {
  const names = runs.slice(0, MOST_NAMES).map(({ Name }) => Name);
  if (runs.length > MOST_NAMES) names.push(`${exact(runs.length - MOST_NAMES)} more`);
  const several = runs.length > 1 ? `${exact(runs.length)} runs: ` : "";
  return [el("dt", { class: title.toLowerCase() }, title), el("dd", { class: "long" }, several + names.join(", "))];
}
