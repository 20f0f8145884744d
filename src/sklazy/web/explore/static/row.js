// The selected row: its prediction, evidence, edits and counterexample.

import { h, userText, show, share, bar, replace, redraw } from "./dom.js";
import { at, address, go } from "./address.js";
import { attempt, send, complain, Latest } from "./api.js";
import { draw } from "./blocks.js";
import { clearCurves, controls, showContributions, showCurves, shownNames } from "./fields.js";
import { pointsText, targetCell, targetText } from "./format.js";
import { caseTable, caseTitle, counterexample, nextMeasurement, otherAnswers, waterfall } from "./reasons.js";
import { saves } from "./overview.js";
import { hurry } from "./jobs.js";

const CURVES = 8; // at once
const quick = new Latest();
const whole = new Latest();
const curves = new Latest();
const others = new Latest();
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
  for (const one of [quick, whole, curves, others]) one.stop();
  [receipt, chosen, before] = [null, null, null];
  replace(pane, h("p", { class: "soft hint" }, "Choose a case in the table or on the map, search for an id, or paste a row to see its receipt here."),
    h("p", {}, h("a", { href: address({ row: "new", case: null, edits: {}, without: [] }) }, "Enter a new row")));
  tell();
}

async function open(pane) {
  [receipt, before] = [null, null];
  chosen = at.case ? await attempt(() => send("case", { case: at.case })) : null;
  if (at.case && !chosen) return close(pane);
  for (const name of ["head", "answer", "shares", "why", "voters", "others", "against", "next", "all"]) parts[name] = h("div", { class: `part-${name}` });
  parts.answer.setAttribute("role", "status");
  parts.answer.setAttribute("aria-live", "polite");
  redraw(pane, parts.head, parts.answer, parts.shares,
    h("div", { class: "row-grid" },
      h("div", {}, h("h3", {}, "Why"), parts.why, parts.voters, parts.others, parts.against),
      h("div", {}, h("h3", {}, "What if"), whatIf(), parts.next)),
    parts.all);
  drawHead();
  if (matchMedia("(max-width: 70rem)").matches) pane.scrollIntoView();
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
  else renewCurves();
  if (!before && chosen) {
    before = pair(await send("answer", { case: at.case, edits: {}, without: [] }).catch(() => null));
    drawAnswer(receipt);
  }
}

/** Ask for the curves of all fields, some at a time. */
async function renewCurves() {
  const [names, wanted] = [shownNames(), query()];
  clearCurves();
  try {
    for (let first = 0; first < names.length; first += CURVES) {
      const reply = await curves.ask("curves", { ...wanted, names: names.slice(first, first + CURVES) });
      if (!reply) return;
      showCurves(reply);
    }
  } catch (error) {
    complain(error);
  }
}

function tell() {
  for (const listener of listeners) listener(receipt);
}

// --- the head and the answer ------------------------------------------------------------

function drawHead() {
  const title = chosen ? ["Case ", userText(chosen.id)] : ["A new row"];
  const facts = chosen && h("p", { class: "soft" }, userText(known.target), " is ", h("strong", {}, targetCell(chosen.truth)), ". It is left out of everything below.");
  redraw(parts.head, h("div", { class: "row-title" }, h("h2", {}, title), h("a", { href: address({ case: null, row: null, edits: null, without: [], delta: null }), "aria-label": "Close this row", class: "close" }, "✕")), facts, chosen && decisions());
}

function decisions() {
  const change = async (kind, to) => {
    if (await attempt(() => send("change", { kind, case: chosen.id, to, reason: "reviewed" }))) {
      if (kind === "forget") go({ case: null, edits: null, without: [], delta: null });
      hurry();
    }
  };
  const choice = known.classifies
    ? h("select", { "aria-label": "The right class", "data-focus": "to" }, form.classes.slice(0, 500).map((label) => h("option", { value: String(label), selected: String(label) === String(chosen.truth) }, show(label))))
    : h("input", { type: "number", step: "any", value: chosen.truth, "aria-label": "The right number", "data-focus": "to" });
  const relabel = (event) => {
    event.preventDefault();
    change("relabel", known.classifies ? choice.value : Number(choice.value));
  };
  if (known.read_only) return null;
  return h("div", { class: "decisions" },
    h("button", { type: "button", onclick: () => change("keep"), "data-focus": "keep" }, "Keep as it is"),
    h("form", { onsubmit: relabel }, choice, h("button", { "data-focus": "relabel" }, "Relabel")),
    h("button", { type: "button", onclick: () => change("forget"), "data-focus": "forget" }, "Forget"));
}

