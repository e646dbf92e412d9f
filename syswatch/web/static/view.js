// What the reader has chosen: kept for this tab, so that it is there again on the way back.

const KEY = "syswatch.view";
const FRESH = { tab: "calls", sort: "Count", downwards: true, filter: "", categories: [], pid: 0 };

export function restoredView() {
  const view = { ...FRESH, ...stored() };
  view.categories = new Set(view.categories);
  return view;
}

export function keepView(view) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...view, categories: [...view.categories] }));
  } catch { /* Then it is forgotten. */ }
}

function stored() {
  try { return JSON.parse(sessionStorage.getItem(KEY) ?? "{}"); } catch { return {}; }
}
