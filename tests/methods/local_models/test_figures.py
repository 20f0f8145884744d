"""Figures of local models in receipts, each model fitted and scored the long way."""

import itertools
from typing import NamedTuple

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracle import local_models as slow_models
from oracle import receipts as slow
from receipt_tables import KINDS, NAMES, drawn, frame_of
from sklazy import LazyLearningClassifier, LazyLearningRegressor

few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 10_000)
CLOSE = {"rtol": 1e-6, "atol": 1e-9}

TRIED = st.sampled_from(
    [
        ({0: (14, 14, 0)}, 1),
        ({1: (14, 14, 0)}, 1),
        ({2: (14, 14, 0)}, 1),
        ({0: (14, 14, 0), 1: (14, 14, 0), 2: (14, 14, 0)}, 3),
        ({0: (3, 9, 0), 1: (7, 12, 0)}, (2, 3, 0)),
        ({0: (2, 6, 4), 1: (6, 13, 5)}, 4),
    ]
)
WEIGHTS = st.sampled_from([None, [0.5, 1.0, 2.0], [0.0, 1.0, 3.0]])


@few
@example(2614, ({0: (14, 14, 0)}, 1), None, 0)  # two rows, as far above as below
@given(seeds, TRIED, WEIGHTS, st.sampled_from([0, 3, 7]))
def test_local_figures(seed, tried, chosen_from, n_different):
    rows, targets, _ = drawn(seed)
    if n_different:  # the others have the inputs of these
        rows = [list(rows[i % n_different]) for i in range(len(rows))]
    ranges, n_best = tried
    weights = [1.0] * 24
    if chosen_from is not None:
        weights = np.random.default_rng(seed).choice(chosen_from, 24).tolist()
        weights[:3] = [1.0] * 3
        weights[3:14] = [weight or 1.0 for weight in weights[3:14]]  # enough neighbors
    for row, color in zip(rows[:3], ["blue", "green", "red"], strict=True):
        row[2] = color  # every color has a case that counts
    model = LazyLearningRegressor(
        tuple(ranges), ranges, n_best, metric="manhattan", ridge=0.1
    )
    given = weights if chosen_from is not None else None
    model.fit(frame_of(rows[:-2]), targets[:-2], sample_weight=given)
    table = Told(rows, targets, weights, NAMES, KINDS)
    check(model.explain(frame_of(rows[-2:]), reasons=False), table, model, tried, True)


@few
@given(seeds, TRIED, st.sampled_from(["manhattan", "euclidean"]))
def test_local_figures_of_r(seed, tried, metric):
    rng, (ranges, n_best) = np.random.default_rng(seed), tried
    rows, targets = rng.normal(size=(26, 3)).tolist(), rng.normal(size=26)
    names = ["con_id_par", "lin_id_par", "qua_id_par"]
    spans = {name: ranges.get(degree) for degree, name in enumerate(names)}
    model = LazyLearningRegressor.r_lazy(
        **spans, dist=metric, cmb_par=n_best, lambda_=10.0
    )
    X, columns = np.array(rows), ("x0", "x1", "x2")
    model.fit(X[:-2], targets[:-2])
    table = Told(rows, targets, [1.0] * 24, columns, ("numeric",) * 3)
    check(model.explain(X[-2:], reasons=False), table, model, tried, False)


class Told(NamedTuple):
    """What a model was told: rows with two queries at their end."""

    rows: list
    targets: np.ndarray
    weights: list
    names: tuple
    kinds: tuple


