"""Law 3 over histories: what follows the rows equals what is found from nothing."""

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

from discovery import one_keeper_of_each
from lawful import METHODS, quiet
from odd_rows import make_rows
from sklazy import (
    LazyClassifier,
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    LazyRegressor,
)
from sklazy.kernels.compiling import every_job_due
from sklazy.kernels.near_lists import OUTDATED
from sklazy.methods.blends import learner as blends
from sklazy.methods.kernel_models import drawn
from sklazy.methods.selection import following

pytestmark = quiet


class History:
    """A model that learns and forgets rows, and those that are left."""

    def __init__(self, model, X, y, rng, n_first):
        self.X, self.y, self.rng = X, y, rng
        self.left, self.next = list(range(n_first)), n_first
        self.model = clone(model).fit(X[:n_first], y[:n_first])

    def step(self):
        """Learn some rows, or forget some."""
        n_rows = int(self.rng.choice([1, 1, 1, 2, 5]))
        if self.next + n_rows <= len(self.X) and self.rng.random() < 0.5:
            new = slice(self.next, self.next + n_rows)
            ids = list(range(new.start, new.stop))
            self.model.partial_fit(self.X[new], self.y[new], ids=ids)
            self.left, self.next = [*self.left, *ids], new.stop
        elif len(self.left) > n_rows + 20:
            gone = self.rng.choice(self.left, n_rows, replace=False).tolist()
            self.model.forget(gone)
            self.left = [row for row in self.left if row not in gone]

    def from_nothing(self):
        """The same model, fitted to the rows that are left."""
        return clone(self.model).fit(self.X.iloc[self.left], self.y[self.left])


@pytest.mark.parametrize(
    "parameters",
    [{}, {"n_neighbors": 3}, {"weights": "uniform"}, {"n_attributes": 2}],
    ids=str,
)
def test_histories_of_nearest_neighbors(parameters):
    rng = np.random.default_rng(3)
    X, y = make_rows(rng, 400)
    with every_job_due():
        history = History(LazyKNeighborsClassifier(**parameters), X, y, rng, 60)
        for _ in range(60):
            history.step()
            if rng.random() < 0.8:
                queries = X.sample(4, random_state=int(rng.integers(1000)))
                expected = history.from_nothing().predict_proba(queries)
                assert (history.model.predict_proba(queries) == expected).all()


def test_most_votes_are_those_from_before(monkeypatch):
    rng, kept = np.random.default_rng(0), []
    X, y = make_rows(rng, 2000)
    X["p"] = rng.normal(size=2000)  # no ties, no missing cell
    score = following.VoteFollower.score

    def count(self, order, first):
        lists = self.cases.lists
        kept.extend(lists.marks[lists.keys > 0] & OUTDATED == 0)
        return score(self, order, first)

    monkeypatch.setattr(following.VoteFollower, "score", count)
    with every_job_due():
        model = LazyKNeighborsClassifier(max_loo_rows=100)
        model.fit(X[:1900], y[:1900]).predict(X[:1])
        for row in range(1900, 1910):
            kept.clear()
            model.partial_fit(X[row : row + 1], y[row : row + 1]).predict(X[:1])
            assert np.mean(kept) > 0.7


KERNELS = [LazyKernelClassifier, LazyKernelRegressor]
DRAWN = {"max_rows": 30, "n_landmarks": 20, "max_loo_rows": 6}  # by 30 of 60 rows


def make_numbers(kind, n_rows):
    """Mixed rows, and classes or numbers of very different sizes."""
    rng = np.random.default_rng(11)
    X, y = make_rows(rng, n_rows)
    if is_regressor(kind()):
        sizes = rng.choice([1e-3, 1.0, 1.0, 1e5], n_rows)
        y = sizes * rng.normal(size=n_rows).round(2)
    return X, y, rng


def ask_all(model, X):
    answers = [model.predict(X)] if is_regressor(model) else [model.predict_proba(X)]
    return [*answers, model.loo_predict([0, -1], approximate=True)]


@pytest.mark.parametrize("parameters", [{}, DRAWN], ids=["all", "landmarks"])
@pytest.mark.parametrize("kind", KERNELS)
def test_histories_of_kernel_models(kind, parameters):
    X, y, rng = make_numbers(kind, 400)
    history = History(kind(**parameters), X, y, rng, 60)
    for _ in range(30 if parameters else 8):
        history.step()
        if rng.random() < 0.7:
            queries = X.sample(4, random_state=int(rng.integers(1000)))
            found, expected = (
                ask_all(model, queries)
                for model in (history.model, history.from_nothing())
            )
            for one, other in zip(found, expected, strict=True):
                assert np.array_equal(one, other)
    assert history.model.digest() == history.from_nothing().digest()


