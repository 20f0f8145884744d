"""Kernel models agree with systems that are solved anew for every row."""

import warnings
from dataclasses import replace
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings

from oracle import kernel_models as slow
from sklazy import LazyKernelClassifier, LazyKernelRegressor
from sklazy.answer import Batch, leave_one_out, prepare
from sklazy.casebase.kinds import holds_last_value
from sklazy.errors import BadInputError
from sklazy.methods.kernel_models import receipt, refine
from sklazy.methods.kernel_models.choice import ClassJudge, NumberJudge
from sklazy.methods.kernel_models.gains import measure_gains
from slow_gains import slow_gains
from strategies import Problem, split_problems

few = settings(max_examples=25, deadline=None)
NEAREST = {"max_rows": 0, "n_landmarks": 0}
problems = split_problems(min_rows=2, max_rows=14, max_queries=4, telling=True)
N_PATHS, LEAST_WEIGHT = 20, 4
MODELS = [LazyKernelClassifier, LazyKernelRegressor]
WIDTHS = {LazyKernelClassifier: (0.5, 1.5), LazyKernelRegressor: (0.1, 0.4, 1.5)}


class Twin:
    """The slow form of a fitted model, with the settings that the model chose."""

    def __init__(self, model, cases):
        self.model, self.rows, self.kinds = model, cases.rows, cases.kinds
        with model.cases_.snapshot() as state:
            self.data = prepare(model._learner(), state)
        if isinstance(model, LazyKernelClassifier):
            labels = model.classes_.tolist()
            self.classes = [labels.index(c) for c in cases.classes.tolist()]
            self.targets = np.eye(len(labels))[self.classes]
        else:
            numbers = cases.targets.tolist()
            self.classes = [slow.fifth(y, numbers) for y in numbers]
            self.targets = cases.targets[:, None]

    def system(self, weights, rate):
        known = self.rows, self.kinds, weights, rate
        return slow.similarities(self.rows, self.rows, *known)

    def chosen(self):
        chosen = self.data.settings
        return self.system(self.data.columns.weights, chosen.rate)

    def loss(self, scores, rows=None):
        """The loss of all rows, or of some."""
        rows = range(len(self.targets)) if rows is None else rows
        if isinstance(self.model, LazyKernelClassifier):
            return slow.least_log_loss(scores, [self.classes[row] for row in rows])[0]
        return float(((scores - self.targets[rows]) ** 2).mean())

    def relevances(self):
        if isinstance(self.model, LazyKernelClassifier):
            return slow_gains(self.model, N_PATHS, LEAST_WEIGHT)
        columns = zip(zip(*self.rows, strict=True), self.kinds, strict=True)
        return [slow.information(c, kind, self.classes) for c, kind in columns]

    def least_loss(self, shares, widths):
        losses, relevances = [], self.relevances()
        for share in shares:
            weights = slow.attribute_weights(self.rows, relevances, share)
            median = slow.median_distance(self.rows, self.kinds, weights)
            for width in widths:
                system = self.system(weights, width / median)
                losses += [
                    self.loss(slow.left_out(system, ridge, self.targets))
                    for ridge in slow.RIDGES
                ]
        return min(losses)


def fit(kind, cases, **parameters):
    is_class = kind is LazyKernelClassifier
    outcome = cases.classes if is_class else cases.targets
    paths = {"n_paths": N_PATHS} if is_class else {}
    return kind(**paths, **parameters).fit(cases.frame, outcome)


def no_steps():
    """Let the weights stay where they were chosen."""
    return mock.patch("sklazy.methods.kernel_models.refine.N_STEPS", 0)


def small_nodes():
    """Let the information of classes be that of paths through small nodes."""
    return mock.patch("sklazy.methods.kernel_models.gains.LEAST_WEIGHT", LEAST_WEIGHT)


def assert_same(actual, expected, size=1.0):
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-7 * size)


