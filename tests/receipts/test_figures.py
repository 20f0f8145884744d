"""Every figure of a receipt has a slow twin that is worked out from the cases."""

from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracle import kernel_models as slow_kernels
from oracle import local_models as slow_models
from oracle import receipts as slow
from sklazy import (
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyLearningClassifier,
    LazyLearningRegressor,
    LazyStackingClassifier,
    LazyStackingRegressor,
)
from sklazy.answer import Batch
from sklazy.answer.learner import prepare
from sklazy.local import place
from sklazy.local.bags import draw_weights
from sklazy.local.members import place_linear
from sklazy.receipts import build_receipts
from slow_gains import slow_gains

few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 10_000)
N_PATHS = 30
NAMES, KINDS = ["size", "level", "color"], ["numeric", "numeric", "nominal"]


def drawn(seed, n=26, missing=0.1):
    """Rows of two numbers and a color, the first color the most frequent."""
    rng = np.random.default_rng(seed)
    colors = rng.choice(["blue", "green", "red"], n, p=[0.5, 0.3, 0.2])
    rows = [
        [float(a), float(b), str(c)]
        for a, b, c in zip(
            rng.normal(size=n).round(2), rng.integers(0, 50, n) / 4, colors, strict=True
        )
    ]
    hidden = rng.random((n, 3)) < missing
    rows = [
        [None if gone else cell for cell, gone in zip(row, own, strict=True)]
        for row, own in zip(rows, hidden, strict=True)
    ]
    return rows, rng.normal(size=n), rng.integers(0, 3, n)


def frame_of(rows):
    frame = pd.DataFrame(rows, columns=NAMES, dtype=object)
    return frame.astype({"size": float, "level": float, "color": "str"})


@few
@given(seeds, st.sampled_from([(0,), (1,), (0, 1), (2,), (0, 1, 2)]))
def test_local_figures(seed, degrees):
    rows, targets, _ = drawn(seed)
    cases, queries = rows[:-2], rows[-2:]
    model = LazyLearningRegressor(
        degrees=degrees, n_neighbors=14, n_best=len(degrees), ridge=0.1
    )
    model.fit(frame_of(cases), targets[:-2])
    for query, receipt in zip(queries, model.explain(frame_of(queries)), strict=True):
        (told,) = receipt["targets"]
        check_local(told, cases, targets[:-2], query, degrees)


def check_local(told, cases, targets, query, degrees):
    _, (placed, asked), _ = slow_models.local_space(cases, [query], KINDS, True)
    near = [case["id"] for case in told["neighbors"]]
    units, names = regressors_of(cases)
    expected = slow.local_figures(
        [placed[i] for i in near],
        [float(targets[i]) for i in near],
        asked[0],
        degrees,
        0.1,
        units,
    )
    close = {"rtol": 1e-6, "atol": 1e-9}
    for model in told["models"]:
        degree = model["degree"]
        np.testing.assert_allclose(model["score"], expected["scores"][degree], **close)
        np.testing.assert_allclose(model["share"], expected["shares"][degree], **close)
    for key, figures in {
        "influence": "influences",
        "leverage": "leverages",
        "residual": "residuals",
    }.items():
        said = [case[key] for case in told["neighbors"]]
        np.testing.assert_allclose(said, expected[figures], **close, err_msg=key)
    assert [c["target"] for c in told["neighbors"]] == [targets[i] for i in near]
    labels = ["intercept"]
    labels += names if max(degrees) else []
    if max(degrees) == 2:
        labels += [f"{a} * {b}" for i, a in enumerate(names) for b in names[i:]]
    assert list(told["coefficients"]) == labels
    said = list(told["coefficients"].values())
    np.testing.assert_allclose(said, expected["coefficients"], **close)
    assert told["prediction"] == told["coefficients"]["intercept"]
    rows = [cases[i] for i in near]
    assert told["outside"] == slow.outside_columns(query, rows, KINDS, NAMES)


def regressors_of(cases):
    """What turns coefficients into those of the data, and the names."""
    units, names = [], []
    for j, (name, kind) in enumerate(zip(NAMES, KINDS, strict=True)):
        known = [row[j] for row in cases if row[j] is not None]
        if kind == "numeric":
            units.append(1 / np.std(known))
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
    for query, receipt in zip(queries, model.explain(frame_of(queries)), strict=True):
        for told in receipt["targets"]:
            near = [cases[case["id"]] for case in told["neighbors"]]
            expected = slow.outside_columns(query, near, KINDS, NAMES)
            assert told["outside"] == expected
            is_own = [
                float(classes[c["id"]] == told["name"]) for c in told["neighbors"]
            ]
            assert [case["target"] for case in told["neighbors"]] == is_own


