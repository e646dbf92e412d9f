// The tab of the API: every endpoint of this server, with a way to try it.

import { el, write } from "./dom.js";
import { address } from "./place.js";
import { authorisation } from "./token.js";

const MOST_SHOWN = 20_000;
// What answers at once, and with words: no stream, no profile that takes half a minute.
const CAN_BE_TRIED = /^\/(api|healthz|readyz|metrics|debug\/goroutines)/;

export class ApiTab {
  key = "api";
  title = "API";
  parts = [];
  tools = [];
  #loaded = false;

  constructor() {
    this.list = el("ul", { class: "endpoints" });
    this.note = el("p", { class: "empty dim" }, "Asking for the list of endpoints…");
    this.node = el("div", {}, this.note, this.list);
  }

  /** The list is that of the running server, and does not change: it is asked for once. */
  async update({ answer }) {
    this.example = answer.Stats[0]?.Name ?? "openat";
    if (this.#loaded) return;
    this.#loaded = true;
    try {
      const response = await fetch(address("api?per_page=100"), { headers: authorisation() });
      const { items } = await response.json();
      this.list.replaceChildren(...items.filter((item) => !item.path.startsWith("/static")).map((item) => this.#endpoint(item)));
      this.note.hidden = true;
    } catch {
      this.#loaded = false;
    }
  }

  #endpoint({ path, method, description }) {
    const target = address(path.replace("{name}", this.example).slice(1));
    const output = el("pre", { class: "output", hidden: true, tabindex: "0" });
    const button = el("button", { type: "button", class: "small", "aria-expanded": "false", onclick: () => this.#try(target, output, button) }, "try it");
    return el("li", {},
      el("span", { class: "dim" }, method),
      el("a", { href: target, class: "code", target: "_blank", rel: "noopener" }, path),
      el("span", { class: "about" }, description), CAN_BE_TRIED.test(path) ? button : el("span"), output);
  }

  async #try(target, output, button) {
    output.hidden = !output.hidden;
    button.setAttribute("aria-expanded", String(!output.hidden));
    write(button, output.hidden ? "try it" : "close");
    if (output.hidden) return;
    write(output, "…");
    try {
      const began = performance.now();
      const response = await fetch(target, { headers: authorisation(), cache: "no-store" });
      const body = await response.text();
      const took = Math.round(performance.now() - began);
      write(output, `HTTP ${response.status} · ${body.length} characters · ${took} ms\n\n${readable(body)}`);
    } catch (error) {
      write(output, error.message);
    }
  }
}

function readable(body) {
  let words = body;
  try { words = JSON.stringify(JSON.parse(body), null, 2); } catch { /* It is no JSON. */ }
  return words.length > MOST_SHOWN ? `${words.slice(0, MOST_SHOWN)}\n… cut here` : words;
}
