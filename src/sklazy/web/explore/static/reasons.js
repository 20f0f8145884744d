// Why: what each feature adds, the cases for and against, the nearest counterexample.

import { h, userText, show, number, share, percent, bar, table, th, td } from "./dom.js";
import { at, address, go, choosing } from "./address.js";
import { cell, cellText, targetCell, outputText, pointsText } from "./format.js";

const SHOWN = 10;

// --- features ---------------------------------------------------------------------------

/** From the base to the prediction, one feature after the other. */
export function waterfall(reasons) {
  const features = reasons.features.filter((one) => one.contribution);
  const levels = [reasons.base];
  for (const one of features) levels.push(levels.at(-1) + one.contribution);
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  const place = (level) => (high > low ? (level - low) / (high - low) : 0.5);
  const step = (one, i) => {
    const [start, end] = [place(levels[i]), place(levels[i + 1])];
    const lowers = one.contribution < 0;
    return h("tr", {}, td(userText(one.name)), td(cell(one.name, one.value), { class: "n" }), td(pointsText(one.contribution, levels), { class: `n ${lowers ? "lowers" : "raises"}` }),
      td(bar(Math.max(start, end), { start: Math.min(start, end), tone: lowers ? "against" : "" }), { class: "barred" }));
  };
  const end = (text, value) => h("tr", { class: "end" }, td(text), td("", { class: "n" }), td(outputText(value), { class: "n" }), td(bar(place(value), { start: place(value), tick: place(value) }), { class: "barred" }));
  const head = () => [th("feature"), th("value", { class: "n" }), th("adds", { class: "n" }), th(h("span", { class: "hidden" }, "from the base to the prediction"), { class: "barred" })];
  const few = features.slice(0, SHOWN).map(step);
  const rest = features.slice(SHOWN);
  const moved = rest.reduce((sum, one) => sum + one.contribution, 0);
  const joined = rest.length ? h("tr", {}, td(`${rest.length} more`), td("", { class: "n" }), td(pointsText(moved, levels), { class: "n" }), td("", { class: "barred" })) : null;
  const none = reasons.features.length - features.length;
  return [table(head(), [end("with nothing known", reasons.base), few, joined, end("prediction", reasons.answer)], { class: "waterfall", label: "What each feature adds" }),
    rest.length ? h("details", {}, h("summary", {}, `${rest.length} more features`), table(head(), rest.map((one, i) => step(one, SHOWN + i)), { class: "waterfall", label: "More features" })) : null,
    none ? h("p", { class: "soft" }, `${none} ${none === 1 ? "feature adds" : "features add"} nothing.`) : null];
}

// --- cases ------------------------------------------------------------------------------

const ROLES = {
  moving: "Cases that move the prediction most",
  voted: "Cases that voted",
  weighted: "Cases with the most weight",
  near: "Cases the local model is fitted to",
  similar: "Most similar cases (this method has no votes)",
};

export function caseTitle({ voters: { role, cases, number: all } }) {
  return role === "moving" ? ROLES[role] : `${ROLES[role]} (${all > cases.length ? `${cases.length} of ${all}` : all})`;
}

