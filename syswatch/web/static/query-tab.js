// The tab of queries: SQL and ready-made questions about a recording.

import { el, setHidden, write } from "./dom.js";
import { dash } from "./listing.js";
import { exact } from "./numbers.js";
import { SortedTable } from "./sorted-table.js";
import { ask } from "./timeline-data.js";

const ROWS = 1000;
const FIRST = "SELECT name, count(*) AS calls, sum(errors) AS errors, time_text(sum(duration)) AS time\nFROM calls GROUP BY name ORDER BY sum(duration) DESC";

export class QueryTab {
  tools = [];
  #questions = null;
  #chosen = null;
  #isLoading = false;

  constructor(page) {
    this.page = page;
    this.view = page.view.table("query", {});
    this.buttons = el("div", { class: "pills", role: "group", "aria-label": "Ready-made questions" });
    this.sql = el("textarea", { id: "query-sql", rows: "6", "aria-label": "Query in SQL", spellcheck: "false", autocomplete: "off", onkeydown: (event) => this.#key(event) });
    this.sql.value = FIRST;
    this.values = el("div", { class: "query-values" });
    this.run = el("button", { class: "primary", title: "Run (Ctrl+Enter)" }, "Run");
    this.limits = el("span", { class: "dim" });
    this.form = el("form", { class: "query-form", onsubmit: (event) => { event.preventDefault(); this.#run(); } },
      this.buttons, this.sql, this.values, el("div", { class: "query-run" }, this.run, this.limits));
    this.about = el("details", { class: "query-about" }, el("summary", {}, "Views and columns"));
    this.error = el("p", { class: "empty failing", role: "alert", hidden: true });
    this.answer = el("p", { class: "verdict", role: "status" });
    this.table = el("div");
    this.node = el("div", { class: "query-page" }, this.form, this.about, this.error, this.answer, this.table);
  }

  /** Show the query of the address; it is run by hand only. */
  restore() {
    const { filter } = this.view;
    if (filter && filter !== this.sql.value) { this.sql.value = filter; this.#choose(null); }
  }

  async update() {
    if (this.#questions || this.#isLoading) return;
    this.#isLoading = true;
    try { this.#show(await ask("questions")); } catch (error) { this.#fail(error); }
    this.#isLoading = false;
  }

  #show({ Questions, Views, MostSeconds, MostMemory }) {
    this.#questions = Questions;
    this.#fail(null);
    this.buttons.replaceChildren(...Questions.map((each) => el("button", {
      type: "button", class: "pill", title: each.Title, "aria-pressed": "false", "data-name": each.Name,
      onclick: () => { this.#choose(each); this.#run(); },
    }, each.Name.replaceAll("-", " "))));
    write(this.answer, "Choose a question, or write a query: it is answered from every call of the whole recording.");
    write(this.limits, `Read-only; at most ${MostSeconds} s, ${MostMemory.replace(/(\d)(?=\D)/, "$1 ")} of memory and ${exact(ROWS)} rows`);
    this.about.append(el("dl", {}, ...Views.flatMap(({ Name, Meaning, Columns }) => [
      el("dt", {}, el("code", {}, Name), ` ${Meaning}`), el("dd", { class: "dim code" }, Columns.join(", ")),
    ])));
  }

  /** Show a ready-made question with its parameters, or a query without any. */
  #choose(question) {
    this.#chosen = question;
    for (const button of this.buttons.children) button.setAttribute("aria-pressed", String(button.dataset.name === question?.Name));
    if (question) this.sql.value = question.SQL;
    this.values.replaceChildren(...(question?.Parameters ?? []).map(({ Name, Default, Meaning }) => el("label", { title: Meaning }, `${Name} `,
      el("input", { name: Name, value: String(Default), autocomplete: "off", spellcheck: "false" }), el("span", { class: "dim" }, ` ${Meaning}`))));
  }

  #key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.#run();
  }

  #query() {
    const query = new URLSearchParams({ limit: ROWS });
    // What has been changed is a query of its own.
    if (this.#chosen && this.sql.value.trim() !== this.#chosen.SQL) this.#choose(null);
    if (this.#chosen) query.set("ask", this.#chosen.Name);
    else query.set("sql", this.sql.value);
    for (const { name, value } of this.values.querySelectorAll("input")) query.append("set", `${name}=${value}`);
    return query;
  }

  async #run() {
    if (this.run.disabled) return;
    const query = this.#query();
    this.view.filter = this.#chosen ? "" : this.sql.value;
    this.page.view.keep();
    this.run.disabled = true;
    write(this.run, "Running…");
    try {
      this.#answer(await ask(`query?${query}`));
      this.#fail(null);
    } catch (error) { this.#fail(error); }
    this.run.disabled = false;
    write(this.run, "Run");
  }

  #fail(error) {
    setHidden(this.error, !error);
    setHidden(this.table, Boolean(error));
    setHidden(this.answer, Boolean(error));
    setHidden(this.form, error?.status === 404);
    setHidden(this.about, error?.status === 404);
    if (!error) return;
    write(this.error, error.status ? error.message : "The server cannot be reached.");
    const [, line, column] = /line (\d+), column (\d+)/.exec(error.message) ?? [];
    if (line) this.#point(Number(line), Number(column));
  }

  /** Put the cursor where the mistake is. */
  #point(line, column) {
    const before = this.sql.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.sql.focus();
    this.sql.setSelectionRange(before + column - 1, before + column);
  }

  #answer({ Answer, Columns, Rows, HasMore }) {
    const words = `${exact(Rows.length)} ${Rows.length === 1 ? "row" : "rows"}${HasMore ? "; there are more" : ""}`;
    write(this.answer, Answer ? `${Answer} (${words})` : words);
    const items = Rows.map((row, index) => ({ index, row }));
    const columns = [
      { key: "#", title: "#", value: ({ index }) => index, cell: ({ index }) => el("span", { class: "dim" }, String(index + 1)) },
      ...Columns.map((title, place) => ({
        key: `${place} ${title}`, title, wide: Rows.some((row) => typeof row[place] === "string"), className: "code",
        value: ({ row }) => row[place] ?? "", cell: ({ row }) => shown(row[place]),
      })),
    ];
    const order = { sort: "#", downwards: false };
    const table = new SortedTable("Answer", columns, { order, keyOf: ({ index }) => index, onSort: () => {}, className: "query", hint: "sort to see others" });
    table.update(items);
    this.table.replaceChildren(...(Rows.length ? [table.node] : []));
  }
}

function shown(value) {
  if (value === null) return dash();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
