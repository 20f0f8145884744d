"""Processes are replaced, and no connection of a client ends without an answer."""

import os
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from served import Load, Served, make_model
from sklazy.web.serve.messages import accept, connect, listen_locally, receive, send
from sklazy.web.serve.replica import Replica
from sklazy.web.serve.store import Store
from sklazy.web.serve.supervisor import REPLACED
from sklazy.web.serve.workers import _await_replacement
from sklazy.web.serve.writer import Writer

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are read from /proc"
)

N_ERASURES = 4
SECONDS = 120  # for an answer, on a busy machine
WORDS = ("--journal=journal", "--token-file=tokens", "--workers=2", "--receipts=values")
ROWS = [{"size": 0.5, "color": "red"}, {"size": -0.01, "color": None}]


class Erasures:
    """Erases one case after the other."""

    def __init__(self, served, first=0):
        self.served, self.first, self.begun, self.done = served, first, 0, 0

    def erase(self):
        ids = [f"case-{self.first + self.done}"]
        self.begun += 1
        said = self.served.ask("DELETE", "/v1/cases", {"ids": ids}, SECONDS)
        assert said.status == 200, said
        assert said.json()["processes_replaced"]
        self.done += 1


def test_erasures_under_load_close_no_connection(tmp_path):
    model = make_model()
    model.save(tmp_path / "model.sklazy")
    states = [model.predict_proba(ROWS).tolist()]
    for i in range(N_ERASURES):
        states.append(model.forget([f"case-{i}"]).predict_proba(ROWS).tolist())
    with Served(tmp_path, "model.sklazy", *WORDS, f"--max-seconds={SECONDS}") as served:
        erasures = Erasures(served)
        with Load(served, ROWS, 2, lambda: (erasures.done, erasures.begun)) as load:
            for _ in range(N_ERASURES):
                erasures.erase()
                served.process.send_signal(signal.SIGHUP)  # the log says why not
    assert not load.cut
    assert not load.refused
    assert len(load.seen) > 100
    for before, after, answer in load.seen:
        assert answer["probabilities"] in states[before[0] : after[1] + 1]


@pytest.mark.parametrize("n_workers", [1, 2])
def test_reloads_under_load_close_no_connection(tmp_path, n_workers):
    models = [make_model().forget([f"case-{j}" for j in range(i)]) for i in range(6)]
    states = [one.predict_proba(ROWS).tolist() for one in models]
    models[0].save(tmp_path / "model.sklazy")
    arguments = ("model.sklazy", f"--workers={n_workers}", "--receipts=values")
    with Served(tmp_path, *arguments) as served:

        def n_cases():
            said = [served.ask("GET", "/v1/digest").json() for _ in range(12)]
            return {one["cases"] for one in said}

        with Load(served, ROWS) as load:
            for model in models[1:]:
                model.save(tmp_path / "model.sklazy")
                served.process.send_signal(signal.SIGHUP)
                served.wait_until(lambda one=model: n_cases() == {one.cases_.n_rows})
    assert not load.cut
    assert not load.refused
    shares = [answer["probabilities"] for _, _, answer in load.seen]
    assert all(one in states for one in shares)
    assert shares[-1] == states[-1] != states[0] == shares[0]


def add_until(is_over, served, tag, said):
    """Add rows, one at a time."""
    while not is_over.is_set():
        body = {"rows": ROWS[:1], "targets": ["up"], "ids": [f"{tag}-{len(said)}"]}
        said.append(served.ask("POST", "/v1/add", body, SECONDS))


def test_changes_wait_for_the_next_writer(tmp_path):
    make_model().save(tmp_path / "model.sklazy")
    with Served(tmp_path, "model.sklazy", *WORDS, f"--max-seconds={SECONDS}") as served:
        is_over, added = threading.Event(), [[], [], []]
        with ThreadPoolExecutor() as pool:
            adding = [
                pool.submit(add_until, is_over, served, f"new-{tag}", said)
                for tag, said in enumerate(added)
            ]
            both = [Erasures(served, first) for first in (0, 30)]
            try:
                for _ in range(N_ERASURES):
                    list(pool.map(Erasures.erase, both))
            finally:
                is_over.set()
        assert all(one.exception() is None for one in adding), adding
        assert {one.status for said in added for one in said} == {200}, added
        n_cases = served.ask("GET", "/v1/digest").json()["cases"]
    assert n_cases == 60 - 2 * N_ERASURES + sum(map(len, added))


def test_a_writer_that_ends_hands_back_what_it_has_not_begun(tmp_path):
    make_model().save(tmp_path / "model")
    store = Store.open(tmp_path / "model", tmp_path / "journal")
    never_follows, got = [os.getpid()], []
    before = signal.getsignal(signal.SIGTERM)

    def ask(address):
        with connect(address) as connection:
            send(connection, {"call": "forget", "ids": ["case-0"]})
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGTERM)
            got.append(receive(connection))

    with listen_locally(str(tmp_path / "writer")) as listening:
        asking = threading.Thread(target=ask, args=[str(tmp_path / "writer")])
        asking.start()
        try:
            Writer(store, listening, 5, os.getppid()).run(never_follows)
        finally:
            signal.signal(signal.SIGTERM, before)
            asking.join()
    assert got == [{"postponed": True}]
    assert store.model.cases_.n_rows == 60


def test_a_change_that_is_handed_back_is_asked_for_again(tmp_path):
    state = {"waiting": [], "n_changes": 0, "takes_changes": True}
    replica, asked = Replica(make_model(), str(tmp_path / "writer"), state), []

    def answer(listening):
        for said in ({"postponed": True}, {"postponed": True}, {"result": ["new"]}):
            with accept(listening) as connection:
                asked.append(receive(connection))
                send(connection, said)

    with listen_locally(str(tmp_path / "writer")) as listening:
        answering = threading.Thread(target=answer, args=[listening])
        answering.start()
        assert replica.add(ROWS, ["up", "down"]) == ["new"]
        answering.join()
    assert len(asked) == 3
    assert asked[0] == asked[2]


@pytest.mark.parametrize("is_there", [True, False], ids=["alive", "killed"])
def test_an_erasure_is_answered_when_the_first_process_was_killed(
    monkeypatch, is_there
):
    """The rows are erased by then; that processes were replaced is not claimed."""
    ended = []
    monkeypatch.setattr(os, "kill", lambda *_: ended.append(True))
    own, other = socket.socketpair()
    with own, other:
        if is_there:
            other.sendall(REPLACED)
        else:
            other.close()
        assert _await_replacement(own) is is_there
    assert ended == [True]
