// The view is in the address, so that it can be saved and shared.

const TEXTS = ["view", "case", "sort", "truth", "answer", "search", "color", "row"];
const LISTS = ["filters", "without", "cell", "doubt", "edits"];
const FLAGS = ["wrong", "falling", "all", "local"];
const watchers = [];

export let at = read();

function read() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const view = { view: "overview", page: Number(parameters.get("page")) || 0, delta: parameters.has("delta") ? Number(parameters.get("delta")) : null };
  for (const name of TEXTS) if (parameters.has(name)) view[name] = parameters.get(name);
  for (const name of FLAGS) view[name] = parameters.get(name) === "1";
  for (const name of LISTS) {
    try {
      view[name] = parameters.has(name) ? JSON.parse(parameters.get(name)) : null;
    } catch {
      view[name] = null;
    }
  }
  if (!Array.isArray(view.filters)) view.filters = [];
  if (!Array.isArray(view.without)) view.without = [];
  return view;
}

/** The address of the present view with some changes. */
export function address(changes = {}, base = at) {
  const next = { ...base, ...changes };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(next)) {
    const empty = value === null || value === undefined || value === "" || value === false || value === 0;
    if (empty || (Array.isArray(value) && !value.length) || (name === "view" && value === "overview")) continue;
    parameters.set(name, value === true ? "1" : typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return `#${parameters}`;
}

/** Go there; with `quiet` without a new entry in the history. */
export function go(changes, { quiet = false } = {}) {
  const next = address(changes);
  if (quiet) {
    history.replaceState(null, "", next);
    tell();
  } else if (next !== location.hash) location.hash = next;
}

/** Choose a case; edits of the row before are dropped. */
export const choosing = (id) => ({ case: String(id), row: null, edits: null, without: [], delta: null });

export function watch(watcher) {
  watchers.push(watcher);
}

function tell() {
  const before = at;
  at = read();
  for (const watcher of watchers) watcher(at, before);
}

addEventListener("hashchange", tell);
