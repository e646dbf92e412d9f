// The chosen tab, sorting and filters, kept for this browser tab.

const KEY = "syswatch.view";
const INITIAL = { tab: "calls", sort: "Count", downwards: true, filter: "", categories: [], pid: 0 };

export function restoredView() {
  const view = { ...INITIAL, ...stored() };
  view.categories = new Set(view.categories);
  return view;
}

export function keepView(view) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...view, categories: [...view.categories] }));
  } catch { /* Then it is lost on reload. */ }
}

function stored() {
  try { return JSON.parse(sessionStorage.getItem(KEY) ?? "{}"); } catch { return {}; }
}
