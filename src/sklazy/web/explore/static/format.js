// Values as the user writes them: dates, units, points.

import { amount, decimalsOf, number, show, userText } from "./dom.js";

const DAY = 86_400_000;
const BEFORE = ["$", "£", "¥", "US$"]; // units that stand before the number
let formats = new Map();
let target = { unit: "", classifies: true };

export function learnFormats(overview) {
  formats = new Map(overview.columns.map((one) => [one.name, one]));
  target = { unit: overview.target_unit, classifies: overview.classifies };
}

const withUnit = (text, unit) => (!unit ? text : BEFORE.includes(unit) ? `${unit} ${text}` : `${text} ${unit}`);
const pad = (n) => String(n).padStart(2, "0");

/** Days since 1970-01-01 as a date control has them. */
export function dayText(days, style) {
  const moment = new Date(Math.round(days * DAY));
  if (Number.isNaN(moment.getTime())) return String(days);
  const [year, month] = [String(moment.getUTCFullYear()).padStart(4, "0"), pad(moment.getUTCMonth() + 1)];
  if (style === "year") return year;
  if (style === "month") return `${year}-${month}`;
  const date = `${year}-${month}-${pad(moment.getUTCDate())}`;
  return style === "datetime" ? `${date}T${pad(moment.getUTCHours())}:${pad(moment.getUTCMinutes())}` : date;
}

/** The opposite; null if the text is no date. */
export function readDay(text, style) {
  const whole = style === "year" ? `${text.padStart(4, "0")}-01-01` : style === "month" ? `${text}-01` : text;
  const moment = Date.parse(whole.includes("T") ? `${whole}Z` : `${whole}T00:00Z`);
  return Number.isNaN(moment) ? null : moment / DAY;
}

/** A number of a column. */
export function numberText(name, value, digits = 7) {
  const { style = "", unit = "" } = formats.get(name) ?? {};
  if (style) return dayText(value, style).replace("T", " ");
  return withUnit(number(value, digits), unit);
}

/** A cell of a column, as text. */
export function cellText(name, value) {
  return typeof value === "number" ? numberText(name, value) : show(value);
}

export const cell = (name, value, attributes) => userText(cellText(name, value), attributes);

const targetWith = (write) => (value) => (typeof value === "number" && !target.classifies ? withUnit(write(value), target.unit) : show(value));

/** A value of the target: a class, or a number with its unit, rounded as in a receipt. */
export const targetText = targetWith((value) => amount(value, 4));

/** The same with three digits, for axes and errors. */
export const roughTargetText = targetWith((value) => number(value, 3));

export const targetCell = (value) => userText(targetText(value));

/** A probability in percent, or a number of the target. */
export function outputText(value) {
  if (value === null || value === undefined) return "";
  if (!target.classifies) return targetText(value);
  if (value >= 0.995 && value < 1) return ">99 %";
  if (value > 0 && value < 0.005) return "<1 %";
  const off = Math.abs(value - 0.5); // which side of one half?
  return `${(100 * value).toFixed(off >= 0.0005 && off < 0.005 ? 1 : 0)} %`;
}

/** A change of the output with its sign: percentage points, or the target's unit.
 *
 *  A change of a number has the decimals of the largest number `beside` it. */
export function pointsText(value, beside = []) {
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "+";
  if (!target.classifies) {
    const decimals = decimalsOf(Math.max(size, ...beside.map(Math.abs)), 4);
    const seen = !size || size >= 0.5 * 10 ** -decimals;
    return `${sign}${withUnit(seen ? size.toFixed(decimals) : amount(size, 1), target.unit)}`;
  }
  const points = 100 * size;
  return `${sign}${points >= 0.05 || !points ? points.toFixed(1) : number(points, 1)} points`;
}
