// The token of a protected server, kept until the tab is closed.

const KEY = "syswatch.token";
let openPrompt = null;

export function authorization() {
  const token = read();
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Prompt for the token; simultaneous callers share one dialog. */
export function askForToken() {
  openPrompt ??= prompted().finally(() => { openPrompt = null; });
  return openPrompt;
}

/** Few servers have a token, so the dialog is loaded when it is needed. */
async function prompted() {
  const token = await (await import("./token-prompt.js")).promptForToken({ isInvalid: Boolean(read()) });
  try { sessionStorage.setItem(KEY, token); } catch { /* Then the dialog opens again. */ }
}

function read() {
  try { return sessionStorage.getItem(KEY) ?? ""; } catch { return ""; }
}
