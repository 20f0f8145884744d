"""Chunks: each query once, whatever the number of threads; failures come back."""

import threading

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.answer import threads
from sklazy.answer.slices import current_backend, use_backend
from sklazy.answer.threads import count_workers, run_chunks
from sklazy.errors import BadInputError

LONG = 1e9


@given(st.integers(0, 3000), st.sampled_from([1, 2, 4, -1, None]))
def test_every_query_is_covered_once(n_queries, n_jobs):
    visits = np.zeros(n_queries, int)

    def visit(first, last):
        assert first < last
        visits[first:last] += 1

    run_chunks(visit, n_queries, n_jobs, LONG)
    assert (visits == 1).all()


def test_threads_only_for_long_jobs():
    def name_threads(work):
        barrier_met = set()
        meeting = threading.Barrier(2, timeout=0.2)

        def meet(*_):
            try:
                meeting.wait()
                barrier_met.add(threading.get_ident())
            except threading.BrokenBarrierError:
                pass

        run_chunks(meet, 10_000, 2, work)
        return len(barrier_met)

    assert name_threads(LONG) == 2
    assert name_threads(10.0) == 0


def test_threads_know_the_backend_in_use():
    """Work inside a slice may cut its own slices; they go to the same backend."""
    other = threads.Backend()
    with use_backend(other):
        slices = [(i, i + 1) for i in range(6)]
        meeting = threading.Barrier(2, timeout=10)

        def which(*_):
            meeting.wait()  # two slices at a time: one of them is in a new thread
            return current_backend() is other

        assert all(other.run(which, slices, 2, lambda _: None))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_failure_reaches_the_caller(n_jobs):
    def fail(first, _):
        if first >= 0:
            raise KeyError(first)

    with pytest.raises(KeyError):
        run_chunks(fail, 1000, n_jobs, LONG)


def test_number_of_workers(monkeypatch):
    monkeypatch.setattr(threads.joblib, "cpu_count", lambda: 8)
    threads._default_workers.cache_clear()
    assert [count_workers(n) for n in (3, -1, -2, -20)] == [3, 8, 7, 1]
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert count_workers(None) == 8
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert count_workers(None) == 2
    threads._default_workers.cache_clear()
    with pytest.raises(BadInputError, match="n_jobs=0"):
        count_workers(0)


@pytest.fixture
def eight_cores(monkeypatch):
    monkeypatch.setattr(threads.joblib, "cpu_count", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    threads._default_workers.cache_clear()
    yield
    threads._default_workers.cache_clear()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"n_jobs": 3}, 3),
        ({"n_jobs": -1}, 8),
        ({"n_jobs": -2}, 7),
        ({"n_jobs": 1}, 1),
        ({"backend": "threading", "n_jobs": 2}, 2),
        ({"backend": "loky", "n_jobs": 2}, 2),
        ({"backend": "sequential", "n_jobs": 5}, 1),
        ({"backend": "threading"}, 8),
        ({"verbose": 0}, 8),
    ],
    ids=str,
)
def test_joblib_says_how_many(config, expected, eight_cores):
    with joblib.parallel_config(**config):
        assert count_workers(None) == expected
        assert count_workers(4) == 4
    assert count_workers(None) == 8


def test_a_task_of_joblib_has_one_thread(eight_cores):
    """Its siblings have the other cores; a task that is alone has all of them."""
    ask = joblib.delayed(count_workers)
    many = joblib.Parallel(2, backend="threading")(ask(None) for _ in range(3))
    assert many == [1, 1, 1]
    assert joblib.Parallel(1)([ask(None)]) == [8]
