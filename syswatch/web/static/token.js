// The token of a protected server: asked for once, kept as long as the tab lives.

import { byId, el } from "./dom.js";

const KEY = "syswatch.token";
let asking = null;

export function authorisation() {
  const token = read();
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Ask for a token; all who ask at the same time wait for the same answer. */
export function askForToken() {
  asking ??= new Promise((resolve) => show(resolve)).finally(() => { asking = null; });
  return asking;
}

function read() {
  try { return sessionStorage.getItem(KEY) ?? ""; } catch { return ""; }
}

function show(resolve) {
  const dialog = byId("token");
  const input = el("input", {
    type: "password", id: "token-input", autocomplete: "off", required: true, "aria-describedby": "token-note",
  });
  const form = el("form", { method: "dialog" },
    el("h2", { id: "token-title" }, "This server wants a token"),
    el("p", { id: "token-note", class: "dim" },
      read() ? "The one given before is not accepted." : "It was chosen where syswatch was started. This tab keeps it until you close it."),
    el("label", { for: "token-input" }, "Token"), input,
    el("button", { class: "primary" }, "Continue"));
  form.addEventListener("submit", () => {
    try { sessionStorage.setItem(KEY, input.value); } catch { /* It is asked for again, then. */ }
    resolve();
  });
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.replaceChildren(form);
  dialog.showModal();
}