/** The cases on both sides, each side sorted by what is shown. */
export function caseTable(receipt, known, chosen) {
  const { cases, names, weight, role } = receipt.voters;
  const shown = names.slice(0, 60);
  const beside = receipt.reasons ? [receipt.reasons.base, receipt.reasons.answer] : [];
  const [far, weighed] = ["distance", "weight"].map((key) => cases.some((one) => one[key] !== null));
  const wide = 3 + far + weighed + shown.length;
  const head = [th("case"), th(userText(known.target)), far && th("distance", { class: "n" }), weighed && th(weight, { class: "n" }), th(h("span", { class: "hidden" }, "leave out")), shown.map((name) => th(userText(name), { class: "n" }))];
  const self = h("tr", { class: "query" }, td("this row"), td(chosen ? targetCell(chosen.truth) : ""), far && td(""), weighed && td(""), td(""), shown.map((name) => td(cell(name, receipt.values[name]), { class: "n" })));
  const line = (one) => h("tr", {}, td(h("a", { href: address(choosing(one.id)), "data-focus": `voter-${one.id}` }, userText(one.id))), td(targetCell(one.target)),
    far && td(number(one.distance, 3), { class: "n" }), weighed && td(role === "moving" ? pointsText(one.weight, beside) : number(one.weight, 3), { class: `n ${one.side === "for" ? "raises" : "lowers"}` }),
    td(h("button", { type: "button", onclick: () => go({ without: [...at.without, String(one.id)] }), "aria-label": `leave out case ${show(one.id)}` }, "leave out")), shown.map((name) => other(one, name)));
  const side = (key, text, sum) => {
    const listed = cases.filter((one) => one.side === key);
    return listed.length ? [h("tr", { class: `side ${key}` }, h("th", { colspan: wide, scope: "rowgroup" }, text, sum === null || sum === undefined ? "" : ` (${pointsText(sum, beside)} by all such cases together)`)), listed.map(line)] : null;
  };
  const words = known.classifies ? ["For this prediction", "Against it"] : ["Raise the prediction", "Lower it"];
  return [h("p", { class: "soft" }, "Cells marked ≠ differ from this row: another category, another interval, or a number far away."),
    table(head, [self, side("for", words[0], receipt.reasons?.for), side("against", words[1], receipt.reasons?.against)], { class: "voters", label: "Cases side by side" })];
}

function other(one, name) {
  const apart = one.differ.includes(name);
  return td([apart && h("span", { class: "sign" }, "≠ "), cell(name, one.values[name])], { class: `n ${apart ? "differs" : ""}` });
}

/** Changes that give another prediction; a link makes the change. */
export function otherAnswers({ changes, n_tried }, edits) {
  if (!changes.length) return h("p", {}, `None of the ${n_tried} changes that were tried gives another prediction.`);
  const item = (one) => {
    const moved = Object.entries(one.after).map(([name, value], i) => [i > 0 && " and ", userText(name), " ", h("strong", {}, cell(name, value))]);
    const link = address({ edits: { ...edits, ...one.after } });
    return h("li", {}, "with ", moved, ": ", targetCell(one.answer), one.probability === null ? "" : ` (${share(one.probability)})`, " ", h("a", { href: link, "aria-label": `try it: ${Object.entries(one.after).map(([name, value]) => `${show(name)} ${cellText(name, value)}`).join(" and ")}` }, "try it"));
  };
  return [h("ul", {}, changes.map(item)), h("p", { class: "soft" }, `The smallest of ${n_tried} changes to values that occur, each of them predicted.`)];
}

export function counterexample(receipt, known) {
  const one = receipt.opposing;
  const delta = known.classifies ? null : h("label", {}, "a target that differs by more than ",
    h("input", { type: "number", step: "any", min: "0", value: number(receipt.delta), "data-focus": "delta", onchange: (event) => go({ delta: Number(event.target.value) }) }));
  if (!one) return [delta, h("p", {}, "There is none.")];
  const few = one.differ.slice(0, 8);
  return [delta, h("p", {}, h("a", { href: address(choosing(one.id)), "data-focus": "against" }, "case ", userText(one.id)), ", ", userText(known.target), " ", h("strong", {}, targetCell(one.target)), few.length ? " differs in " : " differs in none of the compared features",
    few.map((name, i) => [i > 0 && ", ", userText(name), ` (${cellText(name, receipt.values[name])} → ${cellText(name, one.values[name])})`]), one.differ.length > few.length ? ` and ${one.differ.length - few.length} more.` : ".")];
}

export function nextMeasurement(receipt) {
  const advice = receipt.next;
  const rows = advice.outcomes.map((one) => h("tr", {}, td(userText(one.value ?? one.bin ?? "")), td(percent(one.chance), { class: "n" }), td(targetCell(Array.isArray(one.answer) ? one.answer[0] : one.answer)), td(share(one.probability), { class: "n" })));
  return [h("h3", {}, "Measure next"), h("p", {}, advice.statement),
    rows.length ? table([th(userText(advice.attribute)), th("chance", { class: "n" }), th("prediction then"), th("p", { class: "n" })], rows, { label: "Possible outcomes" }) : null,
    advice.ranked.length > 1 ? h("p", { class: "soft" }, `Then: ${advice.ranked.slice(1, 5).map((one) => show(one.name ?? one.attribute)).join(", ")}`) : null];
}
