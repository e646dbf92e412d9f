// The scrubber of a replay: the whole recording as a small picture, and a range that is played.

import { draw, el, setHidden, setTitle, write } from "./dom.js";
import { clock, duration, text } from "./numbers.js";
import { SPEEDS, activityOf, between, factorOf, firstSpeed, firstWindow, lengthOf, partAt, resized, shifted } from "./playback.js";
import { Player } from "./player.js";
import { loadStyle } from "./tabs.js";
import { Newest } from "./timeline-data.js";

const COLUMNS = 200;
const HEIGHT = 36;
const HANDLE_PIXELS = { mouse: 6, touch: 18, pen: 12 };
const DRAG_PIXELS = 4;
const SMALL_STEP = 0.1;
// Safari refuses to change the address more often than a hundred times in thirty seconds.
const ADDRESS_MS = 1000;

export class Scrubber {
  #drag = null;
  #kept = 0;
  #wasPlaying = false;
  #player;
  #lanes = new Newest((lanes) => this.#overview(lanes), (error) => this.#fail(error));
  #pictures = new Newest((picture) => this.#picture(picture), (error) => this.#fail(error));

  /** `page` has the view; `seek(range)` shows a range in milliseconds and returns whether an answer will follow. */
  constructor(host, page) {
    Object.assign(this, { host, page });
    this.#player = new Player({ send: (range) => this.#send(range), onChange: () => this.#show() });
    this.#build();
    this.#listen();
    this.#lanes.want("lanes");
  }

  get isMoving() { return this.#player.isMoving || this.#drag !== null; }

  toggle() {
    if (this.#player.whole) this.#player.toggle();
  }

  /** Show the range of the page, which something else may have changed. */
  follow() {
    const { from, to } = this.page.view;
    if (this.isMoving) return;
    this.#player.range = from === null ? null : [from, to].map((seconds) => Math.round(seconds * 1000));
    this.#show();
  }

  /** Called when the answer for the range of the page is shown. */
  answered() { this.#player.answered(); }

  /** Stop playing, because something else has changed the range. */
  stop() { this.#player.pause(); }

  /** Move by keys, unless they have another meaning where they were pressed. */
  press(event) {
    const { whole } = this.#player;
    if (!whole) return false;
    const range = this.#player.range ?? firstWindow(whole);
    const step = lengthOf(range) * (event.shiftKey ? 1 : SMALL_STEP);
    const wanted = {
      ArrowLeft: () => shifted(range, -Math.max(step, 1), whole), ArrowRight: () => shifted(range, Math.max(step, 1), whole),
      ArrowUp: () => resized(range, 2, whole), ArrowDown: () => resized(range, 0.5, whole),
      Home: () => shifted(range, whole[0] - range[0], whole), End: () => shifted(range, whole[1] - range[1], whole),
    }[event.key];
    if (!wanted) return false;
    this.stop();
    this.#player.show(wanted());
    return true;
  }

  #build() {
    this.button = el("button", { type: "button", class: "play", onclick: () => this.toggle() });
    this.speed = el("select", { "aria-label": "Speed", title: "Speed", onchange: () => this.#setSpeed() },
      ...SPEEDS.map(([key, , label]) => el("option", { value: key }, label)));
    this.reading = el("span", { class: "scrub-reading" });
    this.calls = draw("path", { class: "area load-area" });
    this.errors = draw("path", { class: "area failing-area" });
    this.svg = draw("svg", { "aria-hidden": "true", viewBox: `0 0 ${COLUMNS} ${HEIGHT}`, preserveAspectRatio: "none" }, this.calls, this.errors);
    this.window = el("span", { class: "scrub-window" });
    this.track = el("div", {
      class: "scrub-track", tabindex: "0", role: "slider", "aria-label": "Range of the recording", "aria-valuemin": "0",
      title: "Drag to select a range; drag the range to move it, or its ends to change it",
    }, this.svg, this.window);
    this.host.append(this.button, this.speed, this.track, this.reading);
  }

  #listen() {
    this.track.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.press(event)) event.preventDefault();
    });
    this.track.addEventListener("pointerdown", (event) => this.#grab(event));
    this.track.addEventListener("pointermove", (event) => this.#pull(event));
    this.track.addEventListener("pointerup", (event) => this.#release(event));
    this.track.addEventListener("pointercancel", () => { this.#drag = null; this.follow(); });
  }

  async #overview(lanes) {
    const { OriginMs, First, Last, Calls } = lanes;
    if (!Calls) return;
    const isFirst = !this.#player.whole;
    this.#player.whole = [OriginMs + First / 1e6, OriginMs + Last / 1e6].map(Math.floor);
    // A range does not include its end.
    this.#player.whole[1] += 1;
    if (isFirst) this.speed.value = firstSpeed(this.#player.whole);
    this.#setSpeed();
    if (lanes.Unread) this.#lanes.want("lanes");
    await loadStyle();
    setHidden(this.host, false);
    this.follow();
    this.#pictures.want(`timeline?${new URLSearchParams({ from: First, to: Math.max(Last, First + 1), width: COLUMNS })}`);
  }

  #picture(picture) {
    const activity = activityOf(picture, COLUMNS);
    const most = Math.max(1, ...activity.map(({ calls }) => calls));
    this.calls.setAttribute("d", pathOf(activity.map(({ calls }) => calls / most)));
    this.errors.setAttribute("d", pathOf(activity.map(({ errors }) => errors / most)));
  }

  /** Without a picture, the range can still be played. */
  #fail(error) {
    setTitle(this.track, error.message);
  }

  #setSpeed() {
    this.#player.factor = factorOf(this.speed.value, this.#player.whole);
  }

  #send(range) {
    const [from, to] = range.map((at) => at / 1000);
    const isAwaited = this.page.seek({ from, to });
    this.#keep();
    return isAwaited;
  }

  /** Keep the range in the address, at once if it stays; Back returns to the whole. */
  #keep() {
    const now = performance.now();
    if ((this.#player.isPlaying || this.#drag) && now - this.#kept < ADDRESS_MS) return;
    this.#kept = now;
    this.page.view.keep({ isStep: !new URLSearchParams(location.search).has("from") });
  }

  #show() {
    const { whole, range, isPlaying } = this.#player;
    if (!whole) return;
    write(this.button, isPlaying ? "❚❚ Pause" : "▶ Play");
    setTitle(this.button, `${isPlaying ? "Pause" : "Play"} (Space)`);
    if (this.#wasPlaying && !isPlaying) this.#keep();
    this.#wasPlaying = isPlaying;
    const [from, to] = range ?? whole;
    const part = (at) => `${(100 * Math.min(Math.max((at - whole[0]) / lengthOf(whole), 0), 1)).toFixed(3)}%`;
    this.window.style.left = part(from);
    this.window.style.right = `calc(100% - ${part(to)})`;
    this.window.classList.toggle("all", !range);
    const length = range ? `${lengthText(lengthOf(range))} of ${lengthText(lengthOf(whole))}` : `all ${lengthText(lengthOf(whole))}`;
    const label = `${rangeText([from, to])} · ${length}`;
    write(this.reading, label);
    this.track.setAttribute("aria-valuemax", String(lengthOf(whole)));
    this.track.setAttribute("aria-valuenow", String(Math.round(to - whole[0])));
    this.track.setAttribute("aria-valuetext", label);
  }

  #momentAt(event) {
    const { left, width } = this.track.getBoundingClientRect();
    const { whole } = this.#player;
    return whole[0] + ((event.clientX - left) / width) * lengthOf(whole);
  }

  #grab(event) {
    const { whole, range } = this.#player;
    if (event.button || !whole) return;
    this.stop();
    this.track.setPointerCapture(event.pointerId);
    const { left, width } = this.track.getBoundingClientRect();
    const pixels = (range ?? [0, 0]).map((at) => ((at - whole[0]) / lengthOf(whole)) * width);
    const part = range ? partAt(event.clientX - left, pixels, HANDLE_PIXELS[event.pointerType] ?? HANDLE_PIXELS.mouse) : "outside";
    this.#drag = { part, x: event.clientX, at: this.#momentAt(event), range: range ?? firstWindow(whole), moved: false };
  }

