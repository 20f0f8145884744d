// What is looked at stands in the address, so that a view can be kept and sent.

const TEXTS = ["view", "case", "sort", "truth", "answer", "search", "color", "row"];
const LISTS = ["filters", "without", "cell", "doubt", "edits"];
const FLAGS = ["wrong", "falling", "all", "local"];
const watchers = [];

export let at = read();

function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const found = { view: "overview", page: Number(given.get("page")) || 0, delta: given.has("delta") ? Number(given.get("delta")) : null };
  for (const name of TEXTS) if (given.has(name)) found[name] = given.get(name);
  for (const name of FLAGS) found[name] = given.get(name) === "1";
  for (const name of LISTS) {
    try {
      found[name] = given.has(name) ? JSON.parse(given.get(name)) : null;
    } catch {
      found[name] = null;
    }
  }
  if (!Array.isArray(found.filters)) found.filters = [];
  if (!Array.isArray(found.without)) found.without = [];
  return found;
}

/** The address of the present view with some changes. */
export function address(changes = {}, base = at) {
  const next = { ...base, ...changes };
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(next)) {
    const empty = value === null || value === undefined || value === "" || value === false || value === 0;
    if (empty || (Array.isArray(value) && !value.length) || (name === "view" && value === "overview")) continue;
    given.set(name, value === true ? "1" : typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return `#${given}`;
}

/** Go there; with `quiet` the step is not kept for the way back. */
export function go(changes, { quiet = false } = {}) {
  const next = address(changes);
  if (quiet) {
    history.replaceState(null, "", next);
    tell();
  } else if (next !== location.hash) location.hash = next;
}

/** Choose a case, or a new row: what was edited of the one before is gone. */
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
