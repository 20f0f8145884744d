"""The server under load: `python benchmarks/serving.py speed` and `... mixed`.

speed   One row a request, 20 000 x 16 numbers (the size of letter): requests a second
        and the 99th percentile of waiting, LazyKNeighborsClassifier beside
        scikit-learn's KNeighborsClassifier behind the same server code. Each is served
        by a process of its own; they are asked in turn.
rows    The same for rows of numbers and labels with missing cells (8 + 8 columns),
        beside a pipeline of imputer, scaler, one-hot coding and k-NN. Then our
        server at half its best rate: the 50th and the 99th percentile of waiting.
mixed   Predict, explain, add and forget for minutes: no error that was not asked for,
        memory flat, answers after changes equal to a fresh fit of the rows.
workers `sklazy serve --workers 4` with a journal: predictions and explanations by three
        clients while a fourth adds, forgets and erases (which replaces all processes).
        Every prediction must be that of a fresh fit of the rows before or after one of
        the changes under way meanwhile; memory of all processes flat. Nothing is
        erased in the middle three fifths, so that the same processes are measured.

    --minutes 10      of the load on workers
    --seconds 3       of a round, or of the mixed load (600)
    --rounds 5        of each contestant
    --connections 4   that ask at once
    --rows 20000      cases (mixed: 2000)
"""

import argparse
import collections
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sklazy
from sklazy.web.bodies import RequestLimits
from sklazy.web.guard import Safety
from sklazy.web.running import listen, serve_app
from sklazy.web.serve.answers import Answers
from sklazy.web.serve.app import make_server
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.store import Store
from sklazy.web.tokens import Role

N_COLUMNS = 16
COLORS = np.array(["red", "green", "blue"])


def main(words):
    options = read(words)
    tasks = {"speed": speed, "rows": speed, "mixed": mixed, "serve": run_server}
    tasks["workers"] = load_workers
    tasks[options.what](options)


def read(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["speed", "rows", "mixed", "workers", "serve"])
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--who", default="ours")
    parser.add_argument("--folder", default="")
    return parser.parse_args(words)


# --- the servers ----------------------------------------------------------------------


def numbers(n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_COLUMNS))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)


def labeled(n_rows):
    """Numbers and labels, a tenth of the cells missing."""
    rng = np.random.default_rng(0)
    X, y = numbers(n_rows)
    frame = pd.DataFrame(X[:, :8], columns=[f"n{i}" for i in range(8)])
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    for j in range(8):
        labels = COLORS[(X[:, 8 + j] > 0).astype(int) + (X[:, j] > 1)].astype(object)
        labels[rng.random(n_rows) < 0.1] = None
        frame[f"c{j}"] = labels
    return frame, y


def make_pipeline_of(frame):
    """Scikit-learn's way from such rows to k-NN."""
    is_number = [name for name in frame if name.startswith("n")]
    is_label = [name for name in frame if name.startswith("c")]
    coded = OneHotEncoder(handle_unknown="ignore")
    columns = ColumnTransformer(
        [
            ("n", make_pipeline(SimpleImputer(), StandardScaler()), is_number),
            ("c", coded, is_label),
        ]
    )
    return make_pipeline(columns, KNeighborsClassifier())


def run_server(options):
    """Serve one contestant and say on which port."""
    if options.folder:
        store = Store.open(options.folder, f"{options.folder}.journal")
    else:
        X, y = (labeled if options.labels else numbers)(options.rows)
        store = Store(sklazy.LazyKNeighborsClassifier().fit(X, y))
        if options.who == "peer":
            peer = make_pipeline_of(X) if options.labels else KNeighborsClassifier()
            Answers._predict = predict_as(peer.fit(X, y))
    safety = Safety(limits=RequestLimits(waiting=64), everybody=Role.CHANGE)
    app = make_server(store, safety, Privacy(Level.VALUES))
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    serve_app(app, listening, safety.limits, on_start=lambda: print(port, flush=True))


def predict_as(peer):
    """What answers by another model, everything around it being the same."""
    classes = peer.classes_.tolist()

    def predict(self, model, cases, X):
        if not isinstance(X, np.ndarray):
            X = pd.DataFrame(X)
        shares = peer.predict_proba(X)
        labels = peer.classes_[shares.argmax(axis=1)]
        return {
            "predictions": labels.tolist(),
            "classes": classes,
            "probabilities": shares.tolist(),
        }

    return predict


