// Findings that are worth a second look, and the list of changes.

import { h, own, show, number, count, table, th, td, redraw } from "./dom.js";
import { at, address, choosing } from "./address.js";
import { ask, send, attempt, download } from "./api.js";
import { saves } from "./overview.js";
import { running, hurry } from "./jobs.js";

const KINDS = {
  label: "Targets that the other cases contradict",
  conflict: "Equal rows with different targets",
  duplicate: "Equal rows",
  "near duplicate": "Rows that are unusually near",
  novel: "Rows nobody is near",
  column: "Columns to think about",
};
const parts = {};
let known = null;

export async function openAudit(what, told) {
  known = told;
  parts.audit = h("div", {});
  what.replaceChildren(h("h1", { id: "what-title" }, "Audit"), h("p", { class: "soft" }, "Whether a finding is an error is for you to say. What you decide goes to the list of changes; nothing is written before you ask for it."), parts.audit);
  await renewAudit();
}

export async function renewAudit() {
  if (!parts.audit?.isConnected) return;
  const [found, made] = await Promise.all([attempt(() => ask("audit")), attempt(() => ask("changes"))]);
  if (found && made) redraw(parts.audit, findings(found, new Map(made.changes.map((one) => [String(one.id), one]))));
}

function findings(found, changes) {
  const busy = running("audit");
  const begin = async () => {
    await attempt(() => send("start", { job: "audit" }));
    hurry();
    await renewAudit();
  };
  const button = h("button", { type: "button", onclick: begin, disabled: busy, "data-focus": "begin" }, busy ? "Looking …" : found.found ? "Look again" : "Look for doubtful labels, duplicates, novel rows");
  if (!found.found) return [h("p", {}, button), known.n_rows > 5000 && h("p", { class: "soft" }, `Of ${count(known.n_rows)} cases 5000 are looked at, as if by lot.`)];
  const kinds = Object.keys(KINDS).filter((kind) => found.counts[kind]);
  return [
    h("p", {}, found.n_rows < found.n_cases ? `${count(found.n_rows)} of ${count(found.n_cases)} cases were looked at. ` : "", found.is_past ? "Found before the last change. " : "", button),
    !found.learned && h("p", { class: "warning" }, "Labels cannot be judged: the other rows say no more of them than a guess does."),
    kinds.length ? null : h("p", { class: "empty" }, "Nothing stands out."),
    kinds.map((kind) => part(kind, found, changes)),
    saves("audit", ["html", "json", "csv"]),
  ];
}

function part(kind, found, changes) {
  const own = found.findings.filter((one) => one.kind === kind);
  const more = found.counts[kind] - own.length;
  return h("section", {}, h("h2", {}, `${KINDS[kind]} (${found.counts[kind]})`), h("ul", { class: "findings" }, own.map((one) => item(one, changes))), more > 0 && h("p", { class: "soft" }, `and ${more} more in the download`));
}

function item(one, changes) {
  return h("li", { class: "finding" }, h("p", {}, one.column ? [own(one.column), ": "] : null, one.sentence), one.rows.slice(0, 12).map((id) => decide(one, id, changes.get(String(id)))));
}

function decide(one, id, made) {
  const change = async (kind, to) => {
    if (await attempt(() => send("change", { kind, case: id, to, reason: one.kind }))) {
      hurry();
      await renewAudit();
    }
  };
  const name = (text) => ({ "data-focus": `${text}-${one.number}-${id}`, "aria-label": `${text} case ${show(id)}` });
  const relabel = one.kind === "label" ? h("button", { type: "button", onclick: () => change("relabel", one.suggested), ...name("Relabel") }, "Relabel to ", own(one.suggested)) : null;
  return h("p", { class: `decisions ${String(id) === at.case ? "chosen" : ""}` }, h("a", { href: address(choosing(id)) }, "case ", own(id)), " ",
    made ? h("span", { class: "made" }, "✓ ", said(made)) : [h("button", { type: "button", onclick: () => change("accept"), ...name("Accept") }, "Accept"), relabel, h("button", { type: "button", onclick: () => change("forget"), ...name("Forget") }, "Forget")]);
}

const said = (one) => (one.kind === "relabel" ? ["relabeled to ", own(one.after)] : one.kind === "forget" ? "forgotten" : "accepted");

// --- changes ----------------------------------------------------------------------------

export async function openChanges(what) {
  parts.changes = h("div", {});
  what.replaceChildren(h("h1", { id: "what-title" }, "Changes"), h("p", { class: "soft" }, "What was read is never written to. The cases with these changes can be saved as a new file or a new model."), parts.changes);
  await renewChanges();
}

export async function renewChanges() {
  if (!parts.changes?.isConnected) return;
  const found = await attempt(() => ask("changes"));
  if (!found) return;
  redraw(parts.changes, found.changes.length ? list(found.changes) : h("p", { class: "empty" }, "Nothing was changed yet. ", h("a", { href: address({ view: "audit" }) }, "To the audit")),
    h("h2", {}, "Save as"),
    h("p", { class: "saves" }, h("a", { href: download("data.csv"), download: "data.csv" }, "cases with the changes, CSV"), " · ", h("a", { href: download("model.sklazy"), download: "model.sklazy" }, "model with the changes"), " · ",
      h("a", { href: download("changes.json"), download: "changes.json" }, "list of changes, JSON"), " · ", h("a", { href: download("changes.csv"), download: "changes.csv" }, "CSV")));
}

function list(changes) {
  const undo = async (number_) => {
    if (await attempt(() => send("undo", { number: number_ }))) {
      hurry();
      await renewChanges();
    }
  };
  const row = (one) => h("tr", {}, td(number(one.number), { class: "n" }), td(h("a", { href: address(choosing(one.id)) }, own(one.id))), td(said(one)), td(own(one.before)), td(own(one.reason)),
    td(h("button", { type: "button", onclick: () => undo(one.number), "data-focus": `undo-${one.number}`, "aria-label": `Undo change ${one.number}` }, "Undo")));
  return table([th("", { class: "n" }), th("case"), th("what"), th("was"), th("because"), th(h("span", { class: "hidden" }, "undo"))], changes.map(row), { label: "Changes" });
}
