"""Scores and ranking of values and attributes, computed once for a state."""

from typing import NamedTuple

import numpy as np

from sklazy.answer.batch import Floats, Ints
from sklazy.casebase import CaseBase
from sklazy.measures import (
    CountTable,
    RankTable,
    correlate_columns,
    discount_rare_values,
    find_measure,
    rank_attributes,
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
    cases, key = base.cases, (find_scores, recipe.measure, recipe.discount_rare_values)
    return base.derive(key, lambda: _score(cases.counts, cases.offsets, recipe))


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
