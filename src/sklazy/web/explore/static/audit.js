// Findings that are worth a second look, and the list of changes.

import { h, userText, show, number, count, bar, table, th, td, redraw } from "./dom.js";
import { at, address, choosing } from "./address.js";
import { targetCell, targetText } from "./format.js";
import { ask, send, attempt, download } from "./api.js";
import { saves } from "./overview.js";
import { running, hurry } from "./jobs.js";

const KINDS = {
  label: "Doubtful targets",
  conflict: "Equal rows with different targets",
  duplicate: "Duplicate rows",
  "near duplicate": "Near duplicates",
  novel: "Unusual rows",
  column: "Columns to check",
};
const parts = {};
let known = null;

export async function openAudit(what, overview) {
  known = overview;
  parts.audit = h("div", {});
  parts.values = h("section", {});
  what.replaceChildren(h("h1", { id: "what-title" }, "Audit"), h("p", { class: "soft" }, known.read_only ? "This explorer is read-only: findings are shown, and nothing can be changed." : "You decide whether a finding is an error. Your decisions go to the list of changes; nothing is written until you save."), parts.audit, parts.values);
  await Promise.all([renewAudit(), renewValues()]);
}

export const renewAudit = () => renew("audit", findings);
export const renewValues = () => renew("values", values);

async function renew(name, draw) {
  if (!parts[name]?.isConnected) return;
  const [reply, made] = await Promise.all([attempt(() => ask(name)), attempt(() => ask("changes"))]);
  if (reply && made) redraw(parts[name], draw(reply, new Map(made.changes.map((one) => [String(one.id), one]))));
}

function starter(name, text, busyText) {
  const busy = running(name);
  const begin = async () => {
    await attempt(() => send("start", { job: name }));
    hurry();
    await Promise.all([renewAudit(), renewValues()]);
  };
  return h("button", { type: "button", onclick: begin, disabled: busy, "data-focus": name }, busy ? busyText : text);
}

function findings(reply, changes) {
  const button = starter("audit", reply.found ? "Check again" : "Find doubtful labels, duplicates and unusual rows", "Checking …");
  if (!reply.found) return [h("p", {}, button), known.n_rows > 5000 && h("p", { class: "soft" }, `A random sample of 5000 of the ${count(known.n_rows)} cases is checked.`)];
  const kinds = Object.keys(KINDS).filter((kind) => reply.counts[kind]);
  return [
    h("p", {}, reply.n_rows < reply.n_cases ? `${count(reply.n_rows)} of ${count(reply.n_cases)} cases were checked. ` : "", reply.is_past ? "This was before the last change. " : "", button),
    !reply.learned && h("p", { class: "warning" }, "Labels cannot be checked: predictions from the other rows are no better than a guess."),
    kinds.length ? null : h("p", { class: "empty" }, "Nothing stands out."),
    kinds.map((kind) => part(kind, reply, changes)),
    saves("audit", ["html", "json", "csv"]),
  ];
}

function part(kind, reply, changes) {
  const listed = reply.findings.filter((one) => one.kind === kind);
  const more = reply.counts[kind] - listed.length;
  return h("section", {}, h("h2", {}, `${KINDS[kind]} (${reply.counts[kind]})`), h("ul", { class: "findings" }, listed.map((one) => item(one, changes))), more > 0 && h("p", { class: "soft" }, `and ${more} more in the download`));
}

function item(one, changes) {
  return h("li", { class: "finding" }, h("p", {}, one.column ? [userText(one.column), ": "] : null, one.sentence, compare(one.evidence?.against ?? [])), one.rows.slice(0, 12).map((id) => decide(one, id, changes.get(String(id)))));
}

/** Links to the rows that a finding names. */
function compare(cases) {
  return cases.length ? [" Compare: ", cases.map((other, i) => [i > 0 && ", ", h("a", { href: address(choosing(other.id)) }, "case ", userText(other.id))]), "."] : null;
}

function decide(one, id, made) {
  const change = async (kind, to) => {
    if (await attempt(() => send("change", { kind, case: id, to, reason: one.kind }))) {
      hurry();
      await Promise.all([renewAudit(), renewValues()]);
    }
  };
  const undo = async () => {
    if (await attempt(() => send("undo", { number: made.number }))) {
      hurry();
      await Promise.all([renewAudit(), renewValues()]);
    }
  };
  const name = (text) => ({ "data-focus": `${text}-${one.number}-${id}`, "aria-label": `${text}, case ${show(id)}` });
  const relabelText = `Relabel to ${targetText(one.suggested)}`;
  const relabel = one.kind === "label" ? h("button", { type: "button", onclick: () => change("relabel", one.suggested), ...name(relabelText) }, relabelText) : null;
  return h("p", { class: `decisions ${String(id) === at.case ? "chosen" : ""}` }, h("a", { href: address(choosing(id)) }, "case ", userText(id)), " ",
    made ? [h("span", { class: "made" }, "✓ ", changeText(made)), !known.read_only && h("button", { type: "button", onclick: undo, ...name("Undo") }, "Undo")] : !known.read_only && [h("button", { type: "button", onclick: () => change("keep"), ...name("Keep as it is") }, "Keep as it is"), relabel, h("button", { type: "button", onclick: () => change("forget"), ...name("Forget") }, "Forget")]);
}