const pair = (reply) => (reply ? { answer: reply.answer, p: reply.probabilities?.[0]?.probability ?? null } : null);
const answerText = ({ answer, p }) => [h("strong", {}, targetCell(answer)), p === null ? "" : ` (${share(p)})`];

/** How the prediction differs from that for the row as it is. */
function difference(now) {
  if (typeof now.answer !== "number" || known.classifies) return String(before.answer) === String(now.answer) ? "" : h("span", { class: "sign" }, " changed");
  return now.answer === before.answer ? "" : ` (${pointsText(now.answer - before.answer, [now.answer])})`;
}

function interval({ answer, margin }) {
  if (margin === null || margin === undefined) return null;
  return h("span", { class: "soft interval", title: "Nine of ten cases lie as near to their left-out prediction" }, ` 90 % interval: ${targetText(answer - margin)} to ${targetText(answer + margin)}`);
}

function drawAnswer(reply) {
  const now = pair(reply);
  const touched = before && (Object.keys(edits).length || at.without.length);
  const line = touched ? [answerText(before), " → ", answerText(now), difference(now)] : answerText(now);
  const other = touched && known.classifies && String(before.answer) !== String(now.answer);
  const most = reply.probabilities ?? [];
  replace(parts.answer, h("p", { class: `big ${other ? "other" : ""}` }, "Prediction: ", line, interval(reply)),
    at.without.length > 0 && h("p", { class: "chips" }, "Left out: ", at.without.map((id) => h("span", { class: "chip" }, userText(id), h("a", { href: address({ without: at.without.filter((one) => one !== id) }), "aria-label": `Put case ${show(id)} back` }, "✕")))));
  replace(parts.shares, most.length > 1 && h("ul", { class: "labels" }, most.slice(0, 6).map((one) => h("li", {}, userText(one.label), bar(one.probability), h("span", { class: "n" }, share(one.probability))))));
}

// --- what if ----------------------------------------------------------------------------

function whatIf() {
  const valueOf = (name) => (name in edits ? edits[name] : chosen ? chosen.values[name] : null);
  const reset = () => {
    edits = {};
    go({ edits: isNew() ? {} : null });
  };
  return h("div", { class: "what-if" }, controls(form.fields, known, valueOf, edit),
    h("p", {}, h("button", { type: "button", onclick: reset, "data-focus": "reset" }, "Undo all edits")));
}

function edit(name, value) {
  if (chosen && chosen.values[name] === value) delete edits[name];
  else edits[name] = value;
  if (receipt)
    quick.ask("answer", query()).then((reply) => {
      if (reply) drawAnswer(reply);
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

/** Find the smallest changes that give another prediction. */
async function findOthers() {
  replace(parts.others, h("h3", {}, "What would change it"), h("p", { class: "soft", role: "status" }, "Trying values that occur in the cases …"));
  const reply = await attempt(() => others.ask("others", query()));
  if (reply) redraw(parts.others, h("h3", {}, "What would change it"), otherAnswers(reply, edits));
}

// --- the evidence -----------------------------------------------------------------------

function drawEvidence() {
  const { reasons } = receipt;
  const lead = receipt.blocks.filter((one) => one.kind === "lead" || one.tone === "warning");
  replace(parts.why, draw(lead), reasons ? waterfall(reasons) : h("p", { class: "soft" }, "There are too many cells to find what each feature adds."));
  showContributions(reasons);
  redraw(parts.voters, h("h3", {}, caseTitle(receipt)), caseTable(receipt, known, chosen));
  redraw(parts.others, h("h3", {}, "What would change it"), h("button", { type: "button", onclick: findOthers, "data-focus": "others" }, "Try other values"));
  redraw(parts.against, h("h3", {}, "Nearest counterexample"), counterexample(receipt, known));
  redraw(parts.next, receipt.next ? nextMeasurement(receipt) : null);
  const fold = parts.all.querySelector("details");
  redraw(parts.all,
    h("details", { open: fold ? fold.open : false, class: "whole" }, h("summary", { "data-focus": "whole" }, "Full receipt"), draw(receipt.blocks)),
    saves("receipt", ["html", "json"], { row: query() }));
}
