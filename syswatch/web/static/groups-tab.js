// The tab of groups: containers, pods, units or processes with the same name.

import { time } from "./cells.js";
import { el, quantity, write } from "./dom.js";
import { FilteredTab } from "./filtered-tab.js";
import { amount, dash } from "./listing.js";
import { rate, share } from "./numbers.js";

const number = (key, title, cell, more = {}) => ({ key, title, className: "number-cell", value: (each) => each[key], cell: (each) => cell(each[key]), ...more });

const COLUMNS = [
  { key: "Name", title: "Group", wide: true, className: "name-cell", value: (each) => each.Name, cell: (each) => el("b", { title: aboutOf(each) }, each.Name) },
  { key: "Kind", title: "Kind", wide: true, minor: true, value: (each) => each.Kind, cell: (each) => el("span", { class: "dim" }, each.Kind) },
  number("Count", "Calls", amount),
  number("Share", "Share", (part) => quantity(share(part)), { about: "Its part of all calls" }),
  number("Rate", "Rate", (value) => value ? quantity(rate(value)) : dash()),
  number("Errors", "Errors", amount),
  number("TotalTime", "Time in calls", time),
  number("Waiting", "Waiting", time),
  number("P95", "P95", time),
  number("P99", "P99", time, { minor: true }),
  number("Lives", "Lives", amount, { minor: true, about: "How many control groups had this name" }),
];

export class GroupsTab extends FilteredTab {
  constructor(page) {
    super(page, {
      tab: "groups", what: "groups", caption: "Groups of processes", columns: COLUMNS, sort: "Count",
      keyOf: ({ Key }) => Key, none: "Groups are not told apart: use --by",
    });
    this.verdict = el("p", { class: "verdict", role: "status" });
    this.node.prepend(this.verdict);
  }

  update(shown) {
    super.update(shown);
    write(this.verdict, this.answer?.Groups.Verdict ?? "");
  }

  items(answer) { return answer.Groups?.Groups; }

  words(each) { return `${each.Name} ${each.Kind} ${each.Path} ${each.ID} ${labelsOf(each)}`; }

  describe() {
    const { Number, Groups } = this.answer.Groups;
    return Number > Groups.length ? `These are the ${Groups.length} busiest; /api/groups has all of them.` : "";
  }
}

const labelsOf = ({ Labels }) => Object.entries(Labels).map(([name, value]) => `${name}=${value}`).join(" ");

/** Everything else that is known of a group. */
const aboutOf = (each) => [each.Runtime, each.ID, each.Path, labelsOf(each)].filter(Boolean).join("\n");