  #pull(event) {
    const drag = this.#drag;
    if (!drag) return;
    drag.moved ||= Math.abs(event.clientX - drag.x) >= DRAG_PIXELS;
    if (drag.moved) this.#player.show(this.#dragged(event));
  }

  #release(event) {
    const drag = this.#drag;
    if (!drag) return;
    // A click moves the end of the window there.
    const range = drag.moved ? this.#dragged(event) : shifted(drag.range, drag.at - drag.range[1], this.#player.whole);
    this.#drag = null;
    if (drag.moved || drag.part === "outside") this.#player.show(range);
  }

  #dragged(event) {
    const { part, at, range } = this.#drag;
    const { whole } = this.#player;
    const now = this.#momentAt(event);
    if (part === "inside") return shifted(range, now - at, whole);
    if (part === "from") return between(now, range[1], whole);
    if (part === "to") return between(range[0], now, whole);
    return between(at, now, whole);
  }
}

const timeOfDay = (ms) => `${clock(Math.floor(ms / 1000))}.${String(ms % 1000).padStart(3, "0")}`;

/** With the day: a recording may be of last week. */
function rangeText(range) {
  const [first, last] = range.map((ms) => new Date(ms).toLocaleDateString("sv"));
  const [from, to] = range.map(timeOfDay);
  return `${first} ${from} – ${first === last ? "" : `${last} `}${to}`;
}

const lengthText = (ms) => text(duration(ms * 1e6));

/** Columns from the bottom, as high as their parts. */
function pathOf(parts) {
  const width = COLUMNS / parts.length;
  const tops = parts.map((part, index) => `M${(index * width).toFixed(2)},${HEIGHT}V${(HEIGHT * (1 - part)).toFixed(1)}h${width.toFixed(2)}V${HEIGHT}z`);
  return tops.filter((_, index) => parts[index] > 0).join("");
}
