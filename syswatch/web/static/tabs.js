// Tabs; arrow keys move between them.  The module of a tab is loaded when it is first opened.

import { byId, el } from "./dom.js";
import { address } from "./urls.js";

const NOT_LOADED = "This tab could not be loaded. Check the connection and open it again.";

export class Tabs {
  #made = new Map();

  /**
   * A tab is `{ key, title, parts, needs, isStyled, make, load }`. `make` returns its content, or `load` a promise of
   * the module with it. The title and the name of the class follow from the key, as `Now` and `NowTab` from `now`.
   */
  constructor(tabs, { page, onChoose, onOpen }) {
    Object.assign(this, { tabs, page, onChoose, onOpen });
    this.waiting = el("p", { class: "empty dim" });
    this.buttons = tabs.map((tab, index) => el("button", {
      type: "button", role: "tab", hidden: Boolean(tab.needs), id: `tab-${tab.key}`, "aria-controls": "panel",
      onclick: () => this.choose(index), onkeydown: (event) => this.#move(event, index),
    }));
    tabs.forEach((tab) => this.flag(tab.key, ""));
    byId("tabs").append(...this.buttons);
  }

  /** The content of the open tab, or null while it is loaded. */
  get content() {
    return this.#made.get(this.current.key) ?? null;
  }

  /** Open a tab by its key; the first one if there is no such tab. */
  openKey(key) {
    return this.#open(Math.max(this.tabs.findIndex((tab) => tab.key === key), 0));
  }

  /** Choose a tab by hand. */
  choose(index) {
    if (this.tabs[index]) this.onChoose(this.tabs[index].key);
  }

  async #open(index) {
    const tab = this.tabs[index];
    this.current = tab;
    this.buttons.forEach((button, at) => {
      button.setAttribute("aria-selected", String(at === index));
      button.tabIndex = at === index ? 0 : -1;
    });
    byId("panel").setAttribute("aria-labelledby", `tab-${tab.key}`);
    this.#fill();
    this.onOpen(tab);
    if (!this.content) await this.#load(tab);
  }

  async #load(tab) {
    this.waiting.textContent = "Loading…";
    try {
      const [module] = await Promise.all([tab.load?.(), tab.isStyled || loadStyle()]);
      this.#made.set(tab.key, tab.make?.() ?? new module[`${titleOf(tab)}Tab`](this.page));
    } catch {
      this.waiting.textContent = NOT_LOADED;
      return;
    }
    if (this.current !== tab) return;
    this.#fill();
    this.onOpen(tab);
  }

  #fill() {
    const { tools, node } = this.content ?? { tools: [], node: this.waiting };
    byId("tools").replaceChildren(...tools);
    byId("panel").replaceChildren(node);
  }

  /** Show the tabs that need something of an answer if it has that. */
  offer(answer) {
    this.tabs.forEach(({ needs }, index) => { if (needs) this.buttons[index].hidden = !answer[needs]; });
  }

  /** Show a sign after the title of a tab. */
  flag(key, sign) {
    const index = this.tabs.findIndex((tab) => tab.key === key);
    const tab = this.tabs[index];
    const label = `${tab.title ?? titleOf(tab)}${sign ? ` ${sign}` : ""}`;
    const button = this.buttons[index];
    if (button.dataset.label === label) return;
    button.dataset.label = label;
    button.textContent = label;
  }

  #move(event, index) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    let next = index;
    do next = (next + step + this.tabs.length) % this.tabs.length; while (this.buttons[next].hidden);
    this.choose(next);
    this.buttons[next].focus();
  }
}

const titleOf = ({ key }) => key[0].toUpperCase() + key.slice(1);

let style = null;

/** Load the style of the tabs that are loaded later, together with the first of them. */
export function loadStyle() {
  style ??= new Promise((resolve, reject) => {
    document.head.append(el("link", { rel: "stylesheet", href: address("static/tabs.css"), onload: resolve, onerror: reject }));
  }).catch((error) => {
    style = null;
    throw error;
  });
  return style;
}