class Server:
    """A server in a process of its own."""

    def __init__(self, *arguments):
        command = [sys.executable, __file__, "serve", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def cpu(self):
        """Seconds of processor that it has had."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Megabytes that it holds."""
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self):
        self.process.terminate()
        self.process.wait()


# --- speed ----------------------------------------------------------------------------


def speed(options):
    seconds, n_rows = options.seconds or 3, options.rows or 20_000
    kind = ["--labels"] if options.what == "rows" else []
    servers = {
        who: Server("--who", who, "--rows", n_rows, *kind) for who in ("ours", "peer")
    }
    make_rows = label_rows if kind else number_rows
    rounds_of = {who: [] for who in servers}
    for round_number in range(options.rounds + 1):
        for who, server in servers.items():
            before = server.cpu()
            waits = load(server.port, options.connections, seconds, make_rows())
            cpu = (server.cpu() - before) / len(waits)
            if round_number:  # the first is to warm up
                rounds_of[who].append(
                    (len(waits) / seconds, np.quantile(waits, 0.99), cpu)
                )
    rate = max(rates for rates, _, _ in rounds_of["ours"])
    waits = load(servers["ours"].port, 4, seconds, make_rows(), rate / 2)
    middle, late = np.quantile(waits, [0.5, 0.99])
    print(
        f"at half load: p50 {1e3 * middle:.2f} ms, p99 {1e3 * late:.2f} ms, "
        f"{late / middle:.1f} times (goal 3)"
    )
    for server in servers.values():
        server.stop()
    best = {}
    for who, rounds in rounds_of.items():
        rates, tails, cpus = zip(*rounds, strict=True)
        best[who] = max(rates), min(tails), min(cpus)
        middle = np.median(rates), 1e3 * np.median(tails)
        print(
            f"{who}: {max(rates):.0f} requests a second at best ({middle[0]:.0f} in "
            f"the middle), p99 {1e3 * min(tails):.2f} ms ({middle[1]:.2f}), "
            f"{1e6 * min(cpus):.0f} us of processor a request"
        )
    ours, peer = best["ours"], best["peer"]
    print(
        f"{options.connections} connections: throughput {ours[0] / peer[0]:.2f} times "
        f"the peer's (goal 3), p99 {ours[1] / peer[1]:.2f} times (goal 1), processor "
        f"{ours[2] / peer[2]:.2f} times"
    )


def number_rows():
    return np.random.default_rng(1).normal(size=(256, N_COLUMNS)).tolist()


def label_rows():
    frame, _ = labeled(256)
    return json.loads(frame.to_json(orient="records"))


