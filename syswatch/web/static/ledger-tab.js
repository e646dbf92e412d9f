// The tab of the ledger: what was lost or left out.

import { el, setClass, write } from "./dom.js";
import { Listing } from "./listing.js";
import { exact } from "./numbers.js";

export class LedgerTab {
  tools = [];

  constructor() {
    this.verdict = el("p", { class: "verdict" });
    this.notes = el("p", { class: "notes" });
    this.reading = el("p", { class: "empty dim" });
    this.listing = new Listing("Ledger", [
      { title: "Entry", wide: true, cell: (entry) => entry.label },
      { title: "Number", cell: (entry) => entry.number ? el("b", { class: entry.isInexact ? "slow" : "" }, exact(entry.number)) : el("span", { class: "dim" }, "0") },
    ], "ledger");
    this.node = el("div", { class: "ledger-page" }, this.verdict, this.notes, this.listing.node, this.reading);
  }

  update({ answer: { Fidelity: fidelity } }) {
    write(this.verdict, fidelity.Verdict);
    setClass(this.verdict, `verdict ${fidelity.Exact ? "fine" : "slow"}`);
    write(this.notes, fidelity.Explanations.map((note) => `Note: ${note}.`).join(" "));
    this.listing.update(Object.entries(fidelity.Ledger).map(([name, number]) => ({ label: spacedOut(name), number, isInexact: name in fidelity.Inexact })));
    const { Lines, Records, Halves, Notes } = fidelity.Reading;
    write(this.reading, Lines
      ? `${exact(Lines)} lines read: ${exact(Records)} complete calls, ${exact(Halves)} unfinished and resumed parts, ${exact(Notes)} other lines such as signals and exits`
      : "");
  }
}

const spacedOut = (name) => name.replaceAll(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
