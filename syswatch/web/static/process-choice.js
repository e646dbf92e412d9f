// The choice of a process, to which all tabs are limited.

import { el, setHidden } from "./dom.js";

export class ProcessChoice {
  #shown = "";

  constructor(node, onChoice) {
    this.node = node;
    node.addEventListener("change", () => onChoice(Number(node.value)));
  }

  /** The list is not changed while it is open. */
  update(tables, pid) {
    setHidden(this.node, tables.length < 2 && !pid);
    const labels = ["All processes", ...tables.map((table) => `${table.PID} ${table.Comm}`)];
    const text = labels.join("\n");
    if (text !== this.#shown && (this.node !== document.activeElement || !this.#shown)) {
      this.#shown = text;
      const pids = [0, ...tables.map((table) => table.PID)];
      this.node.replaceChildren(...labels.map((label, index) => el("option", { value: pids[index] }, label)));
    }
    if (this.node.value !== String(pid)) this.node.value = String(pid);
  }
}
