"""Scores and ranking of values and attributes, computed once for a state."""

from typing import NamedTuple

import numpy as np

from sklazy.answer.batch import Floats, Ints
from sklazy.casebase import CaseBase
from sklazy.measures import (
    AllEntropies,
    CountTable,
    RankTable,
    correlate_columns,
    discount_rare_values,
    find_all_entropies,
    find_measure,
    rank_attributes,
    rank_by_class,
    rank_columns,
    rank_values,
    rank_without_own_row,
)
from sklazy.methods.selection.recipe import Recipe


class Scores(NamedTuple):
    """Scores under one measure, lower is better.

    Attributes
    ----------
    values : float64 array of shape (n_values,)
        Infinite where no case has the value.
    attributes : float64 array of shape (n_attributes,)
    lazy : float64 array of shape (n_values,)
        The lower of a value's own and its attribute's.
    """

    values: Floats
    attributes: Floats
    lazy: Floats


def find_scores(base: CaseBase, recipe: Recipe) -> Scores:
    """Score all values and attributes."""
    key = find_scores, recipe.measure, recipe.discount_rare_values
    return base.derive(key, lambda: _score_all(base, recipe))


def _score_all(base: CaseBase, recipe: Recipe) -> Scores:
    cases, found = base.cases, _find_entropies(base, recipe)
    if found is None:
        return _score(cases.counts, cases.offsets, recipe)
    by_attribute = np.repeat(found.attributes, np.diff(cases.offsets))
    lazy = np.minimum(found.values, by_attribute)
    return Scores(found.values, found.attributes, lazy)


def _find_entropies(base: CaseBase, recipe: Recipe) -> AllEntropies | None:
    """All scores at once, where rows are to be left out and scores are entropies."""
    if recipe.measure != "entropy" or recipe.n_attributes != "auto":
        return None
    counts, offsets = base.cases.counts, base.cases.offsets
    discounts = recipe.discount_rare_values
    return base.derive(
        (find_all_entropies, discounts),
        lambda: find_all_entropies(counts, offsets, discounts=discounts),
    )


def _score(counts: Ints, offsets: Ints, recipe: Recipe) -> Scores:
    table, rule = CountTable(counts, offsets), find_measure(recipe.measure)
    if recipe.discount_rare_values:
        table = discount_rare_values(table)
    values, attributes = rule.values(table), rule.attributes(table)
    return Scores(values, attributes, np.minimum(values, attributes[table.owner]))


def find_ranks(base: CaseBase, recipe: Recipe) -> RankTable:
    """Rank all values as the recipe's strategy does."""
    key = find_ranks, *_ranking(recipe)
    return base.derive(key, lambda: _rank(base, recipe))


def _ranking(recipe: Recipe) -> tuple[object, ...]:
    """Settings that ranks depend on."""
    return recipe.selection, recipe.measure, recipe.discount_rare_values


def _rank(base: CaseBase, recipe: Recipe) -> RankTable:
    offsets = base.cases.offsets
    if recipe.selection == "none":
        return rank_columns(offsets)
    scores = find_scores(base, recipe)
    if recipe.selection == "eager":
        return rank_attributes(scores.attributes, offsets)
    return rank_values(scores.lazy, scores.attributes, offsets)


def find_ranks_without(base: CaseBase, recipe: Recipe) -> list[RankTable]:
    """Rank all values for cases that are left out: a table for each class."""
    if recipe.selection == "none":
        return [rank_columns(base.cases.offsets)] * base.cases.class_counts.size
    key = find_ranks_without, *_ranking(recipe)
    return base.derive(key, lambda: _rank_without(base, recipe))


def _rank_without(base: CaseBase, recipe: Recipe) -> list[RankTable]:
    def score(counts: Ints, offsets: Ints) -> tuple[Floats, Floats]:
        found = _score(counts, offsets, recipe)
        if recipe.selection == "eager":
            return np.repeat(found.attributes, np.diff(offsets)), found.attributes
        return found.lazy, found.attributes

    cases, fallbacks = base.cases, find_scores(base, recipe).attributes
    found = _find_entropies(base, recipe)
    if found is not None:
        is_eager = recipe.selection == "eager"
        values = found.whole if is_eager else np.minimum(found.own, found.whole)
        return rank_by_class(values, found.whole, fallbacks, cases.offsets)
    return rank_without_own_row(cases.counts, cases.offsets, score, fallbacks)


def find_correlations(base: CaseBase) -> Floats:
    """The symmetric uncertainty of any two attributes."""
    return base.derive(find_correlations, lambda: _correlate(base))


def _correlate(base: CaseBase) -> Floats:
    cases = base.cases
    codes = np.ascontiguousarray(cases.codes[:, : cases.n_rows])
    sizes = np.diff(cases.offsets).tolist()
    rows = [
        correlate_columns(codes, cases.offsets, codes[j], size)
        for j, size in enumerate(sizes)
    ]
    return np.array(rows)
