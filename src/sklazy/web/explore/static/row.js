// The selected row: its prediction, evidence, edits and counterexample.

import { h, userText, show, number, share, percent, bar, table, th, td, replace, redraw } from "./dom.js";
import { at, address, go, choosing } from "./address.js";
import { attempt, send, complain, Latest } from "./api.js";
import { byGroup } from "./charts.js";
import { draw } from "./blocks.js";
import { saves } from "./overview.js";
import { hurry } from "./jobs.js";

const quick = new Latest();
const whole = new Latest();
const listeners = [];
const parts = {};
let known = null;
let form = null;
let chosen = null; // the case as it is; null for a new row
let edits = {};
let before = null; // the answer to the row as it is
let receipt = null;
let timer = null;
let opened = "";

export const current = () => receipt;
export const onReceipt = (listener) => listeners.push(listener);
const isNew = () => !at.case && Boolean(at.row);
const query = () => ({ case: at.case ?? null, edits, without: at.without, delta: at.delta });

/** Draw the row of the address, if the row or its prediction may have changed. */
export async function renewRow(pane, overview, fields, { force = false } = {}) {
  [known, form] = [overview, fields];
  const name = JSON.stringify([at.case, at.row, overview.version]);
  const wanted = JSON.stringify([name, at.without, at.delta, at.edits ?? {}]);
  if (!force && wanted === opened) return;
  const other = force || JSON.parse(opened || "[null]")[0] !== name || JSON.stringify(at.edits ?? {}) !== JSON.stringify(edits);
  opened = wanted;
  edits = { ...(at.edits ?? {}) };
  if (!at.case && !at.row) return close(pane);
  if (other) await open(pane);
  await renewReceipt();
}

function close(pane) {
  quick.stop();
  whole.stop();
  [receipt, chosen, before] = [null, null, null];
  replace(pane, h("p", { class: "soft hint" }, "Choose a case in the table or on the map, search for an id, or paste a row to see its receipt here."),
    h("p", {}, h("a", { href: address({ row: "new", case: null, edits: {}, without: [] }) }, "Enter a new row")));
  tell();
}

async function open(pane) {
  [receipt, before] = [null, null];
  chosen = at.case ? await attempt(() => send("case", { case: at.case })) : null;
  if (at.case && !chosen) return close(pane);
  for (const name of ["head", "answer", "why", "voters", "against", "next", "all"]) parts[name] = h("div", { class: `part-${name}` });
  parts.answer.setAttribute("role", "status");
  parts.answer.setAttribute("aria-live", "polite");
  redraw(pane, parts.head, parts.answer,
    h("div", { class: "row-grid" },
      h("div", {}, h("h3", {}, "Why"), parts.why, parts.voters, parts.against),
      h("div", {}, h("h3", {}, "What if"), whatIf(), parts.next)),
    parts.all);
  drawHead();
}

async function renewReceipt() {
  if (!parts.answer?.isConnected) return;
  const pane = document.getElementById("row");
  pane.setAttribute("aria-busy", "true");
  if (!receipt) replace(parts.answer, h("p", { class: "soft" }, chosen ? "Leaving this case out and preparing the others …" : "Predicting …"));
  const began = JSON.stringify(edits);
  try {
    const reply = await whole.ask("receipt", query());
    if (!reply) return;
    receipt = reply;
  } catch (error) {
    complain(error);
    replace(parts.answer, h("p", { class: "warning" }, error.message));
    return;
  } finally {
    pane.removeAttribute("aria-busy");
  }
  if (!Object.keys(edits).length && !at.without.length) before = pair(receipt);
  drawAnswer(receipt);
  drawEvidence();
  tell();
  if (began !== JSON.stringify(edits)) later();
  if (!before && chosen) {
    before = pair(await send("answer", { case: at.case, edits: {}, without: [] }).catch(() => null));
    drawAnswer(receipt);
  }
}

function tell() {
  for (const listener of listeners) listener(receipt);
}

// --- the head and the answer ------------------------------------------------------------

