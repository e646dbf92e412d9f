// The states of threads and the kinds of objects, by their keys.

import { OBJECT_KINDS, STATES } from "./registry.js";

const BY_KEY = new Map(STATES.map((state) => [state.key, state]));
const BY_NAME = new Map(OBJECT_KINDS.map((kind) => [kind.name, kind]));

export const stateOf = (key) => BY_KEY.get(key);

export const kindOf = (name) => BY_NAME.get(name);
