// The table of cases: the server filters, sorts and splits it into pages.

import { h, userText, show, number, share, count, bar, table, th, td, redraw, replace } from "./dom.js";
import { cell, dayText, numberText, readDay, targetCell } from "./format.js";
import { at, address, go, choosing } from "./address.js";
import { attempt, Latest } from "./api.js";
import { saves } from "./overview.js";

const latest = new Latest();
const parts = {};
let known = null;
let fields = [];
let listed = [];
let again = null;

export function caseFilter() {
  const filled = Object.entries({
    filters: at.filters, truth: at.truth, answer: at.answer, cell: at.cell, doubt: at.doubt,
    wrong: at.wrong || undefined, search: at.search, sort: at.sort, falling: at.falling || undefined,
    columns: at.all ? known.columns.slice(0, 100).map((one) => one.name) : undefined,
  }).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(filled);
}

export async function openCases(what, overview, form) {
  [known, fields] = [overview, form.fields];
  parts.filters = h("div", {});
  parts.table = h("div", {});
  what.replaceChildren(h("h1", { id: "what-title" }, "Cases"), parts.filters, parts.table);
  await renewCases();
}

export async function renewCases() {
  clearTimeout(again);
  if (!parts.table?.isConnected) return;
  const reply = await attempt(() => latest.ask("cases", { ...caseFilter(), page: at.page, per_page: 50 }));
  if (!reply) return;
  listed = reply.rows.map((one) => String(one.id));
  redraw(parts.filters, filters());
  redraw(parts.table, reply.n_found ? page(reply) : nothing());
  if (reply.n_open) again = setTimeout(renewCases, 800);
}

export function markChosen() {
  for (const row of parts.table?.querySelectorAll("tr[data-id]") ?? []) {
    const chosen = row.dataset.id === at.case;
    row.classList.toggle("chosen", chosen);
    row.querySelector("a")?.setAttribute("aria-current", chosen ? "true" : "false");
  }
}

/** The case before or after the chosen one on this page. */
export function step(by) {
  if (!listed.length || !parts.table?.isConnected) return;
  const place = listed.indexOf(at.case ?? "");
  const next = listed[Math.max(0, Math.min(listed.length - 1, place < 0 ? 0 : place + by))];
  go(choosing(next));
  parts.table.querySelector(`tr[data-id="${CSS.escape(next)}"] a`)?.focus();
}

const CLEAR = { filters: [], truth: null, answer: null, cell: null, doubt: null, wrong: false, search: null, page: 0 };

function nothing() {
  return h("div", { class: "empty" }, h("p", {}, "No case matches."), h("p", {}, h("a", { href: address(CLEAR) }, "Remove all filters")));
}

// --- filters --------------------------------------------------------------------------

function filters() {
  const chips = [
    ...at.filters.map((one, i) => chip(say(one), { filters: at.filters.filter((_, j) => j !== i) })),
    at.truth && chip([`${show(known.target)} is `, userText(at.truth)], { truth: null }),
    at.answer && chip(["predicted ", userText(at.answer)], { answer: null }),
    at.cell && chip(`one cell of the confusion matrix (row ${at.cell[0] + 1}, column ${at.cell[1] + 1})`, { cell: null }),
    at.doubt && chip(`doubt ${at.doubt[0] === null ? "" : `from ${at.doubt[0]}`}${at.doubt[1] === null ? "" : ` to ${at.doubt[1]}`}`, { doubt: null }),
    at.wrong && chip("wrong predictions", { wrong: false }),
    at.search && chip(["id ", userText(at.search)], { search: null }),
  ].filter(Boolean);
  return [
    h("div", { class: "chips" }, chips.length ? ["Filters: ", chips, chips.length > 1 && h("a", { href: address(CLEAR) }, "remove all")] : h("span", { class: "soft" }, "No filters.")),
    h("details", { class: "adding", open: parts.open, ontoggle: (event) => (parts.open = event.target.open) }, h("summary", { "data-focus": "adding" }, "Add a filter"), forms()),
  ];
}

function chip(text, change) {
  return h("span", { class: "chip" }, text, h("a", { href: address({ ...change, page: 0 }), "aria-label": "Remove this filter" }, "✕"));
}

function say(one) {
  if (one.missing !== undefined) return [userText(one.column), one.missing ? " is missing" : " is not missing"];
  if (one.labels) return [userText(one.column), " is ", userText(one.labels.join(" or "))];
  return [userText(one.column), one.low !== null && one.low !== undefined ? ` from ${numberText(one.column, one.low)}` : "", one.high !== null && one.high !== undefined ? ` to ${numberText(one.column, one.high)}` : ""];
}

function forms() {
  const choice = h("select", { "data-focus": "column", "aria-label": "Column", onchange: () => fit() }, fields.map((one) => h("option", { value: one.name }, show(one.name))));
  const detail = h("span", {});
  const fit = () => replace(detail, cellForm(fields.find((one) => one.name === choice.value)));
  if (fields.length) fit();
  const classes = known.classifies ? [pick("truth", show(known.target)), pick("answer", "predicted")] : null;
  const doubt = h("input", { type: "number", step: "any", min: "0", placeholder: known.classifies ? "0.5" : "3", "aria-label": "Least doubt", "data-focus": "doubt" });
  const least = (event) => {
    event.preventDefault();
    if (doubt.value !== "") go({ doubt: [Number(doubt.value), null], page: 0 });
  };
  return h("div", { class: "forms" },
    h("form", { onsubmit: (event) => add(event, choice.value, detail) }, h("label", {}, "column ", choice), " ", detail, h("button", { "data-focus": "add" }, "Add")),
    classes,
    h("form", { onsubmit: least }, h("label", {}, known.classifies ? "doubt at least " : "error at least this many times the usual one ", doubt), h("button", {}, "Add")),
    h("label", {}, h("input", { type: "checkbox", checked: at.wrong, "data-focus": "wrong", onchange: (event) => go({ wrong: event.target.checked, page: 0 }) }), " only wrong predictions"));
}

