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
    this.notes = el("p", { class: "notes" });
    this.reading = el("p", { class: "empty dim" });
    this.listing = new Listing("The ledger", [
      { title: "Entry", wide: true, cell: (entry) => entry.words },
      { title: "Number", cell: (entry) => entry.number ? el("b", { class: entry.isInexact ? "slow" : "" }, exact(entry.number)) : el("span", { class: "dim" }, "0") },
    ], "ledger");
    this.node = el("div", { class: "ledger-page" }, this.verdict, this.notes, this.listing.node, this.reading);
  }

  update({ answer: { Fidelity: fidelity } }) {
    write(this.verdict, fidelity.Verdict);
    setClass(this.verdict, `verdict ${fidelity.Exact ? "fine" : "slow"}`);
    write(this.notes, fidelity.Explanations.map((note) => `Noted: ${note}.`).join(" "));
    this.listing.update(Object.entries(fidelity.Ledger).map(([name, number]) => ({ words: spoken(name), number, isInexact: name in fidelity.Inexact })));
    const { Lines, Records, Halves, Notes } = fidelity.Reading;
    write(this.reading, Lines
      ? `${exact(Lines)} lines were read: ${exact(Records)} whole calls, ${exact(Halves)} halves of calls, ${exact(Notes)} notes such as signals and exits.`
      : "");
  }
}

const spoken = (name) => name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
