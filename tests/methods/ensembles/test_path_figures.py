"""Figures of paths in receipts, by whole trees and plain walks, with missing cells."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import is_classifier

import oracle
from oracle.random_paths import random_way, weight_of
from oracle.receipts import tree_steps
from receipt_tables import NAMES, answer_of, drawn, frame_of
from sklazy import LazyStackingClassifier, LazyStackingRegressor
from sklazy.methods.paths.bags import draw_weights

few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 10_000)
shares_missing = st.sampled_from([0.0, 0.1, 0.3])
COLORS = ["blue", "green", "red"]
SIZES = [None, None, len(COLORS)]  # categories of each column; a number has none
ODD_QUERIES = [[0.5, 6.0, "mauve"], [None, 3.0, None], [None, None, None]]
RULES = {
    "min_weight": 2.0,
    "min_share": True,
    "correct": True,
    "chance": True,
    "at_values": True,
    "inspect": 2,
}


@few
@given(seeds, shares_missing)
def test_paths_of_classes(seed, missing):
    rows, _, classes = drawn(seed, missing=missing)
    model = LazyStackingClassifier(
        ["tree", "random_tree"],
        4,
        max_features=2,
        min_branch_weight=2.0,
        c45_min_side=True,
        penalize_numeric_splits=True,
        penalize_nominal_splits=True,
        split_at_values=True,
    )
    check_paths(model, rows, classes.tolist())


@few
@given(seeds, shares_missing)
def test_paths_of_numbers(seed, missing):
    rows, targets, _ = drawn(seed, missing=missing)
    model = LazyStackingRegressor(
        ["tree", "random_tree"],
        n_estimators=4,
        max_features=2,
        min_branch_weight=2.0,
        penalize_nominal_splits=True,
    )
    check_paths(model, rows, targets.tolist())


def check_paths(model, rows, outcomes):
    cases, queries = rows[:-2], [*rows[-2:], *ODD_QUERIES]
    for case, color in zip(cases, COLORS, strict=False):
        case[2] = color  # so that there are all colors
    model.fit(frame_of(cases), outcomes[:-2])
    answer, receipts = answer_of(model, frame_of(queries))
    order = model.cases_.ids[answer.data.order].tolist()
    columns = coded([cases[i] for i in order])
    asked = list(zip(*coded(queries), strict=True))
    n_classes = 3 if is_classifier(model) else None
    targets = [outcomes[i] for i in order]
    for i, receipt in enumerate(receipts):
        bags = draw_weights(answer.bags, i, len(order)).tolist()
        keys = answer.bags.seeds[0, i].tolist()
        for member, bag, key in zip(receipt["members"], bags, keys, strict=True):
            told, table = member["evidence"], (columns, SIZES, targets)
            check = {"path": check_tree, "random path": check_random}[told["kind"]]
            check(told, table, n_classes, bag, key, asked[i])


def coded(rows):
    """The columns of rows, labels by number; one that no case has is beyond them."""
    places = {None: None, **{label: i for i, label in enumerate(COLORS)}}
    found = [[*row[:2], places.get(row[2], len(COLORS))] for row in rows]
    return [list(column) for column in zip(*found, strict=True)]


def check_tree(told, table, n_classes, bag, key, query):
    columns, sizes, targets = table
    if n_classes is None:
        tree = oracle.grow_regression_tree(columns, sizes, targets, bag, RULES, key)
    else:
        given = columns, sizes, targets, n_classes, bag, RULES, key
        tree = oracle.grow_tree(*given)
    expected = tree_steps(tree, query)
    assert told["n_steps"] == len(expected)
    for step, found in zip(told["steps"], expected, strict=False):
        depth, j, relation, bound, weight, share = found
        if relation == "=":
            bound = COLORS[bound]
        assert step == {
            "depth": depth,
            "attribute": None if j is None else NAMES[j],
            "relation": relation,
            "bound": bound,
            "weight": pytest.approx(weight),
            "share": pytest.approx(share),
        }


def check_random(told, table, n_classes, bag, key, query):
    columns, sizes, targets = table
    given = columns, sizes, targets, n_classes, bag, 2, key, query
    rows, expected = random_way(*given)
    *inner, leaf = told["steps"]
    assert told["n_steps"] == len(expected) + 1
    for depth, (step, found) in enumerate(zip(inner, expected, strict=True)):
        j, side, cut, weight, _, by_lot, codes = found
        nominal = sizes[j] is not None
        listed = [None if code < 0 else COLORS[code] for code in codes]
        categories = {"n_categories": len(listed), "listed": listed}
        assert step == {
            "depth": depth,
            "attribute": NAMES[j],
            "relation": "in" if nominal else ("<=", ">")[side],
            "cut": None if nominal else pytest.approx(cut),
            "categories": categories if nominal else None,
            "drawn_at_random": by_lot,
            "weight": weight,
        }
    nothing = dict.fromkeys(["attribute", "relation", "cut", "categories"])
    told_last = {"depth": len(expected), **nothing, "drawn_at_random": False}
    assert leaf == {**told_last, "weight": weight_of(rows)}
