// The dialog that asks for the token of a protected server.

import { byId, el } from "./dom.js";

/** Show the dialog and return what was entered. */
export const promptForToken = ({ isInvalid }) => new Promise((resolve) => { show(isInvalid, resolve); });

function show(isInvalid, resolve) {
  const dialog = byId("token");
  const input = el("input", {
    type: "password", id: "token-input", autocomplete: "off", required: true, "aria-describedby": "token-note",
  });
  const form = el("form", { method: "dialog" },
    el("h2", { id: "token-title" }, "Token required"),
    el("p", { id: "token-note", class: "dim" },
      isInvalid ? "Invalid token" : "The value of --http-token that syswatch was started with. It is kept until you close this tab."),
    el("label", { for: "token-input" }, "Token"), input,
    el("button", { class: "primary" }, "Continue"));
  form.addEventListener("submit", () => resolve(input.value));
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.replaceChildren(form);
  dialog.showModal();
}