const changeText = (one) => (one.kind === "relabel" ? ["relabeled to ", targetCell(one.after)] : one.kind === "forget" ? "forgotten" : "kept as it is");

// --- values -----------------------------------------------------------------------------

function values(reply, changes) {
  const heading = h("h2", {}, "Helpful and harmful cases");
  const button = starter("values", reply.found ? "Compute again" : "Find the most helpful and the most harmful cases", "Computing …");
  if (!reply.found) return known.n_rows > 1 ? [heading, h("p", {}, button)] : null;
  const votes = `the ${reply.n_neighbors} nearest cases${reply.n_judged < reply.n_cases ? ` of each case in a sample of ${count(reply.n_judged)}` : ""}`;
  const most = Math.max(...[...reply.lowest, ...reply.highest].map((one) => Math.abs(one.value))) || 1;
  return [heading,
    h("p", {}, `${count(reply.n_harmful)} of ${count(reply.n_cases)} cases make the predictions for the others worse. `, reply.is_past ? "This was before the last change. " : "", button),
    h("p", { class: "soft" }, `A value is ${known.classifies ? "what the case adds to the share of right votes, in percentage points" : "how much the case lowers the squared error"}, among ${votes}, averaged over all sets of cases (its Shapley value).`),
    valueTable("Lowest values", reply.lowest, most, (one, i) => decide({ kind: "low value", number: `value-${i}` }, one.id, changes.get(String(one.id)))),
    valueTable("Highest values", reply.highest, most, (one) => h("a", { href: address(choosing(one.id)) }, "case ", userText(one.id))),
    saves("values", ["csv"])];
}

function valueTable(title, cases, most, name) {
  const row = (one, i) => h("tr", {}, td(name(one, i)), td(targetCell(one.truth)), td(number(known.classifies ? 100 * one.value : one.value, 3), { class: "n" }), td(bar(Math.abs(one.value) / most, { tone: one.value < 0 ? "against" : "" }), { class: "barred" }));
  return [h("h3", {}, title), table([th("case"), th(userText(known.target)), th("value", { class: "n" }), th(h("span", { class: "hidden" }, "value as a bar"), { class: "barred" })], cases.map(row), { label: title })];
}

// --- changes ----------------------------------------------------------------------------

export async function openChanges(what, overview) {
  known = overview;
  parts.changes = h("div", {});
  what.replaceChildren(h("h1", { id: "what-title" }, "Changes"), h("p", { class: "soft" }, known.read_only ? "This explorer is read-only: nothing can be changed." : "Your file is never changed. You can save the cases with these changes as a new file or a new model."), parts.changes);
  await renewChanges();
}

export async function renewChanges() {
  if (!parts.changes?.isConnected) return;
  const reply = await attempt(() => ask("changes"));
  if (!reply) return;
  if (known.read_only && !reply.changes.length) return;
  redraw(parts.changes, reply.changes.length ? list(reply.changes) : h("p", { class: "empty" }, "There are no changes yet. ", h("a", { href: address({ view: "audit" }) }, "Go to the audit")),
    h("h2", {}, "Save as"),
    h("p", { class: "saves" }, known.own_file && [h("a", { href: download("own.csv"), download: true }, "your file, only the changed cells changed"), " · "], h("a", { href: download("data.csv"), download: "data.csv" }, "cases with the changes, CSV"), " · ", h("a", { href: download("model.sklazy"), download: "model.sklazy" }, "model with the changes"), " · ",
      h("a", { href: download("changes.json"), download: "changes.json" }, "list of changes, JSON"), " · ", h("a", { href: download("changes.csv"), download: "changes.csv" }, "CSV")));
}

function list(changes) {
  const undo = async (number_) => {
    if (await attempt(() => send("undo", { number: number_ }))) {
      hurry();
      await renewChanges();
    }
  };
  const row = (one) => h("tr", {}, td(number(one.number), { class: "n" }), td(h("a", { href: address(choosing(one.id)) }, userText(one.id))), td(changeText(one)), td(targetCell(one.before)), td(userText(one.reason)),
    td(!known.read_only && h("button", { type: "button", onclick: () => undo(one.number), "data-focus": `undo-${one.number}`, "aria-label": `Undo change ${one.number}` }, "Undo")));
  return table([th("number", { class: "n" }), th("case"), th("change"), th("before"), th("reason"), th(h("span", { class: "hidden" }, "undo"))], changes.map(row), { label: "List of changes" });
}
