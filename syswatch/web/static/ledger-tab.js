// The tab of the ledger: what makes the numbers less than exact.

import { el, setClass, write } from "./dom.js";
import { Listing } from "./listing.js";
import { exact } from "./numbers.js";

export class LedgerTab {
  key = "ledger";
  title = "Ledger";
  parts = [];
  tools = [];

  constructor() {
    this.verdict = el("p", { class: "verdict" });
    this.reading = el("p", { class: "empty dim" });
    this.listing = new Listing("The ledger", [
      { title: "Entry", wide: true, cell: (entry) => entry.words },
      { title: "Number", cell: (entry) => entry.number ? el("b", { class: "slow" }, exact(entry.number)) : el("span", { class: "dim" }, "0") },
    ], "ledger");
    this.node = el("div", { class: "ledger-page" }, this.verdict, this.listing.node, this.reading);
  }

  update({ answer: { Fidelity: fidelity } }) {
    const notes = fidelity.Explanations.join("; ");
    const verdict = fidelity.Exact ? "✓ Every number is exact." : "▲ Not every number is exact.";
    write(this.verdict, notes ? `${verdict} ${notes}.` : verdict);
    setClass(this.verdict, `verdict ${fidelity.Exact ? "fine" : "slow"}`);
    this.listing.update(Object.entries(fidelity.Ledger).map(([name, number]) => ({ words: spoken(name), number })));
    const { Lines, Records, Halves, Notes } = fidelity.Reading;
    write(this.reading, Lines
      ? `${exact(Lines)} lines were read: ${exact(Records)} whole calls, ${exact(Halves)} halves of calls, ${exact(Notes)} notes such as signals and exits.`
      : "");
  }
}

const spoken = (name) => name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
