// Categories of system calls, states of threads and kinds of objects, by their keys.

import { CATEGORIES as FACTS, OBJECT_KINDS, STATES } from "./registry.js";

const STYLES = new Map(FACTS.map(({ name, style }) => [name, style]));
const BY_KEY = new Map(STATES.map((state) => [state.key, state]));
const BY_NAME = new Map(OBJECT_KINDS.map((kind) => [kind.name, kind]));

/** In the order of every view. */
export const CATEGORIES = [...STYLES.keys()];

/** The class that gives a category its colour. */
export const colour = (category) => STYLES.get(category) ?? "other";

/** What a category holds, for a tooltip. */
export function about(category) {
  const { title, about: words } = FACTS.find(({ name }) => name === category);
  return `${title}: ${words}`;
}

export const stateOf = (key) => BY_KEY.get(key);

export const kindOf = (name) => BY_NAME.get(name);
