// The range of time that the page of a call shows in a replay: that of its URL, or of the dashboard.

const KEY = "syswatch.view";
const WHOLE = { from: null, to: null };

/** The range of time that a link to another page has, or that was selected before in this browser tab. */
export function restoredRange() {
  const query = new URLSearchParams(location.search);
  const { from = null, to = null } = query.has("from") ? { from: Number(query.get("from")), to: Number(query.get("to")) } : stored();
  return Number.isFinite(from) && Number.isFinite(to) && from !== null && from < to ? { from, to } : WHOLE;
}

/** Keep a range that was selected on another page. */
export function keepRange({ from, to }) {
  history.replaceState(null, "", from === null ? location.pathname : `${location.pathname}?${new URLSearchParams({ from, to })}`);
  try { sessionStorage.setItem(KEY, JSON.stringify({ ...stored(), from, to })); } catch { /* Then the dashboard shows the whole. */ }
}

/** What the dashboard keeps for this browser tab. */
function stored() {
  try { return JSON.parse(sessionStorage.getItem(KEY)) ?? {}; } catch { return {}; }
}
