// The button that saves what a flight recorder keeps. Few traces have one, so this is loaded then.

import { byId, setHidden, setTitle, write } from "./dom.js";
import { ask } from "./timeline-data.js";

const LABEL = "Save recording";
const SHOWN_MS = 4000;

/** Show the button as long as there is something to save. */
export function show({ Done, Recordings }) {
  const button = byId("save-recording");
  // Added again, a listener is still called once.
  button.addEventListener("click", save);
  if (!button.textContent) write(button, LABEL);
  setHidden(button, Done || !Recordings.some(({ KeptFrom, Trouble }) => KeptFrom && !Trouble));
}

async function save({ currentTarget: button }) {
  if (button.textContent !== LABEL) return;
  write(button, "Saving…");
  try {
    const { Place } = await ask("save", "POST");
    write(button, "Saved");
    setTitle(button, Place);
  } catch (error) {
    write(button, "Not saved");
    setTitle(button, error.message);
  }
  setTimeout(() => write(button, LABEL), SHOWN_MS);
}
