// Draws the blocks of receipts and advice.

import { h, userText, bar, table, th } from "./dom.js";

export function draw(blocks) {
  return blocks.map(block);
}

function block(one) {
  switch (one.kind) {
    case "heading":
      return h(one.level === 1 ? "h3" : "h4", {}, one.text);
    case "paragraph":
      return h("p", { class: one.tone }, one.text);
    case "opening":
      return h("p", { class: "answer" }, one.name && userText(one.name, { class: "soft" }), " ", userText(one.text, { class: "label" }), " ", h("span", { class: "soft" }, one.detail));
    case "lead":
      return h("div", { class: "why" }, one.sentences.map((text) => h("p", {}, text)));
    case "fold":
      return h("details", {}, h("summary", {}, one.title), draw(one.blocks));
    case "figure":
      return figure(one);
    default:
      return grid(one);
  }
}

/** A drawing as an image: scripts in it cannot reach the page. */
function figure(one) {
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(one.svg)}`;
  return h("figure", {}, h("img", { src: source, alt: one.label }), one.caption && h("figcaption", {}, one.caption));
}

function grid(one) {
  const side = (j) => ("rR".includes(one.sides[j]) ? "n" : "bB".includes(one.sides[j]) ? "barred" : "l");
  const head = one.header.map((text, j) => th(userText(text || " "), { class: side(j) }));
  const line = (cells, i) => h("tr", { class: one.tones[i] }, cells.map((cell, j) => place(cell, side(j))));
  const rows = one.rows.map(line);
  const more = one.n_more ? h("p", { class: "soft" }, `and ${one.n_more} more`) : null;
  const first = table(head, rows.slice(0, one.shown), { label: one.noun });
  if (one.shown >= rows.length) return [first, more];
  const again = one.header.map((text, j) => th(userText(text || " "), { class: side(j) }));
  return [first, h("details", {}, h("summary", {}, `${rows.length - one.shown + one.n_more} more ${one.noun}`), table(again, rows.slice(one.shown), { label: `more ${one.noun}` }), more)];
}

function place(cell, side) {
  if (typeof cell === "string") return h("td", { class: side }, userText(cell === "" ? " " : cell));
  if (cell.kind === "bar") return h("td", { class: "barred" }, bar(cell.end, cell));
  if (cell.kind === "path") return h("td", {}, path(cell));
  return h("td", { class: cell.tone }, cell.tone === "differs" && h("span", { class: "sign" }, "≠ "), userText(cell.text === "" ? " " : cell.text));
}

function path(cell) {
  return h("span", { class: "path" }, cell.steps.map(([text, weight, tone], i) =>
    [i > 0 && " → ", h("span", { class: `step ${tone}` }, userText(text), " ", h("small", {}, weight))]),
  cell.n_more ? h("small", {}, ` and ${cell.n_more} more`) : null);
}
