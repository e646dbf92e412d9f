// The token of a protected server, kept until the tab is closed.

import { byId, el } from "./dom.js";

const KEY = "syswatch.token";
let openPrompt = null;

export function authorization() {
  const token = read();
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Prompt for the token; simultaneous callers share one dialog. */
export function askForToken() {
  openPrompt ??= new Promise((resolve) => { show(resolve); }).finally(() => { openPrompt = null; });
  return openPrompt;
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
    el("h2", { id: "token-title" }, "Token required"),
    el("p", { id: "token-note", class: "dim" },
      read() ? "Invalid token" : "The value of --http-token that syswatch was started with. It is kept until you close this tab."),
    el("label", { for: "token-input" }, "Token"), input,
    el("button", { class: "primary" }, "Continue"));
  form.addEventListener("submit", () => {
    try { sessionStorage.setItem(KEY, input.value); } catch { /* Then the dialog opens again. */ }
    resolve();
  });
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.replaceChildren(form);
  dialog.showModal();
}