function drawHead() {
  const title = chosen ? ["Case ", userText(chosen.id)] : ["A new row"];
  const facts = chosen && h("p", { class: "soft" }, userText(known.target), " is ", h("strong", {}, userText(chosen.truth)), chosen.known && [", predicted ", userText(chosen.answer), chosen.probability === null ? "" : ` (${share(chosen.probability)})`, `, doubt ${number(chosen.doubt, 2)}`]);
  redraw(parts.head, h("div", { class: "row-title" }, h("h2", {}, title), h("a", { href: address({ case: null, row: null, edits: null, without: [], delta: null }), "aria-label": "Close this row", class: "close" }, "✕")), facts, chosen && decisions());
}

function decisions() {
  const change = async (kind, to) => {
    if (await attempt(() => send("change", { kind, case: chosen.id, to, reason: "reviewed" }))) hurry();
  };
  const choice = known.classifies
    ? h("select", { "aria-label": "The right class", "data-focus": "to" }, form.classes.slice(0, 500).map((label) => h("option", { value: String(label), selected: String(label) === String(chosen.truth) }, show(label))))
    : h("input", { type: "number", step: "any", value: chosen.truth, "aria-label": "The right number", "data-focus": "to" });
  const relabel = (event) => {
    event.preventDefault();
    change("relabel", known.classifies ? choice.value : Number(choice.value));
  };
  return h("div", { class: "decisions" },
    h("button", { type: "button", onclick: () => change("accept"), "data-focus": "accept" }, "Accept"),
    h("form", { onsubmit: relabel }, choice, h("button", { "data-focus": "relabel" }, "Relabel")),
    h("button", { type: "button", onclick: () => change("forget"), "data-focus": "forget" }, "Forget"));
}

const pair = (reply) => (reply ? { answer: reply.answer, p: reply.probabilities?.[0]?.probability ?? null } : null);
const answerText = ({ answer, p }) => [h("strong", {}, userText(answer)), p === null ? "" : ` (${share(p)})`];

function drawAnswer(reply) {
  const now = pair(reply);
  const touched = Object.keys(edits).length || at.without.length;
  const other = before && touched && String(before.answer) !== String(now.answer);
  const line = before && touched ? [answerText(before), " → ", answerText(now), other ? h("span", { class: "sign" }, " changed") : ""] : answerText(now);
  const most = reply.probabilities ?? [];
  replace(parts.answer,
    h("p", { class: `big ${other ? "other" : ""}` }, "Prediction: ", line),
    at.without.length > 0 && h("p", { class: "chips" }, "Left out: ", at.without.map((id) => h("span", { class: "chip" }, userText(id), h("a", { href: address({ without: at.without.filter((one) => one !== id) }), "aria-label": `Put case ${show(id)} back` }, "✕")))),
    most.length > 1 && h("ul", { class: "labels" }, most.slice(0, 6).map((one) => h("li", {}, userText(one.label), bar(one.probability), h("span", { class: "n" }, share(one.probability))))));
}

// --- what if ----------------------------------------------------------------------------

function whatIf() {
  const fields = [...form.fields];
  const values = (name) => (name in edits ? edits[name] : chosen ? chosen.values[name] : null);
  const reset = () => {
    edits = {};
    go({ edits: isNew() ? {} : null });
  };
  return h("div", { class: "what-if" }, fields.slice(0, 200).map((field) => control(field, values(field.name))),
    fields.length > 200 && h("p", { class: "soft" }, `${fields.length - 200} more columns cannot be edited here.`),
    h("p", {}, h("button", { type: "button", onclick: reset, "data-focus": "reset" }, "Undo all edits")));
}

function control(field, value) {
  const id = `field-${form.fields.indexOf(field)}`;
  const label = h("label", { for: id }, userText(field.name));
  const missing = h("input", { type: "checkbox", checked: value === null, "aria-label": `${show(field.name)} is missing` });
  const editor = field.kind === "numeric" ? slider(field, value, id) : picker(field, value, id);
  const box = h("div", { class: "field", "data-name": field.name }, label, editor.elements, h("label", { class: "missing" }, missing, " missing"), detail(field));
  const set = (next) => {
    missing.checked = next === null;
    box.classList.toggle("gone", next === null);
    edit(field.name, next);
  };
  box.classList.toggle("gone", value === null);
  editor.on(set);
  missing.addEventListener("change", () => set(missing.checked ? null : editor.value()));
  return box;
}

