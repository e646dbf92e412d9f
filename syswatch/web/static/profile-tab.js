// The tab of the seccomp profile that the program needs so far: the answer, each rule with its reasons, and files.

import { callLink } from "./cells.js";
import { el, setHidden, write } from "./dom.js";
import { save } from "./downloads.js";
import { FilteredTab } from "./filtered-tab.js";
import { amount, dash } from "./listing.js";
import { moment } from "./numbers.js";
import { Refresher } from "./refresher.js";

// Nothing new for some seconds is no news, and a large profile takes the server some time.
const PERIOD_MS = 3000;
const MOST_DANGERS = 5;
const OF_ALL = "The profile is that of all processes: a filter is inherited by the children of a process.";
const LEVELS = [
  { key: "exact", title: "Exact", about: "Only what was seen, and what every program needs" },
  { key: "default", title: "Default", about: "Also what other versions of the C library call instead, and calls on errors" },
  { key: "broad", title: "Broad", about: "Also what the loaded libraries are likely to call, fewer limits on arguments, and other architectures of the machine" },
];
const INITIAL = "default";

export class ProfileTab extends FilteredTab {
  #dashboard = null;
  #refresher = new Refresher({ periodMs: PERIOD_MS, onAnswer: (answer) => this.#show(answer), onError: (error) => this.#fail(error) });

  constructor(page) {
    super(page, { tab: "profile", what: "rules", caption: "Rules of the profile", columns: COLUMNS, sort: "First", keyOf: ({ key }) => key, none: "No call was seen" });
    this.verdict = el("p", { class: "verdict", role: "status" }, "Reading…");
    this.newest = el("p", { class: "long" });
    this.about = el("p", { class: "long dim" });
    this.dangers = el("ul", { class: "sentences", "aria-label": "What weakens the sandbox" });
    this.notes = el("ul", { class: "sentences", "aria-label": "What to know of this profile" });
    this.error = el("p", { class: "empty failing", role: "alert", hidden: true });
    this.levels = el("span", { class: "segments", role: "group", "aria-label": "What is permitted" }, ...LEVELS.map(({ key, title, about }) =>
      el("button", { type: "button", value: key, title: about, onclick: () => page.go({}, { kinds: new Set(key === INITIAL ? [] : [key]) }) }, title)));
    this.files = el("div", { class: "profile-files", role: "group", "aria-label": "Download" });
    this.losses = el("details", { hidden: true }, el("summary", { class: "dim" }, "▲ What some formats cannot express"), el("ul"));
    this.saved = el("p", { class: "long failing", role: "alert" });
    this.tools = [this.filter, this.levels];
    this.found = el("div", {}, this.verdict, this.newest, this.about, this.dangers, this.notes, this.files, this.losses, this.saved, this.node);
    this.node = el("div", { class: "profile-page" }, this.error, this.found);
  }

  restore() {
    super.restore();
    this.#mark();
  }

  update({ answer }) {
    this.#dashboard = answer;
    this.#mark();
    this.#refresher.want(`profile/summary?level=${this.#level}`, answer);
  }

  items({ Rules }) { return Rules; }

  words({ Call, With, Programs, why, Dangers }) { return `${Call} ${With} ${Programs.join(" ")} ${why} ${Dangers.length ? "weakens" : ""}`; }

  describe() { return ""; }

  get #level() { return LEVELS.find(({ key }) => this.order.kinds.has(key))?.key ?? INITIAL; }

  #mark() {
    for (const button of this.levels.children) button.setAttribute("aria-pressed", String(button.value === this.#level));
  }

  #fail(error) {
    setHidden(this.error, false);
    setHidden(this.found, Boolean(error.status));
    write(this.error, error.status ? error.message : "The server cannot be reached.");
  }

  #show(answer) {
    const { Verdict, Newest, About, Level, Notes, Rules, Formats } = answer;
    setHidden(this.error, true);
    setHidden(this.found, false);
    write(this.verdict, Verdict);
    write(this.newest, Newest);
    const { title, about } = LEVELS.find(({ key }) => key === Level);
    write(this.about, `${About} ${title}: ${about[0].toLowerCase()}${about.slice(1)}.`);
    this.dangers.replaceChildren(...listed(dangersOf(Rules)));
    const notes = this.page.view.pid ? [OF_ALL, ...Notes] : Notes;
    this.notes.replaceChildren(...notes.map((note) => el("li", { class: "long" }, `Note: ${note}`)));
    if (this.files.dataset.shown !== JSON.stringify(Formats)) this.#offer(Formats);
    this.answer = { Rules: Rules.map(asItem), Status: this.#dashboard.Status };
    this.render();
  }

  /** Offer the formats, and tell what each of them leaves out. */
  #offer(formats) {
    this.files.dataset.shown = JSON.stringify(formats);
    this.files.replaceChildren(el("span", { class: "dim" }, "Download"), ...formats.map(({ Name, Title, FileName, Losses }) => el("button", {
      type: "button", class: "small", title: Losses.join("\n") || null,
      onclick: () => save(`api/profile?${new URLSearchParams({ format: Name, level: this.#level })}`, FileName, this.saved),
    }, Losses.length ? `${Title} ▲` : Title)));
    const lossy = formats.filter(({ Losses }) => Losses.length);
    setHidden(this.losses, !lossy.length);
    this.losses.lastChild.replaceChildren(...lossy.map(({ Title, Losses }) => el("li", { class: "long" }, el("b", {}, Title), `: ${Losses.join("; ")}`)));
  }
}

/** A rule with a key and its reasons in words. */
function asItem(rule) {
  const { Call, With, Effect, Reasons, Programs } = rule;
  const made = Programs.length ? [`made by ${Programs.join(", ")}`] : [];
  return { ...rule, key: `${Call} ${With} ${Effect}`, why: [...(Effect ? [Effect] : []), ...made, ...Reasons].join("; ") };
}

/** Each reason why a call weakens the sandbox, once. */
function dangersOf(rules) {
  return [...new Map(rules.flatMap(({ Call, Dangers }) => Dangers.map((why) => [`${Call} ${why}`, { Call, why }]))).values()];
}

function listed(dangers) {
  const items = dangers.slice(0, MOST_DANGERS).map(({ Call, why }) => el("li", { class: "long" }, el("b", { class: "slow" }, `▲ ${Call}`), ` weakens the sandbox: ${why}`));
  const rest = dangers.length - MOST_DANGERS;
  return rest > 0 ? [...items, el("li", { class: "dim" }, `${rest} more; filter by “weakens” to see them`)] : items;
}

const COLUMNS = [
  { key: "Call", title: "Call", wide: true, value: ({ Call }) => Call, cell: ({ Call }) => callLink(Call) },
  { key: "With", title: "With", wide: true, className: "what", value: ({ With }) => With, cell: ({ With }) => With },
  { key: "Count", title: "Seen", about: "How often it was seen; a dash if it was added", value: ({ Count }) => Count, cell: ({ Count }) => amount(Count) },
  { key: "First", title: "First seen", about: "When it was first seen, the newest first", className: "code", value: ({ First }) => First, cell: ({ First }) => First ? el("span", { title: First }, moment(First, 3)) : dash() },
  { key: "Why", title: "Why", wide: true, className: "what why", value: ({ why }) => why, cell: whyOf },
];

function whyOf({ why, Dangers }) {
  return el("span", {}, why, ...Dangers.map((danger) => el("span", { class: "slow", title: danger }, `${why ? "; " : ""}▲ weakens the sandbox`)).slice(0, 1));
}
