"""Parts held by an engine in this process that loses them, is slow, or fails."""

import threading

import numpy as np

from sklazy.casebase.parted import PartedBase
from sklazy.dask.shards import Holder, PartGone, Shards


class Answer:
    def __init__(self, call):
        self.call = call

    def result(self, timeout):
        return self.call()


class Clock:
    """Takes the place of `time`: nobody waits, but time goes by."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class Engine:
    """Holders in this process; a test says which are gone, and who raises.

    `fault` is asked at each call, for something to do before and after it: it gets the
    number of the part and what is called, a method or the function of a change.
    """

    def __init__(self, make):
        self.make, self.holders, self.gone = make, {}, set()
        self.n_started, self.fails_at, self.at_work = 0, None, None
        self.fault = lambda number, name: (None, None)
        self.lock = threading.Lock()

    def start(self, number):
        self.n_started += 1
        self.gone.discard(number)
        self.holders[number] = Holder(self.make(number))

    def call(self, number, method, *given):
        name = given[2].__name__ if method == "change" else method

        def run():
            before, after = self.fault(number, name)
            if before:
                before()
            if number in self.gone:
                raise PartGone
            if self.fails_at == (number, method):
                raise MemoryError
            with self.lock:  # a holder does one thing at a time
                found = getattr(self.holders[number], method)(*given)
            if after:
                after()
            return found

        return Answer(run)

    def is_alive(self, number):
        return number not in self.gone

    def time_at_work(self, number):
        return self.at_work


def elsewhere(model, X, y, n_parts=3, timeout=0.2):
    """A model, the same with its cases in parts elsewhere, and who holds these."""
    one, first, source = (model().fit(X, y) for _ in range(3))
    owners = np.sort(np.arange(len(X)) % n_parts)

    def make(number):
        return PartedBase.cut(source.cases_, owners, n_parts).parts.parts[number]

    engine = Engine(make)
    for number in range(n_parts):
        engine.start(number)
    parts = Shards(engine, n_parts, timeout)
    sizes = np.bincount(owners, None, n_parts).tolist()
    first.cases_ = PartedBase(one.cases_, parts, sizes)
    return one, first, engine
