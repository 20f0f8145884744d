"""`sklazy serve` in a process of its own, and clients that ask it without pause."""

import http.client
import json
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd

import sklazy
from process_memory import children_of
from web_asking import fetch


def make_model(n=60):
    """A model of a number and a label, with ids."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n).round(2),
            "color": np.array(["red", "blue"])[rng.integers(0, 2, n)],
        },
        index=[f"case-{i}" for i in range(n)],
    )
    y = np.where(frame["size"] > 0, "up", "down")
    return sklazy.LazyKNeighborsClassifier(n_neighbors=5).fit(frame, y)


class Served:
    """`sklazy serve` in a folder, until the end of a block."""

    def __init__(self, folder, *arguments):
        code = "import sklazy_command; sklazy_command.main()"
        with open(folder / "log", "w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code, "serve", *arguments, "--port=0", "--json"],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        lines = []
        while not lines or lines[-1].strip() != "}":
            lines.append(self.process.stdout.readline())
            assert lines[-1], (folder / "log").read_text()
        self.said = json.loads("".join(lines))
        self.port = int(self.said["address"].rpartition(":")[2])
        self.headers = {}
        if (folder / "tokens").exists():
            token = (folder / "tokens").read_text().split()[-1]
            self.headers = {"Authorization": f"Bearer {token}"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        # A single process ends by the signal, once it has answered.
        is_single = self.said["workers"] == 1
        assert self.process.wait(30) == (-signal.SIGTERM if is_single else 0)
        self.process.stdout.close()

    def ask(self, method, path, body=None, seconds=20):
        return fetch(self.port, method, path, body, self.headers, seconds)

    def processes(self):
        return [self.process.pid, *children_of(self.process.pid)]

    def wait_until(self, is_so):
        for _ in range(400):
            if is_so():
                return
            time.sleep(0.05)
        raise AssertionError("it never came so")


class Load:
    """Clients that ask without pause until the end of a block.

    Some keep their connection, some open one for each request, and some of these wait
    before they send their request, or its body.

    Attributes
    ----------
    seen : list of answers
    cut : list of errors
        Requests that got no answer.
    refused : list of answers
        Those with another status than 200.
    state : callable
        What to note before and after each request, in front of its answer.
    """

    def __init__(self, served, rows, n_clients=1, state=lambda: None):
        self.served, self.state = served, state
        self.seen, self.cut, self.refused = [], [], []
        self._body = json.dumps({"rows": rows}).encode()
        self._is_over = threading.Event()
        ways = [self._keep, self._open, self._hesitate, self._dawdle]
        self._threads = [
            threading.Thread(target=self._run, args=[way]) for way in ways * n_clients
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        for thread in self._threads:
            thread.join(30)

    def _run(self, way):
        connection = None
        while not self._is_over.is_set():
            before = self.state()
            try:
                connection, response = way(connection)
                answer = json.loads(response.read())
            except (OSError, http.client.HTTPException) as error:
                self.cut.append((way.__name__, repr(error)))
                connection = None
                continue
            if response.status != 200:
                self.refused.append(answer)
            self.seen.append((before, self.state(), answer))
        if connection is not None:
            connection.close()

    def _connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=60)

    def _send(self, connection, pause=0.0):
        """Send a request, and its body after a pause."""
        connection.putrequest("POST", "/v1/predict")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(self._body)))
        for name, value in self.served.headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        time.sleep(pause)
        connection.send(self._body)
        return connection, connection.getresponse()

    def _keep(self, connection):
        return self._send(connection or self._connect())

    def _open(self, connection):
        if connection is not None:
            connection.close()
        return self._send(self._connect())

    def _hesitate(self, connection):
        fresh = self._connect()
        fresh.connect()
        time.sleep(0.2)
        return self._open_with(connection, fresh)

    def _open_with(self, connection, fresh, pause=0.0):
        if connection is not None:
            connection.close()
        return self._send(fresh, pause)

    def _dawdle(self, connection):
        return self._open_with(connection, self._connect(), 0.2)
