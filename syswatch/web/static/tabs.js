// Tabs; arrow keys move between them.

import { byId, el } from "./dom.js";

export class Tabs {
  constructor(tabs, first, onOpen) {
    Object.assign(this, { tabs, onOpen });
    this.buttons = tabs.map((tab, index) => el("button", {
      type: "button", role: "tab", id: `tab-${tab.key}`, "aria-controls": "panel",
      onclick: () => this.open(index), onkeydown: (event) => this.#move(event, index),
    }));
    tabs.forEach((tab) => this.flag(tab.key, ""));
    byId("tabs").append(...this.buttons);
    this.open(Math.max(tabs.findIndex((tab) => tab.key === first), 0));
  }

  openKey(key) {
    this.open(this.tabs.findIndex((tab) => tab.key === key));
  }

  open(index) {
    if (!this.tabs[index]) return;
    this.current = this.tabs[index];
    this.buttons.forEach((button, at) => {
      button.setAttribute("aria-selected", String(at === index));
      button.tabIndex = at === index ? 0 : -1;
    });
    byId("tools").replaceChildren(...this.current.tools);
    const panel = byId("panel");
    panel.setAttribute("aria-labelledby", `tab-${this.current.key}`);
    panel.replaceChildren(this.current.node);
    this.onOpen(this.current);
  }

  /** Show a sign after the title of a tab. */
  flag(key, sign) {
    const index = this.tabs.findIndex((tab) => tab.key === key);
    const label = `${this.tabs[index].title}${sign ? ` ${sign}` : ""}`;
    const button = this.buttons[index];
    if (button.dataset.label === label) return;
    button.dataset.label = label;
    button.textContent = label;
  }

  #move(event, index) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (index + step + this.tabs.length) % this.tabs.length;
    this.open(next);
    this.buttons[next].focus();
  }
}
