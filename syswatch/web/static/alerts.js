// The list of alerts.

import { el, setClass, write } from "./dom.js";
import { callPage, isHere } from "./urls.js";

/** Show alerts. Numbers change in place, so that a link keeps the focus. */
export function showAlerts(host, alerts, placeholder, heading = null) {
  if (heading) write(heading, alerts.length ? String(alerts.length) : "");
  const shown = (host.alerts ??= []);
  while (shown.length > alerts.length) shown.pop().node.remove();
  host.calm ??= el("li", { class: "calm dim" });
  write(host.calm, placeholder);
  if (alerts.length) host.calm.remove();
  else if (!host.calm.parentNode) host.append(host.calm);
  alerts.forEach((alert, index) => {
    if (!shown[index]) host.append((shown[index] = new Item()).node);
    shown[index].show(alert);
  });
}

class Item {
  constructor() {
    this.sign = el("span", { class: "sign", "aria-hidden": "true" });
    this.link = el("a", {});
    this.rest = el("span", {});
    this.severity = el("span", { class: "word" });
    this.why = el("p", { class: "why" });
    this.node = el("li", {}, this.sign,
      el("div", { class: "title" }, this.link, this.rest, " ", this.severity), this.why);
  }

  show({ Severity, Sign, Title, Why, Call }) {
    setClass(this.node, `alert ${Severity}`);
    write(this.sign, Sign);
    this.#setTitle(Title, Call);
    write(this.severity, Severity);
    write(this.why, Why);
  }

  /** A call at the start of the title is a link, unless this is its page. */
  #setTitle(title, call) {
    const name = call && title.startsWith(call) && !isHere(call) ? call : "";
    if (this.link.textContent !== name) {
      write(this.link, name);
      if (name) this.link.href = callPage(name);
      this.link.hidden = !name;
    }
    write(this.rest, title.slice(name.length));
  }
}
