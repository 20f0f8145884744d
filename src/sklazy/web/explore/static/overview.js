// The first page: columns, classes, quality of predictions, advice.

import { h, userText, show, number, percent, count, bar, table, th, td, redraw, replace } from "./dom.js";
import { address, choosing } from "./address.js";
import { ask, send, attempt, download } from "./api.js";
import { histogram, numeric, residualPlot, truthPlot } from "./charts.js";
import { roughTargetText, targetCell, targetText } from "./format.js";
import { draw } from "./blocks.js";
import { running, hurry } from "./jobs.js";

const parts = { score: null, advice: null };

export async function openOverview(what, known) {
  parts.score = h("div", { class: "score" });
  parts.advice = h("div", {});
  replace(what,
    h("h1", { id: "what-title" }, "Overview"),
    h("p", { class: "soft" }, userText(known.target), ` is predicted from ${known.n_attributes} features of ${count(known.n_rows)} cases by ${known.estimator}.`),
    h("h2", {}, "Quality: each case predicted from the others"), parts.score,
    h("h2", {}, known.classifies ? "Classes" : "Target"), balance(known),
    h("h2", {}, "Columns"), sampled(known), h("ul", { class: "cards" }, cards(known)),
    h("h2", {}, "Which method?"), parts.advice);
  await Promise.all([renewScore(), renewAdvice()]);
}

export async function renewScore() {
  if (!parts.score?.isConnected) return;
  const reply = await attempt(() => ask("left-out"));
  if (reply) redraw(parts.score, score(reply));
}

export async function renewAdvice() {
  if (!parts.advice?.isConnected) return;
  const reply = await attempt(() => ask("advice"));
  if (!reply) return;
  const busy = running("advice");
  const begin = async () => {
    await attempt(() => send("start", { job: "advice" }));
    hurry();
    await renewAdvice();
  };
  redraw(parts.advice,
    reply.found ? [draw(reply.blocks), saves("advice", ["html", "json"])] : h("p", { class: "soft" }, "All methods predict the same sample of rows. This takes about 20 seconds."),
    h("button", { type: "button", onclick: begin, disabled: busy, "data-focus": "advise" }, busy ? "Comparing …" : reply.found ? "Compare again" : "Compare the methods"));
}

export function saves(stem, endings, parameters = {}) {
  return h("p", { class: "saves" }, "Download: ", endings.map((ending, i) =>
    [i > 0 && " · ", h("a", { href: download(`${stem}.${ending}`, parameters), download: `${stem}.${ending}` }, ending.toUpperCase())]));
}

function sampled(known) {
  return known.n_sampled < known.n_rows ? h("p", { class: "soft" }, `The histograms show a sample of ${count(known.n_sampled)} of the ${count(known.n_rows)} cases.`) : null;
}

function score(reply) {
  if (!reply.n_known) {
    const job = reply.jobs.find((one) => one.name === "left-out");
    return h("p", { class: "soft" }, job?.state === "failed" ? job.note : reply.n_rows < 2 ? "There is only one case, so there are no others to predict it from." : "Predicting the first cases …");
  }
  const part = reply.n_known < reply.n_rows ? ` on ${count(reply.n_known)} of ${count(reply.n_rows)} cases so far` : ` on ${count(reply.n_rows)} cases`;
  const how = reply.exact ? "Each case is predicted as if it had never been in the data." : "Each case is left out of its own vote; cut points and settings come from all cases.";
  const paused = reply.jobs.find((one) => one.name === "left-out" && one.state === "paused");
  return [figures(reply, part), h("p", { class: "soft" }, how), paused && goOn(), reply.confusion ? confusion(reply) : errors(reply)];
}

function goOn() {
  const click = async () => {
    await attempt(() => send("start", { job: "left-out" }));
    hurry();
  };
  return h("p", {}, "This takes a while and is paused. ", h("button", { type: "button", onclick: click, "data-focus": "go-on" }, "Continue"));
}

function figures(reply, part) {
  if (reply.accuracy !== undefined)
    return h("p", { class: "big" }, h("strong", {}, percent(reply.accuracy)), ` correct${part} `, h("span", { class: "soft" }, `± ${(100 * reply.error).toFixed(1)}; always predicting the most frequent class: ${percent(reply.guess)}`));
  return h("p", { class: "big" }, "mean absolute error ", h("strong", {}, targetText(reply.mean_absolute_error)), `${part} `,
    h("span", { class: "soft" }, `RMSE ${targetText(reply.root_mean_squared_error)}; ${percent(reply.explained)} of the variance explained; always predicting the median: ${targetText(reply.guess)}`));
}