function slider(field, value, id) {
  const [low, high] = [field.low ?? 0, field.high ?? 1];
  const step = field.whole ? 1 : (high - low) / 200 || "any";
  const start = value ?? (low + high) / 2;
  const range = h("input", { type: "range", min: low, max: high, step, value: start, "aria-label": `${show(field.name)}, from ${number(low)} to ${number(high)}` });
  const box = h("input", { type: "number", step: "any", value: value === null ? "" : value, id });
  const on = (set) => {
    range.addEventListener("input", () => {
      box.value = field.whole ? range.value : Number(Number(range.value).toPrecision(6));
      set(Number(box.value));
    });
    box.addEventListener("input", () => {
      if (box.value === "" || Number.isNaN(Number(box.value))) return;
      range.value = box.value;
      set(Number(box.value));
    });
  };
  const read = () => {
    if (box.value === "") box.value = Number(Number(range.value).toPrecision(6));
    return Number(box.value);
  };
  return { elements: [range, box], on, value: read };
}

function picker(field, value, id) {
  const texts = field.labels.map(String);
  const strange = value !== null && !texts.includes(String(value));
  const list = h("select", { id }, value === null && h("option", { value: "" }, "missing"), strange && h("option", { value: String(value), selected: true }, `${show(value)} (not in the cases)`),
    field.labels.map((label) => h("option", { value: String(label), selected: String(label) === String(value) }, show(label))));
  const find = (text) => field.labels[texts.indexOf(text)] ?? text;
  const on = (set) => list.addEventListener("change", () => set(list.value === "" ? null : find(list.value)));
  const read = () => {
    if (list.value === "") list.value = texts[0];
    return find(list.value);
  };
  return { elements: [list], on, value: read };
}

/** The distribution of a feature in each class, with this row's value marked. */
function detail(field) {
  const place = h("div", {});
  const toggle = (event) => {
    const column = known.columns.find((one) => one.name === field.name);
    const value = field.name in edits ? edits[field.name] : chosen?.values[field.name];
    replace(place, event.target.open && column ? byGroup(column, known.groups, value) : null);
  };
  return h("details", { class: "by-class", ontoggle: toggle }, h("summary", { "aria-label": `${show(field.name)} by ${known.classifies ? "class" : "target"}` }, known.classifies ? "by class" : "by target"), place);
}

function edit(name, value) {
  if (chosen && chosen.values[name] === value) delete edits[name];
  else edits[name] = value;
  if (receipt)
    quick.ask("answer", query()).then((reply) => {
      if (!reply) return;
      drawAnswer(reply);
      mark(reply.used);
    }).catch(complain);
  later();
}

/** Ask for the receipt once editing pauses. */
function later() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    opened = JSON.stringify([JSON.stringify([at.case, at.row, known.version]), at.without, at.delta, edits]);
    go({ edits: Object.keys(edits).length || isNew() ? { ...edits } : null }, { quiet: true });
    renewReceipt();
  }, 300);
}

/** Mark the features that matter. */
function mark(used) {
  for (const box of document.querySelectorAll(".what-if .field")) box.classList.toggle("used", used?.includes(box.dataset.name) ?? false);
}

// --- the evidence -----------------------------------------------------------------------

const ROLES = {
  voted: "Cases that voted",
  weighted: "Cases with the most influence",
  near: "Cases the local model is fitted to",
  similar: "Most similar cases (this method has no votes)",
};

function drawEvidence() {
  const names = Object.keys(receipt.weights).sort((a, b) => receipt.weights[b] - receipt.weights[a]);
  mark(names.length < form.fields.length ? names : undefined);
  const lead = receipt.blocks.filter((one) => one.kind === "lead" || one.tone === "warning");
  replace(parts.why, draw(lead), names.length ? attributes(names) : null);
  const { role, cases, number: all } = receipt.voters;
  const listed = all > cases.length ? `${cases.length} of ${all}` : all;
  redraw(parts.voters, h("h3", {}, `${ROLES[role]} (${listed})`), voters());
  redraw(parts.against, h("h3", {}, "Nearest counterexample"), against());
  redraw(parts.next, receipt.next ? next() : null);
  const fold = parts.all.querySelector("details");
  redraw(parts.all,
    h("details", { open: fold ? fold.open : !names.length, class: "whole" }, h("summary", { "data-focus": "whole" }, "Full receipt"), draw(receipt.blocks)),
    saves("receipt", ["html", "json"], { row: query() }));
}

