// What if: a control for each value of the row, what it adds, and the prediction along it.

import { h, s, show, userText, replace } from "./dom.js";
import { cellText, dayText, readDay, numberText, outputText, pointsText } from "./format.js";
import { byGroup } from "./charts.js";

const MOST = 200;
const TALL = 30;
let boxes = new Map(); // by the name of the feature
let drawn = new Map();

/** The controls of a row; `set` is called with a name and a value. */
export function controls(fields, known, valueOf, set) {
  boxes = new Map();
  drawn = new Map();
  return [fields.slice(0, MOST).map((field, i) => control(field, known, `field-${i}`, valueOf, set)),
    fields.length > MOST && h("p", { class: "soft" }, `${fields.length - MOST} more columns cannot be edited here.`)];
}

export const shownNames = () => [...boxes.keys()];

function control(field, known, id, valueOf, set) {
  const value = valueOf(field.name);
  const missing = h("input", { type: "checkbox", checked: value === null, "aria-label": `${show(field.name)} is missing` });
  const editor = field.kind !== "numeric" ? picker(field, value, id) : field.style ? calendar(field, value, id) : slider(field, value, id);
  const [adds, curve] = [h("span", { class: "adds" }), h("div", { class: "curve" })];
  const unit = field.unit ? h("span", { class: "soft" }, ` ${field.unit}`) : null;
  const box = h("div", { class: field.style ? "field dated" : "field", "data-name": field.name }, h("span", { class: "name" }, h("label", { for: id }, userText(field.name), unit), adds), h("label", { class: "missing" }, missing, " missing"), h("div", { class: "editor" }, editor.elements), curve, detail(field, known, valueOf));
  const change = (next) => {
    missing.checked = next === null;
    box.classList.toggle("gone", next === null);
    set(field.name, next);
    drawCurve(field.name);
  };
  box.classList.toggle("gone", value === null);
  editor.on(change);
  missing.addEventListener("change", () => change(missing.checked ? null : editor.value()));
  boxes.set(field.name, { box, adds, curve, field, valueOf });
  return box;
}

function ranges(field, value, toText) {
  const [low, high] = [field.low ?? 0, field.high ?? 1];
  const step = field.whole ? 1 : (high - low) / 200 || "any";
  return h("input", { type: "range", min: low, max: high, step, value: value ?? (low + high) / 2, "aria-label": `${show(field.name)}, from ${toText(low)} to ${toText(high)}` });
}

function slider(field, value, id) {
  const range = ranges(field, value, (x) => numberText(field.name, x));
  const box = h("input", { type: "number", step: "any", value: value === null ? "" : value, id });
  const short = () => (field.whole ? Number(range.value) : Number(Number(range.value).toPrecision(6)));
  const on = (set) => {
    range.addEventListener("input", () => {
      box.value = short();
      set(Number(box.value));
    });
    box.addEventListener("input", () => {
      if (box.value === "" || Number.isNaN(Number(box.value))) return;
      range.value = box.value;
      set(Number(box.value));
    });
  };
  const read = () => {
    if (box.value === "") box.value = short();
    return Number(box.value);
  };
  return { elements: [range, box], on, value: read };
}

const TYPES = { date: "date", datetime: "datetime-local", month: "month", year: "number" };

/** One control for a date; the server derives its month and weekday. */
function calendar(field, value, id) {
  const text = (days) => dayText(days, field.style);
  const range = ranges(field, value, text);
  const box = h("input", { type: TYPES[field.style], value: value === null ? "" : text(value), id });
  const on = (set) => {
    range.addEventListener("input", () => {
      box.value = text(Number(range.value));
      set(readDay(box.value, field.style));
    });
    box.addEventListener("input", () => {
      const days = readDay(box.value, field.style);
      if (days === null) return;
      range.value = days;
      set(days);
    });
  };
  const read = () => {
    if (box.value === "") box.value = text(Number(range.value));
    return readDay(box.value, field.style);
  };
  return { elements: [range, box], on, value: read };
}

function picker(field, value, id) {
  const texts = field.labels.map(String);
  const strange = value !== null && !texts.includes(String(value));
  const list = h("select", { id }, value === null && h("option", { value: "" }, "missing"), strange && h("option", { value: String(value), selected: true }, `${show(value)} (not in the cases)`),
    field.labels.map((label) => h("option", { value: String(label), selected: String(label) === String(value) }, show(label))));
  const find = (text) => field.labels[texts.indexOf(text)] ?? text;
  const on = (set) => list.addEventListener("change", () => set(list.value === "" ? null : find(list.value)));
  const read = () => {
    if (list.value === "") list.value = texts[0];
    return find(list.value);
  };
  return { elements: [list], on, value: read };
}

