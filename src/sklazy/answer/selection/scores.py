"""What values and attributes are worth, and their ranking: once for a state."""

from typing import NamedTuple

import numpy as np

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.selection.recipe import Recipe
from sklazy.casebase import CaseBase
from sklazy.measures import CountTable, correlate, find_measure
from sklazy.selection import (
    RankTable,
    rank_attributes,
    rank_columns,
    rank_values,
    rank_without_own_row,
)


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


def find_scores(base: CaseBase, measure: str) -> Scores:
    """Score all values and attributes."""
    cases = base.cases
    return base.derive(
        (find_scores, measure), lambda: _score(cases.counts, cases.offsets, measure)
    )


def _score(counts: Ints, offsets: Ints, measure: str) -> Scores:
    table, rule = CountTable(counts, offsets), find_measure(measure)
    values, attributes = rule.values(table), rule.attributes(table)
    return Scores(values, attributes, np.minimum(values, attributes[table.owner]))


def find_ranks(base: CaseBase, recipe: Recipe) -> RankTable:
    """Rank all values as the recipe's strategy does."""
    key = (find_ranks, recipe.selection, recipe.measure)
    return base.derive(key, lambda: _rank(base, recipe))


def _rank(base: CaseBase, recipe: Recipe) -> RankTable:
    offsets = base.cases.offsets
    if recipe.selection == "none":
        return rank_columns(offsets)
    scores = find_scores(base, recipe.measure)
    if recipe.selection == "eager":
        return rank_attributes(scores.attributes, offsets)
    return rank_values(scores.lazy, scores.attributes, offsets)


def find_ranks_without(base: CaseBase, recipe: Recipe) -> list[RankTable]:
    """Rank all values for cases that are left out: a table for each class."""
    if recipe.selection == "none":
        return [rank_columns(base.cases.offsets)] * base.cases.class_counts.size
    key = (find_ranks_without, recipe.selection, recipe.measure)
    return base.derive(key, lambda: _rank_without(base, recipe))


def _rank_without(base: CaseBase, recipe: Recipe) -> list[RankTable]:
    def score(counts: Ints, offsets: Ints) -> tuple[Floats, Floats]:
        found = _score(counts, offsets, recipe.measure)
        if recipe.selection == "eager":
            return np.repeat(found.attributes, np.diff(offsets)), found.attributes
        return found.lazy, found.attributes

    return rank_without_own_row(base.cases.counts, base.cases.offsets, score)


def find_correlations(base: CaseBase) -> Floats:
    """The symmetric uncertainty of any two attributes."""
    return base.derive(find_correlations, lambda: _correlate(base))


def _correlate(base: CaseBase) -> Floats:
    cases = base.cases
    codes = np.ascontiguousarray(cases.codes[:, : cases.n_rows])
    sizes = np.diff(cases.offsets).tolist()
    rows = [
        correlate(codes, cases.offsets, codes[j], size) for j, size in enumerate(sizes)
    ]
    return np.array(rows)
