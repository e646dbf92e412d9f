// As much of a browser's DOM as the table and the polling need; imported for its side effects.

class Stub {
  constructor(tag = "") {
    Object.assign(this, { tag, attributes: {}, listeners: {}, children: [], dataset: {}, hidden: false, parentNode: null, text: "", title: "" });
    this.style = { properties: {}, setProperty: (name, value) => { this.style.properties[name] = value; } };
    this.classList = { names: new Set(), toggle: (name, on) => this.classList.names[on ? "add" : "delete"](name) };
  }

  get nodeType() { return this.tag ? 1 : 3; }
  get data() { return this.text; }
  set data(value) { this.text = value; }
  get firstChild() { return this.children[0] ?? null; }
  get nextSibling() { return null; }
  get textContent() { return this.text + this.children.map((child) => child.textContent).join(""); }
  set textContent(value) { this.replaceChildren(value); }
  get options() { return this.children; }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }

  getAttribute(name) { return this.attributes[name] ?? null; }
  addEventListener(kind, listener) { (this.listeners[kind] ??= []).push(listener); }
  dispatch(kind, event = {}) { for (const listener of this.listeners[kind] ?? []) listener({ target: this, ...event }); }
  append(...nodes) {
    for (const node of nodes) {
      const child = node instanceof Stub ? node : Object.assign(new Stub(), { text: String(node) });
      child.parentNode = this;
      this.children.push(child);
    }
  }

  replaceChildren(...nodes) {
    this.children = [];
    this.append(...nodes);
  }

  remove() {
    if (this.parentNode) this.parentNode.children = this.parentNode.children.filter((child) => child !== this);
    this.parentNode = null;
  }

  contains(node) { return node === this || this.children.some((child) => child.contains(node)); }
  matches() { return false; }
  closest(selector) { return this.tag === selector ? this : this.parentNode?.closest(selector) ?? null; }
  focus() { document.activeElement = this; }
}

class Observer {
  observe() {}
  unobserve() {}
}

class Storage {
  #values = new Map();
  getItem(key) { return this.#values.get(key) ?? null; }
  setItem(key, value) { this.#values.set(key, String(value)); }
  clear() { this.#values.clear(); }
}

const document = new Stub("document");
Object.assign(document, {
  hidden: false, activeElement: null,
  createElement: (tag) => new Stub(tag),
  createElementNS: (_namespace, tag) => new Stub(tag),
  createTextNode: (text) => Object.assign(new Stub(), { text }),
});
const stubs = {
  document, Node: { TEXT_NODE: 3 }, IntersectionObserver: Observer,
  localStorage: new Storage(), sessionStorage: new Storage(), addEventListener: () => {},
  location: { pathname: "/", search: "" }, matchMedia: () => ({ matches: false }),
  history: {
    steps: 0,
    pushState(_state, _title, url) { this.steps += 1; this.replaceState(_state, _title, url); },
    replaceState: (_state, _title, url) => { location.search = url.slice(url.indexOf("?")); },
  },
};
// Newer versions of Node have a localStorage, which can only be replaced by a definition.
for (const [name, value] of Object.entries(stubs)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
