"""Memory, workers and progress as scikit-learn's and joblib's settings want them."""

import inspect
import io
import tracemalloc

import joblib
import numpy as np
import pytest
import sklearn
from joblib.parallel import ThreadingBackend
from sklearn.base import clone, is_regressor

from discovery import keeps_cases, one_keeper_of_each, settings_of
from sklazy import LazyLearningRegressor
from sklazy.answer import batches, prepare, threads
from sklazy.report.progress import Progress

MEBIBYTES = 0.01


def asked(model, n_queries=300):
    """A fitted model, and queries."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60 + n_queries, 4))
    y = X[:, 0] if is_regressor(model) else (X[:, 0] > 0).astype(int)
    return clone(model).fit(X[:60], y[:60]), X[60:]


def shares(model, X):
    return getattr(model, "predict_proba", model.predict)(X)


@one_keeper_of_each
def test_slices_fit_the_working_memory(setting, monkeypatch):
    model, queries = asked(setting.model)
    expected, taken = shares(model, queries), []
    start = batches.SliceJob.start

    def watch(work, first, last):
        each = prepare(work.learner, work.base).effort.memory
        each += batches._cell_bytes(work.base)
        taken.append((last - first, (last - first) * each))
        return start(work, first, last)

    monkeypatch.setattr(batches.SliceJob, "start", watch)
    with sklearn.config_context(working_memory=MEBIBYTES):
        slices = shares(model, queries)
    assert np.array_equal(slices, expected)
    assert len(taken) > 1
    assert all(size == 1 or n_bytes <= MEBIBYTES * 2**20 for size, n_bytes in taken)


def test_less_working_memory_takes_less_memory(monkeypatch):
    """Beside what a single query takes, arrays fit the working memory."""
    monkeypatch.setattr(batches, "_WORTH_TIMING", np.inf)  # slices by memory alone
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(1500, 2)), rng.normal(size=(500, 2))
    model = LazyLearningRegressor(degrees=0, n_neighbors=1400, n_jobs=1)
    model.fit(X, X[:, 0]).predict(queries[:5])
    peaks = []
    for mebibytes in (1024, 2, MEBIBYTES):
        with sklearn.config_context(working_memory=mebibytes):
            tracemalloc.start()
            model.predict(queries)
            peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
            tracemalloc.stop()
    assert peaks[1] - peaks[2] < 2.2
    assert peaks[0] - peaks[2] > 6


class Counting(ThreadingBackend):
    """Threads that say how many were asked for."""

    asked_for = ()

    def configure(self, n_jobs=1, *args, **how):
        type(self).asked_for += (n_jobs,)
        return super().configure(n_jobs, *args, **how)


@pytest.fixture
def workers(monkeypatch):
    """How many threads every piece of work was shared by; all work is worth them."""
    counts = []
    run = threads._run_threads

    def watch(function, chunks, n_workers):
        counts.append(n_workers)
        return run(function, chunks, n_workers)

    monkeypatch.setattr(threads, "_run_threads", watch)
    monkeypatch.setattr(batches, "WORTH_WORKERS", 0.0)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    monkeypatch.setattr(Counting, "asked_for", ())
    threads._default_workers.cache_clear()
    yield counts
    threads._default_workers.cache_clear()


@one_keeper_of_each
def test_workers_are_those_of_joblib(setting, workers):
    model, queries = asked(setting.model, 600)
    fewest = prepare(model._learner(), model.cases_).effort.fewest
    queries = queries[: max(130, min(600, 2 * fewest + 1))]
    free = "n_jobs" in model.get_params()
    if free:
        model.set_params(n_jobs=None)
    expected = shares(model, queries)
    counted = {}
    for n_jobs in (1, 2):
        workers.clear()
        with joblib.parallel_config(Counting(), n_jobs=n_jobs):
            assert np.array_equal(shares(model, queries), expected)
        counted[n_jobs] = max([1, *workers, *Counting.asked_for])
    assert counted == {1: 1, 2: 2}
    if free:
        with joblib.parallel_config(Counting(), n_jobs=2):
            shares(model.set_params(n_jobs=3), queries)
        assert max([*workers, *Counting.asked_for]) == 3


def is_fitted_by_joblib(setting):
    return "n_jobs" in setting.model.get_params() and not keeps_cases(setting)


@pytest.mark.parametrize("setting", settings_of(is_fitted_by_joblib, 1))
def test_searches_run_by_the_backend_of_joblib(setting, monkeypatch):
    monkeypatch.setattr(Counting, "asked_for", ())
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    model = clone(setting.model).set_params(n_jobs=None)
    with joblib.parallel_config(Counting(), n_jobs=2):
        model.fit(X, X[:, 0] if is_regressor(model) else (X[:, 0] > 0).astype(int))
    assert set(Counting.asked_for) == {2}


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("switch", ["off", "no", "0"])
def test_progress_can_be_switched_off(switch, monkeypatch):
    monkeypatch.setenv("SKLAZY_PROGRESS", switch)
    screen = Screen()
    with Progress("answering", total=3, stream=screen, silent_for=0.0) as progress:
        assert not progress._timer.is_alive()
        progress.advance(3)
    assert screen.getvalue() == ""
    assert inspect.getdoc(Progress).count("SKLAZY_PROGRESS=off") == 1
