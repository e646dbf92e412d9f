// The categories of system calls, in the order of every view.

import { CATEGORIES as FACTS } from "./registry.js";

const STYLES = new Map(FACTS.map(({ name, style }) => [name, style]));

export const CATEGORIES = [...STYLES.keys()];

/** The class that gives a category its colour. */
export const colour = (category) => STYLES.get(category) ?? "other";

/** What a category holds, for a tooltip. */
export function about(category) {
  const { title, about: words } = FACTS.find(({ name }) => name === category);
  return `${title}: ${words}`;
}