def check(receipts, table, model, tried, scale):
    """Every figure of two queries; rows that weigh nothing are no cases."""
    rows, targets, weights, columns, kinds = table
    queries, counted = rows[-2:], [i for i, w in enumerate(weights) if w > 0]
    cases, as_in_r = [rows[i] for i in counted], model.compat == "r"
    order = model.cases_.ids[model.cases_.order].tolist()
    ties = counted if as_in_r else [order.index(i) for i in counted]
    (placed, asked), (terms, sought), absents = slow_models.local_space(
        cases, queries, kinds, scale
    )
    for q, receipt in enumerate(receipts):
        (told,) = receipt["targets"]
        how = [asked[q], kinds, [1.0] * 3, absents, model.metric]
        far = [slow_models.distance(row, *how) for row in placed]
        check_ties(told, dict(zip(counted, ties, strict=True)))
        heard = {case["id"]: place for place, case in enumerate(told["neighbors"])}
        order = {i: (heard.get(c, 99), ties[i]) for i, c in enumerate(counted)}
        by_distance = sorted(order, key=lambda i: (round(far[i], 9), order[i]))
        near = by_distance[: max(span[1] for span in tried[0].values())]
        unheard = [i for i in by_distance[: len(near) + 1] if counted[i] not in heard]
        if rounding_decides(unheard, far, placed):
            continue
        check_neighbors(told, [(counted[i], far[i]) for i in near], targets, model)
        alike = find_alike(near, queries[q], counted, table, as_in_r)
        check_alike(told, alike)
        problem = (
            [terms[i] for i in near],
            [float(targets[counted[i]]) for i in near],
            alike,
            sought[q],
        )
        chosen, scores = slow.chosen_models(*problem, *tried, 0.1, as_in_r)
        if rounding_chooses(told, chosen, scores):
            continue
        check_models(told, chosen, scores, tried[0])
        units = regressors_of(cases, columns, kinds, scale)
        check_figures(told, problem, chosen, units, max(tried[0]))
        used = [cases[i] for i in near[: told["k"]]], kinds, columns
        assert told["outside_range"] == slow.outside_columns(queries[q], *used)


def find_alike(near, query, counted, table, as_in_r):
    """The rows alike that each neighbor stands for; in R only for itself."""
    outcomes = [float(table.targets[i]) for i in counted]
    weights = [table.weights[i] for i in counted]
    if as_in_r:
        return [(i, [(outcomes[i], weights[i])]) for i in near]
    inputs = [table.rows[i] for i in counted]
    return slow_models.rows_alike(near, inputs, query, outcomes, weights)


def check_ties(told, ties):
    """Equal distances go by canonical order; what rounding tells apart is no tie."""
    said = [(case["distance"], ties[case["id"]]) for case in told["neighbors"]]
    assert said == sorted(said)


def rounding_decides(rows, far, placed):
    """Whether rows that are not alike are equally far but for rounding."""
    pairs = itertools.pairwise(rows)
    return any(abs(far[a] - far[b]) < 1e-9 and placed[a] != placed[b] for a, b in pairs)


def rounding_chooses(told, chosen, scores):
    """Whether other models were chosen whose scores are equal but for rounding."""
    pairs = zip(told["models"], chosen, strict=True)
    others = [(m, score) for m, (*kind, score, _) in pairs if key_of(m) != tuple(kind)]
    return bool(others) and all(
        abs(scores[key_of(model)] - score) <= 1e-12 * score for model, score in others
    )


def key_of(model):
    return model["degree"], model["k"]


def check_neighbors(told, near, targets, model):
    k = told["k"]
    assert [case["id"] for case in told["neighbors"]] == [i for i, _ in near[:k]]
    sums = np.array([far for _, far in near[:k]])
    far = np.sqrt(sums) if model.metric == "euclidean" else sums
    said = [case["distance"] for case in told["neighbors"]]
    np.testing.assert_allclose(said, far, **CLOSE)
    assert [c["target"] for c in told["neighbors"]] == [targets[i] for i, _ in near[:k]]


def check_alike(told, alike):
    """How many rows are like a neighbor, and their mean, which counts for it."""
    for case, (_, own) in zip(told["neighbors"], alike, strict=False):
        assert case.get("n_same_inputs", 1) == len(own)
        if len(own) > 1:
            mean = sum(y * w for y, w in own) / sum(w for _, w in own)
            np.testing.assert_allclose(case["mean_target"], mean, **CLOSE)


