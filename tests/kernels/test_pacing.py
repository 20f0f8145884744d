"""Work in short calls: everything once, and an interrupt is answered soon."""

import functools
import importlib.util
import os
import pathlib
import time
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy import LazyKNeighborsClassifier
from sklazy.answer import batches
from sklazy.answer.threads import run_chunks
from sklazy.kernels import pacing
from sklazy.kernels.pacing import LONGEST, Pace, in_turn

INTERRUPTS = pathlib.Path(__file__).parents[2] / "benchmarks" / "interrupts.py"


@given(st.integers(0, 300), st.floats(1e-6, 2.0))
def test_calls_cover_all_and_are_short(n_items, seconds):
    """With a clock of its own: an item takes so many seconds."""
    clock, calls = [0.0], []

    def call(first, last):
        calls.append((first, last))
        clock[0] += (last - first) * seconds

    read = functools.partial(clock.__getitem__, 0)
    with mock.patch.object(pacing.time, "perf_counter", read):
        in_turn(call, n_items)
    ends = [0, *(last for _, last in calls)]
    assert [first for first, _ in calls] == ends[:-1]
    assert ends[-1] == n_items
    longest = max((last - first for first, last in calls), default=1)
    assert longest == 1 or longest * seconds <= LONGEST * (1 + 1e-9)


def test_what_nobody_has_timed_is_begun_with_caution():
    assert Pace(10**9, nanoseconds=1e6).size * 1e6 <= 1e9 * LONGEST / 16
    assert Pace(5, nanoseconds=1e-3).size == 5


def test_chunks_shrink_when_they_take_long():
    sizes = []

    def run(first, last):
        sizes.append(last - first)
        time.sleep(0.002 * (last - first))

    run_chunks(run, 1000, 1, work=1000 * 1e5)  # twenty times too low
    assert sum(sizes) == 1000
    assert max(sizes) * 0.002 < 4 * LONGEST


def test_slices_follow_the_time_they_take(monkeypatch):
    """An estimate that is far too low makes no slice of seconds."""
    X = np.random.default_rng(0).integers(0, 3, (400, 4))
    model = LazyKNeighborsClassifier(n_attributes=2).fit(X, X[:, 0])
    expected, sizes, true = model.predict(X), [], batches.SliceJob.__call__

    def slow(work, first, last):
        sizes.append(last - first)
        time.sleep(0.004 * (last - first))
        return true(work, first, last)

    monkeypatch.setattr(batches.SliceJob, "__call__", slow)
    monkeypatch.setattr(batches, "_WORTH_TIMING", 0.0)
    monkeypatch.setattr(batches, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(batches, "_time_some", time_cautiously)
    assert (model.predict(X) == expected).all()
    assert sum(sizes) == 400
    assert max(sizes[1:]) * 0.004 <= 4 * LONGEST


time_some = batches._time_some


def time_cautiously(work, n_queries, effort, done):
    """As it is, but an estimate of 0.2 ms a query: twenty times too low."""
    return time_some(work, n_queries, effort._replace(nanoseconds=2e5), done)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_is_answered():
    """In a process of its own, also while it compiles; the benchmark in short."""
    spec = importlib.util.spec_from_file_location("interrupts", INTERRUPTS)
    interrupts = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(interrupts)
    found = interrupts.run_child("LazyBaggingClassifier", "predict", 20_000, 30, 1.0)
    assert found["lasts"] < 30  # it was interrupted
    assert found["answer"] < 5  # 0.1 s on a machine that has nothing else to do
