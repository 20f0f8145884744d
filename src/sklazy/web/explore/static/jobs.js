// Background jobs of the server, with progress bars.

import { h, count, replace } from "./dom.js";
import { ask } from "./api.js";

const NAMES = { "left-out": "Leave-one-out predictions", audit: "Audit", values: "Values of cases", advice: "Comparing methods" };
const listeners = [];
let jobs = [];
let timer = null;
let version = null;

export const running = (name) => jobs.some((job) => job.name === name && ["running", "waiting"].includes(job.state));
export const job = (name) => jobs.find((one) => one.name === name);

/** Call with (finished or changed names) whenever something went on. */
export function onProgress(listener) {
  listeners.push(listener);
}

export function hurry() {
  clearTimeout(timer);
  timer = setTimeout(look, 60);
}

async function look() {
  try {
    const reply = await ask("jobs");
    const moved = reply.jobs.filter((one) => {
      const before = jobs.find((old) => old.name === one.name);
      return !before || before.state !== one.state || before.done !== one.done;
    }).map((one) => one.name);
    const changed = version !== null && version !== reply.version;
    [jobs, version] = [reply.jobs, reply.version];
    draw();
    if (moved.length || changed) for (const listener of listeners) listener(moved, changed);
    const busy = jobs.some((one) => ["running", "waiting"].includes(one.state));
    timer = setTimeout(look, busy ? 900 : 15000);
  } catch {
    timer = setTimeout(look, 5000);
  }
}

function draw() {
  const open = jobs.filter((one) => ["running", "waiting", "failed"].includes(one.state));
  replace(document.getElementById("jobs"), open.map((one) => {
    const left = one.total ? `${count(one.done)} of ${count(one.total)}` : one.state;
    const text = one.state === "failed" ? `failed: ${one.note}` : one.note || left;
    return h("p", { class: `job ${one.state}` }, `${NAMES[one.name]}: ${text}`,
      one.state === "running" && one.total ? h("progress", { max: one.total, value: one.done, "aria-label": NAMES[one.name] }) : null);
  }));
}
