// The cells that the tables of objects, threads and calls share.

import { el, quantity } from "./dom.js";
import { bar, dash } from "./listing.js";
import { bytes, duration, exact } from "./numbers.js";
import { kindOf, stateOf } from "./lookup.js";
import { address, callPage } from "./urls.js";

export const time = (ns) => ns ? quantity(duration(ns), { title: `${exact(ns)} ns` }) : dash();

export const size = (number) => number ? quantity(bytes(number), { title: `${exact(number)} bytes` }) : dash();

/** A time with a bar, which shows its part of the longest one. */
export const timeBar = (ns, part, style) => el("span", { class: "time-bar" }, bar(part, style), time(ns));

/** A state as its colour, its letter and its title. */
export function stateChip(key) {
  const { title, about } = stateOf(key);
  return el("span", { class: `chip state-${key}`, title: about }, title);
}

/** The name of an object, as a link to its page. */
export function objectLink({ ID, Name, Kind }, page = null) {
  if (!Name) return dash();
  return el("a", {
    class: "code", title: `${kindOf(Kind).title}: ${Name}`, href: objectPage(ID, page?.view.pid),
    onclick: (event) => { if (page) follow(event, () => page.go({ tab: "objects", object: ID })); },
  }, Name);
}

export const callLink = (name) => el("a", { class: "code", href: callPage(name) }, name);

/** A thread as its name and its ID. */
export const thread = ({ Comm = "", TID, PID }) => el("span", { title: `process ${PID}` },
  el("b", {}, Comm), Comm ? " " : "", el("span", { class: "dim" }, TID ? String(TID) : "others"));

function objectPage(object, pid) {
  const query = new URLSearchParams({ tab: "objects", object });
  if (pid) query.set("process", pid);
  return address(`?${query}`);
}

/** Change the page instead of loading it again, unless a new tab is wanted. */
export function follow(event, change) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  change();
}