function attributes(names) {
  const row = (name) => h("tr", {}, td(userText(name)), td(userText(receipt.values[name]), { class: "n" }), td(bar(receipt.weights[name]), { class: "barred" }));
  const head = () => [th("feature"), th("value", { class: "n" }), th("weight", { class: "barred" })];
  const first = table(head(), names.slice(0, 8).map(row), { label: "Features that matter" });
  return names.length <= 8 ? first : [first, h("details", {}, h("summary", {}, `${names.length - 8} more features`), table(head(), names.slice(8).map(row), { label: "More features" }))];
}

function voters() {
  const { cases, names, weight } = receipt.voters;
  const shown = names.slice(0, 60);
  const weighed = cases.some((one) => one.weight !== null);
  const head = [th("case"), th(userText(known.target)), th("distance", { class: "n" }), weighed && th(weight, { class: "n" }), th(h("span", { class: "hidden" }, "leave out")), shown.map((name) => th(userText(name), { class: "n" }))];
  const self = h("tr", { class: "query" }, td("this row"), td(chosen ? userText(chosen.truth) : ""), td(""), weighed && td(""), td(""), shown.map((name) => td(userText(receipt.values[name]), { class: "n" })));
  const line = (one) => {
    const other = known.classifies && String(one.target) !== String(receipt.answer);
    const out = () => go({ without: [...at.without, String(one.id)] });
    return h("tr", {}, td(h("a", { href: address(choosing(one.id)), "data-focus": `voter-${one.id}` }, userText(one.id))),
      td([userText(one.target), other && h("span", { class: "sign" }, " ≠")], { class: other ? "other" : "" }), td(number(one.distance, 3), { class: "n" }), weighed && td(number(one.weight, 3), { class: "n" }),
      td(h("button", { type: "button", onclick: out, title: "Leave this case out", "aria-label": `Leave case ${show(one.id)} out` }, "out")),
      shown.map((name) => cell(one, name)));
  };
  return table(head, [self, cases.map(line)], { class: "voters", label: "Cases side by side", caption: "Cells marked ≠ differ from this row: another category, another interval, or a number far away" });
}

function cell(one, name) {
  const apart = one.differ.includes(name);
  return td([apart && h("span", { class: "sign" }, "≠ "), userText(one.values[name])], { class: `n ${apart ? "differs" : ""}` });
}

function against() {
  const one = receipt.opposing;
  const delta = known.classifies ? null : h("label", {}, "a target that differs by more than ",
    h("input", { type: "number", step: "any", min: "0", value: number(receipt.delta), "data-focus": "delta", onchange: (event) => go({ delta: Number(event.target.value) }) }));
  if (!one) return [delta, h("p", {}, "There is none.")];
  const few = one.differ.slice(0, 8);
  return [delta, h("p", {}, h("a", { href: address(choosing(one.id)), "data-focus": "against" }, "case ", userText(one.id)), ", ", userText(known.target), " ", h("strong", {}, userText(one.target)), `, at HEOM distance ${number(one.distance, 3)}, differs in ${few.length ? "" : "none of the compared features"}`,
    few.map((name, i) => [i > 0 && ", ", userText(name), ` (${show(receipt.values[name])} → ${show(one.values[name])})`]), one.differ.length > few.length ? ` and ${one.differ.length - few.length} more.` : ".")];
}

function next() {
  const advice = receipt.next;
  const rows = advice.outcomes.map((one) => h("tr", {}, td(userText(one.value ?? one.bin ?? "")), td(percent(one.chance), { class: "n" }), td(userText(Array.isArray(one.answer) ? one.answer[0] : one.answer)), td(share(one.probability), { class: "n" })));
  return [h("h3", {}, "Measure next"), h("p", {}, advice.statement),
    rows.length ? table([th(userText(advice.attribute)), th("chance", { class: "n" }), th("prediction then"), th("p", { class: "n" })], rows, { label: "Possible outcomes" }) : null,
    advice.ranked.length > 1 ? h("p", { class: "soft" }, `Then: ${advice.ranked.slice(1, 5).map((one) => show(one.name ?? one.attribute)).join(", ")}`) : null];
}

