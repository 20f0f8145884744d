"""`case_values` against enumeration, and what it promises."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression

import sklazy
from oracle.case_values import distance, shapley, worth_of_means, worth_of_votes
from sklazy.errors import BadInputError, BadTypeError

CELLS = st.tuples(
    st.sampled_from([None, 0.0, 1.0, 2.5, 4.0]), st.sampled_from([None, "x", "y"])
)
ROWS = st.lists(
    st.tuples(CELLS, st.integers(0, 2), st.sampled_from([0.0, 1.0, 1.0, 2.0])),
    min_size=2,
    max_size=6,
)


def as_frame(cells):
    numbers = [np.nan if a is None else a for a, _ in cells]
    labels = pd.Series([b for _, b in cells], dtype=object)
    return pd.DataFrame({"number": numbers, "label": labels})


def mean_over_ties(far, shares, value):
    """Values in both orders of shares among cases at the same distance, averaged."""
    total = np.zeros(len(far))
    for sign in (1, -1):
        order = sorted(range(len(far)), key=lambda i: (far[i], sign * shares[i]))
        found = value([shares[i] for i in order])
        for place, i in enumerate(order):
            total[i] += found[place] / 2
    return total


def slow_value(k, wanted, shares):
    def worth(chosen):
        if wanted is None:
            return worth_of_votes(shares, chosen, k)
        return worth_of_means(shares, wanted, chosen, k)

    return shapley(len(shares), worth)


def slow_values(cases, targets, weights, queries, wanted, k, *, classes, left_out):
    known = [a for a, _ in cases if a is not None]
    width = max(known) - min(known) if known else 0.0
    total = np.zeros(len(cases))
    for number, (query, truth) in enumerate(zip(queries, wanted, strict=True)):
        here = [i for i in range(len(cases)) if not left_out or i != number]
        far = [distance(cases[i], query, (width, None)) for i in here]
        middle, own = 0.0, [weights[i] for i in here]
        if classes:
            shares = [weights[i] * (targets[i] == truth) for i in here]
        else:
            own = own if any(own) else [1.0] * len(own)
            middle = np.average([targets[i] for i in here], weights=own)
            shares = [weights[i] * (targets[i] - middle) for i in here]
        wanted_of_numbers = None if classes else truth - middle
        values = mean_over_ties(far, shares, partial(slow_value, k, wanted_of_numbers))
        total[here] += values / len(queries)
    return total


@settings(max_examples=40)
@given(
    ROWS,
    st.lists(st.tuples(CELLS, st.integers(0, 2)), max_size=3),
    st.integers(1, 4),
    st.booleans(),
)
def test_values_are_those_of_enumeration(rows, judged, k, classes):
    cells, targets, weights = zip(*rows, strict=True)
    if not any(weights):
        weights = [1.0] * len(weights)
    kind = (
        sklazy.LazyKNeighborsClassifier if classes else sklazy.LazyKNeighborsRegressor
    )
    model = kind(k, cuts="exact") if classes else kind(k)
    model.fit(as_frame(cells), targets, sample_weight=weights)
    queries, wanted, given_rows = cells, targets, ()
    if judged:
        queries, wanted = zip(*judged, strict=True)
        given_rows = as_frame(queries), wanted
    found = sklazy.case_values(model, *given_rows)
    slow = slow_values(
        cells,
        targets,
        weights,
        queries,
        wanted,
        k,
        classes=classes,
        left_out=not judged,
    )
    assert found.values == pytest.approx(slow, abs=1e-9)
    assert found.worth == pytest.approx(found.values.sum())


@pytest.fixture(scope="module")
def wrong_wine():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    wrong = rng.choice(len(y), 12, replace=False)
    planted = y.copy()
    planted[wrong] = (planted[wrong] + 1) % 3
    return X, y, planted, wrong


def test_planted_errors_do_harm(wrong_wine):
    X, y, planted, wrong = wrong_wine
    model = sklazy.LazyKNeighborsClassifier(5).fit(X, planted)
    values = sklazy.case_values(model)
    assert len({*values.worst(12)} & {*wrong.tolist()}) >= 9
    assert values.to_frame().index[0] == values.worst(1)[0]
    curve = values.removal_curve(model, X, y, [0.0, 0.08])
    assert curve["without_worst"][1] > curve["without_worst"][0]
    assert curve["without_worst"][1] > curve["without_best"][1]
    assert model.cases_.n_rows == len(y)
    assert values.plot_removal(model, X, y, [0.0, 0.1]).startswith("<svg")
    with pytest.raises(BadInputError, match="below 1"):
        values.removal_curve(model, X, y, [1.0])


def test_the_order_of_rows_plays_no_part(wrong_wine):
    X, _, planted, _ = wrong_wine
    order = np.random.default_rng(1).permutation(len(X))
    X = X.round(0)
    one = sklazy.case_values(sklazy.LazyKNeighborsClassifier(3).fit(X, planted))
    other = sklazy.LazyKNeighborsClassifier(3).fit(X[order], planted[order])
    assert sklazy.case_values(other).values == pytest.approx(
        one.values[order], abs=1e-12
    )


def test_equal_rows_have_equal_values():
    X, y = [[1.0], [1.0], [1.0], [3.0]], [1.0, 1.0, 2.0, 5.0]
    values = sklazy.case_values(sklazy.LazyKNeighborsRegressor(2).fit(X, y)).values
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_what_cannot_be_valued_is_refused(wrong_wine):
    X, y, _, _ = wrong_wine
    kernel = sklazy.LazyKernelClassifier().fit(X[::4], y[::4])
    with pytest.raises(BadInputError, match="n_neighbors=5"):
        sklazy.case_values(kernel)
    assert sklazy.case_values(kernel, n_neighbors=5).n_queries == len(y[::4])
    with pytest.raises(BadTypeError):
        sklazy.case_values(LogisticRegression())
    model = sklazy.LazyKNeighborsClassifier().fit(X, y)
    with pytest.raises(BadInputError, match="both"):
        sklazy.case_values(model, X)
    with pytest.raises(BadInputError, match="3 rows"):
        sklazy.case_values(model, X[:3], y[:2])
    single = sklazy.LazyKNeighborsClassifier().fit(X[:1], y[:1])
    with pytest.raises(BadInputError, match="one case"):
        sklazy.case_values(single)


def test_an_audit_values_its_rows(wrong_wine):
    X, _, planted, _ = wrong_wine
    report = sklazy.audit(X[::3], planted[::3])
    assert len(report.case_values().values) == len(X[::3])


@pytest.mark.parametrize(
    "kind", [sklazy.LazyNBClassifier, sklazy.LazyLearningRegressor]
)
def test_influence_is_what_the_answers_lose_without_a_case(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (14, 3)).astype(float)
    y = (X[:, 0] > 0).astype(int)
    rows, truth = X[:5][:, ::-1], np.append(y[:4], 7 if "NB" in kind.__name__ else 1)
    values = sklazy.case_values(kind().fit(X, y), rows, truth)
    expected = [
        np.mean(judge(kind().fit(X, y), rows, truth))
        - np.mean(judge(kind().fit(X, y).forget([i]), rows, truth))
        for i in range(len(y))
    ]
    assert values.n_neighbors is None
    np.testing.assert_allclose(values.values, expected, atol=1e-9)


def judge(model, rows, truth):
    """The probability of the right class, or minus the squared error."""
    if hasattr(model, "classes_"):
        right = truth[:, None] == model.classes_
        return (model.predict_proba(rows) * right).sum(axis=1)
    return -((model.predict(rows) - truth) ** 2)


def test_the_influence_of_wrong_labels_is_below_zero():
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    learned, judged, wrong = order[:120], order[120:], np.arange(0, 120, 12)
    labels = y[learned].copy()
    labels[wrong] = (labels[wrong] + 1) % 3
    model = sklazy.LazyKernelClassifier().fit(X[learned], labels)
    values = sklazy.case_values(model, X[judged], y[judged])
    assert len({*values.worst(10)} & {*wrong.tolist()}) >= 7
    assert (values.values[wrong] < 0).mean() >= 0.9
