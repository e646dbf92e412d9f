// The range of the timeline in the address, so that a link shows the same calls.

// Safari refuses to change the address more often than a hundred times in thirty seconds.
const KEEP_MS = 500;

/** A range in nanoseconds from the origin of a recording, as text; an empty text for none. */
export const zoomText = (range) => range ? range.map((at) => Math.round(at)).join("-") : "";

/** The range in such a text, or null. */
export function zoomOf(text) {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "") ?? [];
  return to && Number(from) < Number(to) ? [Number(from), Number(to)] : null;
}

export class KeptZoom {
  #timer = 0;
  #known = "";

  constructor(view) {
    this.view = view;
    this.table = view.table("timeline", { zoom: "" });
  }

  /** Whether the address has another range than before, as after the browser's Back. */
  get isNew() { return this.table.zoom !== this.#known; }

  /** Return the range of the address, or null. */
  take() {
    this.#known = this.table.zoom;
    return zoomOf(this.#known);
  }

  /** Keep a range once it stays, unless it is the one that the page has selected. */
  keep(range, ofPage) {
    const zoom = zoomText(range) === zoomText(ofPage) ? "" : zoomText(range);
    if (zoom === this.table.zoom) return;
    this.#known = this.table.zoom = zoom;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.view.keep(), KEEP_MS);
  }
}