def check_models(told, chosen, scores, ranges):
    """The models chosen, best first, and what every number of neighbors scored."""
    said = [(model["degree"], model["k"]) for model in told["models"]]
    assert said == [(degree, k) for degree, k, _, _ in chosen]
    assert told["k"] == max(k for _, k, _, _ in chosen)
    said = [model["score"] for model in told["models"]]
    np.testing.assert_allclose(said, [score for _, _, score, _ in chosen], **CLOSE)
    assert [curve["degree"] for curve in told["curves"]] == sorted(ranges)
    for curve in told["curves"]:
        least, most, _ = ranges[curve["degree"]]
        assert curve["first"] == least
        expected = [scores[curve["degree"], k] for k in range(least, most + 1)]
        np.testing.assert_allclose(curve["scores"], expected, **CLOSE)


def check_figures(told, problem, chosen, regressors, degree):
    units, names = regressors
    expected = slow.local_figures(*problem, chosen, units)
    said = [model["share"] for model in told["models"]]
    np.testing.assert_allclose(said, expected["shares"], **CLOSE)
    np.testing.assert_allclose(told["error"], expected["error"], **CLOSE)
    counting = [case.get("mean_target", case["target"]) for case in told["neighbors"]]
    influences = [case["influence"] for case in told["neighbors"]]
    np.testing.assert_allclose(
        np.dot(counting, influences), told["prediction"], **CLOSE
    )
    for key in ("influence", "leverage", "residual"):
        said = [np.nan if c[key] is None else c[key] for c in told["neighbors"]]
        twins = [np.nan if x is None else x for x in expected[key]]
        np.testing.assert_allclose(said, twins, **CLOSE, err_msg=key)
    labels = ["intercept"]
    labels += names if degree else []
    if degree == 2:
        labels += [f"{a} * {b}" for i, a in enumerate(names) for b in names[i:]]
    said = list(told["coefficients"].values())
    assert list(told["coefficients"]) == labels
    zeros = [0.0] * (len(said) - len(expected["coefficients"]))
    np.testing.assert_allclose(said, [*expected["coefficients"], *zeros], **CLOSE)
    assert told["prediction"] == said[0]


def regressors_of(cases, columns, kinds, scale):
    """What turns coefficients into those of the data, and the names."""
    units, names = [], []
    for j, (name, kind) in enumerate(zip(columns, kinds, strict=True)):
        known = [row[j] for row in cases if row[j] is not None]
        if kind == "numeric":
            units.append(1 / np.std(known) if scale else 1.0)
            names.append(name)
        else:
            labels = sorted(set(known))[1:]
            units += [1.0] * len(labels)
            names += [f"{name} = {label}" for label in labels]
    return units, names


@few
@given(seeds, st.integers(2, 6))
def test_what_lies_outside_the_neighbors(seed, k):
    """Few neighbors lack categories, the first one too, and are soon surpassed."""
    rows, _, classes = drawn(seed)
    cases, queries = rows[:-4], [*rows[-4:], [0.0, 5.0, "mauve"], [9.0, -1.0, "blue"]]
    model = LazyLearningClassifier(degrees=0, n_neighbors=k)
    model.fit(frame_of(cases), classes[:-4])
    for query, receipt in zip(
        queries, model.explain(frame_of(queries), reasons=False), strict=True
    ):
        for told in receipt["targets"]:
            near = [cases[case["id"]] for case in told["neighbors"]]
            expected = slow.outside_columns(query, near, KINDS, NAMES)
            assert told["outside_range"] == expected
            is_own = [
                float(classes[c["id"]] == told["name"]) for c in told["neighbors"]
            ]
            assert [case["target"] for case in told["neighbors"]] == is_own