@pytest.mark.parametrize("kind", MODELS)
@few
@given(problems)
def test_weights_and_settings_are_those_of_least_left_out_loss(kind, problem):
    cases, _ = problem
    with no_steps(), small_nodes():
        twin = Twin(fit(kind, cases), cases)
    chosen, relevances = twin.data.settings, twin.relevances()
    np.testing.assert_allclose(twin.data.information, relevances, atol=1e-9)
    weights = slow.attribute_weights(cases.rows, relevances, chosen.share)
    np.testing.assert_allclose(chosen.weights, weights, atol=1e-9)
    median = slow.median_distance(cases.rows, cases.kinds, weights)
    assert chosen.median == pytest.approx(median)
    chosen_loss = twin.loss(slow.left_out(twin.chosen(), chosen.ridge, twin.targets))
    size = 1.0 if kind is LazyKernelClassifier else float((twin.targets**2).mean())
    assert_same(chosen.loss, chosen_loss, size)
    # The share is that of the last width, the width that of this share.
    widths = WIDTHS[kind]
    assert_same(chosen.loss, twin.least_loss([chosen.share], widths), size)
    by_share = twin.least_loss([chosen.share], widths[-1:])
    assert_same(by_share, twin.least_loss(slow.SHARES, widths[-1:]), size)


@pytest.mark.parametrize("kind", MODELS)
@few
@given(problems)
def test_answers_are_solutions_of_the_system(kind, problem):
    cases, queries = problem
    model = fit(kind, cases)
    twin, chosen = Twin(model, cases), Twin(model, cases).data.settings
    known = cases.rows, cases.kinds, chosen.weights, chosen.rate
    sides = slow.similarities(queries.rows, cases.rows, *known)
    system = twin.chosen()
    scores = [slow.answer(system, s, chosen.ridge, twin.targets) for s in sides]
    if kind is LazyKernelRegressor:
        expected = np.array(scores)[:, 0]
        size = max(1.0, np.abs(cases.targets).max())
        return assert_same(model.predict(queries.frame), expected, size)
    seen = [True] * len(model.classes_)
    expected = [slow.probabilities(s, chosen.temperature, seen) for s in scores]
    return assert_same(model.predict_proba(queries.frame), expected)


@pytest.mark.parametrize("limits", [{}, {**NEAREST, "n_neighbors": 99}], ids=str)
@pytest.mark.parametrize("kind", MODELS)
@few
@given(problems)
def test_approximate_leave_one_out_solves_without_the_row(kind, limits, problem):
    cases, _ = problem
    model = fit(kind, cases, **limits)
    # Without its last value a column has no kind: such a row is forgotten outright.
    assume(not holds_last_value(model.cases_).any())
    twin = Twin(model, cases)
    chosen = twin.data.settings
    scores = slow.left_out(twin.chosen(), chosen.ridge, twin.targets)
    if kind is LazyKernelRegressor:
        size = max(1.0, np.abs(cases.targets).max())
        return assert_same(model.loo_predict(), scores[:, 0], size)
    counts = twin.targets.sum(axis=0)
    expected = [
        slow.probabilities(class_scores, chosen.temperature, counts - indicator > 0)
        for class_scores, indicator in zip(scores, twin.targets, strict=True)
    ]
    return assert_same(model.loo_predict_proba(), expected)


@pytest.mark.parametrize("kind", MODELS)
@few
@given(problems)
def test_enough_neighbors_are_all_cases(kind, problem):
    cases, queries = problem
    whole = fit(kind, cases)
    near = fit(kind, cases, n_neighbors=len(cases.rows), **NEAREST)
    size = max(1.0, np.abs(cases.targets).max())
    method = "predict_proba" if kind is LazyKernelClassifier else "predict"
    answers = getattr(near, method)(queries.frame)
    assert_same(answers, getattr(whole, method)(queries.frame), size)


@pytest.mark.parametrize("leaves_out", [False, True])
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_cases_answer(kind, leaves_out, seed):
    rng = np.random.default_rng(seed)
    X, n_near = rng.normal(size=(40, 3)), 7
    y = X[:, 0] + 0.3 * rng.normal(size=40)
    y = (y > 0).astype(int) if kind is LazyKernelClassifier else y
    model = kind(n_neighbors=n_near, **NEAREST).fit(X, y)
    with model.cases_.snapshot() as state:
        chosen = prepare(model._learner(), state).settings
    rows, kinds = X.tolist(), ["numeric"] * 3
    targets = np.eye(2)[y] if kind is LazyKernelClassifier else y[:, None]
    scores = []
    for i in range(5):
        seen = [j for j in range(40) if not (leaves_out and i == j)]
        known = rows, kinds, chosen.weights, chosen.rate
        side = slow.similarities([rows[i]], [rows[j] for j in seen], *known)[0]
        first = np.argsort(-side)[:n_near]
        near = [seen[j] for j in first]
        system = slow.similarities(
            [rows[j] for j in near], [rows[j] for j in near], *known
        )
        center = targets[seen].mean(axis=0)
        scores.append(
            slow.solve_for(system, side[first], chosen.ridge, targets[near], center)
        )
    queries = list(range(5)) if leaves_out else X[:5]
    if kind is LazyKernelRegressor:
        answers = (model.loo_predict if leaves_out else model.predict)(queries)
        return assert_same(answers, np.array(scores)[:, 0])
    answers = (model.loo_predict_proba if leaves_out else model.predict_proba)(queries)
    expected = [slow.probabilities(s, chosen.temperature, [1, 1]) for s in scores]
    return assert_same(answers, expected)