@pytest.mark.parametrize("kind", KERNELS)
def test_rows_that_are_not_drawn_are_summed_once(kind, monkeypatch):
    X, y, rng = make_numbers(kind, 2000)
    summed, sum_all = [], drawn._sum_all
    monkeypatch.setattr(
        drawn, "_sum_all", lambda *known: summed.append(known) or sum_all(*known)
    )
    history = History(kind(**DRAWN), X, y, rng, 1500)
    history.model.predict(X[:1])
    n_moved = 0
    for _ in range(60):
        n_before = len(summed)
        history.step()
        history.model.predict(X[:1])
        n_moved += len(summed) == n_before
    assert n_moved > 45  # 30 of 1500 rows are drawn


@pytest.mark.parametrize("kind", [LazyClassifier, LazyRegressor])
@pytest.mark.parametrize("many", [40, 2000], ids=["trees", "paths"])
def test_histories_of_blends(kind, many, monkeypatch):
    monkeypatch.setattr(blends, "MANY_ROWS", many)
    X, y, rng = make_numbers(kind, 200)
    drawn_kernel = {f"kernel__{name}": value for name, value in DRAWN.items()}
    history = History(kind(member_parameters=drawn_kernel), X, y, rng, 70)
    for _ in range(3):
        history.step()
        for ours, other in zip(
            ask_all(history.model, X[:4]),
            ask_all(history.from_nothing(), X[:4]),
            strict=True,
        ):
            assert np.array_equal(ours, other)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KERNELS)
def test_long_histories_of_kernel_models(kind):
    X, y, rng = make_numbers(kind, 6000)
    history = History(kind(**DRAWN), X, y, rng, 60)
    for _ in range(2000):
        history.step()
        while len(history.left) > 150:
            history.model.forget([history.left.pop(0)])
        if rng.random() < 0.5:
            queries = X.sample(2, random_state=int(rng.integers(1000)))
            expected = history.from_nothing().predict(queries)
            assert np.array_equal(history.model.predict(queries), expected)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("make", "n_steps"),
    [(LazyNBClassifier, 10_000), (LazyKNeighborsClassifier, 10_000)],
)
def test_long_histories(make, n_steps):
    rng = np.random.default_rng(5)
    X, y = make_rows(rng, 3 * n_steps)
    rows = X.to_dict("records")
    with every_job_due():
        history = History(make(), X, y, rng, 60)
        for _ in range(n_steps):
            history.step()
            while len(history.left) > 120:
                history.model.forget([history.left.pop(0)])
            if rng.random() < 0.5:
                query = rows[int(rng.integers(len(rows)))]
                expected = history.from_nothing().predict_proba([query])
                assert (history.model.predict_proba([query]) == expected).all()
        fresh = history.from_nothing()
        assert history.model.cases_.digest() == fresh.cases_.digest()


@one_keeper_of_each
def test_histories_of_every_method(setting):
    model, rng = setting.model, np.random.default_rng(1)
    X, y = make_rows(rng, 60)
    if is_regressor(model):
        y = rng.normal(size=60).round(1)
    history = History(model, X, y, rng, 40)
    for _ in range(3):
        history.step()
        plain = history.from_nothing()
        for method in (name for name in METHODS if hasattr(model, name)):
            answers = [getattr(each, method)(X[:3]) for each in (history.model, plain)]
            assert np.array_equal(*answers, equal_nan=answers[0].dtype.kind == "f")


@pytest.mark.parametrize("n_rows", [1, 8, 9, 20])
def test_a_target_beyond_all_others_comes_and_goes(n_rows):
    X, y, _ = make_numbers(LazyKernelRegressor, 200)
    y = y.clip(-3, 3)
    y[150] = 1e12
    model = LazyKernelRegressor(**DRAWN).fit(X[:150], y[:150])
    model.predict(X[:1])
    model.partial_fit(X[150 : 150 + n_rows], y[150 : 150 + n_rows])
    model.forget([150])
    left = [row for row in range(150 + n_rows) if row != 150]
    fresh = clone(model).fit(X.iloc[left], y[left])
    assert np.array_equal(model.predict(X), fresh.predict(X))


def test_nothing_follows_by_half():
    class Interrupted:
        def follow(self, rows, step):
            raise KeyboardInterrupt

    X, y, _ = make_numbers(LazyKernelClassifier, 120)
    model = LazyNBClassifier().fit(X[:100], y[:100])
    model.predict(X[:1])
    cases = model.cases_
    cases.let_follow("one", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[100:101], y[100:101])
    assert cases.find_follower("one") is None
    n_rows = cases.n_rows
    fresh = clone(model).fit(X[:n_rows], y[:n_rows])
    assert np.array_equal(model.predict_proba(X), fresh.predict_proba(X))
