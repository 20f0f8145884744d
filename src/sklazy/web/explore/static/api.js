// Questions to the server that this page came from.

const box = () => document.getElementById("problem");

async function read(response) {
  if (response.ok) return response.json();
  const told = await response.json().catch(() => ({}));
  const error = new Error(told.detail ?? `The server answered ${response.status}.`);
  error.status = response.status;
  throw error;
}

export async function ask(name, signal) {
  return read(await fetch(`/api/${name}`, { signal }));
}

export async function send(name, body, signal) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  return read(await fetch(`/api/${name}`, options));
}

/** Of several questions of one kind only the latest counts. */
export class Latest {
  #turn = new AbortController();

  /** The answer, or null if another question came in between. */
  async ask(name, body) {
    this.#turn.abort();
    const own = (this.#turn = new AbortController());
    try {
      const found = await (body === undefined ? ask(name, own.signal) : send(name, body, own.signal));
      return own.signal.aborted ? null : found;
    } catch (error) {
      if (own.signal.aborted || error.status === 409) return null;
      throw error;
    }
  }

  stop() {
    this.#turn.abort();
  }
}

export function complain(error) {
  if (error?.name === "AbortError") return;
  box().textContent = error instanceof TypeError ? "The server does not answer. Is it still running?" : error.message;
}

export function forgive() {
  box().textContent = "";
}

/** Run something and show what goes wrong. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    complain(error);
    return null;
  }
}

export function download(name, given = {}) {
  const query = new URLSearchParams(Object.entries(given).map(([key, value]) => [key, JSON.stringify(value)]));
  return `/download/${name}${query.size ? `?${query}` : ""}`;
}
