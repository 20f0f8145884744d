"""Processes of a server are killed: nothing is lost, nobody answers by the past."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import server_killing
from sklazy.web.serve.supervisor import ERASED, ERASING, READY, Supervisor
from sklazy.web.serve.workers import _end_with

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are read from /proc"
)

SCRIPT = Path(server_killing.__file__)


def kill(folder, kills, seed):
    command = [sys.executable, str(SCRIPT), str(folder), str(kills), str(seed)]
    path = os.pathsep.join([str(SCRIPT.parent), *sys.path])
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE
    )
    assert done.returncode == 0
    return json.loads(done.stdout)


def test_killed_workers_lose_nothing_that_was_acknowledged(tmp_path):
    found = kill(tmp_path, 4, 0)
    assert found["kills"] >= 4
    assert found["acknowledged"] > 0


@pytest.mark.slow
@pytest.mark.timeout(5400)
def test_a_thousand_killed_workers(tmp_path):
    found = kill(tmp_path, 1000, 1)
    assert found["kills"] >= 1000
    assert min(found["acknowledged"], found["begun"], found["front"]) > 10


def test_workers_end_with_the_process_that_started_them(tmp_path):
    rows = {f"{i}.": ((float(i), "red"), "a") for i in range(20)}
    server_killing.make_model(rows).save(tmp_path / "journal")  # a file will do
    (tmp_path / "tokens").write_text(f"change {server_killing.TOKEN}\n")
    server = server_killing.Server(tmp_path)
    children = server.children()
    assert len(children) == server_killing.N_WORKERS
    server.process.kill()
    server.process.wait()
    server.process.stdout.close()
    alive = server_killing.is_alive
    server_killing.until(lambda: not any(map(alive, children)), "they end")


def test_a_worker_that_is_not_ready_for_the_first_signal_ends_by_the_next():
    pid = os.fork()
    if pid == 0:
        seen = []

        def note(*_):
            seen.append(1)
            if len(seen) == 2:
                os._exit(7)

        signal.signal(signal.SIGTERM, note)
        threading.Thread(target=_end_with, args=[-1], daemon=True).start()
        time.sleep(20)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


def stopping(is_due, seconds):
    """What ends a supervisor, from a process of its own, some time after an event."""

    def stop():
        if os.fork() == 0:
            try:
                server_killing.until(is_due, "time to stop")
                time.sleep(seconds)
            finally:
                os.kill(os.getppid(), signal.SIGTERM)
                os._exit(0)

    return stop


def test_all_are_replaced_if_a_worker_ends_while_it_erases(tmp_path):
    started = tmp_path / "started"

    def work(control):
        with open(started, "a") as file:
            file.write(f"{os.getpid()}\n")
        control.sendall(READY)
        first = started.read_text().split()
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        if first[0] == str(os.getpid()):
            control.sendall(ERASING)
            time.sleep(0.2)
            os._exit(1)
        time.sleep(60)

    def are_replaced():
        return len(started.read_text().split()) >= 5

    Supervisor(2, work).run(stopping(are_replaced, 0.3))
    # Two, one in the place of that which ended, and two for all of these.
    assert len(set(started.read_text().split())) == 5


def test_a_worker_that_ends_while_all_are_replaced_is_not_started_again(tmp_path):
    started, finishing = tmp_path / "started", tmp_path / "finishing"

    def write(control, _):
        control.sendall(READY)

        def finish(*_):
            finishing.touch()
            time.sleep(0.5)
            os._exit(0)

        signal.signal(signal.SIGTERM, finish)
        time.sleep(60)

    def work(control):
        with open(started, "a") as file:
            file.write(f"{os.getpid()}\n")
        control.sendall(READY)
        place = started.read_text().split().index(str(os.getpid()))
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        if place == 0:
            time.sleep(0.5)
            control.sendall(ERASED)
        elif place == 1:
            server_killing.until(finishing.exists, "the writer finishes")
            os._exit(1)
        control.recv(1)  # others are there, or the supervisor has gone
        os._exit(0)

    Supervisor(2, work, write).run(stopping(finishing.exists, 1.5))
    assert len(started.read_text().split()) == 4
