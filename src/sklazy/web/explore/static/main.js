// The page as a whole: views, the selected row, keys, the theme.

import { h, userText, show, percent, count, replace } from "./dom.js";
import { at, address, go, watch, choosing } from "./address.js";
import { ask, send, attempt, forgive } from "./api.js";
import { openOverview, renewScore, renewAdvice } from "./overview.js";
import { openCases, renewCases, markChosen, step } from "./cases.js";
import { openMap, renewMap, repaint } from "./map.js";
import { openAudit, renewAudit, renewValues, openChanges, renewChanges } from "./audit.js";
import { renewRow, onReceipt } from "./row.js";
import { hurry, onProgress } from "./jobs.js";
import { learnFormats, roughTargetText } from "./format.js";

const VIEWS = { overview: "Overview", cases: "Cases", map: "Map", audit: "Audit", changes: "Changes" };
const OPEN = { overview: openOverview, cases: openCases, map: openMap, audit: openAudit, changes: openChanges };
const what = document.getElementById("what");
const row = document.getElementById("row");
let known = null;
let fields = null;
let score = "";

async function learn() {
  [known, fields] = await Promise.all([ask("overview"), ask("fields")]);
  learnFormats(known);
  drawHead();
}

function drawHead() {
  document.querySelector("main").classList.toggle("alone", !at.case && !at.row);
  replace(document.getElementById("facts"), "· ", userText(known.target), ` · ${count(known.n_rows)} cases${known.estimator === known.source ? "" : ` · ${known.estimator}`}${score}`);
  const view = VIEWS[at.view] ? at.view : "overview";
  replace(document.getElementById("tabs"), Object.entries(VIEWS).map(([name, text]) =>
    h("li", {}, h("a", { href: address({ view: name }), "aria-current": name === view ? "page" : null }, name === "changes" && known.n_changes ? `${text} (${known.n_changes})` : text))),
    at.case || at.row ? h("li", { class: "to-row" }, h("a", { href: "#row", "data-jump": "row" }, at.case ? ["Case ", userText(at.case)] : "New row")) : null);
  document.title = `${VIEWS[view]} · ${show(document.getElementById("source").textContent)} · sklazy`;
}

async function openView() {
  const view = VIEWS[at.view] ? at.view : "overview";
  await attempt(() => OPEN[view](what, known, fields));
}

async function openRow(options) {
  await attempt(() => renewRow(row, known, fields, options));
}

watch(async (now, before) => {
  forgive();
  drawHead();
  const rowChanged = now.case !== before.case || now.row !== before.row;
  if (now.view !== before.view) {
    await openView();
    what.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  } else if (now.view === "cases") {
    const listed = ["filters", "truth", "answer", "cell", "doubt", "wrong", "search", "sort", "falling", "page", "all"];
    if (listed.some((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]))) await attempt(renewCases);
  } else if (now.view === "map") {
    if (now.local !== before.local) await attempt(renewMap);
    else if (now.color !== before.color) repaint();
  }
  if (rowChanged) markChosen();
  const opening = openRow();
  if (rowChanged && (now.case || now.row) && matchMedia("(max-width: 70rem)").matches) row.scrollIntoView();
  await opening;
});

onReceipt(() => {
  if (at.view === "map") attempt(renewMap);
});

onProgress(async (names, changed) => {
  if (changed) {
    await attempt(learn);
    await openRow({ force: true });
  }
  if (names.includes("left-out") || changed) {
    await attempt(renewScoreLine);
    if (at.view === "overview" && !changed) await renewScore();
    if (at.view === "cases" && changed) await renewCases();
    if (at.view === "map" && changed) await renewMap();
    if (at.view === "overview" && changed) await openView();
  }
  if (names.includes("audit") && at.view === "audit") await renewAudit();
  if (names.includes("values") && at.view === "audit") await renewValues();
  if (names.includes("advice") && at.view === "overview") await renewAdvice();
  if (changed && at.view === "changes") await renewChanges();
});

async function renewScoreLine() {
  const reply = await ask("left-out");
  const part = reply.n_known < reply.n_rows ? " so far" : "";
  score = !reply.n_known ? "" : reply.accuracy === undefined ? ` · leave-one-out error ${roughTargetText(reply.mean_absolute_error)}${part}` : ` · leave-one-out accuracy ${percent(reply.accuracy)}${part}`;
  drawHead();
}

// --- finding a case, or pasting a row ----------------------------------------------------

document.getElementById("search").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = document.getElementById("find").value.trim();
  if (!text) return;
  forgive();
  if (/[,;\t{]/.test(text)) {
    const reply = await attempt(() => send("parse", { text }));
    if (reply) go({ row: "pasted", case: null, edits: reply.values, without: [] });
    return;
  }
  const reply = await attempt(() => send("find", { text }));
  if (reply) go(reply.case === null ? { view: "cases", search: text, page: 0 } : choosing(reply.case));
});

// --- keys ---------------------------------------------------------------------------------

const typing = (target) => target.closest("input, select, textarea, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const views = Object.keys(VIEWS);
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("find").focus();
  } else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "Escape") go({ case: null, row: null, edits: null, without: [], delta: null });
  else if (/^[1-5]$/.test(event.key)) go({ view: views[event.key - 1] });
});

document.addEventListener("click", (event) => {
  const jump = event.target.closest("[data-jump]");
  if (!jump) return;
  event.preventDefault();
  const place = document.getElementById(jump.dataset.jump);
  place.focus({ preventScroll: true });
  place.scrollIntoView();
});

// --- light and dark -------------------------------------------------------------------------

const THEMES = { auto: ["◐", "same as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };

function setTheme(name) {
  const button = document.getElementById("theme");
  document.documentElement.dataset.theme = name;
  button.textContent = THEMES[name][0];
  button.setAttribute("aria-label", `Theme: ${THEMES[name][1]}`);
  repaint();
}

function keptTheme() {
  try {
    return THEMES[localStorage.theme] ? localStorage.theme : "auto";
  } catch {
    return "auto";
  }
}

document.getElementById("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];
  try {
    localStorage.theme = next;
  } catch {
    // kept for this page only
  }
  setTheme(next);
});

setTheme(keptTheme());
if (await attempt(async () => (await learn(), true))) {
  await openView();
  hurry();
  await openRow();
}
