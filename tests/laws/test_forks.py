"""A process forked while another thread asks can ask, too, with the same answers."""

import contextlib
import os
import signal
import threading
import time
import warnings

import numba
import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

from sklazy import LazyKNeighborsClassifier, LazyNBClassifier, forking
from sklazy.casebase import base as casebase
from sklazy.methods.selection import result

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 3)).round(2), np.arange(60) % 3
LONG = 60.0  # seconds after which a child hangs
BUSY = 0.3  # seconds that a question holds a lock


def in_a_child(work):
    """What a process answers that is forked now; None if it hangs."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, Python 3.12
        child = os.fork()
    if not child:
        try:
            os.write(write, repr(work()).encode())
        finally:
            os._exit(0)
    has_ended = wait_for(child)
    os.close(write)
    with os.fdopen(read) as answer:
        return answer.read() if has_ended else None


def wait_for(child):
    """Whether a process ends by itself."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


class Halt:
    """A function that keeps one thread of this process waiting, and no other."""

    def __init__(self, function):
        self.function, self.kept = function, None
        self.inside, self.go_on = threading.Event(), threading.Event()

    def __call__(self, *arguments):
        if self.kept == (os.getpid(), threading.get_ident()):
            self.inside.set()
            self.go_on.wait(2 * LONG)
        return self.function(*arguments)

    @contextlib.contextmanager
    def keep_inside(self, ask):
        """Have a thread ask, and wait within its question."""

        def begin():
            self.kept = os.getpid(), threading.get_ident()
            ask()

        asking = threading.Thread(target=begin)
        asking.start()
        try:
            assert self.inside.wait(LONG)
            yield
        finally:
            self.go_on.set()
            asking.join()


def test_a_child_forked_within_a_question_answers(monkeypatch):
    model = LazyNBClassifier(n_attributes=2).fit(X, Y)
    expected = repr(model.predict(X[:5]).tolist())
    halt = Halt(result.argmax_with_ties)  # what decides, within a property that is kept
    monkeypatch.setattr(result, "argmax_with_ties", halt)
    with halt.keep_inside(lambda: model.predict(X[:5])):
        assert in_a_child(lambda: model.predict(X[:5]).tolist()) == expected


def test_a_child_forked_while_a_lock_is_held_answers(monkeypatch):
    model = LazyKNeighborsClassifier(3).fit(X, Y)
    inside, digest_of = threading.Event(), casebase.digest_of

    def slow_digest(base, purpose):
        inside.set()
        time.sleep(BUSY)
        return digest_of(base, purpose)

    monkeypatch.setattr(casebase, "digest_of", slow_digest)
    asking = threading.Thread(target=model.digest)
    asking.start()
    assert inside.wait(LONG)
    said = in_a_child(model.digest)
    asking.join()
    assert said == repr(model.digest())


def test_a_child_forked_while_another_thread_compiles_can_compile():
    inside = threading.Event()

    def compile_long():
        with global_compiler_lock:
            inside.set()
            time.sleep(BUSY)

    def compile_kernel():
        kernel = numba.njit(lambda x: x + 1)
        return kernel(1)

    compiling = threading.Thread(target=compile_long)
    compiling.start()
    assert inside.wait(LONG)
    assert in_a_child(compile_kernel) == "2"
    compiling.join()


def test_a_fork_waits_for_all_locks_at_once():
    one, other = forking.make_lock(), forking.make_lock()
    both = threading.Event()

    def take_both():
        with one:
            both.set()
            time.sleep(BUSY)
            with other:  # the fork must not hold it while it waits for the first
                pass

    holding = threading.Thread(target=take_both)
    holding.start()
    assert both.wait(LONG)

    def take():
        with one, other:
            return True

    assert in_a_child(take) == "True"
    holding.join(LONG)
    assert not holding.is_alive()


def test_a_fork_does_not_wait_for_ever(monkeypatch):
    monkeypatch.setattr(forking, "_PATIENCE", 0.05)
    lock, free = forking.make_lock(), forking.make_lock()
    held, go_on = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            go_on.wait(LONG)

    holding = threading.Thread(target=hold)
    holding.start()
    assert held.wait(LONG)
    try:
        assert in_a_child(lambda: free.acquire(blocking=False)) == "True"
    finally:
        go_on.set()
        holding.join()
    with lock, free:  # both are free again
        pass


def test_locks_that_nobody_has_are_not_waited_for():
    before = len(forking._locks)
    lock = forking.make_lock()
    assert len(forking._locks) == before + 1
    del lock
    assert len(forking._locks) == before


def test_threads_that_ask_at_once_get_one_value():
    begun, go_on = threading.Semaphore(0), threading.Event()

    class Thing:
        @forking.cached_property
        def value(self):
            begun.release()
            go_on.wait(LONG)
            return object()

    thing, values = Thing(), []
    threads = [
        threading.Thread(target=lambda: values.append(thing.value)) for _ in "ab"
    ]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert begun.acquire(timeout=LONG)
    go_on.set()
    for thread in threads:
        thread.join()
    assert values == [thing.value, thing.value]
