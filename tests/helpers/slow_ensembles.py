"""The slow ensemble beside a fitted one, and the two compared query by query."""

import math

import numpy as np
import pytest
from sklearn.base import is_regressor

import oracle


def compare_with_oracle(model, queries, kinds, rules=None):
    """Every member's answer, and what all say together.

    Parameters
    ----------
    model : fitted lazy ensemble
    queries : Problem
    kinds : list of str
        The members, in turn.
    rules : dict, optional
        Those of the trees, where they are not the usual ones.
    """
    twin, cuts = _slow_twin(model, kinds, rules)
    compare = _compare_numbers if is_regressor(model) else _compare_classes
    coded = model.cases_.encode(queries.table)
    asked = []
    for codes, numbers in zip(coded.codes.tolist(), coded.values, strict=True):
        plain = _plain(numbers)
        query = [
            plain[j] if size is None else (None if codes[j] == -1 else codes[j])
            for j, size in enumerate(twin.sizes)
        ]
        asked.append((query, _binned(model, query, codes, cuts)))
    compare(model, twin, queries.frame, asked)


def _compare_classes(model, twin, frame, asked):
    votes, shares = model.member_votes(frame), model.predict_proba(frame)
    found, labels = model.predict(frame), model.classes_.tolist()
    for i, (query, codes) in enumerate(asked):
        _, slow_votes, slow_shares, answer = twin.answer(query, codes)
        assert votes[i].tolist() == [labels[vote] for vote in slow_votes]
        np.testing.assert_allclose(shares[i], slow_shares, atol=1e-9)
        assert found[i] == labels[answer]


def _compare_numbers(model, twin, frame, asked):
    values, found = model.member_values(frame), model.predict(frame)
    for i, (query, codes) in enumerate(asked):
        expected, answer = twin.answer(query, codes)
        np.testing.assert_allclose(values[i], expected, atol=1e-8)
        assert found[i] == pytest.approx(answer, abs=1e-8)


def _slow_twin(model, kinds, rules):
    """The slow ensemble: rows in the model's order; cuts into tenths for numbers."""
    base = model.cases_
    order, cases = base.order, base.cases
    widths = np.diff(cases.offsets).tolist()
    columns, sizes, codes, cuts = [], [], [], []
    for j, place in enumerate(cases.numeric.tolist()):
        codes.append(cases.codes[j, order].tolist())
        numeric = place >= 0
        # An attribute without any category is one that no row knows.
        sizes.append(None if numeric else widths[j])
        if numeric:
            columns.append(_plain(cases.numbers[place, order]))
        else:
            columns.append([None if c < 0 else c for c in codes[j]])
        known = numeric and any(cell is not None for cell in columns[j])
        cuts.append(oracle.tenths(columns[j]) if known else [])
        if numeric and is_regressor(model):
            codes[j] = [_bin(cell, cuts[j]) for cell in columns[j]]
    kind, truth = _kind_and_truth(model)
    usual = {**oracle.TREE_RULES, "min_weight": float(model.min_branch_weight)}
    usual["chance"] = model.penalize_nominal_splits
    twin = kind(
        columns,
        sizes,
        codes,
        widths,
        *truth,
        kinds=kinds,
        rules=usual if rules is None else rules,
        n_estimators=model.n_estimators,
        n_near=_count_near(model, len(order)),
        n_tried=_count_tried(model),
        max_draws=_max_draws(model, len(order)),
        combine=model.combine,
        seed=model.seed_,
    )
    return twin, cuts


def _draws_splits(model):
    return model.get_params().get("splits") == "random"


def _has_plain_bags(model):
    return _draws_splits(model) and model.n_neighbors is None


def _count_near(model, n_rows):
    if _has_plain_bags(model):
        return 0
    if model.n_neighbors is None:
        return oracle.beta_neighbors(_max_draws(model, n_rows), model.beta)
    return min(model.n_neighbors, _max_draws(model, n_rows))


def _count_tried(model):
    n_attributes, given = model.n_features_in_, model.max_features
    if given == "auto":
        return math.isqrt(n_attributes)
    return n_attributes if given is None else given


def _kind_and_truth(model):
    base, order = model.cases_, model.cases_.order
    if is_regressor(model):
        return oracle.LazyNumberEnsemble, (base.cases.targets[0, order].tolist(), 1)
    classes = base.cases.classes[order].tolist()
    return oracle.LazyEnsemble, (classes, len(base.class_labels))


def _binned(model, query, codes, cuts):
    """The codes of a query; an ensemble of numbers has bins of its own."""
    if not is_regressor(model):
        return codes
    numeric = model.cases_.cases.numeric >= 0
    return [
        _bin(query[j], cuts[j]) if numeric[j] else code for j, code in enumerate(codes)
    ]


def _plain(numbers):
    return [None if np.isnan(x) else float(x) for x in numbers]


def _bin(cell, cuts):
    return -1 if cell is None else sum(cut < cell for cut in cuts)


def _max_draws(model, n_rows):
    """The draws of a bag; those of few rows alone are bounded in no test."""
    given = getattr(model, "max_samples", None)
    if given in (None, "auto"):
        return n_rows
    given = round(given * n_rows) if isinstance(given, float) else given
    return min(n_rows, max(given, 4))
