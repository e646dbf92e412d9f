// The API tab: all endpoints of this server, with a button to try them.

import { el, write } from "./dom.js";
import { address } from "./urls.js";
import { authorization } from "./token.js";

const MAX_SHOWN = 20_000;
// Endpoints that respond at once and with text: not the stream, and no profiles.
const CAN_BE_TRIED = /^\/(api|healthz|readyz|metrics|debug\/goroutines)/;

export class ApiTab {
  tools = [];
  #loaded = false;

  constructor() {
    this.list = el("ul", { class: "endpoints" });
    this.note = el("p", { class: "empty dim" }, "Loading…");
    this.node = el("div", {}, this.note, this.list);
  }

  /** The list does not change while the server runs, so it is requested once. */
  async update({ answer }) {
    this.example = answer.Stats[0]?.Name ?? "openat";
    if (this.#loaded) return;
    this.#loaded = true;
    try {
      const response = await fetch(address("api?per_page=100"), { headers: authorization() });
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
    const button = el("button", { type: "button", class: "small", "aria-expanded": "false", onclick: () => this.#try(target, output, button) }, "Try");
    const isRead = method === "GET";
    return el("li", {},
      el("span", { class: "dim" }, method),
      el("a", { href: isRead && target, class: "code", target: "_blank", rel: "noopener" }, path),
      el("span", { class: "about" }, description), isRead && CAN_BE_TRIED.test(path) ? button : el("span"), output);
  }

  async #try(target, output, button) {
    output.hidden = !output.hidden;
    button.setAttribute("aria-expanded", String(!output.hidden));
    write(button, output.hidden ? "Try" : "Close");
    if (output.hidden) return;
    write(output, "…");
    try {
      const began = performance.now();
      const response = await fetch(target, { headers: authorization(), cache: "no-store" });
      const body = await response.text();
      const took = Math.round(performance.now() - began);
      write(output, `HTTP ${response.status} · ${body.length} characters · ${took} ms\n\n${readable(body)}`);
    } catch (error) {
      write(output, error.message);
    }
  }
}

function readable(body) {
  let text = body;
  try { text = JSON.stringify(JSON.parse(body), null, 2); } catch { /* It is not JSON. */ }
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… truncated` : text;
}
