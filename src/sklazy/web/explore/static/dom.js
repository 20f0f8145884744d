// Elements from plain data. Text is always text: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element of HTML with attributes, listeners (onclick) and children; strings are text. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same of SVG. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Text of the user's data, isolated from the direction of the text around it. */
export function userText(text, attributes) {
  const shown = show(text);
  return h("bdi", { class: shown.length > 28 ? "long" : "short", ...attributes }, shown);
}

// Control characters, separators, directional marks and invisible blanks.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/gu;

/** A value as a person reads it. */
export function show(value) {
  if (value === null || value === undefined) return "missing";
  if (typeof value === "number") return number(value);
  const text = String(value).replace(INVISIBLE, (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`);
  return text === "" ? "''" : text.length > 160 ? `${text.slice(0, 100)} … ${text.slice(-50)}` : text;
}

/** A number with a few significant digits. */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return "";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  const text = Number(value.toPrecision(digits));
  return Math.abs(text) >= 1e9 || (text !== 0 && Math.abs(text) < 1e-4) ? value.toExponential(2) : String(text);
}

/** How many decimals a number needs to have so many digits. */
export const decimalsOf = (size, digits) => Math.min(100, Math.max(0, digits - 1 - Math.floor(Math.log10(size || 1))));

/** A number as receipts write it: rounded to so many digits, but never before the point. */
export function amount(value, digits = 6) {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return String(value);
  if (!(size >= 1e-6 && size < 1e15)) return number(value, digits);
  return String(Number(value.toFixed(decimalsOf(size, digits))));
}

export const percent = (share) => (share === null || share === undefined ? "" : `${(100 * share).toFixed(1)} %`);
export const count = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");
export const share = (p) => (p === null || p === undefined ? "" : p > 0.9995 && p < 1 ? ">0.999" : p.toFixed(3));

/** A bar that fills a share of its cell. */
export function bar(part, { tone = "", start = 0, tick = null } = {}) {
  const width = `${100 * Math.max(0, Math.min(1, part) - start)}%`;
  return h("div", { class: "track", "aria-hidden": "true" },
    h("i", { class: `fill ${tone}`, style: { left: `${100 * start}%`, width } }),
    tick !== null && h("i", { class: "tick", style: { left: `${100 * tick}%` } }));
}

/** A table in a box that scrolls sideways. */
export function table(head, rows, attributes = {}) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": attributes.label ?? "Table" },
    h("table", { class: attributes.class }, attributes.caption && h("caption", {}, attributes.caption),
      h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}

export const th = (text, attributes = {}) => h("th", { scope: "col", ...attributes }, text);
export const td = (content, attributes = {}) => h("td", attributes, content);

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child));
}

/** Replace children and keep the focus, if the focused element has data-focus. */
export function redraw(element, ...children) {
  const active = document.activeElement;
  const inside = active && active !== element && element.contains(active);
  const key = inside ? active.dataset.focus : null;
  replace(element, ...children);
  if (key) element.querySelector(`[data-focus="${CSS.escape(key)}"]`)?.focus();
}
