// Histograms, of all cases and by class; truth against prediction.

import { h, s, userText, number, show, count } from "./dom.js";
import { numberText, roughTargetText, targetText } from "./format.js";
import { go, choosing } from "./address.js";

const TALL = 48;

const total = (counts) => counts.map((row) => row.reduce((sum, n) => sum + n, 0));

/** The bars of a histogram, with a mark where a value lies. */
export function histogram(chart, { value, label, name, group = null } = {}) {
  if (chart.kind === "empty") return h("p", { class: "soft" }, "no values");
  const counts = group === null ? total(chart.counts) : chart.counts.map((row) => row[group]);
  return chart.kind === "numeric" ? numeric(chart.edges, counts, { value, label, text: (x) => numberText(name, x, 4) }) : nominal(chart, counts, value, label, group);
}

export function numeric(edges, counts, { value, label = "Histogram", text = number } = {}) {
  const most = Math.max(1, ...counts);
  const [low, high] = [edges[0], edges.at(-1)];
  const wide = 100 / counts.length;
  const bars = counts.map((n, i) =>
    s("rect", { class: "bar", x: i * wide + 0.4, width: wide - 0.8, y: TALL - (n / most) * TALL, height: (n / most) * TALL },
      s("title", {}, `${text(edges[i])} to ${text(edges[i + 1])}: ${count(n)}`)));
  const place = typeof value === "number" ? Math.max(0, Math.min(100, (100 * (value - low)) / (high - low || 1))) : null;
  const description = `${label}: from ${text(low)} to ${text(high)}${place === null ? "" : `, this row at ${text(value)}`}`;
  return h("figure", { class: "histogram" },
    s("svg", { viewBox: `0 0 100 ${TALL}`, preserveAspectRatio: "none", role: "img", "aria-label": description },
      bars, place !== null && s("line", { class: "here", x1: place, x2: place, y1: 0, y2: TALL })),
    h("figcaption", {}, h("span", {}, text(low)), h("span", {}, text(high))));
}

function nominal(chart, counts, value, label, group) {
  const rest = group === null ? chart.more.reduce((sum, n) => sum + n, 0) : chart.more[group];
  const items = chart.labels.map((text, i) => [show(text), counts[i], value !== undefined && String(text) === String(value)]);
  if (chart.n_more) items.push([`${chart.n_more} more`, rest, false]);
  const most = Math.max(1, ...items.map(([, n]) => n));
  return h("ul", { class: "labels", "aria-label": label },
    items.map(([text, n, here]) =>
      h("li", { class: here && "here" }, userText(text), h("span", { class: "track", "aria-hidden": "true" },
        h("i", { class: "fill", style: { width: `${(100 * n) / most}%` } })), h("span", { class: "n" }, `${count(n)}${here ? " ◂" : ""}`))));
}

/** One histogram per class, below each other, so that no colors are needed. */
export function byGroup(column, groups, value) {
  return h("div", { class: "groups" }, groups.map((name, i) =>
    h("div", {}, h("h4", {}, userText(name)), histogram(column.histogram, { value, name: column.name, group: i, label: `${show(column.name)} of ${show(name)}` }))));
}

// --- numbers ----------------------------------------------------------------------------

const [WIDE, HIGH] = [320, 220];
const EDGE = { left: 58, right: 10, top: 10, bottom: 34 };

/** Points in a frame with the ends of both axes; a click opens the case of a point. */
function plot(points, label, { across, up, xs, ys, lines }) {
  const x = (value) => EDGE.left + ((value - xs[0]) / (xs[1] - xs[0] || 1)) * (WIDE - EDGE.left - EDGE.right);
  const y = (value) => HIGH - EDGE.bottom - ((value - ys[0]) / (ys[1] - ys[0] || 1)) * (HIGH - EDGE.top - EDGE.bottom);
  const text = (value) => roughTargetText(value);
  const dots = points.map((one) => s("circle", { class: "point", cx: x(one.x).toFixed(1), cy: y(one.y).toFixed(1), r: 2.6, onclick: () => go(choosing(one.id)) },
    s("title", {}, `case ${show(one.id)}: ${targetText(one.truth)}, predicted ${targetText(one.answer)}`)));
  const drawn = lines.map(([from, to, kind]) => s("line", { class: kind, x1: x(from[0]), y1: y(from[1]), x2: x(to[0]), y2: y(to[1]) }));
  return h("figure", { class: "plot" },
    s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label },
      s("rect", { class: "frame", x: EDGE.left, y: EDGE.top, width: WIDE - EDGE.left - EDGE.right, height: HIGH - EDGE.top - EDGE.bottom }),
      drawn, dots,
      s("text", { x: EDGE.left, y: HIGH - 20 }, text(xs[0])), s("text", { x: WIDE - EDGE.right, y: HIGH - 20, "text-anchor": "end" }, text(xs[1])),
      s("text", { x: EDGE.left - 4, y: HIGH - EDGE.bottom, "text-anchor": "end" }, text(ys[0])), s("text", { x: EDGE.left - 4, y: EDGE.top + 9, "text-anchor": "end" }, text(ys[1])),
      s("text", { class: "axis", x: (WIDE + EDGE.left) / 2, y: HIGH - 5, "text-anchor": "middle" }, across), s("text", { class: "axis", x: EDGE.left + 6, y: EDGE.top + 14 }, up)));
}

const ends = (values) => [Math.min(...values), Math.max(...values)];

/** Truth against prediction; on the line both are equal, between the others lie nine of ten. */
export function truthPlot(points, margin) {
  const both = ends(points.flatMap((one) => [one.truth, one.answer]));
  const shifted = (by, kind) => [[Math.max(both[0], both[0] - by), Math.max(both[0], both[0] - by) + by], [Math.min(both[1], both[1] - by), Math.min(both[1], both[1] - by) + by], kind];
  const lines = [[[both[0], both[0]], [both[1], both[1]], "equal"], ...(margin ? [shifted(margin, "band"), shifted(-margin, "band")] : [])];
  const placed = points.map((one) => ({ ...one, x: one.answer, y: one.truth }));
  return plot(placed, `True value against prediction for ${points.length} cases`, { across: "prediction", up: "true value", xs: both, ys: both, lines });
}

/** Residuals (true value less prediction) against the prediction. */
export function residualPlot(points, margin) {
  const placed = points.map((one) => ({ ...one, x: one.answer, y: one.truth - one.answer }));
  const xs = ends(placed.map((one) => one.x));
  const far = Math.max(margin ?? 0, ...placed.map((one) => Math.abs(one.y))) || 1;
  const level = (y, kind) => [[xs[0], y], [xs[1], y], kind];
  const lines = [level(0, "equal"), ...(margin ? [level(margin, "band"), level(-margin, "band")] : [])];
  return plot(placed, `Residual against prediction for ${points.length} cases`, { across: "prediction", up: "true value less prediction", xs, ys: [-far, far], lines });
}
