"""Whether a model says the same elsewhere, digit for digit, and goes on to do so."""

from functools import partial

from sklearn.base import is_classifier

import sklazy
from lawful import left_out
from places import keeper_of
from random_tables import random_problem
from sklazy.errors import BadInputError
from sklazy.estimators.advice.advantage import PERCENTAGES, describe_advantage

METHODS = "predict", "predict_proba", "select_attributes", "novelty"


def check_table(seed, place):
    """Compare a model of a random table with itself elsewhere, through changes."""
    model, rows, more, gone, queries = random_problem(seed)
    one = model.fit(rows.X, rows.y, rows.weights, ids=rows.ids)
    other = place(one, rows)
    assert found(one, queries) == found(other, queries)
    for change in (partial(add, more), partial(erase, gone)):
        one, other = change(one), changed(other, change)
    assert found(one, queries) == found(other, queries)
    assert found_without(one, [0, 1]) == found_without(other, [0, 1])
    for again in reopened(other):
        assert found(one, queries) == found(again, queries)


def add(rows, model):
    return model.partial_fit(rows.X, rows.y, sample_weight=rows.weights, ids=rows.ids)


def erase(ids, model):
    return model.forget(ids)


def changed(model, change):
    """The changed model; gathered before where parts elsewhere cannot follow."""
    try:
        return change(model)
    except BadInputError as error:
        if "cannot follow; gather" not in str(error):
            raise
        return change(model.gather())


def found(model, queries):
    """All that a model says of some queries, and its receipts of two."""
    keeper = keeper_of(model)
    asked = [model if hasattr(model, m) else keeper for m in METHODS]
    said = [
        answered(getattr(who, method), queries)
        for who, method in zip(asked, METHODS, strict=True)
        if hasattr(keeper, method)
    ]
    receipts = answered(
        lambda: [r.to_dict() for r in model.explain(queries[:2], reasons=False)]
    )
    return model.digest(), advantage(keeper), said, receipts, keeper.ids_.tolist()


def found_without(model, rows):
    """What a model says of rows that are left out."""
    keeper = keeper_of(model)
    method = "loo_predict_proba" if is_classifier(keeper) else "loo_predict"
    return answered(left_out, keeper, rows, method)


def answered(ask, *given):
    """An answer such that equal means identical, or why there is none."""
    try:
        said = ask(*given)
    except BadInputError as error:
        return str(error)
    exact = getattr(getattr(said, "dtype", None), "kind", "") == "f"
    return said.tobytes() if exact else getattr(said, "tolist", lambda: said)()


def advantage(keeper):
    """V(D, A_j), V(D) and V(D, x) of the cases of a classifier."""
    if not is_classifier(keeper):
        return None
    with keeper.cases_.snapshot() as base:
        counts, offsets = base.cases.counts, base.cases.offsets
        told = describe_advantage(counts, offsets, base.names, PERCENTAGES, "weighted")
    return told.by_attribute.tobytes(), told.overall, told.highest


def reopened(model):
    """The model of a file as whoever opens it now finds it, read and mapped."""
    path = getattr(keeper_of(model).cases_, "path", None)
    return [sklazy.load(path, mmap_mode=mode) for mode in (None, "c") if path]
