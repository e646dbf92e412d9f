// What is shown: the tab, its order and filters, the process, the object and the range of time.
// It is kept in the URL, so that a link shows the same, and for this browser tab.

const KEY = "syswatch.view";
const INITIAL = { tab: "calls", chart: "time", pid: 0, object: "", from: null, to: null };
const NUMBERS = { process: "pid", from: "from", to: "to" };

class View {
  #tables = {};
  #initial = {};

  constructor() {
    Object.assign(this, INITIAL);
  }

  /** How the table of a tab is sorted and filtered; `initial` is its order at first. */
  table(tab, initial) {
    if (initial) this.#initial[tab] = { filter: "", ...initial };
    this.#tables[tab] ??= {};
    const table = this.#tables[tab];
    for (const [name, value] of Object.entries(this.#initial[tab] ?? {})) table[name] ??= value;
    table.kinds ??= new Set();
    return table;
  }

  /** Continue with what was shown before in this browser tab. */
  restore() {
    const { tables, ...kept } = stored();
    Object.assign(this, INITIAL, kept);
    for (const [tab, table] of Object.entries(tables ?? {})) this.#change(tab, table);
    // The URL stays plain while nothing is chosen.
    if (String(this.query()) !== `tab=${INITIAL.tab}`) this.keep();
  }

  /** Read the URL. */
  read() {
    const query = new URLSearchParams(location.search);
    Object.assign(this, INITIAL, { tab: query.get("tab") ?? INITIAL.tab, chart: query.get("chart") ?? INITIAL.chart });
    this.object = query.get("object") ?? INITIAL.object;
    for (const [name, key] of Object.entries(NUMBERS)) {
      const number = Number(query.get(name) ?? Number.NaN);
      if (Number.isFinite(number)) this[key] = number;
    }
    if (!(this.from < this.to) || this.from === null) Object.assign(this, { from: null, to: null });
    this.#change(this.tab, { ...this.#initial[this.tab], ...tableOf(query) });
  }

  /** Keep the state; with `isStep`, the browser's Back returns to the one before. */
  keep({ isStep = false } = {}) {
    const url = `${location.pathname}?${this.query()}`;
    if (`${location.pathname}${location.search}` !== url) {
      if (isStep) history.pushState(null, "", url);
      else history.replaceState(null, "", url);
    }
    try { sessionStorage.setItem(KEY, JSON.stringify(this.#kept())); } catch { /* Then it is lost on reload. */ }
  }

  /** The parameters of the URL; what is as at first is left out. */
  query() {
    const query = new URLSearchParams({ tab: this.tab });
    if (this.chart !== INITIAL.chart) query.set("chart", this.chart);
    if (this.object) query.set("object", this.object);
    for (const [name, key] of Object.entries(NUMBERS)) if (this[key]) query.set(name, this[key]);
    const { sort, downwards, filter, kinds, zoom } = this.table(this.tab);
    const initial = this.#initial[this.tab] ?? {};
    if (sort && (sort !== initial.sort || downwards !== initial.downwards)) query.set("sort", `${downwards ? "-" : ""}${sort}`);
    if (filter) query.set("filter", filter);
    if (kinds.size) query.set("kinds", [...kinds].join(","));
    if (zoom) query.set("zoom", zoom);
    return query;
  }

  /** Change a table in place, because its tab holds it. */
  #change(tab, table) {
    Object.assign((this.#tables[tab] ??= {}), table, { kinds: new Set(table.kinds) });
  }

  #kept() {
    const kept = Object.fromEntries(Object.keys(INITIAL).map((key) => [key, this[key]]));
    const tables = Object.entries(this.#tables).map(([tab, table]) => [tab, { ...table, kinds: [...table.kinds ?? []] }]);
    return { ...kept, tables: Object.fromEntries(tables) };
  }
}

function tableOf(query) {
  const table = { filter: query.get("filter") ?? "", kinds: query.get("kinds")?.split(",") ?? [] };
  const [sort, zoom] = [query.get("sort"), query.get("zoom")];
  if (zoom) table.zoom = zoom;
  return sort ? { ...table, sort: sort.replace(/^-/, ""), downwards: sort.startsWith("-") } : table;
}

export function restoredView() {
  const view = new View();
  if (new URLSearchParams(location.search).has("tab")) view.read();
  else view.restore();
  return view;
}

function stored() {
  try { return JSON.parse(sessionStorage.getItem(KEY)) ?? {}; } catch { return {}; }
}
