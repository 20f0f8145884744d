// The first page: columns, classes, how well it is learned, which method suits.

import { h, own, show, number, percent, count, bar, table, th, td, redraw, replace } from "./dom.js";
import { address } from "./address.js";
import { ask, send, attempt, download } from "./api.js";
import { histogram, numeric } from "./charts.js";
import { draw } from "./blocks.js";
import { running, hurry } from "./jobs.js";

const parts = { score: null, advice: null };

export async function openOverview(what, known) {
  parts.score = h("div", { class: "score" });
  parts.advice = h("div", {});
  replace(what,
    h("h1", { id: "what-title" }, "Overview"),
    h("p", { class: "soft" }, own(known.target), ` is predicted from ${known.n_attributes} attributes of ${count(known.n_rows)} cases by ${known.estimator}.`),
    h("h2", {}, "How well the cases answer for each other"), parts.score,
    h("h2", {}, known.classifies ? "Classes" : "Target"), balance(known),
    h("h2", {}, "Columns"), sampled(known), h("ul", { class: "cards" }, cards(known)),
    h("h2", {}, "Which method?"), parts.advice);
  await Promise.all([renewScore(), renewAdvice()]);
}

export async function renewScore() {
  if (!parts.score?.isConnected) return;
  const found = await attempt(() => ask("left-out"));
  if (found) redraw(parts.score, score(found));
}

export async function renewAdvice() {
  if (!parts.advice?.isConnected) return;
  const found = await attempt(() => ask("advice"));
  if (!found) return;
  const busy = running("advice");
  const begin = async () => {
    await attempt(() => send("start", { job: "advice" }));
    hurry();
    await renewAdvice();
  };
  redraw(parts.advice,
    found.found ? [draw(found.blocks), saves("advice", ["html", "json"])] : h("p", { class: "soft" }, "All methods predict the same rows of a sample; that takes about 20 seconds."),
    h("button", { type: "button", onclick: begin, disabled: busy, "data-focus": "advise" }, busy ? "Measuring …" : found.found ? "Measure again" : "Measure the methods"));
}

export function saves(stem, endings, given = {}) {
  return h("p", { class: "saves" }, "Download: ", endings.map((ending, i) =>
    [i > 0 && " · ", h("a", { href: download(`${stem}.${ending}`, given), download: `${stem}.${ending}` }, ending.toUpperCase())]));
}

function sampled(known) {
  return known.n_sampled < known.n_rows ? h("p", { class: "soft" }, `Histograms are of ${count(known.n_sampled)} of ${count(known.n_rows)} cases.`) : null;
}

function score(found) {
  if (!found.n_known) {
    const job = found.jobs.find((one) => one.name === "left-out");
    return h("p", { class: "soft" }, job?.state === "failed" ? job.note : found.n_rows < 2 ? "One case alone cannot be answered by others." : "The first cases are being left out …");
  }
  const part = found.n_known < found.n_rows ? ` of ${count(found.n_known)} of ${count(found.n_rows)} cases, so far` : ` of ${count(found.n_rows)} cases`;
  const how = found.exact ? "Each case was left out of everything." : "Each case was left out of its own vote; cuts and settings stay as all cases have them.";
  const paused = found.jobs.find((one) => one.name === "left-out" && one.state === "paused");
  return [figures(found, part), h("p", { class: "soft" }, how), paused && goOn(), confusion(found)];
}

function goOn() {
  const click = async () => {
    await attempt(() => send("start", { job: "left-out" }));
    hurry();
  };
  return h("p", {}, "This takes long, and paused. ", h("button", { type: "button", onclick: click, "data-focus": "go-on" }, "Go on"));
}

function figures(found, part) {
  if (found.accuracy !== undefined)
    return h("p", { class: "big" }, h("strong", {}, percent(found.accuracy)), ` right${part} `, h("span", { class: "soft" }, `± ${(100 * found.error).toFixed(1)}; always the most frequent class: ${percent(found.guess)}`));
  return h("p", { class: "big" }, "off by ", h("strong", {}, number(found.mean_absolute_error)), ` on average${part} `,
    h("span", { class: "soft" }, `root mean square ${number(found.root_mean_squared_error)}; ${percent(found.explained)} of the variance explained; always the median: ${number(found.guess)}`));
}

function confusion({ confusion: { names, counts } }) {
  const most = Math.max(1, ...counts.flat());
  const cell = (n, i, j) => {
    const shade = n ? Math.ceil((4 * n) / most) : 0;
    const label = `${count(n)} cases of ${show(names[i])} answered ${show(names[j])}`;
    const link = address({ view: "cases", cell: [i, j], filters: [], truth: null, answer: null, wrong: false, page: 0, search: null, doubt: null });
    return td(n ? h("a", { href: link, "aria-label": label }, count(n)) : "·", { class: `n heat${shade} ${i === j ? "right" : n ? "wrong" : ""}` });
  };
  const head = [th("truth ↓ answer →"), ...names.map((name) => th(own(name), { class: "n" }))];
  const rows = names.map((name, i) => h("tr", {}, h("th", { scope: "row" }, own(name)), counts[i].map((n, j) => cell(n, i, j))));
  return table(head, rows, { class: "confusion", label: "Confusion matrix", caption: "Each number leads to its cases; those in the frames are answered right"  });
}

function balance(known) {
  if (!known.classifies) {
    const { edges, counts } = known.balance;
    return h("div", { class: "wide-figure" }, edges.length ? numeric(edges, counts, undefined, show(known.target)) : "no values");
  }
  const most = Math.max(1, ...known.balance.classes.map((one) => one.rows));
  const row = (one) => h("tr", {}, td(h("a", { href: address({ view: "cases", truth: String(one.label), cell: null, filters: [], page: 0, answer: null, wrong: false }) }, own(one.label))),
    td(count(one.rows), { class: "n" }), td(percent(one.rows / known.n_rows), { class: "n" }), td(bar(one.rows / most), { class: "barred" }));
  const all = known.balance.classes;
  const head = () => [th("class"), th("cases", { class: "n" }), th("share", { class: "n" }), th(" ", { class: "barred" })];
  const first = table(head(), all.slice(0, 12).map(row), { label: "Classes" });
  return all.length <= 12 ? first : [first, h("details", {}, h("summary", {}, `${all.length - 12} more classes`), table(head(), all.slice(12, 300).map(row), { label: "More classes" }))];
}

function cards(known) {
  const best = Math.max(1e-9, ...known.columns.map((one) => one.relevance));
  return known.columns.slice(0, 300).map((one) =>
    h("li", { class: "card" },
      h("h3", {}, own(one.name)),
      h("p", { class: "soft" }, one.kind === "numeric" ? "numbers" : `${one.histogram.labels.length + one.histogram.n_more} labels`,
        ", ", one.n_missing ? h("a", { href: address({ view: "cases", filters: [{ column: one.name, missing: true }], cell: null, truth: null, answer: null, wrong: false, page: 0 }) }, `${count(one.n_missing)} missing`) : "none missing"),
      h("p", { class: "relevance", title: "How much of the target this column tells by itself" }, h("span", {}, `tells ${percent(one.relevance)}`), bar(one.relevance / best)),
      histogram(one.histogram, { label: show(one.name) })));
}
