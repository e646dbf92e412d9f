// The tab of the log: the newest calls as strace prints them.

import { el, setHidden, write } from "./dom.js";
import { copyText } from "./copy.js";
import { duration, exact, moment, text } from "./numbers.js";

const CLOSE_TO_END_PX = 40;

export class LogTab {
  #entries = [];
  #lines = [];
  #paused = false;
  #whenEmpty = "";

  constructor(page) {
    this.page = page;
    this.order = page.view.table("log", {});
    this.list = el("ol", { class: "log code", tabindex: "0", "aria-label": "Newest calls, newest last" });
    this.note = el("p", { class: "empty dim", hidden: true });
    this.node = el("div", {}, this.note, this.list);
    this.name = this.#field("log-filter", "/ name or argument");
    this.pid = this.#field("log-pid", "PID");
    this.errors = this.#toggle("Errors only", false, () => this.#render());
    this.waits = this.#toggle("Waits only", false, () => this.#render());
    this.follow = this.#toggle("Follow", true, () => this.#toEnd());
    this.pause = this.#toggle("Pause", false, (on) => { this.#paused = on; });
    this.copy = el("button", { type: "button", class: "small", onclick: () => this.#copy() }, "Copy as strace log");
    this.tools = [this.pause, this.follow, this.errors, this.waits, this.name, this.pid, this.copy];
    this.filter = this.name;
    this.name.addEventListener("input", () => { this.order.filter = this.name.value.trim(); page.view.keep(); });
    this.list.addEventListener("scroll", () => this.#scrolled());
  }

  restore() {
    if (this.name.value.trim() === this.order.filter) return;
    this.name.value = this.order.filter;
    this.#render();
  }

  update({ answer, frozen }) {
    if (this.#paused || !answer.Log) return;
    this.#take(answer.Log);
    this.#whenEmpty = answer.Status.Done ? "No calls" : "No data yet";
    if (frozen?.from !== undefined) this.#whenEmpty = "None of the newest calls took place in this range";
    this.#explain();
  }

  #explain() {
    setHidden(this.note, this.#lines.some((line) => !line.node.hidden));
    write(this.note, this.#lines.length ? "No matching calls" : this.#whenEmpty);
  }

  /** Pause or resume. */
  togglePause() { this.pause.click(); }

  #field(id, placeholder) {
    return el("input", {
      type: "search", id, placeholder, "aria-label": placeholder.replace("/ ", "Filter by "), autocomplete: "off",
      spellcheck: "false", oninput: () => this.#render(),
    });
  }

  #toggle(label, pressed, onChange) {
    const button = el("button", {
      type: "button", class: "small", "aria-pressed": String(pressed),
      onclick: () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        onChange(on);
      },
    }, label);
    return button;
  }

  /** Keep the lines that are shown already and append the new ones. */
  #take(entries) {
    const keys = entries.map(keyOf);
    const kept = overlap(this.#lines.map((line) => line.key), keys);
    const added = entries.slice(kept).map((entry, index) => ({ entry, key: keys[kept + index], node: lineOf(entry) }));
    const stay = kept ? this.#lines.slice(-kept) : [];
    for (const line of this.#lines.slice(0, this.#lines.length - stay.length)) line.node.remove();
    this.#lines = [...stay, ...added];
    this.#entries = entries;
    for (const line of added) line.node.hidden = !this.#matches(line.entry);
    this.list.append(...added.map((line) => line.node));
    if (added.length) this.#toEnd();
  }

  #render() {
    for (const line of this.#lines) line.node.hidden = !this.#matches(line.entry);
    this.#explain();
    this.#toEnd();
  }

  #matches(entry) {
    const filter = this.name.value.trim();
    const pid = this.pid.value.trim();
    if (isOn(this.errors) && !entry.Error) return false;
    if (isOn(this.waits) && !entry.Waited) return false;
    if (pid && String(entry.PID) !== pid) return false;
    return !filter || entry.Name.includes(filter) || entry.Args.includes(filter);
  }

  #toEnd() {
    if (isOn(this.follow)) this.list.scrollTop = this.list.scrollHeight;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.list;
    const atEnd = scrollHeight - scrollTop - clientHeight < CLOSE_TO_END_PX;
    if (!this.list.hidden) this.follow.setAttribute("aria-pressed", String(atEnd));
  }

  async #copy() {
    const shown = this.#entries.filter((entry) => this.#matches(entry));
    const done = await copyText(shown.map((entry) => `${straceLine(entry)}\n`).join(""));
    write(this.copy, done ? `Copied ${shown.length} lines` : "Copy failed");
    setTimeout(() => write(this.copy, "Copy as strace log"), 2000);
  }
}

const isOn = (button) => button.getAttribute("aria-pressed") === "true";
const keyOf = (entry) => `${entry.Time}|${entry.PID}|${entry.Name}|${entry.Args}|${entry.RetVal}`;

/** How many keys at the end of the old ones are at the start of the new ones. */
export function overlap(old, fresh) {
  const last = old.at(-1);
  for (let end = fresh.lastIndexOf(last); end >= 0; end = end ? fresh.lastIndexOf(last, end - 1) : -1) {
    const begin = old.length - 1 - end;
    if (begin >= 0 && old.slice(begin).every((key, index) => key === fresh[index])) return end + 1;
  }
  return 0;
}

function lineOf(entry) {
  return el("li", { class: entry.Error ? "failed" : "" },
    el("span", { class: "dim" }, moment(entry.Time, 6)),
    el("span", { class: "dim pid" }, entry.PID ? String(entry.PID) : ""),
    el("span", { class: "call" },
      el("b", {}, entry.Name), `(${entry.Args})`, el("span", { class: "dim" }, " = "), entry.RetVal,
      entry.Error ? el("span", { class: "failing" }, ` ${entry.Error}`) : "", tookOf(entry)));
}

/** How long a call took, and whether it waited. */
function tookOf({ Duration, Waited }) {
  if (Duration == null) return null;
  return el("span", { class: Waited ? "took waited" : "took", title: `${exact(Duration)} ns` }, `  ${text(duration(Duration))}${Waited ? " ◷ waited" : ""}`);
}

/** A line as `strace -f -ttt` writes it, which `syswatch stats` can read. */
export function straceLine({ Time, PID, Name, Args, RetVal, Error, Duration }) {
  const pid = PID ? `${PID} ` : "";
  const when = Time ? `${Math.floor(Date.parse(Time) / 1000)}.${Time.slice(20, 26)} ` : "";
  const took = Duration == null ? "" : ` <${(Duration / 1e9).toFixed(9)}>`;
  return `${pid}${when}${Name}(${Args}) = ${RetVal}${Error ? ` ${Error}` : ""}${took}`;
}
