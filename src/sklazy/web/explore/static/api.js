// Requests to the server.

const box = () => document.getElementById("problem");

async function read(response) {
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  const error = new Error(problem.detail ?? `The server answered ${response.status}.`);
  error.status = response.status;
  throw error;
}

export async function ask(name, signal) {
  return read(await fetch(`api/${name}`, { signal }));
}

export async function send(name, body, signal) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  return read(await fetch(`api/${name}`, options));
}

/** Of several requests of one kind, only the latest is used. */
export class Latest {
  #turn = new AbortController();

  /** The response, or null if another request was made in the meantime. */
  async ask(name, body) {
    this.#turn.abort();
    const controller = (this.#turn = new AbortController());
    try {
      const reply = await (body === undefined ? ask(name, controller.signal) : send(name, body, controller.signal));
      return controller.signal.aborted ? null : reply;
    } catch (error) {
      if (controller.signal.aborted || error.status === 409) return null;
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

/** Run a function and show its error. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    complain(error);
    return null;
  }
}

export function download(name, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).map(([key, value]) => [key, JSON.stringify(value)]));
  return `download/${name}${query.size ? `?${query}` : ""}`;
}
