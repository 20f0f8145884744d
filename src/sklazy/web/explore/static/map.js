// A map of the cases, by the distances of the model.

import { h, show, userText, number, count, replace, percent } from "./dom.js";
import { at, go, choosing } from "./address.js";
import { attempt, Latest } from "./api.js";
import { current } from "./row.js";
import { targetText } from "./format.js";

const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "plus", "down", "ring"];
const SIZE = 4;
const latest = new Latest();
const parts = {};
let known = null;
let plane = null;
let places = [];
let pointed = -1;
let again = null;

export async function openMap(what, overview) {
  known = overview;
  parts.options = h("div", { class: "options" });
  parts.canvas = h("canvas", { tabindex: "0", role: "img", onclick: click, onmousemove: hover, onmouseleave: leave, onkeydown: walk });
  parts.tip = h("p", { class: "tip", role: "status", "aria-live": "polite" });
  parts.legend = h("ul", { class: "legend" });
  parts.note = h("p", { class: "soft", role: "status" });
  what.replaceChildren(h("h1", { id: "what-title" }, "Map"), parts.options, parts.note, h("div", { class: "plane" }, parts.canvas), parts.tip, parts.legend);
  new ResizeObserver(() => paint()).observe(parts.canvas.parentElement);
  plane = null;
  await renewMap();
}

const colorings = () => (known.classifies ? ["class", "error", "doubt"] : ["value", "doubt"]);
const coloring = () => (colorings().includes(at.color) ? at.color : colorings()[0]);

export async function renewMap() {
  clearTimeout(again);
  if (!parts.canvas?.isConnected) return;
  const receipt = current();
  const also = receipt ? [at.case, ...receipt.voters.cases.map((one) => String(one.id)), receipt.opposing && String(receipt.opposing.id)] : [at.case];
  const weights = at.local && receipt && Object.keys(receipt.weights).length ? receipt.weights : null;
  const wanted = also.filter((id) => id && !at.without.includes(id) ).map(String);
  if (!plane || weights) replace(parts.note, "Computing the map …");
  const reply = await attempt(() => latest.ask("map", { also: [...new Set(wanted)], weights }));
  if (!reply) return;
  plane = reply;
  draw();
  if (reply.n_open) again = setTimeout(renewMap, 1500);
}

function draw() {
  const option = (name) => h("label", {}, h("input", { type: "radio", name: "color", checked: name === coloring(), onchange: () => go({ color: name }) }), ` ${name}`);
  const can = Boolean(current() && Object.keys(current().weights).length);
  replace(parts.options, h("fieldset", {}, h("legend", {}, "Color and shape by"), colorings().map(option)),
    h("label", {}, h("input", { type: "checkbox", checked: at.local, disabled: !can, onchange: (event) => go({ local: event.target.checked }) }), " distances on the features that matter for this row"));
  parts.canvas.setAttribute("aria-label", `Map of ${plane.n_drawn} cases. Use the arrow keys to move from case to case, and Enter to choose one.`);
  replace(parts.note, `${count(plane.n_drawn)} of ${count(plane.n_rows)} cases; ${plane.how}; the map shows ${percent(plane.share)} of the variation.`);
  replace(parts.legend, legend());
  paint();
}

// --- looks ------------------------------------------------------------------------------

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const order = () => new Map(plane.classes.map((label, i) => [String(label), i]));

function doubtLevel(doubt) {
  if (doubt === null) return null;
  const ends = known.classifies ? [0.1, 0.5, 0.9] : [1, 3, 6];
  return ends.filter((end) => doubt >= end).length;
}

function valueLevel(value) {
  const values = plane.points.map((one) => one.truth).sort((a, b) => a - b);
  return [0.25, 0.5, 0.75].filter((q) => value > values[Math.floor(q * (values.length - 1))]).length;
}

function look(point, codes) {
  const by = coloring();
  if (by === "class") {
    const code = codes.get(String(point.truth)) ?? 7;
    return [css(`--c${code % 8}`), SHAPES[code % 8]];
  }
  if (by === "error") return point.wrong === null ? [css("--idle"), "ring"] : point.wrong ? [css("--odd"), "cross"] : [css("--main"), "circle"];
  const level = by === "value" ? valueLevel(point.truth) : doubtLevel(point.doubt);
  return level === null ? [css("--idle"), "ring"] : [css(`--level${level}`), ["circle", "square", "triangle", "cross"][level]];
}

function legend() {
  const item = (color, shape, text) => {
    const canvas = h("canvas", { width: 16, height: 16, "aria-hidden": "true" });
    stamp(canvas.getContext("2d"), 8, 8, shape, color, 5);
    return h("li", {}, canvas, " ", userText(text));
  };
  const by = coloring();
  const marks = [h("li", {}, "◎ this row"), h("li", {}, "— its cases"), h("li", {}, "▣ nearest counterexample")];
  if (by === "class") return [plane.classes.slice(0, 30).map((label, i) => item(css(`--c${i % 8}`), SHAPES[i % 8], show(label))), marks];
  if (by === "error") return [item(css("--main"), "circle", "predicted correctly"), item(css("--odd"), "cross", "predicted wrongly"), item(css("--idle"), "ring", "not predicted yet"), marks];
  const words = by === "value" ? ["lowest quarter", "second", "third", "highest quarter"] : known.classifies ? ["doubt below 0.1", "0.1 to 0.5", "0.5 to 0.9", "above 0.9"] : ["below the usual error", "1 to 3 times", "3 to 6 times", "above 6 times"];
  return [words.map((text, i) => item(css(`--level${i}`), ["circle", "square", "triangle", "cross"][i], text)), marks];
}

