// The elements of the timeline: its buttons, its legend and its stage.

import { CATEGORIES, colour } from "./lookup.js";
import { el } from "./dom.js";
import { TimelineCanvas } from "./timeline-canvas.js";

const MEANINGS = [["category", "By category"], ["state", "Working or waiting"]];
const STATES = [["state-working", "Working"], ["state-blocked", "Waiting"], ["state-ready", "Ready, without a CPU"]];
const HELP = "Wheel, w s or + −: zoom · drag, a d or ← →: move · f: everything · z: fold threads · j k: next, previous call · click: details";

/** The buttons beside the search; each calls one of the acts. */
export function buttonsOf(by, acts) {
  const meanings = MEANINGS.map(([key, title]) => el("button", { type: "button", "aria-pressed": String(key === by), onclick: (event) => {
    meanings.forEach((each) => each.setAttribute("aria-pressed", String(each === event.target)));
    acts.colourBy(key);
  } }, title));
  return [
    el("div", { class: "segments" }, ...meanings),
    el("div", { class: "segments" }, button("−", "Zoom out", acts.zoomOut), button("+", "Zoom in", acts.zoomIn), button("All", "Show everything", acts.fit)),
    el("button", { type: "button", class: "small", title: "Show the threads of each process in one row, or in rows of their own (z)", onclick: acts.fold }, "Fold threads"),
    el("button", { type: "button", class: "small", title: "Limit the other tabs to what is shown here", onclick: acts.useRange }, "Use this range"),
  ];
}

function button(label, title, onclick) {
  return el("button", { type: "button", title, "aria-label": title, onclick }, label);
}

/** What the colours mean. */
export function legendOf(by) {
  const items = by === "state"
    ? STATES.map(([style, title]) => el("li", { class: `chip ${style}` }, title))
    : [...CATEGORIES.map((category) => el("li", { class: `chip ${colour(category)}` }, category)), el("li", {}, "pale: waiting")];
  return [...items, el("li", {}, el("span", { class: "failed-mark" }, "▔ "), "failed")];
}

/** The elements that the tab fills. */
export function partsOf() {
  const verdict = el("p", { class: "timeline-verdict" });
  const note = el("p", { class: "dim" });
  const reading = el("p", { class: "timeline-reading", role: "status" });
  const legend = el("ul", { class: "legend" });
  const spacer = el("div", { class: "timeline-rows" });
  const tip = el("div", { class: "timeline-tip", hidden: true });
  const port = el("div", { class: "timeline-port", tabindex: "0", role: "application", "aria-label": `Timeline of calls. ${HELP}` }, spacer);
  const canvas = new TimelineCanvas(port);
  port.prepend(canvas.node);
  const panel = el("section", { class: "timeline-call", "aria-label": "Selected call", "aria-live": "polite", hidden: true });
  const stage = el("div", { class: "timeline-stage", hidden: true }, reading, port, legend, el("p", { class: "dim timeline-help" }, HELP), panel);
  const node = el("div", { class: "timeline-page" }, el("div", { class: "timeline-head" }, verdict, note), stage, tip);
  return { verdict, note, reading, legend, spacer, tip, port, canvas, panel, stage, node };
}

/** Show the tip beside the pointer, inside of the window. */
export function placeTip(tip, { clientX, clientY }) {
  const [width, right] = [tip.offsetWidth, document.documentElement.clientWidth];
  tip.style.left = `${Math.min(clientX + 12, right - width - 8)}px`;
  tip.style.top = `${clientY + 18}px`;
}
