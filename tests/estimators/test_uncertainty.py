"""Sets, intervals and abstention: their slow twins, their promises, bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import sklazy
from oracle import conformal as slow
from oracle import kernel_models as slow_kernel
from sklazy.answer.learner import prepare
from sklazy.answer.uncertainty.scores import draw_folds
from sklazy.errors import BadInputError
from strategies import Problem, split_problems

few = settings(max_examples=4, suppress_health_check=list(HealthCheck), deadline=None)
COUNTING = [
    sklazy.LazyKNeighborsClassifier(2, selection="none", discretize=False),
    sklazy.LazyKNeighborsClassifier(3),
    sklazy.LazyNBClassifier(),
]
tiny = split_problems(
    min_rows=3, max_rows=7, max_columns=3, max_queries=2, telling=True
)


def frame_of(rows, kinds):
    blank = np.zeros(len(rows))
    return Problem(rows, kinds, blank, blank).frame


def refit_classes(model, kinds):
    """A fit from scratch, and its probabilities by label."""

    def fit(rows, classes):
        fitted = clone(model).fit(frame_of(rows, kinds), classes)

        def answer(row):
            (shares,) = fitted.predict_proba(frame_of([row], kinds))
            return dict(zip(fitted.classes_.tolist(), shares.tolist(), strict=True))

        return answer

    return fit


def refit_numbers(model, kinds):
    """A fit from scratch, its prediction and the error it expects of itself, if any."""

    def fit(rows, numbers):
        fitted = clone(model).fit(frame_of(rows, kinds), numbers)

        def answer(row):
            frame = frame_of([row], kinds)
            if isinstance(model, sklazy.LazyLearningRegressor):
                value, expected = fitted.predict(frame, return_std=True)
                return float(value[0]), float(expected[0])
            return float(fitted.predict(frame)[0]), None

        return answer

    return fit


def coder(kinds):
    """Rows as the slow distances take them."""

    def table(rows):
        words = {
            j: {v: i for i, v in enumerate(dict.fromkeys(row[j] for row in rows)) if v}
            for j, kind in enumerate(kinds)
            if kind == "nominal"
        }

        def number(cell):
            return np.nan if cell is None else float(cell)

        def code(j, cell):
            return words[j].get(cell, -1) if j in words and cell is not None else -1

        numbers = [
            None if j in words else [number(row[j]) for row in rows]
            for j in range(len(kinds))
        ]
        codes = np.array([[code(j, row[j]) for row in rows] for j in range(len(kinds))])

        def coded_query(row):
            cells = [None if j in words else number(row[j]) for j in range(len(kinds))]
            return numbers, codes, cells, [code(j, c) for j, c in enumerate(row)]

        return coded_query

    return table


def refit_bins(model, kinds):
    """The same with numbers cut by all rows and the query, whichever is left out."""

    def fix(grown, known):
        if not getattr(model, "discretize", False):
            return refit_classes(model, kinds)
        names = [f"a{j}" for j, kind in enumerate(kinds) if kind == "numeric"]
        whole = frame_of(grown, kinds)
        cuts = {}
        if names:
            cutter = sklazy.EntropyDiscretizer().fit(whole[names], known)
            cuts = dict(zip(names, cutter.cut_points_, strict=True))

        def binned(rows):
            frame = frame_of(rows, kinds)
            for name, points in cuts.items():
                codes = np.searchsorted(points, frame[name])
                words = [f"b{c:02d}" for c in range(len(points) + 1)]
                cells = np.where(frame[name].isna(), -1, codes)
                frame[name] = pd.Categorical.from_codes(cells, words)
            return frame

        def fit(rows, classes):
            fitted = clone(model).fit(binned(rows), classes)

            def answer(row):
                (shares,) = fitted.predict_proba(binned([row]))
                return dict(zip(fitted.classes_.tolist(), shares.tolist(), strict=True))

            return answer

        return fit

    return fix


@pytest.mark.parametrize("model", COUNTING, ids=str)
@few
@given(tiny, st.sampled_from([0.4, 0.5, 0.6, 0.7]))
def test_full_conformal_sets_are_those_of_refitting(model, problems, coverage):
    cases, queries = problems
    fitted = clone(model).fit(cases.frame, cases.classes)
    labels = fitted.classes_.tolist()
    sets = fitted.predict_set(queries.frame, coverage, method="full")
    for row, classes_in_set in zip(queries.rows, sets.tolist(), strict=True):
        assert classes_in_set == slow.full_set(
            cases.rows,
            cases.classes.tolist(),
            row,
            labels,
            coverage,
            refit_bins(model, cases.kinds),
            coder(cases.kinds),
        )


@pytest.mark.parametrize("model", COUNTING[1:], ids=str)
@few
@given(tiny)
def test_jackknife_plus_sets_are_those_of_refitting(model, problems):
    cases, queries = problems
    fitted = clone(model).fit(cases.frame, cases.classes)
    sets = fitted.predict_set(queries.frame, 0.6, method="jackknife+")
    refit, labels = refit_classes(model, cases.kinds), fitted.classes_.tolist()
    for row, classes_in_set in zip(queries.rows, sets.tolist(), strict=True):
        known = cases.rows, cases.classes.tolist()
        assert classes_in_set == slow.jackknife_plus_set(
            *known, row, labels, 0.6, refit
        )


@pytest.mark.parametrize(
    "model",
    [
        sklazy.LazyRidgeRegressor(),
        sklazy.LazyBaggingRegressor(3),
        sklazy.LazyKernelRegressor(),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["jackknife+", "minmax"])
@few
@given(tiny)
def test_intervals_of_left_out_models_are_those_of_refitting(model, method, problems):
    cases, queries = problems
    fitted = clone(model).fit(cases.frame, cases.targets)
    intervals = fitted.predict_interval(queries.frame, 0.6, method=method)
    refit = refit_numbers(model, cases.kinds)
    twin = slow.minmax if method == "minmax" else slow.jackknife_plus
    for row, interval in zip(queries.rows, intervals, strict=True):
        ends = twin(cases.rows, cases.targets.tolist(), row, 0.6, refit)
        assert np.allclose(interval, ends, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", ["jackknife+", "minmax"])
@few
@given(
    split_problems(
        min_rows=6,
        max_rows=9,
        max_columns=2,
        max_queries=2,
        kinds=("numeric",),
        missing=False,
    )
)
@pytest.mark.filterwarnings("ignore:.*rows are taken at most")
def test_local_models_hide_neighbors_as_refitting_forgets_them(method, problems):
    cases, queries = problems
    model = sklazy.LazyLearningRegressor(0, (2, 3), 1, scale=False)
    fitted = clone(model).fit(cases.frame, cases.targets)
    intervals = fitted.predict_interval(queries.frame, 0.6, method=method)
    refit = refit_numbers(model, cases.kinds)
    twin = slow.minmax if method == "minmax" else slow.jackknife_plus
    for row, interval in zip(queries.rows, intervals, strict=True):
        ends = twin(cases.rows, cases.targets.tolist(), row, 0.6, refit)
        assert np.allclose(interval, ends, rtol=1e-9, atol=1e-9)


# --- what is promised -----------------------------------------------------------------


def draw_classes(n, seed=0):
    """Two columns, three classes that overlap, and a group of harder rows."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    group = rng.choice(["easy", "hard"], size=n, p=[0.6, 0.4])
    noise = rng.normal(size=(n, 2)) * np.where(group == "hard", 1.3, 0.5)[:, None]
    X = np.array([[0, 0], [2, 0], [0, 2]])[y] + noise
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "site": group}), y