@few
@given(split_problems(min_rows=3, max_rows=25, max_queries=6))
def test_similarities_are_those_of_a_kernel(problem):
    """No mixture of cases and queries has a negative square, missing cells or not."""
    cases, queries = problem
    twin = Twin(fit(LazyKernelClassifier, cases), cases)
    rows, chosen = cases.rows + queries.rows, twin.data.settings
    for rate in (0.1 * chosen.rate, chosen.rate, 10 * chosen.rate):
        known = cases.rows, cases.kinds, chosen.weights, rate
        values = np.linalg.eigvalsh(slow.similarities(rows, rows, *known))
        assert values.min() > -1e-9


def frame_of_trouble(n_rows=12):
    """Constant, all-missing and duplicated columns, and one of many categories."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n_rows)
    return pd.DataFrame(
        {
            "x": x,
            "same": 3.0,
            "nothing": np.nan,
            "again": x,
            "word": [f"w{i}" for i in range(n_rows)],
            "hole": np.where(x > 0, np.nan, x),
        }
    )


@pytest.mark.parametrize("limits", [{}, {**NEAREST, "n_neighbors": 4}], ids=str)
@pytest.mark.parametrize(
    "outcome",
    [
        pytest.param([1] * 12, id="one class"),
        pytest.param([0] * 11 + [1], id="a class of one row"),
        pytest.param(list(range(12)), id="classes of one row each"),
    ],
)
def test_few_classes_and_poor_columns_give_probabilities(limits, outcome):
    X = frame_of_trouble()
    model = LazyKernelClassifier(**limits).fit(X, outcome)
    queries = X.assign(same=[3.0, np.nan, -1.0] * 4, nothing=1.0, word="new")
    for table in (X, queries):
        shares = model.predict_proba(table)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    left_out = model.loo_predict_proba()
    counts = np.bincount(outcome)
    true_class = left_out[np.arange(12), np.searchsorted(model.classes_, outcome)]
    assert (true_class[counts[outcome] == 1] == 0.0).all()  # nobody else has that class
    np.testing.assert_allclose(left_out.sum(axis=1), 1.0)


@pytest.mark.parametrize("limits", [{}, {**NEAREST, "n_neighbors": 4}], ids=str)
@pytest.mark.parametrize("X", [np.full((9, 2), np.nan), np.ones((9, 2))], ids=str)
def test_without_any_difference_the_mean_is_the_answer(limits, X):
    y = np.arange(9.0)
    model = LazyKernelRegressor(**limits).fit(X, y)
    if not limits:  # of few neighbors the mean is another one
        np.testing.assert_allclose(model.predict([[1.0, 5.0]]), y.mean())
        expected = (y.sum() - y) / 8
        np.testing.assert_allclose(model.loo_predict(), expected)
    assert np.isfinite(model.predict([[1.0, 5.0]])).all()


def test_columns_that_tell_no_cases_apart_do_not_matter():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=30)})
    y = (X["x"] > 0).astype(int)
    plain = LazyKernelClassifier().fit(X, y).predict_proba(X)
    with_more = X.assign(same=3.0, nothing=np.nan, word="w")
    model = LazyKernelClassifier().fit(with_more, y)
    queries = with_more.assign(same=-9.0, nothing=4.0, word="other")
    np.testing.assert_allclose(model.predict_proba(queries), plain, rtol=1e-6)


def test_more_attributes_than_rows_and_rows_that_repeat():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(6, 40)), 3, axis=0)
    y = np.repeat([0, 1, 0, 1, 0, 1], 3)
    model = LazyKernelClassifier().fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.loo_predict().tolist() == y.tolist()  # twins of the row are there
    numbers = LazyKernelRegressor().fit(X, y)
    np.testing.assert_allclose(numbers.predict(X), y, atol=0.2)


def test_declared_classes_without_rows_have_no_probability():
    X, y = np.arange(8.0)[:, None], [0, 0, 0, 0, 2, 2, 2, 2]
    model = LazyKernelClassifier().partial_fit(X, y, classes=[0, 1, 2])
    shares = model.predict_proba(X)
    assert shares.shape == (8, 3)
    assert (shares[:, 1] == 0.0).all()
    plain = LazyKernelClassifier().fit(X, y).predict_proba(X)
    assert shares[:, [0, 2]].tolist() == plain.tolist()
    assert model.explain(X[:1], reasons=False)[0]["targets"][1]["score"] == 0.0


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_rows": -1},
        {"n_landmarks": -1},
        {"n_neighbors": 0},
        {"max_loo_rows": 1},
        {"n_neighbors": 2.5},
    ],
    ids=str,
)
def test_limits_that_make_no_sense_are_refused(parameters):
    (name,) = parameters
    with pytest.raises(BadInputError, match=f"{name}="):
        LazyKernelClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_answers_do_not_depend_on_units_or_outliers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = (X[:, 0] > 0).astype(int)
    plain = LazyKernelClassifier().fit(X, y).predict_proba(X)
    probabilities = (
        LazyKernelClassifier().fit(np.exp(5 * X), y).predict_proba(np.exp(5 * X))
    )
    np.testing.assert_allclose(probabilities, plain, rtol=1e-6)


def test_learners_leave_rows_out_in_one_flow():
    """What a blend asks for: outputs of the learner itself, rows by their place."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    model = LazyKernelClassifier().fit(X, y)
    learner = replace(model._learner(), approximate=True)
    with model.cases_.snapshot() as base:
        rows = np.argsort(base.arrival)
        (shares,) = leave_one_out(learner, base, rows, ["probabilities"])
        batch = Batch(base, base.cases, base.encode(model._query_table(X)))
        probabilities = learner.answer(prepare(learner, base), batch).probabilities
    assert shares.tolist() == model.loo_predict_proba().tolist()
    assert probabilities.tolist() == model.predict_proba(X).tolist()