/** The distribution of a feature in each class, with this row's value marked. */
function detail(field, known, valueOf) {
  const place = h("div", {});
  const toggle = (event) => {
    const column = known.columns.find((one) => one.name === field.name);
    replace(place, event.target.open && column ? byGroup(column, known.groups, valueOf(field.name)) : null);
  };
  const text = known.classifies ? "by class" : "by target";
  return h("details", { class: "by-class", ontoggle: toggle }, h("summary", { "aria-label": `${text}: ${show(field.name)}` }, text), place);
}

/** Signed bars: what each value adds to the prediction. */
export function showContributions(reasons) {
  const most = Math.max(1e-12, ...(reasons?.features ?? []).map((one) => Math.abs(one.contribution)));
  const added = new Map((reasons?.features ?? []).map((one) => [one.name, one.contribution]));
  for (const [name, { adds }] of boxes) replace(adds, added.has(name) ? [signed(added.get(name) / most), h("span", { class: "n" }, pointsText(added.get(name), [reasons.base, reasons.answer]))] : null);
}

/** A bar to the right of the middle if it is positive, to the left if not. */
export function signed(part) {
  const width = `${50 * Math.min(1, Math.abs(part))}%`;
  const place = part < 0 ? { right: "50%", width } : { left: "50%", width };
  return h("span", { class: "track signed", "aria-hidden": "true" }, h("i", { class: `fill ${part < 0 ? "against" : ""}`, style: place }), h("i", { class: "tick", style: { left: "50%" } }));
}

// --- curves -----------------------------------------------------------------------------

/** Forget the curves of the row before. */
export function clearCurves() {
  drawn = new Map();
  for (const { curve } of boxes.values()) curve.classList.add("past");
}

export function showCurves(reply) {
  for (const one of reply.curves) drawn.set(one.name, { ...one, of: reply.of, output: reply.output });
  for (const name of drawn.keys()) drawCurve(name);
}

/** The range of all curves, so that a flat one looks flat. */
function scale() {
  const all = [...drawn.values()].flatMap((one) => [one.output, ...one.outputs]).filter((value) => value !== null);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

function drawCurve(name) {
  const { curve, field, valueOf } = boxes.get(name) ?? {};
  const one = drawn.get(name);
  if (!curve || !one) return;
  const known = one.outputs.filter((value) => value !== null);
  if (known.length < 2) return replace(curve, null);
  curve.classList.remove("past");
  const [low, high] = scale();
  const y = (value) => 2 + (TALL - 4) * (1 - (value - low) / (high - low));
  const value = valueOf(name);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const ends = [least, most].map(outputText);
  const range = ends[0] === ends[1] ? `stays at ${ends[0]}` : `from ${ends[0]} to ${ends[1]}`;
  const here = value === null ? "" : `; this row at ${cellText(name, value)}`;
  const label = `Prediction along ${show(name)}: ${range}${here}`;
  const shape = field.kind === "numeric" ? line(one, value, y) : bars(one, name, value, y);
  replace(curve, s("svg", { viewBox: `0 0 100 ${TALL}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, shape), h("span", { class: "soft", "aria-hidden": "true" }, ends[0] === ends[1] ? ends[0] : `${ends[0]} – ${ends[1]}`));
}

function line(one, value, y) {
  const [low, high] = [one.values[0], one.values.at(-1)];
  const x = (at) => (100 * (at - low)) / (high - low || 1);
  const points = one.values.map((at, i) => [x(at), one.outputs[i]]).filter(([, output]) => output !== null);
  const path = points.map(([px, output]) => `${px.toFixed(2)},${y(output).toFixed(2)}`).join(" ");
  const here = typeof value === "number" ? Math.max(0, Math.min(100, x(value))) : null;
  return [s("polyline", { class: "path", points: path }), here !== null && [s("line", { class: "here", x1: here, x2: here, y1: 0, y2: TALL }), dot(here, y(between(points, here)))]];
}

/** The height of a line between two of its points. */
function between(points, at) {
  const next = Math.max(1, points.findIndex(([x]) => x >= at));
  const [[x0, y0], [x1, y1]] = [points[next - 1], points[next] ?? points[next - 1]];
  return x1 > x0 ? y0 + ((y1 - y0) * (at - x0)) / (x1 - x0) : y0;
}

const dot = (x, y) => s("line", { class: "dot", x1: x, x2: x, y1: y, y2: y });

function bars(one, name, value, y) {
  const wide = 100 / one.values.length;
  return one.values.map((label, i) => one.outputs[i] === null ? null : s("rect", { class: String(label) === String(value) ? "bar here" : "bar", x: i * wide + wide * 0.08, width: wide * 0.84, y: y(one.outputs[i]), height: TALL - y(one.outputs[i]) },
    s("title", {}, `${cellText(name, label)}: ${outputText(one.outputs[i])}`)));
}