@pytest.mark.parametrize("n_near", [24, 9])
@pytest.mark.parametrize("kind", [LazyKernelClassifier, LazyKernelRegressor])
@few
@given(seed=seeds)
def test_kernel_figures(kind, n_near, seed):
    rows, numbers, classes = drawn(seed)
    cases, queries = rows[:-2], rows[-2:]
    is_class = kind is LazyKernelClassifier
    outcome = classes[:-2] if is_class else numbers[:-2]
    max_rows = 2000 if n_near == 24 else 0
    model = kind(max_rows=max_rows, n_neighbors=n_near).fit(frame_of(cases), outcome)
    with mock.patch("sklazy.local.kernel_models.gains.N_PATHS", N_PATHS):
        receipts = model.explain(frame_of(queries))
    labels = model.classes_ if is_class else [None]
    targets = (
        (outcome[:, None] == labels).astype(float) if is_class else outcome[:, None]
    )
    for query, receipt in zip(queries, receipts, strict=True):
        check_kernel(receipt, cases, targets, query, n_near)
        told = kernel_information(model, cases, outcome.tolist(), is_class)
        said = [item["information"] for item in receipt["attributes"]]
        np.testing.assert_allclose(said, told, atol=1e-9)


def kernel_information(model, cases, outcome, is_class):
    """What columns tell of classes by random paths, or of fifths of numbers."""
    if is_class:
        return slow_gains(model, N_PATHS, 10)
    fifths = [slow_kernels.fifth(y, outcome) for y in outcome]
    columns = zip(zip(*cases, strict=True), KINDS, strict=True)
    return [slow_kernels.information(c, kind, fifths) for c, kind in columns]


def check_kernel(receipt, cases, targets, query, n_near):
    kernel, close = receipt["kernel"], {"rtol": 1e-6, "atol": 1e-9}
    weights = [item["weight"] for item in receipt["attributes"]]
    assert sum(weights) == pytest.approx(len(KINDS))
    assert kernel["median"] == pytest.approx(
        slow_kernels.median_distance(cases, KINDS, weights)
    )
    known = cases, KINDS, weights
    far = [slow_kernels.distance(query, row, *known) for row in cases]
    order = sorted(range(len(cases)), key=far.__getitem__)
    near, beyond = order[:n_near], order[n_near:]
    assume(not beyond or far[beyond[0]] > far[near[-1]] + 1e-9)  # which is nearer?
    assert receipt["heard"]["n_cases"] == n_near
    rate = kernel["width"] / kernel["median"]
    rows = [cases[i] for i in near]
    system = slow_kernels.similarities(rows, rows, *known, rate)
    (side,) = slow_kernels.similarities([query], rows, *known, rate)
    center = targets.mean(axis=0)
    influences = slow_kernels.influences(
        system, side, kernel["ridge"], targets[near][:, :1], center[:1]
    )
    adds = np.array(influences)[:, None] * (targets[near] - center)
    for item, own, start in zip(receipt["targets"], adds.T, center, strict=True):
        figures = [start, own[own > 0].sum(), own[own < 0].sum(), start + own.sum()]
        said = [item[key] for key in ("center", "for", "against", "score")]
        np.testing.assert_allclose(said, figures, **close)
    for case in receipt["heard"]["listed"]:
        i = near.index(case["id"])
        said = [case[key] for key in ("distance", "similarity", "influence")]
        np.testing.assert_allclose(
            said, [far[near[i]], side[i], influences[i]], **close
        )
        np.testing.assert_allclose(case["adds"], adds[i], **close)
    first = [
        abs(case["adds"][answer_place(receipt)]) for case in receipt["heard"]["listed"]
    ]
    assert first == sorted(first, reverse=True)
    assert max(first) == pytest.approx(np.abs(adds[:, answer_place(receipt)]).max())


def answer_place(receipt):
    names = [item["name"] for item in receipt["targets"]]
    return names.index(receipt["answer"]) if "votes" in receipt.to_dict() else 0


def answer_of(model, frame):
    """The answer behind receipts, with the bags, and the receipts."""
    table, learner = model._query_table(frame), model._explainer(model.cases_)
    batch = Batch(model.cases_, model.cases_.cases, model.cases_.encode(table))
    answer = learner.answer(prepare(learner, model.cases_), batch)
    return answer, build_receipts(answer, table, type(model).__name__, {})


@pytest.mark.parametrize("missing", [0.0, 0.15])
@few
@given(seed=seeds)
def test_members_figures_of_classes(missing, seed):
    rows, _, classes = drawn(seed, missing=missing)
    kinds = ["bayes", "linear", "rule", "neighbors", "tree", "random_tree"]
    model = LazyStackingClassifier(kinds, 6, alpha=0.7, ridge=0.5)
    model.fit(frame_of(rows[:-2]), classes[:-2])
    check_members(model, frame_of(rows[-2:]), rows[:-2], missing, 0.7, 0.5)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@few
@given(seed=seeds)
def test_members_figures_of_numbers(missing, seed):
    rows, targets, _ = drawn(seed, missing=missing)
    targets = targets / 100  # a sum of squares below 1 is a sum like any other
    kinds = ["linear", "rule", "neighbors", "tree", "random_tree"]
    model = LazyStackingRegressor(kinds, n_estimators=5, ridge=0.5)
    model.fit(frame_of(rows[:-2]), targets[:-2])
    check_members(model, frame_of(rows[-2:]), rows[:-2], missing, None, 0.5)