function pick(name, text) {
  const change = (event) => go({ [name]: event.target.value || null, page: 0 });
  const labels = known.balance.classes.slice(0, 500).map((one) => h("option", { value: String(one.label), selected: String(one.label) === at[name] }, show(one.label)));
  return h("label", {}, `${text} `, h("select", { onchange: change, "data-focus": name }, h("option", { value: "" }, "any"), labels));
}

function cellForm(field) {
  const missing = h("label", {}, h("input", { type: "checkbox", name: "missing" }), " missing ");
  if (field.style)
    return [["low", "from "], ["high", " to "]].map(([name, text]) => h("label", {}, text, h("input", { name, type: "date", "data-style": "date", min: dayText(field.low, "date"), max: dayText(field.high, "date") }))).concat(missing);
  if (field.kind === "numeric")
    return [h("label", {}, "from ", h("input", { name: "low", type: "number", step: "any", placeholder: number(field.low), "data-focus": "low" })), h("label", {}, " to ", h("input", { name: "high", type: "number", step: "any", placeholder: number(field.high) })), missing];
  return [h("label", {}, "is ", h("select", { name: "labels", multiple: true, size: Math.min(4, Math.max(2, field.labels.length)) }, field.labels.map((label) => h("option", { value: String(label) }, show(label))))), missing];
}

function add(event, column, detail) {
  event.preventDefault();
  const find = (name) => detail.querySelector(`[name=${name}]`);
  const one = { column };
  if (find("missing").checked) one.missing = true;
  else if (find("labels")) one.labels = [...find("labels").selectedOptions].map((option) => option.value);
  else for (const end of ["low", "high"]) if (find(end).value !== "") one[end] = find(end).dataset.style ? readDay(find(end).value, "date") : Number(find(end).value);
  if (Object.keys(one).length > 1) go({ filters: [...at.filters, one], page: 0 });
}

// --- the page -------------------------------------------------------------------------

function page(reply) {
  const sorted = (key) => ((at.sort ?? "row") === key ? (at.falling ? "descending" : "ascending") : "none");
  const heading = (key, text, side = "") => {
    const turn = address({ sort: key, falling: sorted(key) === "ascending", page: 0 });
    const arrow = { ascending: " ▲", descending: " ▼", none: "" }[sorted(key)];
    return h("th", { scope: "col", class: side, "aria-sort": sorted(key) }, h("a", { href: turn, "data-focus": `sort-${key}` }, userText(text), arrow));
  };
  const head = [heading("row", "case"), heading("truth", show(known.target)), heading("answer", "predicted"),
    known.classifies && heading("probability", "p", "n"), heading("doubt", known.classifies ? "doubt" : "error, × usual", "n"),
    ...reply.columns.map((name) => heading(name, show(name), "n"))].filter(Boolean);
  const last = reply.first + reply.rows.length;
  return [
    table(head, reply.rows.map((one) => line(one, reply.columns)), { class: "cases", label: "Table of cases" }),
    h("div", { class: "pager" },
      h("span", {}, `${count(reply.first + 1)} to ${count(last)} of ${count(reply.n_found)}`, reply.n_found < reply.n_rows ? ` (${count(reply.n_rows)} in all)` : ""),
      turner("first", "« first", 0, reply), turner("back", "‹ previous", reply.page - 1, reply), turner("next", "next ›", reply.page + 1, reply), turner("last", "last »", reply.n_pages - 1, reply),
      h("label", {}, h("input", { type: "checkbox", checked: at.all, "data-focus": "all", onchange: (event) => go({ all: event.target.checked }) }), " all columns")),
    !reply.exact && h("p", { class: "soft" }, "Predictions in this table have the cut points and settings of all cases. The receipt of a case has those of the others, so its figures may differ."),
    saves("cases", ["csv", "json"], { filter: caseFilter() }),
  ];
}

function turner(name, text, to, reply) {
  const stays = to === reply.page || to < 0 || to >= reply.n_pages;
  return h("button", { type: "button", disabled: stays, onclick: () => go({ page: to }), "data-focus": name }, text);
}

function line(one, columns) {
  const id = String(one.id);
  const choose = (event) => {
    if (!event.target.closest("a")) go(choosing(id));
  };
  const wrong = known.classifies ? one.agrees === false : (one.doubt ?? 0) > 3;
  return h("tr", { "data-id": id, class: id === at.case ? "chosen" : "", onclick: choose },
    td(h("a", { href: address(choosing(id)), "data-focus": `case-${id}`, "aria-current": id === at.case ? "true" : "false" }, userText(id))),
    td(targetCell(one.truth)),
    td(one.known ? [targetCell(one.answer), wrong && h("span", { class: "sign", title: "wrong prediction" }, " ≠")] : h("span", { class: "soft" }, "…"), { class: wrong ? "other" : "" }),
    known.classifies && td(share(one.probability), { class: "n" }),
    td(one.doubt === null ? "" : [known.classifies ? one.doubt.toFixed(2) : number(one.doubt, 2), bar(known.classifies ? one.doubt : Math.min(1, one.doubt / 6), { tone: "against" })], { class: "n doubt" }),
    columns.map((name) => td(cell(name, one.values[name]), { class: typeof one.values[name] === "number" ? "n" : one.values[name] === null ? "gone" : "" })));
}
