"""Every figure of a receipt has a slow twin that is worked out from the cases."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracle import kernel_models as slow_kernels
from oracle import receipts as slow
from receipt_tables import KINDS, NAMES, answer_of, drawn, frame_of
from sklazy import (
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyStackingClassifier,
    LazyStackingRegressor,
)
from sklazy.methods.ensembles.member_models import place_linear
from sklazy.methods.paths.bags import draw_weights
from sklazy.methods.space import place
from slow_gains import slow_gains

few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 10_000)
N_PATHS = 30


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
    paths = {"n_paths": N_PATHS} if is_class else {}
    model = kind(max_rows=max_rows, n_landmarks=0, n_neighbors=n_near, **paths)
    receipts = model.fit(frame_of(cases), outcome).explain(
        frame_of(queries), reasons=False
    )
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
    assert kernel["median_distance"] == pytest.approx(
        slow_kernels.median_distance(cases, KINDS, weights)
    )
    known = cases, KINDS, weights
    far = [slow_kernels.distance(query, row, *known) for row in cases]
    order = sorted(range(len(cases)), key=far.__getitem__)
    near, beyond = order[:n_near], order[n_near:]
    assume(not beyond or far[beyond[0]] > far[near[-1]] + 1e-9)  # which is nearer?
    assert receipt["influential_cases"]["n_cases"] == n_near
    rate = kernel["width"] / kernel["median_distance"]
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
    for case in receipt["influential_cases"]["listed"]:
        i = near.index(case["id"])
        said = [case[key] for key in ("distance", "similarity", "influence")]
        np.testing.assert_allclose(
            said, [far[near[i]], side[i], influences[i]], **close
        )
        np.testing.assert_allclose(case["contributions"], adds[i], **close)
    first = [
        abs(case["contributions"][answer_place(receipt)])
        for case in receipt["influential_cases"]["listed"]
    ]
    assert first == sorted(first, reverse=True)
    assert max(first) == pytest.approx(np.abs(adds[:, answer_place(receipt)]).max())


def answer_place(receipt):
    names = [item["name"] for item in receipt["targets"]]
    return names.index(receipt["answer"]) if "votes" in receipt.to_dict() else 0


@pytest.mark.parametrize("missing", [0.0, 0.15])
@few
@given(seed=seeds)
def test_members_figures_of_classes(missing, seed):
    rows, _, classes = drawn(seed, missing=missing)
    kinds = ["bayes", "linear", "rule", "neighbors"]
    model = LazyStackingClassifier(kinds, 6, alpha=0.7, ridge=0.5)
    model.fit(frame_of(rows[:-2]), classes[:-2])
    check_members(model, frame_of(rows[-2:]), rows[:-2], missing, 0.7, 0.5)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@few
@given(seed=seeds)
def test_members_figures_of_numbers(missing, seed):
    rows, targets, _ = drawn(seed, missing=missing)
    targets = targets / 100  # a sum of squares below 1 is a sum like any other
    kinds = ["linear", "rule", "neighbors"]
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
    said = sorted(term["contributions"] for term in told["terms"])
    expected = sorted(term.tolist() for term in adds)
    np.testing.assert_allclose(said, expected, atol=1e-9)
    sizes = [max(map(abs, term["contributions"])) for term in told["terms"]]
    assert sizes == sorted(sizes, reverse=True)
    assert told["n_terms"] == len(adds)


def check_rule(told, answer, i, bag, *_):
    data, j = answer.data, NAMES.index(told["attribute"])
    worth = slow.rule_share if data.target.kind == "nominal" else slow.rule_explained
    worths = [worth(c, data.targets.tolist(), bag) for c in data.codes.tolist()]
    assert told["score"] == pytest.approx(worths[j], abs=1e-9)
    assert worths[j] == pytest.approx(max(worths), abs=2e-6)


def check_neighbors(told, answer, i, bag, *_):
    data = answer.data
    near = data.nearest(query_of(answer, i), data.n_rows)
    (k,) = (m.n_neighbors for m in answer.learner.members if hasattr(m, "n_neighbors"))
    found = slow.voting_times(near.rows[0].tolist(), near.distances[0].tolist(), bag, k)
    assert told["n_voting"] == len(found)
    ids = answer.base.ids[data.order]
    assert [(case["id"], case["n_copies"]) for case in told["cases"]] == [
        (ids[row], times) for row, times, _ in found
    ][:25]
    np.testing.assert_allclose(
        [case["distance"] for case in told["cases"]],
        [np.sqrt(far) / len(NAMES) for _, _, far in found][:25],
    )


def query_of(answer, i):
    codes, values = answer.queries.codes[i : i + 1], answer.queries.values[i : i + 1]
    return type(answer.queries)(codes, values)
