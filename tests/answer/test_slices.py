"""The seam: any backend gives the same digits, for every estimator that keeps cases."""

import concurrent.futures
import inspect
import multiprocessing
import pickle
from unittest import mock

import numpy as np
import pytest
from sklearn.base import is_regressor

import sklazy
from sklazy.answer import batches, threads
from sklazy.answer.slices import current_backend, use_backend
from sklazy.errors import BadInputError
from sklazy.methods.bayes_rules import learner as bayes_rules

KEEPERS = [
    kind
    for kind in dict.fromkeys(getattr(sklazy, name) for name in sklazy.__all__)
    if inspect.isclass(kind) and hasattr(kind, "forget") and hasattr(kind, "predict")
]


class Processes:
    """Every slice in another process: what is handed over can be pickled."""

    def __init__(self, pool):
        self.pool, self.n_slices = pool, 0

    def count_workers(self, n_jobs):
        return 3

    def run(self, work, slices, n_jobs, done):
        self.n_slices += len(slices)
        results = []
        for first, last in slices:
            results.append(self.pool.submit(call, pickle.dumps(work), first, last))
            done(last - first)
        return [result.result() for result in results]


def call(work, first, last):
    return pickle.loads(work)(first, last)


@pytest.fixture(scope="module")
def pool():
    # A fork of a process with threads may hang; a server starts clean.
    context = multiprocessing.get_context("forkserver")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as started:
        yield started


@pytest.fixture
def small_slices():
    with (
        mock.patch.object(batches, "WORTH_WORKERS", -1.0),
        mock.patch.object(threads, "_ALIGNMENT", 1),
        mock.patch.object(bayes_rules, "_FEWEST_QUERIES", 1),
    ):
        yield


def problem(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (80, 5)).astype(float)
    X[:, 4] = rng.normal(size=80)
    X[::7, 2] = np.nan
    y = X[:, 0] + X[:, 1] + rng.normal(size=80)
    return X, y if is_regressor(kind()) else (y > 3).astype(int)


def answers(model, X):
    found = [model.predict(X), model.loo_predict(rows=[0, 5, 9])]
    if hasattr(model, "predict_proba"):
        found.append(model.predict_proba(X))
    return found


@pytest.mark.parametrize("kind", KEEPERS, ids=lambda kind: kind.__name__)
def test_another_process_gives_the_same_digits(kind, pool, small_slices):
    X, y = problem(kind)
    model = kind().set_params(categorical_features=[0, 1]).fit(X[:60], y[:60])
    model.set_params(n_jobs=1)
    here = answers(model, X[40:])
    with use_backend(Processes(pool)) as backend:
        there = answers(model, X[40:])
    assert backend.n_slices > 1 or kind is sklazy.LazySelectionClassifier
    for ours, theirs in zip(here, there, strict=True):
        assert np.array_equal(ours, theirs)


def test_a_backend_is_a_file_in_its_folder():
    with use_backend("threads") as chosen:
        assert current_backend() is chosen
    assert current_backend() is not chosen
    for name in ("nowhere", "slices"):
        message = f"backend='{name}'"
        with pytest.raises(BadInputError, match=message), use_backend(name):
            pass


def test_a_failing_slice_reaches_the_caller(small_slices):
    X, y = problem(sklazy.LazyNBClassifier)
    model = sklazy.LazyNBClassifier(n_jobs=2).fit(X, y)
    broken = mock.patch.object(
        batches.SliceJob, "__call__", side_effect=KeyError("lost")
    )
    with broken, pytest.raises(KeyError, match="lost"):
        model.predict(X)