def check_members(model, frame, rows, missing, alpha, ridge):
    answer, receipts = answer_of(model, frame)
    rows = [rows[i] for i in model.cases_.ids[answer.data.order].tolist()]
    for i, receipt in enumerate(receipts):
        bags = draw_weights(answer.bags, i, answer.data.n_rows).tolist()
        near = set(answer.bags.neighbors[i].tolist())
        for member, bag in zip(receipt["members"], bags, strict=True):
            share = sum(w for r, w in enumerate(bag) if r in near) / sum(bag)
            assert member["neighbor_share"] == pytest.approx(share)
            assert member["n_distinct"] == sum(w > 0 for w in bag)
            told = member["evidence"]
            if told["kind"] == "path":
                if not missing:
                    check_path(told, rows, bag)
            elif told["kind"] == "random path":
                check_random_path(told, rows, bag, missing)
            else:
                check = globals()[f"check_{told['kind']}"]
                check(told, answer, i, bag, alpha or ridge, ridge)


def check_likelihoods(told, answer, i, bag, alpha, _):
    data = answer.data
    query = data.code(query_of(answer, i))[0].tolist()
    priors, terms = slow.bayes_logs(
        data.codes.tolist(),
        np.asarray(data.widths).tolist(),
        data.targets.tolist(),
        data.n_outputs,
        bag,
        query,
        alpha,
    )
    np.testing.assert_allclose(told["prior"], priors, rtol=1e-12)
    said = {item["name"]: item["log"] for item in told["attributes"]}
    assert list(said) == [NAMES[j] for j in terms]
    for j, logs in terms.items():
        np.testing.assert_allclose(said[NAMES[j]], logs, rtol=1e-12)


def check_terms(told, answer, i, bag, _, ridge):
    data = answer.data
    asked = place_linear(data.linear, place(data.space, query_of(answer, i))[1])[0]
    means, adds = slow.linear_parts(
        data.linear.rows, data.linear.targets, bag, asked, ridge
    )
    np.testing.assert_allclose(told["intercepts"], means, atol=1e-12)
    said = sorted(term["adds"] for term in told["terms"])
    expected = sorted(term.tolist() for term in adds)
    np.testing.assert_allclose(said, expected, atol=1e-9)
    sizes = [max(map(abs, term["adds"])) for term in told["terms"]]
    assert sizes == sorted(sizes, reverse=True)
    assert told["n_terms"] == len(adds)


def check_rule(told, answer, i, bag, *_):
    data, j = answer.data, NAMES.index(told["attribute"])
    worth = slow.rule_share if data.target.kind == "nominal" else slow.rule_explained
    worths = [worth(c, data.targets.tolist(), bag) for c in data.codes.tolist()]
    assert told["worth"] == pytest.approx(worths[j], abs=1e-9)
    assert worths[j] == pytest.approx(max(worths), abs=2e-6)


def check_neighbors(told, answer, i, bag, *_):
    data = answer.data
    near = data.nearest(query_of(answer, i), data.n_rows)
    (k,) = (m.n_neighbors for m in answer.learner.members if hasattr(m, "n_neighbors"))
    found = slow.voting_times(near.rows[0].tolist(), near.distances[0].tolist(), bag, k)
    assert told["n_voting"] == len(found)
    ids = answer.base.ids[data.order]
    assert [(case["id"], case["times"]) for case in told["cases"]] == [
        (ids[row], times) for row, times, _ in found
    ][:25]
    np.testing.assert_allclose(
        [case["distance"] for case in told["cases"]],
        [np.sqrt(far) / len(NAMES) for _, _, far in found][:25],
    )


def check_path(told, rows, bag):
    cells = {name: [row[j] for row in rows] for j, name in enumerate(NAMES)}
    steps = [(s["attribute"], s["relation"], s["bound"]) for s in told["steps"]]
    said = [step["weight"] for step in told["steps"]]
    np.testing.assert_allclose(said, slow.path_weights(cells, bag, steps))
    assert {step["share"] for step in told["steps"]} == {1.0}
    assert [step["depth"] for step in told["steps"]] == list(range(len(steps)))


def check_random_path(told, rows, bag, missing):
    cells = {name: [row[j] for row in rows] for j, name in enumerate(NAMES)}
    *inner, leaf = told["steps"]
    assert leaf["attribute"] is None
    assert told["n_steps"] == len(inner) + 1
    assert [step["depth"] for step in told["steps"]] == list(range(len(inner) + 1))
    for step in inner:
        numeric = KINDS[NAMES.index(step["attribute"])] == "numeric"
        assert (step["relation"] == "in") == (not numeric) == (step["cut"] is None)
        if not numeric:
            found = step["categories"]
            assert found["n_categories"] == len(set(found["listed"])) > 0
    if not missing:  # where missing numbers went is not said
        expected = slow.drawn_path_weights(cells, bag, inner)
        assert [step["weight"] for step in told["steps"]] == expected


def query_of(answer, i):
    codes, values = answer.queries.codes[i : i + 1], answer.queries.values[i : i + 1]
    return type(answer.queries)(codes, values)