@pytest.mark.parametrize("kind", MODELS)
def test_settings_are_chosen_on_few_of_many_rows(kind):
    """The least loss is that of so many rows, and neither of fewer nor of more."""
    cases = random_cases(n_rows=90)
    with no_steps():
        twin = Twin(fit(kind, cases, max_loo_rows=30), cases)
    chosen = twin.data.settings
    with twin.model.cases_.snapshot() as base:
        order = base.ids[base.order]
    assert twin.data.solution.left_out.shape == twin.targets.shape

    def loss_of_first(n_rows):
        first = order[:n_rows]
        part = [cases.rows[row] for row in first]
        known = cases.rows, cases.kinds, chosen.weights, chosen.rate
        system = slow.similarities(part, part, *known)
        scores = slow.left_out(system, chosen.ridge, twin.targets[first])
        return twin.loss(scores, first)

    assert chosen.loss == pytest.approx(loss_of_first(30), rel=1e-6)
    for n_rows in (29, 31, 90):
        assert chosen.loss != pytest.approx(loss_of_first(n_rows), rel=1e-3)


def test_classes_are_told_by_few_of_many_rows():
    cases, where = random_cases(n_rows=90), "sklazy.methods.kernel_models.outcomes"
    with mock.patch(f"{where}.measure_gains", wraps=measure_gains) as spy:
        Twin(fit(LazyKernelClassifier, cases, max_loo_rows=30), cases)
    ranks, _, classes, n_paths = spy.call_args.args
    assert (ranks.shape, classes.shape, n_paths) == ((2, 30), (30,), N_PATHS)


def random_cases(n_rows):
    """Two numbers, of which the first tells of a class and of a number."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 2))
    numbers = X[:, 0] + 0.5 * rng.normal(size=n_rows)
    return Problem(X.tolist(), ["numeric"] * 2, (numbers > 0).astype(int), numbers)


def test_nothing_is_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in MODELS:
            model = kind().fit([[1.0], [np.nan], [5.0]], [0, 1, 1])
            model.predict([[2.0], [np.nan]])
            model.loo_predict()
            kind().fit([[1.0]], [1]).predict([[2.0]])


def many(kind, n_rows=320):
    """Rows whose first two attributes tell together what none tells alone."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 5))
    X[::9, 4] = np.nan
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    noise = 0.1 * rng.normal(size=n_rows)
    return X, y if kind is LazyKernelClassifier else y + noise


