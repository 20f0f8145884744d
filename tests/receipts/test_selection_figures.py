"""Figures of receipts of lazy selection and of whole ensembles, in plain Python."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyKNeighborsClassifier,
    LazyNBClassifier,
)

few = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 10_000)
NAMES = ["color", "shape", "wind"]


def drawn(seed, n=24):
    """Rows of three labels, some missing, and classes."""
    rng = np.random.default_rng(seed)
    rows = rng.choice(["a", "b", "c"], (n, 3), p=[0.5, 0.3, 0.2]).astype(object)
    rows[rng.random((n, 3)) < 0.1] = None
    return rows.tolist(), rng.choice(["no", "yes"], n, p=[0.6, 0.4]).tolist()


def frame_of(rows):
    return pd.DataFrame(rows, columns=NAMES).astype("category")


def entropy(counts):
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c)


def class_counts(rows, classes, j, value):
    own = [c for row, c in zip(rows, classes, strict=True) if row[j] == value]
    return [own.count(label) for label in sorted(set(classes))]


def scores_of(rows, classes, query, j, discount):
    """The entropy of the classes at the query's value, and the attribute's mean."""
    known = [row[j] for row in rows if row[j] is not None]
    values = sorted(set(known))
    counts = [class_counts(rows, classes, j, value) for value in values]
    if discount:  # one case of a value is one like all that know the attribute
        totals = [sum(column) for column in zip(*counts, strict=True)]
        spread = [n / sum(totals) for n in totals]
        counts = [
            [n - n / sum(own) + p for n, p in zip(own, spread, strict=True)]
            for own in counts
        ]
    of_value = dict(zip(values, map(entropy, counts), strict=True))
    of_attribute = sum(known.count(v) / len(known) * of_value[v] for v in values)
    return of_value.get(query[j]), of_attribute


@few
@given(
    seeds,
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(["share", "all"]),
    st.sampled_from(["uniform", "distance"]),
)
def test_selection_figures(seed, n_attributes, discount, ties, weights):
    rows, classes = drawn(seed)
    cases, queries = rows[:-3], rows[-3:]
    model = LazyKNeighborsClassifier(
        3,
        n_attributes,
        weights=weights,
        ties=ties,
        discount_rare_values=discount,
    )
    model.fit(frame_of(cases), classes[:-3])
    receipts = model.explain(frame_of(queries), reasons=False)
    for query, receipt in zip(queries, receipts, strict=True):
        told = receipt["selection"]["attributes"]
        whole = [classes[:-3].count(label) for label in sorted(set(classes[:-3]))]
        nothing = receipt["selection"]["score_if_uninformative"]
        assert nothing == pytest.approx(entropy(whole))
        assert receipt["selection"]["score_if_perfect"] == 0.0
        lazy = []
        for j, attribute in enumerate(told):
            value, whole = scores_of(cases, classes[:-3], query, j, discount)
            assert attribute["value"] == query[j]
            n_same = [row[j] for row in cases].count(query[j])
            assert attribute["n_same_value"] == (None if query[j] is None else n_same)
            assert attribute["attribute_score"] == pytest.approx(whole)
            if value is None:
                assert attribute["value_score"] is None
            else:
                assert attribute["value_score"] == pytest.approx(value)
            lazy.append(whole if value is None else min(value, whole))
            assert attribute["lazy_score"] == pytest.approx(lazy[-1])
        ranks = [attribute["rank"] for attribute in told]
        assert sorted(ranks) == [1, 2, 3]
        by_rank = [lazy[ranks.index(rank)] for rank in (1, 2, 3)]
        assert all(a <= b + 1e-9 for a, b in itertools.pairwise(by_rank))
        assert [a["used"] for a in told] == [rank <= n_attributes for rank in ranks]
        check_neighbors(receipt, cases, classes[:-3], query, ties, weights)


def check_neighbors(receipt, cases, classes, query, ties, weights):
    """All cases as near as the third vote; each says where it agrees."""
    attributes = receipt["selection"]["attributes"]
    used = [j for j, a in enumerate(attributes) if a["used"]]

    def agreeing(row):
        return [NAMES[j] for j in used if query[j] is not None and row[j] == query[j]]

    told = receipt["neighbors"]
    near = sorted(range(len(cases)), key=lambda i: -len(agreeing(cases[i])))
    last = len(agreeing(cases[near[2]]))
    voting = {i for i in near if len(agreeing(cases[i])) >= last}
    assert told["n_voting"] == len(voting)
    assert {case["id"] for case in told["listed"]} == voting
    for case in told["listed"]:
        assert sorted(case["agree"]) == sorted(agreeing(cases[case["id"]]))
        assert {*case["agree"], *case["differ"]} == {NAMES[j] for j in used}
        assert case["class"] == classes[case["id"]]
        assert case["weight"] == 1.0
        shown = {NAMES[j]: cases[case["id"]][j] for j in used}
        assert case["values"] == shown
    apart = {i: len(used) - len(agreeing(cases[i])) for i in voting}
    nearer = [i for i in voting if apart[i] < len(used) - last]
    n_tied = len(voting) - len(nearer)
    cast = {}
    for i in voting:
        tied = i not in nearer
        cast[i] = (3 - len(nearer)) / n_tied if tied and ties == "share" else 1.0
        if weights == "distance" and apart[i] > min(apart.values()):
            cast[i] *= math.sqrt(min(apart.values()) / apart[i])
    for case in told["listed"]:
        assert case["vote"] == pytest.approx(cast[case["id"]])
    votes = {vote["label"]: vote["votes"] for vote in receipt["votes"]}
    for label, count in votes.items():
        own = [cast[i] for i in voting if classes[i] == label]
        assert count == pytest.approx(sum(own))


@few
@given(seeds, st.sampled_from([0.5, 1.0]))
def test_likelihood_figures(seed, alpha):
    rows, classes = drawn(seed)
    cases, queries = rows[:-3], rows[-3:]
    labels, classes = sorted(set(classes[:-3])), classes[:-3]
    model = LazyNBClassifier(n_attributes=3, alpha=alpha)
    model.fit(frame_of(cases), classes)
    receipts = model.explain(frame_of(queries), reasons=False)
    for query, receipt in zip(queries, receipts, strict=True):
        told, totals = receipt["likelihoods"], []
        for place, label in enumerate(labels):
            n_own = classes.count(label)
            prior = math.log((n_own + alpha) / (len(classes) + alpha * len(labels)))
            assert told["prior"][place] == {"label": label, "log": pytest.approx(prior)}
            total = prior
            for item in told["attributes"]:
                j = NAMES.index(item["name"])
                log = log_likelihood(cases, classes, query, j, label, alpha)
                assert item["log"][place] == pytest.approx(log)
                total += log
            totals.append(total)
        shares = [math.exp(t - max(totals)) for t in totals]
        said = [vote["probability"] for vote in receipt["votes"]]
        assert said == pytest.approx([s / sum(shares) for s in shares])


def log_likelihood(cases, classes, query, j, label, alpha):
    """log P(value | class), smoothed over the values there are; 0 of no value."""
    values = {row[j] for row in cases} - {None}
    if query[j] not in values:
        return 0.0
    own = [r[j] for r, c in zip(cases, classes, strict=True) if c == label]
    known = [value for value in own if value is not None]
    n_same = known.count(query[j])
    return math.log((n_same + alpha) / (len(known) + alpha * len(values)))


@few
@given(seeds)
def test_figures_of_an_ensemble_of_classes(seed):
    rows, classes = drawn(seed)
    model = LazyBaggingClassifier(7, n_neighbors=4).fit(
        frame_of(rows[:-2]), classes[:-2]
    )
    for receipt in model.explain(frame_of(rows[-2:]), reasons=False):
        votes = [member["vote"] for member in receipt["members"]]
        n_same = sum(vote == receipt["answer"] for vote in votes)
        assert receipt["agreement"] == pytest.approx(n_same / 7)
        pairs = list(itertools.combinations(votes, 2))
        apart = sum(a != b for a, b in pairs) / len(pairs)
        assert receipt["diversity"]["disagreement"] == pytest.approx(apart)
        counts = {
            item["label"]: item["cases"] for item in receipt["neighbors"]["classes"]
        }
        near = [classes[case["id"]] for case in receipt["neighbors"]["listed"]]
        assert receipt["neighbors"]["k"] == len(near) == 4
        assert counts == {label: near.count(label) for label in counts}
        check_bags(receipt, 22)


@few
@given(seeds)
def test_figures_of_an_ensemble_of_numbers(seed):
    rows, _ = drawn(seed)
    targets = np.random.default_rng(seed).normal(size=24)
    model = LazyBaggingRegressor(7, n_neighbors=4).fit(
        frame_of(rows[:-2]), targets[:-2]
    )
    for receipt in model.explain(frame_of(rows[-2:]), reasons=False):
        values = [member["value"] for member in receipt["members"]]
        assert receipt["diversity"]["std"] == pytest.approx(np.std(values))
        assert receipt["answer"] == pytest.approx(np.mean(values))
        near = [targets[case["id"]] for case in receipt["neighbors"]["listed"]]
        assert receipt["neighbors"]["mean"] == pytest.approx(np.mean(near))
        assert receipt["neighbors"]["std"] == pytest.approx(np.std(near))
        check_bags(receipt, 22)


def check_bags(receipt, n_rows):
    bags, members = receipt["bags"], receipt["members"]
    assert (bags["n_bags"], bags["n_rows"]) == (7, n_rows)
    assert bags["expected_share"] == pytest.approx(4 / n_rows)
    shares = [member["neighbor_share"] for member in members]
    assert bags["neighbor_share"] == pytest.approx(np.mean(shares))
    assert [member["bag"] for member in members] == list(range(7))