function stamp(pen, x, y, shape, color, size = SIZE) {
  pen.fillStyle = pen.strokeStyle = color;
  pen.lineWidth = 1.6;
  pen.beginPath();
  const line = (...points) => points.forEach(([dx, dy], i) => (i ? pen.lineTo(x + dx * size, y + dy * size) : pen.moveTo(x + dx * size, y + dy * size)));
  if (shape === "circle" || shape === "ring") pen.arc(x, y, size * 0.9, 0, 7);
  if (shape === "square") pen.rect(x - size * 0.8, y - size * 0.8, 1.6 * size, 1.6 * size);
  if (shape === "triangle") line([0, -1], [0.95, 0.8], [-0.95, 0.8], [0, -1]);
  if (shape === "down") line([0, 1], [0.95, -0.8], [-0.95, -0.8], [0, 1]);
  if (shape === "diamond") line([0, -1.1], [1.1, 0], [0, 1.1], [-1.1, 0], [0, -1.1]);
  if (shape === "cross") {
    line([-0.8, -0.8], [0.8, 0.8]);
    line([-0.8, 0.8], [0.8, -0.8]);
  }
  if (shape === "plus") {
    line([-1, 0], [1, 0]);
    line([0, -1], [0, 1]);
  }
  if (["cross", "plus", "ring"].includes(shape)) pen.stroke();
  else pen.fill();
}

function paint() {
  if (!plane || !parts.canvas?.isConnected) return;
  const box = parts.canvas.parentElement.clientWidth;
  const [wide, tall, scale] = [box, Math.max(260, Math.min(box * 0.75, 560)), devicePixelRatio || 1];
  Object.assign(parts.canvas, { width: wide * scale, height: tall * scale });
  Object.assign(parts.canvas.style, { width: `${wide}px`, height: `${tall}px` });
  const pen = parts.canvas.getContext("2d");
  pen.scale(scale, scale);
  places = layout(wide, tall);
  const codes = order();
  pen.globalAlpha = 0.8;
  plane.points.forEach((point, i) => stamp(pen, ...places[i], look(point, codes)[1], look(point, codes)[0]));
  pen.globalAlpha = 1;
  marks(pen);
}

function layout(wide, tall) {
  const xs = plane.points.map((one) => one.x);
  const ys = plane.points.map((one) => one.y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const unit = Math.max((Math.max(...xs) - left) / (wide - 40), (Math.max(...ys) - top) / (tall - 40)) || 1;
  const [dx, dy] = [(wide - (Math.max(...xs) - left) / unit) / 2, (tall - (Math.max(...ys) - top) / unit) / 2];
  return plane.points.map((one) => [dx + (one.x - left) / unit, dy + (one.y - top) / unit]);
}

function marks(pen) {
  const find = (id) => plane.points.findIndex((one) => String(one.id) === String(id));
  const receipt = current();
  const self = at.case ? find(at.case) : -1;
  const ring = (i, size, color) => {
    pen.strokeStyle = color;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(...places[i], size, 0, 7);
    pen.stroke();
  };
  pen.lineWidth = 1;
  for (const one of receipt?.voters.cases ?? []) {
    const i = find(one.id);
    if (i < 0) continue;
    ring(i, 6, css("--ink"));
    if (self < 0) continue;
    pen.lineWidth = 0.7;
    pen.beginPath();
    pen.moveTo(...places[self]);
    pen.lineTo(...places[i]);
    pen.stroke();
  }
  const foe = receipt?.opposing ? find(receipt.opposing.id) : -1;
  if (foe >= 0) {
    pen.strokeStyle = css("--odd");
    pen.lineWidth = 2.5;
    pen.strokeRect(places[foe][0] - 8, places[foe][1] - 8, 16, 16);
  }
  if (self >= 0) for (const size of [8, 12]) ring(self, size, css("--ink"));
  if (pointed >= 0 && pointed < places.length) ring(pointed, 10, css("--main"));
}

// --- choosing ---------------------------------------------------------------------------

function nearest(event) {
  const box = parts.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const far = places.map(([px, py]) => (px - x) ** 2 + (py - y) ** 2);
  const best = far.indexOf(Math.min(...far));
  return best >= 0 && far[best] < 400 ? best : -1;
}

function click(event) {
  const i = nearest(event);
  if (i >= 0) go(choosing(plane.points[i].id));
}

function point(i) {
  pointed = i;
  const one = plane.points[i];
  parts.tip.textContent = one ? `Case ${show(one.id)}: ${show(known.target)} ${targetText(one.truth)}${one.answer === null ? "" : `, predicted ${targetText(one.answer)}`}${one.doubt === null ? "" : `, doubt ${number(one.doubt, 2)}`}` : "";
  paint();
}

function hover(event) {
  const i = plane ? nearest(event) : -1;
  if (i !== pointed) point(i);
}

function leave() {
  if (plane) point(-1);
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function walk(event) {
  if (!plane) return;
  if (event.key === "Enter" && pointed >= 0) return go(choosing(plane.points[pointed].id));
  const way = WAYS[event.key];
  if (!way) return;
  event.preventDefault();
  if (pointed < 0) return point(Math.max(0, plane.points.findIndex((one) => String(one.id) === at.case)));
  const [x, y] = places[pointed];
  let [best, least] = [pointed, Infinity];
  places.forEach(([px, py], i) => {
    const [ahead, aside] = [(px - x) * way[0] + (py - y) * way[1], Math.abs((px - x) * way[1]) + Math.abs((py - y) * way[0])];
    if (ahead > 0.5 && ahead + 2 * aside < least) [best, least] = [i, ahead + 2 * aside];
  });
  point(best);
}

export function repaint() {
  if (plane && parts.canvas?.isConnected) draw();
}