/** Truth against prediction, residuals, and the cases with the largest errors. */
function errors({ points, margin, residuals, worst, n_known }) {
  const within = margin ? h("p", {}, "Nine of ten cases lie within ", h("strong", {}, `± ${roughTargetText(margin)}`), " of their prediction: this is the 90 % interval of every prediction (dashed).") : null;
  const drawn = points.length < n_known ? ` ${count(points.length)} of ${count(n_known)} cases are drawn.` : "";
  return [within,
    h("div", { class: "plots" }, truthPlot(points, margin), residualPlot(points, margin),
      h("figure", { class: "plot" }, numeric(residuals.edges, residuals.counts, { label: "True value less prediction", text: roughTargetText }), h("p", { class: "soft" }, "True value less prediction"))),
    h("p", { class: "soft" }, `A click on a point opens its case.${drawn}`),
    h("p", {}, "Largest errors: ", worst.map((one, i) => [i > 0 && ", ", h("a", { href: address(choosing(one.id)) }, "case ", userText(one.id)), " (", targetCell(one.truth), `, predicted ${targetText(one.answer)})`]), ". ",
      h("a", { href: address({ view: "cases", sort: "doubt", falling: true, page: 0 }) }, "All cases by error"))];
}

function confusion({ confusion: { names, counts } }) {
  const most = Math.max(1, ...counts.flat());
  const cell = (n, i, j) => {
    const shade = n ? Math.ceil((4 * n) / most) : 0;
    const label = `${count(n)} cases of ${show(names[i])} predicted as ${show(names[j])}`;
    const link = address({ view: "cases", cell: [i, j], filters: [], truth: null, answer: null, wrong: false, page: 0, search: null, doubt: null });
    return td(n ? h("a", { href: link, "aria-label": label }, count(n)) : "·", { class: `n heat${shade} ${i === j ? "right" : n ? "wrong" : ""}` });
  };
  const head = [th("true ↓ predicted →"), ...names.map((name) => th(userText(name), { class: "n" }))];
  const rows = names.map((name, i) => h("tr", {}, h("th", { scope: "row" }, userText(name)), counts[i].map((n, j) => cell(n, i, j))));
  return table(head, rows, { class: "confusion", label: "Confusion matrix", caption: "Click a number to see its cases. Framed numbers are correct predictions." });
}

function balance(known) {
  if (!known.classifies) {
    const { edges, counts } = known.balance;
    return h("div", { class: "wide-figure" }, edges.length ? numeric(edges, counts, { label: show(known.target), text: roughTargetText }) : "no values");
  }
  const most = Math.max(1, ...known.balance.classes.map((one) => one.rows));
  const row = (one) => h("tr", {}, td(h("a", { href: address({ view: "cases", truth: String(one.label), cell: null, filters: [], page: 0, answer: null, wrong: false }) }, userText(one.label))),
    td(count(one.rows), { class: "n" }), td(percent(one.rows / known.n_rows), { class: "n" }), td(bar(one.rows / most), { class: "barred" }));
  const all = known.balance.classes;
  const head = () => [th("class"), th("cases", { class: "n" }), th("share", { class: "n" }), th(h("span", { class: "hidden" }, "share as a bar"), { class: "barred" })];
  const first = table(head(), all.slice(0, 12).map(row), { label: "Classes" });
  return all.length <= 12 ? first : [first, h("details", {}, h("summary", {}, `${all.length - 12} more classes`), table(head(), all.slice(12, 300).map(row), { label: "More classes" }))];
}

function cards(known) {
  const best = Math.max(1e-9, ...known.columns.map((one) => one.relevance));
  return known.columns.slice(0, 300).map((one) =>
    h("li", { class: "card" },
      h("h3", {}, userText(one.name)),
      h("p", { class: "soft" }, one.kind === "numeric" ? (one.style || `numeric${one.unit ? `, ${one.unit}` : ""}`) : `${one.histogram.labels.length + one.histogram.n_more} categories`,
        ", ", one.n_missing ? h("a", { href: address({ view: "cases", filters: [{ column: one.name, missing: true }], cell: null, truth: null, answer: null, wrong: false, page: 0 }) }, `${count(one.n_missing)} missing`) : "none missing"),
      h("p", { class: "relevance", title: "How much of the target this column explains by itself" }, h("span", {}, `explains ${percent(one.relevance)}`), bar(one.relevance / best)),
      histogram(one.histogram, { label: show(one.name), name: one.name })));
}