def requests(rows):
    """Requests without end, each for another row."""
    made = []
    for row in rows:
        body = json.dumps({"rows": [row]}).encode()
        head = (
            "POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
            f"application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        made.append(head.encode() + body)
    return itertools.cycle(made)


def load(port, n_connections, seconds, rows, rate=None):
    """Ask over some connections; how long each answer took.

    Without pause, or so many times a second.
    """
    selector, bodies = selectors.DefaultSelector(), requests(rows)
    pause = 0 if rate is None else n_connections / rate
    waits, begun, held = [], {}, collections.defaultdict(bytes)
    for _ in range(n_connections):
        client = socket.create_connection(("127.0.0.1", port))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(client, selectors.EVENT_READ)
        begun[client] = time.perf_counter()
        client.sendall(next(bodies))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for key, _ in selector.select(1):
            client = key.fileobj
            held[client] += client.recv(65536)
            if held[client].endswith(b"}"):
                assert held[client].startswith(b"HTTP/1.1 200"), held[client]
                held[client] = b""
                now = time.perf_counter()
                waits.append(now - begun[client])
                if pause:
                    time.sleep(max(0.0, begun[client] + pause - now) / n_connections)
                begun[client] = time.perf_counter()
                client.sendall(next(bodies))
    for client in begun:
        client.close()
    return waits


# --- mixed load -----------------------------------------------------------------------


def mixed(options):
    seconds, n_rows = options.seconds or 600, options.rows or 2000
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(0)
        rows = {f"first-{i}": some_row(rng) for i in range(n_rows)}
        model = pathlib.Path(folder) / "model"
        fresh(rows).save(model)
        server = Server("--folder", model)
        try:
            driver = Driver(server, rows, seconds)
            driver.run()
        finally:
            server.stop()


def some_row(rng):
    cells = rng.normal(size=6).round(3).tolist()
    color = COLORS[rng.integers(3)].item()
    target = "up" if cells[0] + cells[1] * (color == "red") > 0 else "down"
    cells[int(rng.integers(6))] = None
    return [*cells, color], target


def names():
    return [*(f"n{i}" for i in range(6)), "color"]


def fresh(rows):
    """A fit of the rows as they are."""
    table = [dict(zip(names(), cells, strict=True)) for cells, _ in rows.values()]
    model = sklazy.LazyKNeighborsClassifier(n_neighbors=15)
    return model.fit(table, [target for _, target in rows.values()], ids=list(rows))


class Driver:
    """Changes the rows and compares; others ask meanwhile."""

    head = {}  # noqa: RUF012

    def __init__(self, server, rows, seconds):
        self.server, self.rows = server, dict(rows)
        self.end = time.monotonic() + seconds
        self.counts = collections.Counter()
        self.wrong = []
        self.memory = []

    def run(self):
        others = [
            threading.Thread(target=self.ask, args=(what, seed))
            for seed, what in enumerate(["predict", "predict", "explain"])
        ]
        for thread in others:
            thread.start()
        self.change()
        for thread in others:
            thread.join()
        fifth = len(self.memory) // 5
        steady = self.memory[fifth : len(self.memory) - fifth]
        third = max(1, len(steady) // 3)
        early, late = np.mean(steady[:third]), np.mean(steady[-third:])
        print(dict(self.counts), f"errors: {len(self.wrong)}", self.wrong[:3])
        print(
            f"memory: {early:.1f} MB early, {late:.1f} MB late, of {self.memory[0]:.1f}"
        )

    def send(self, connection, what, body):
        """The answer to one request."""
        method, path = ("DELETE", "cases") if what == "erase" else ("POST", what)
        head = {"Content-Type": "application/json", **self.head}
        connection.request(method, f"/v1/{path}", json.dumps(body), head)
        response = connection.getresponse()
        content = json.loads(response.read())
        self.counts[what] += 1
        if response.status != 200:
            self.wrong.append((what, response.status, content))
        return content

    def ask(self, what, seed):
        rng = np.random.default_rng([1, seed])
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        while time.monotonic() < self.end:
            rows = [some_row(rng)[0] for _ in range(int(rng.integers(1, 4)))]
            self.send(connection, what, {"rows": rows})
            time.sleep(0.005)
        connection.close()

    def change(self):
        rng = np.random.default_rng(2)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        for number in itertools.count():
            if time.monotonic() > self.end:
                break
            new = {f"n-{number}-{i}": some_row(rng) for i in range(3)}
            cells, targets = zip(*new.values(), strict=True)
            body = {"rows": cells, "targets": targets, "ids": list(new)}
            self.send(connection, "add", body)
            self.rows |= new
            gone = rng.choice(list(self.rows), 3, replace=False).tolist()
            self.send(connection, "forget", {"ids": gone})
            for one in gone:
                del self.rows[one]
            if number % 10 == 0:
                self.compare(connection, rng)
            time.sleep(0.02)
        connection.close()

    def compare(self, connection, rng):
        """Answers must be those of a fresh fit: nobody else changes anything."""
        rows = [some_row(rng)[0] for _ in range(5)]
        answer = self.send(connection, "predict", {"rows": rows})
        table = [dict(zip(names(), cells, strict=True)) for cells in rows]
        expected = fresh(self.rows).predict_proba(table).tolist()
        self.counts["compared"] += 1
        if answer.get("probabilities") != expected:
            self.wrong.append(("compare", answer, expected))
        self.memory.append(self.server.memory())


# --- workers --------------------------------------------------------------------------

ASKED = [some_row(np.random.default_rng([3, i]))[0] for i in range(8)]


def load_workers(options):
    """Load four workers, and print a table of what they answered."""
    rng = np.random.default_rng(0)
    rows = {f"first-{i}": some_row(rng) for i in range(options.rows or 500)}
    with tempfile.TemporaryDirectory() as folder:
        fresh(rows).save(pathlib.Path(folder) / "model.sklazy")
        (pathlib.Path(folder) / "tokens").write_text(f"change {'c' * 24}\n")
        server = WorkersServer(folder)
        try:
            WorkersDriver(server, rows, 60 * options.minutes).run()
        finally:
            server.stop()


class WorkersServer(Server):
    """`sklazy serve` with four workers and a journal."""

    def __init__(self, folder):
        code = "import sklazy_command; sklazy_command.main()"
        words = ["model.sklazy", "--journal=journal", "--token-file=tokens"]
        words += ["--workers=4", "--receipts=values", "--port=0", "--json"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "serve", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        lines = list(iter(self.process.stdout.readline, "}\n"))
        address = json.loads("".join([*lines, "}"]))["address"]
        self.port = int(address.rpartition(":")[2])

    def memory(self):
        """Megabytes of all processes; a page that several share is split among them.

        Without files: other programs that map the same ones would count.
        """
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        total = 0.0
        for one in (pid, *children):
            with contextlib.suppress(OSError):  # one that has just been replaced
                text = pathlib.Path(f"/proc/{one}/smaps_rollup").read_text()
                total += int(text.split("\nPss_Anon:")[1].split()[0]) / 1e3
        return total


class WorkersDriver(Driver):
    """Changes the rows; others ask, and compare with the states they may have met.

    State `i` is that after `i` changes. A question that began when `first` changes were
    acknowledged, and was answered when `last` had been sent, may meet any between.
    """

    head = {"Authorization": f"Bearer {'c' * 24}"}  # noqa: RUF012

    def __init__(self, server, rows, seconds):
        super().__init__(server, rows, seconds)
        self.steady = self.end - 0.8 * seconds, self.end - 0.2 * seconds
        self.states = [self.answers_of(rows)]
        self.n_acknowledged = 0

    def answers_of(self, rows):
        table = [dict(zip(names(), cells, strict=True)) for cells in ASKED]
        return fresh(rows).predict_proba(table).tolist()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=90)

    def ask(self, what, seed):
        rng = np.random.default_rng([1, seed])
        while time.monotonic() < self.end:
            with contextlib.closing(self.connect()) as connection:
                i = int(rng.integers(len(ASKED)))
                first = self.n_acknowledged
                content = self.send(connection, what, {"rows": [ASKED[i]]})
                states = self.states[first:]
            if what == "predict":
                self.counts["compared"] += 1
                shares = content.get("probabilities", [None])[0]
                if shares not in [state[i] for state in states]:
                    self.wrong.append(("state", i, shares))
            time.sleep(0.01)

    def change(self):
        rng = np.random.default_rng(2)
        for number in itertools.count():
            if time.monotonic() > self.end:
                break
            new = {f"n-{number}-{i}": some_row(rng) for i in range(3)}
            cells, targets = zip(*new.values(), strict=True)
            body = {"rows": cells, "targets": targets, "ids": list(new)}
            self.make("add", body, self.rows | new)
            gone = rng.choice(list(self.rows), 3, replace=False).tolist()
            left = {one: row for one, row in self.rows.items() if one not in gone}
            self.make(self.way_out(number), {"ids": gone}, left)
            if number % 5 == 0:
                self.memory.append(self.server.memory())
            time.sleep(0.1)

    def way_out(self, number):
        """How the next rows go: most are forgotten, some erased."""
        first, last = self.steady
        is_steady = first < time.monotonic() < last
        return "erase" if number % 20 == 10 and not is_steady else "forget"

    def make(self, what, body, rows):
        """Make a change; the state after it may be met from before it is sent."""
        self.states.append(self.answers_of(rows))
        with contextlib.closing(self.connect()) as connection:
            self.send(connection, what, body)
        self.rows = rows
        self.n_acknowledged = len(self.states) - 1


if __name__ == "__main__":
    main(sys.argv[1:])
