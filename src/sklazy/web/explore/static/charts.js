// Histograms, of all cases and by class.

import { h, s, userText, number, show, count } from "./dom.js";

const TALL = 48;

const total = (counts) => counts.map((row) => row.reduce((sum, n) => sum + n, 0));

/** The bars of a histogram, with a mark where a value lies. */
export function histogram(chart, { value, label, group = null } = {}) {
  if (chart.kind === "empty") return h("p", { class: "soft" }, "no values");
  const counts = group === null ? total(chart.counts) : chart.counts.map((row) => row[group]);
  return chart.kind === "numeric" ? numeric(chart.edges, counts, value, label) : nominal(chart, counts, value, label, group);
}

export function numeric(edges, counts, value, label = "Histogram") {
  const most = Math.max(1, ...counts);
  const [low, high] = [edges[0], edges.at(-1)];
  const wide = 100 / counts.length;
  const bars = counts.map((n, i) =>
    s("rect", { class: "bar", x: i * wide + 0.4, width: wide - 0.8, y: TALL - (n / most) * TALL, height: (n / most) * TALL },
      s("title", {}, `${number(edges[i])} to ${number(edges[i + 1])}: ${count(n)}`)));
  const place = typeof value === "number" ? Math.max(0, Math.min(100, (100 * (value - low)) / (high - low || 1))) : null;
  const description = `${label}: from ${number(low)} to ${number(high)}${place === null ? "" : `, this row at ${number(value)}`}`;
  return h("figure", { class: "histogram" },
    s("svg", { viewBox: `0 0 100 ${TALL}`, preserveAspectRatio: "none", role: "img", "aria-label": description },
      bars, place !== null && s("line", { class: "here", x1: place, x2: place, y1: 0, y2: TALL })),
    h("figcaption", {}, h("span", {}, number(low)), h("span", {}, number(high))));
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
    h("div", {}, h("h4", {}, userText(name)), histogram(column.histogram, { value, group: i, label: `${show(column.name)} of ${show(name)}` }))));
}
