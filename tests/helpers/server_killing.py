"""Kill processes of a server with four workers, and see what is left of its changes.

Run as a script: ``server_killing.py FOLDER KILLS SEED``. A client adds, forgets and
erases rows over HTTP without pause. At some moment a worker is killed, or the process
that makes changes, or all of these, or the one that started them (which is then started
again); sometimes a second one follows at once. Then, after one further change, each
worker must have every change that was acknowledged, and of the one that was under way
all or nothing: the digest is that of a fit. Of rows that are gone no id, number or
label of their own is in any file, and no process of a killed server is left.
"""

import http.client
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

import sklazy
from kill_rounds import possible_rows
from process_memory import children_of, find_in_files
from sklazy.web.serve.store import Store
from web_asking import fetch

COLUMNS = ("size", "color")
TOKEN = "c" * 24
N_WORKERS = 4
PATIENCE = 180  # seconds for a server to be as it should, on a busy machine


def some_row(rng, name):
    """A row with a number and perhaps a label of its own."""
    rare = rng.random() < 0.1
    color = f"rare {name}" if rare else ["red", "blue", None][rng.integers(3)]
    return (float(rng.normal()), color), "ab"[rng.integers(2)]


def make_model(rows):
    """A model of rows: id to (cells, target)."""
    cells = [dict(zip(COLUMNS, row, strict=True)) for row, _ in rows.values()]
    targets = [target for _, target in rows.values()]
    model = sklazy.LazyKNeighborsClassifier(1, selection="none")
    return model.fit(cells, targets, ids=list(rows))


def marks_of(name, row):
    """What only this row has, as bytes."""
    (size, color), _ = row
    found = [name.encode(), struct.pack("<d", size), str(size).encode()]
    return found + ([color.encode()] if str(color).startswith("rare") else [])


def until(is_so, what, seen=()):
    """Wait for something to become so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"not in {PATIENCE} s: {what} {seen[-1:]}"
        time.sleep(0.02)


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class Server:
    """`sklazy serve` with workers and a journal."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.start()

    def start(self):
        code = "import sklazy_command; sklazy_command.main()"
        words = ["journal", "--token-file=tokens", f"--workers={N_WORKERS}"]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code, "serve", *words, "--port=0", "--json"],
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        lines = []
        for line in self.process.stdout:  # none if it could not start
            if line == "}\n":
                break
            lines.append(line)
        address = json.loads("".join([*lines, "}"]))["address"]
        self.port = int(address.rpartition(":")[2])

    def ask(self, method, path, body=None):
        head = {"Authorization": f"Bearer {TOKEN}"}
        return fetch(self.port, method, path, body, head)

    def children(self):
        return [one for one in children_of(self.process.pid) if is_alive(one)]

    def is_whole(self):
        return len(self.children()) == N_WORKERS + 1

    def writer(self):
        """The process that has the journal open."""
        for pid in self.children():
            for one in Path(f"/proc/{pid}/fd").iterdir():
                try:
                    if "journal-" in os.readlink(one):
                        return pid
                except OSError:
                    continue
        return self.children()[0]

    def kill(self, rng):
        """Kill some of the processes; which ones, in a word."""
        children, kind = self.children(), rng.random()
        if kind < 0.04:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            until(lambda: not any(map(is_alive, children)), "workers left alone end")
            self.start()
            return "front"
        if kind < 0.3:
            some, word = [self.writer()], "writer"
        elif kind < 0.35:
            some, word = children, "all but the front"
        else:
            some, word = [children[rng.integers(len(children))]], "any child"
        for pid in some:
            kill_one(pid)
        return word

    def stop(self):
        self.process.terminate()
        assert self.process.wait(60) == 0
        self.process.stdout.close()


def kill_one(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:  # it has just been replaced
        return


class Client:
    """Changes the rows of a server until told to stop, and notes what was answered."""

    def __init__(self, server, rows, rng, tag):
        self.server, self.rows, self.rng, self.tag = server, dict(rows), rng, tag
        self.events, self.known = [], {}
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self):
        self._is_over.set()
        self._thread.join()

    def _run(self):
        for number in range(1_000_000):
            if self._is_over.is_set() or not self._change(number):
                return

    def _change(self, number):
        """Make a change; whether it was acknowledged."""
        ids = list(self.rows)
        if len(ids) > 40 or (len(ids) > 20 and self.rng.random() < 0.3):
            gone = self.rng.choice(ids, 2, replace=False).tolist()
            self.events.append({"begin": "forget", "ids": gone})
            way = ("POST", "/v1/forget")
            if self.rng.random() < 0.1:
                way = ("DELETE", "/v1/cases")
            is_done = acknowledged(self.server, *way, {"ids": gone})
        else:
            rows = new_rows(self.rng, f"id-{self.tag}-{number}", 3)
            self.known |= rows
            self.events.append({"begin": "add", "rows": rows})
            is_done = acknowledged(self.server, "POST", "/v1/add", body_of(rows))
        if is_done:
            self.events.append({"done": True})
            (self.rows,) = possible_rows(self.rows, self.events[-2:])[0]
        return is_done