def draw_numbers(n, seed=0):
    """A line whose noise grows, and a group of noisier rows."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["calm", "wild"], size=n)
    x = rng.uniform(0, 3, n)
    y = x + rng.normal(size=n) * np.where(group == "wild", 2.0, 0.2)
    return pd.DataFrame({"x": x, "site": group}), y


def covered(sets, y):
    return sets[np.arange(len(y)), y]


KERNEL = sklazy.LazyKernelClassifier()


def test_sets_cover_as_promised():
    model = clone(KERNEL).fit(*draw_classes(400))
    X, y = draw_classes(2000, seed=1)
    sizes = []
    for coverage in (0.8, 0.9, 0.95):
        sets = model.predict_set(X, coverage)
        assert abs(covered(sets, y).mean() - coverage) < 0.04
        sizes.append(sets.sum(axis=1).mean())
    assert sizes == sorted(sizes)


def test_coverage_holds_within_classes_and_groups():
    X, y = draw_classes(600)
    model = clone(KERNEL).fit(X, np.where(y == 2, 1, y))  # class 1 has two clouds
    X, y = draw_classes(2000, seed=1)
    y = np.where(y == 2, 1, y)
    right = covered(model.predict_set(X, 0.8, by="class"), y)
    assert all(abs(right[y == label].mean() - 0.8) < 0.06 for label in (0, 1))
    plain = covered(model.predict_set(X, 0.8), y)
    grouped = covered(model.predict_set(X, 0.8, groups="site"), y)
    hard = (X["site"] == "hard").to_numpy()
    assert abs(grouped[hard].mean() - 0.8) < 0.06
    assert abs(grouped[~hard].mean() - 0.8) < 0.06
    assert plain[hard].mean() < 0.8 < plain[~hard].mean()
    both = covered(model.predict_set(X, 0.8, by="class", groups="site"), y)
    assert all(abs(both[hard & (y == label)].mean() - 0.8) < 0.1 for label in (0, 1))


def test_groups_may_be_given_in_order_of_arrival():
    X, y = draw_classes(120)
    model = clone(KERNEL).fit(X, y)
    queries, _ = draw_classes(20, seed=1)
    named = model.predict_set(queries, 0.8, groups="site")
    pair = X["site"].to_list(), queries["site"].to_list()
    assert (model.predict_set(queries, 0.8, groups=pair) == named).all()
    model.forget([3, 60])
    left = X["site"].drop([3, 60]).to_list(), pair[1]
    named = model.predict_set(queries, 0.8, groups="site")
    assert (model.predict_set(queries, 0.8, groups=left) == named).all()


@pytest.mark.parametrize(
    "how", [{}, {"by": None}, {"by": "nearness"}, {"groups": "site"}], ids=str
)
def test_intervals_cover_as_promised(how):
    model = sklazy.LazyRidgeRegressor().fit(*draw_numbers(400))
    X, y = draw_numbers(2000, seed=1)
    low, high = model.predict_interval(X, 0.9, **how).T
    assert abs(((low <= y) & (y <= high)).mean() - 0.9) < 0.04
    wild = (X["site"] == "wild").to_numpy()
    ratio = (high - low)[wild].mean() / (high - low)[~wild].mean()
    assert (ratio > 2) == (how != {"by": None})


def choose_by(X, y):
    """The settings of a kernel model of some rows."""
    model = sklazy.LazyKernelRegressor().fit(X, y)
    with model.cases_.snapshot() as cases:
        return prepare(model._current_learner(cases), cases).settings


def test_settings_chosen_by_all_targets_do_not_judge_themselves():
    X, y = draw_numbers(30)
    model = sklazy.LazyKernelRegressor().fit(X, y)
    with model.cases_.snapshot() as cases:
        folds = draw_folds(cases)[np.argsort(cases.arrival)]
    assert np.bincount(folds).tolist() == [3] * 10
    rows = X.to_numpy().tolist()
    kinds = ["numeric" if dtype.kind == "f" else "nominal" for dtype in X.dtypes]
    residuals = np.empty(30)
    for fold in range(10):
        in_fold = folds == fold
        chosen = choose_by(X[~in_fold], y[~in_fold])
        near = slow_kernel.similarities(
            rows, rows, rows, kinds, chosen.weights, chosen.rate
        )
        answers = slow_kernel.left_out(near, chosen.ridge, y)
        residuals[in_fold] = np.abs(y - answers)[in_fold]
    low, high = model.predict_interval(X[:1], 0.9)[0]
    assert np.isclose((high - low) / 2, np.sort(residuals)[27], rtol=1e-9)


def test_minmax_is_wider_than_jackknife_plus_which_is_near_the_plain_one():
    X, y = draw_numbers(60)
    model = sklazy.LazyRidgeRegressor().fit(X, y)
    widths = {
        method: np.ptp(model.predict_interval(X, 0.8, method=method), axis=1).mean()
        for method in ("jackknife", "jackknife+", "minmax")
    }
    assert widths["jackknife+"] <= widths["minmax"]
    assert abs(widths["jackknife+"] / widths["jackknife"] - 1) < 0.1


def test_full_sets_cover_with_few_rows():
    covered = []
    for seed in range(50):  # one query of each: what is drawn together is alike
        X, y = draw_classes(13, seed)
        model = sklazy.LazyNBClassifier(n_jobs=1).fit(X[1:], y[1:])
        sets = model.predict_set(X[:1], 0.8, method="full")
        covered.append(bool(sets[0, model.classes_ == y[0]].any()))
    assert np.mean(covered) > 0.63  # 0.8 less three deviations


def test_a_strange_row_has_no_class_and_an_unknown_one_may_have_any():
    X = np.repeat([[0.0], [1.0]], 30, axis=0) + np.linspace(0, 0.1, 60)[:, None]
    y = np.repeat(["a", "b"], 30)
    model = sklazy.LazyKNeighborsClassifier(3, discretize=False, weights="uniform")
    model.fit(X, y)
    assert model.predict_set([[0.05], [1.05]], 0.9).tolist() == [[1, 0], [0, 1]]
    mixed = model.predict_set([[0.5]], 0.9)
    assert mixed.sum() == 0  # no case of either class lies so far from its own
    blurred = sklazy.LazyKNeighborsClassifier.paper(n_neighbors=3)
    blurred.fit(X, ["a", "b"] * 30)
    assert blurred.predict_set([[0.05]], 0.95).all()


# --- abstention -----------------------------------------------------------------------


def test_the_surest_answers_are_the_most_accurate():
    X, y = draw_classes(500)
    model = clone(KERNEL).fit(X, y)
    curve = model.risk_coverage()
    assert curve.coverage[-1] == 1.0
    assert curve.accuracy[-1] == (model.loo_predict() == y).mean()
    assert 0 < curve.area < 1 - curve.accuracy[-1]
    limit = curve.threshold_for(0.95)
    shares = model.loo_predict_proba().max(axis=1)
    left_out = model.loo_predict() == y
    assert left_out[shares >= limit].mean() >= 0.95
    queries, truth = draw_classes(2000, seed=1)
    labels, answered = model.predict_or_abstain(queries, 0.95)
    assert labels.tolist() == model.predict(queries).tolist()
    assert abs((labels == truth)[answered].mean() - 0.95) < 0.03
    assert 0.3 < answered.mean() < 1
    assert abs(answered.mean() - curve.share_answered(limit)) < 0.06
    same = model.predict_or_abstain(queries, threshold=limit)[1]
    assert (same == answered).all()
    surer = model.predict_or_abstain(queries, 0.9, confidence=0.95)[1]
    assert surer.sum() < model.predict_or_abstain(queries, 0.9)[1].sum()
    assert "500 rows" in repr(curve)
    assert set(curve.to_dict()) == {"thresholds", "coverage", "accuracy"}
    assert curve.plot().get_xlabel() == "share of rows answered"


def test_a_curve_follows_the_rows():
    X, y = draw_classes(60)
    model = clone(KERNEL).fit(X[:40], y[:40])
    model.risk_coverage()
    model.partial_fit(X[40:], y[40:])
    whole = clone(KERNEL).fit(X, y).risk_coverage()
    assert model.risk_coverage().to_dict() == whole.to_dict()


# --- bad input ------------------------------------------------------------------------

SMALL = sklazy.LazyNBClassifier().fit(*draw_classes(30))
LINE = sklazy.LazyRidgeRegressor().fit(*draw_numbers(30))


@pytest.mark.parametrize("coverage", [0, 1, 1.5, -0.1, True, "much", None, np.nan])
def test_coverage_is_a_share(coverage):
    with pytest.raises(BadInputError, match=r"coverage=.*above 0 and below 1"):
        SMALL.predict_set(draw_classes(1)[0], coverage)
    with pytest.raises(BadInputError, match=r"coverage=.*above 0 and below 1"):
        LINE.predict_interval(draw_numbers(1)[0], coverage)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"coverage": 0.99}, "needs at least 99 rows .* n_samples=30"),
        ({"by": "class", "coverage": 0.95}, "at least 19 rows .* of class"),
        ({"groups": "site", "coverage": 0.95}, "at least 19 rows .* groups='"),
        ({"by": "nearness", "coverage": 0.9}, "at least 36 rows"),
        ({"by": "color"}, "by='color'; expected None, 'class' or 'nearness'"),
        ({"by": "nearness", "groups": "site"}, "by='nearness' with"),
        ({"by": "nearness", "method": "full"}, "by='nearness' with"),
        ({"method": "bootstrap"}, "method='bootstrap' is not known"),
        ({"groups": "sit"}, "not a column of the cases. Did you mean 'site'"),
        ({"groups": "a"}, "column of numbers"),
        ({"groups": 3}, "groups=3; expected the name"),
        ({"groups": ([1, 2], [1])}, "2 labels for the rows; expected one .* 30"),
        ({"groups": ([1] * 30, [])}, "0 labels for the queries"),
        ({"groups": ([1] * 30, [2])}, "at least 9 rows .* n_samples=0 .*groups=2"),
    ],
)
def test_ways_that_cannot_be_gone_are_refused(how, message):
    before = SMALL.digest()
    with pytest.raises(BadInputError, match=message):
        SMALL.predict_set(draw_classes(1)[0], **how)
    assert SMALL.digest() == before


def test_intervals_have_ways_of_their_own():
    X, _ = draw_numbers(1)
    with pytest.raises(BadInputError, match="by='class'; expected 'auto', None, "):
        LINE.predict_interval(X, by="class")
    with pytest.raises(BadInputError, match="method='full' is not known"):
        LINE.predict_interval(X, method="full")
    with pytest.raises(BadInputError, match="at least 99 rows"):
        LINE.predict_interval(X, 0.99)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "give one of them"),
        ({"accuracy": 0.9, "threshold": 0.5}, "give one of them"),
        ({"accuracy": 1.0}, "accuracy=1.0; expected"),
        ({"accuracy": "high"}, "accuracy='high'; expected"),
        ({"accuracy": [0.9]}, r"accuracy=\[0.9\]; expected"),
        ({"accuracy": 0.9, "confidence": 2}, "confidence=2; expected"),
        ({"threshold": 0.9, "confidence": 0.9}, "confidence=0.9 needs accuracy"),
        ({"threshold": "high"}, "threshold='high'; expected"),
        ({"threshold": -1}, r"threshold=-1; expected a number in \[0, 1\]"),
        ({"accuracy": 0.99, "confidence": 0.999}, "is not reached"),
    ],
)
def test_abstention_that_makes_no_sense_is_refused(how, message):
    with pytest.raises(BadInputError, match=message):
        SMALL.predict_or_abstain(draw_classes(1)[0], **how)


def test_nothing_is_said_before_fit():
    for ask in (KERNEL.risk_coverage, lambda: KERNEL.predict_set([[1.0]])):
        with pytest.raises(ValueError, match="not fitted"):
            ask()


def test_a_single_row_cannot_be_left_out():
    model = sklazy.LazyNBClassifier().fit([["a"]], [1])
    with pytest.raises(BadInputError, match="a second row"):
        model.predict_set([["a"]], 0.4)