def test_attributes_that_tell_something_together_weigh_more():
    """Neither of two columns tells anything of the class alone."""
    X, y = many(LazyKernelClassifier, 200)
    model = LazyKernelClassifier().fit(X, y)
    with model.cases_.snapshot() as base:
        information = prepare(model._learner(), base).information
    assert information[:2].min() > 2 * information[2:].max()
    assert settings_of(model).share > 0


def settings_of(model):
    with model.cases_.snapshot() as base:
        return prepare(model._learner(), base).settings


@pytest.mark.parametrize("kind", MODELS)
def test_many_rows_move_the_weights_to_a_lower_loss(kind):
    X, y = many(kind)
    chosen = settings_of(kind().fit(X, y))
    with no_steps():
        before = settings_of(kind().fit(X, y))
    assert before.n_moves == 0
    assert 1 <= chosen.n_moves <= 4
    assert chosen.weights.sum() == pytest.approx(before.weights.sum())
    assert chosen.weights[:2].min() > chosen.weights[2:].max()
    if kind is LazyKernelClassifier:
        gain = len(y) * (before.loss - chosen.loss)
    else:
        gain = len(y) / 2 * np.log(before.loss / chosen.loss)
    assert gain > 5


@pytest.mark.parametrize("kind", MODELS)
def test_few_rows_and_noise_leave_the_weights(kind):
    X, y = many(kind)
    assert settings_of(kind().fit(X[:299], y[:299])).n_moves == 0
    shuffled = np.random.default_rng(1).permutation(y)
    assert settings_of(kind().fit(X, shuffled)).n_moves == 0


@pytest.mark.parametrize("kind", MODELS)
@settings(few, max_examples=15, suppress_health_check=[HealthCheck.filter_too_much])
@given(problem=split_problems(min_rows=6, max_rows=12, min_columns=2, telling=True))
def test_slopes_are_those_of_the_left_out_loss(kind, problem):
    """Compared with small changes of each weight, systems solved anew."""
    cases, _ = problem
    twin = Twin(fit(kind, cases), cases)
    data, targets = twin.data, twin.targets
    chosen, weights = data.settings, data.settings.weights
    center = targets.mean(axis=0)

    def loss(logs):
        system = twin.system(np.exp(logs) * (weights > 0), chosen.rate)
        scores = slow.left_out_around(system, chosen.ridge, targets, center)
        if kind is LazyKernelRegressor:
            return float(((scores - targets) ** 2).mean())
        return slow.plain_log_loss(scores, twin.classes, chosen.temperature)

    free = weights > 0
    logs = np.log(np.where(free, weights, 1.0))
    steps = 1e-5 * np.eye(len(weights))
    slopes = np.array([loss(logs + s) - loss(logs - s) for s in steps]) / 2e-5
    assume(free.any())
    slopes = np.where(free, slopes - slopes[free].mean(), 0.0)
    assume(np.abs(slopes).max() > 1e-4 * max(1.0, loss(logs)))
    judge = (
        ClassJudge(data.targets.argmax(axis=1))
        if kind is LazyKernelClassifier
        else NumberJudge(data.targets)
    )
    state = refine._solve(data.columns, chosen, data.targets)
    gradient = refine.find_slopes(data.columns, state, data.targets, judge)
    expected = slopes / np.abs(slopes).max()
    np.testing.assert_allclose(gradient, expected, atol=2e-3)


@pytest.mark.parametrize("kind", MODELS)
def test_brief_receipts_of_many_cases_do_without_sums(kind, monkeypatch):
    monkeypatch.setattr(receipt, "_MOST", 50)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] > 0 if kind is LazyKernelClassifier else X[:, 0]
    few_cases, many = (kind().fit(X[:n], y[:n]) for n in (50, 60))
    for model, detail, is_known in (
        (few_cases, "brief", True),
        (many, "brief", False),
        (many, "full", True),
    ):
        (found,) = model.explain(X[:1], detail=detail)
        assert model.verify(found)
        target = found["targets"][0]
        assert (target["for"] is not None) == is_known
        assert (target["against"] is not None) == is_known
        assert ("add " in found.to_text()) == is_known
        assert found["influential_cases"]["n_cases"] == model.cases_.n_rows