def acknowledged(server, *request):
    """Whether a change was acknowledged."""
    try:
        return server.ask(*request).status == 200
    except (OSError, http.client.HTTPException):  # cut off
        return False


def new_rows(rng, tag, n_rows):
    return {f"{tag}-{i}.": some_row(rng, f"{tag}-{i}.") for i in range(n_rows)}


def body_of(rows):
    cells = [list(row) for row, _ in rows.values()]
    return {"rows": cells, "targets": [y for _, y in rows.values()], "ids": list(rows)}


def add_surely(server, rows):
    """Add rows however often it takes; 422 is that their ids are taken."""
    statuses = []

    def is_done():
        try:
            said = server.ask("POST", "/v1/add", body_of(rows))
        except (OSError, http.client.HTTPException):
            return False
        statuses.append((said.status, said.body))
        return said.status == 200 or b"are taken" in said.body

    until(is_done, "rows are added", statuses)


def find_state(server, possible):
    """The rows that are there, by the digests that several workers give."""
    said = [server.ask("GET", "/v1/digest").json() for _ in range(N_WORKERS)]
    assert len({one["digest"] for one in said}) == 1, said
    fitting = [rows for rows in possible if len(rows) == said[0]["cases"]]
    digests = [make_model(rows).digest() for rows in fitting]
    assert said[0]["digest"] in digests, (said[0], [len(rows) for rows in possible])
    return fitting[digests.index(said[0]["digest"])]


def check_traces(folder, rows, known):
    """Nothing of rows that were known, but are no more, is in any file."""
    gone = {name: row for name, row in known.items() if name not in rows}
    marks = [one for name, row in gone.items() for one in marks_of(name, row)]
    assert not find_marks(folder / "journal", marks)


def find_marks(folder, marks):
    """Marks in files; again if processes are being replaced, which begins new files."""
    while True:
        try:
            return find_in_files(folder, marks)
        except FileNotFoundError:
            continue


def play_round(server, rows, known, rng, tag):
    """One kill: the rows that are there then, what was killed, and figures."""
    client = Client(server, rows, np.random.default_rng(rng.integers(1 << 60)), tag)
    time.sleep(float(rng.uniform(0, 0.4)))
    words = [server.kill(rng)]
    if words[0] != "front" and rng.random() < 0.1:
        words.append(server.kill(rng))
    client.stop()
    known |= client.known
    possible, n_done = possible_rows(rows, client.events)
    until(server.is_whole, "all processes are there again")
    last = new_rows(rng, f"last-{tag}", 1)
    known |= last
    add_surely(server, last)
    until(server.is_whole, "all processes are there")
    rows = find_state(server, [one | last for one in possible])
    check_traces(server.folder, rows, known)
    return rows, words, n_done, len(possible) - 1


def main(folder, kills, seed):
    rng = np.random.default_rng(seed)
    rows, folder = new_rows(rng, "first", 25), Path(folder)
    make_model(rows).save(folder / "model")
    Store.open(folder / "model", folder / "journal").close()
    (folder / "tokens").write_text(f"change {TOKEN}\n")
    (folder / "tokens").chmod(0o600)
    server, known, found = Server(folder), dict(rows), {"acknowledged": 0, "begun": 0}
    n_kills = tag = 0
    while n_kills < kills:
        rows, words, n_done, n_begun = play_round(server, rows, known, rng, tag)
        known = dict(list(known.items())[-600:]) | rows
        found["acknowledged"] += n_done
        found["begun"] += n_begun
        for word in words:
            found[word] = found.get(word, 0) + 1
        n_kills, tag = n_kills + len(words), tag + 1
        if tag % 20 == 0:
            sys.stderr.write(f"{n_kills} kills {found}\n")
    server.stop()
    sys.stdout.write(json.dumps({"kills": n_kills, **found}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
