"""Cases as lazy selection for numbers sees them, once for every state of the base.

Rows lie in canonical order, numbers have bins by the target's ranks, and what targets
count is summed up by value.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, left_out_places
from sklazy.casebase import CaseBase
from sklazy.casebase.cuts import NumberBins, bin_codes, column_number_cuts
from sklazy.flow import Cases, Narrow, Queries
from sklazy.kernels.bits import build_bits, words_for
from sklazy.measures import RankTable, rank_attributes, rank_columns, rank_values
from sklazy.measures.magnitudes import find_unit
from sklazy.measures.spread import (
    Spreads,
    SpreadTable,
    score_spreads,
    score_targets,
    sum_spreads,
)
from sklazy.methods.selection.recipe import Recipe
from sklazy.neighbors import ScaledColumns, prepare_columns
from sklazy.neighbors.boxed import BoxedCases, box_cases

_NO_BITS = np.zeros((1, 1), np.uint64)
_MOST_BIT_VALUES = 64  # of an attribute; sets of more are made when they are asked for


class NumberCases(NamedTuple):
    """The cases in canonical order.

    Attributes
    ----------
    cuts : list of float64 arrays, one for each attribute
        By the ranks of the target; none for nominal attributes.
    bins : NumberBins
        The same, to code queries by.
    cases : Cases
        One class for all, and no bit sets yet.
    targets : float64 array of shape (n_rows,)
        Times the unit.
    unit : float
        The factor of the targets, so that their differences are finite.
    weights : float64 array of shape (n_rows,), or None where all weigh 1
    """

    cuts: list[Floats]
    bins: NumberBins
    cases: Cases
    targets: Floats
    unit: float
    weights: Floats | None


def number_cases(base: CaseBase) -> NumberCases:
    """The cases in canonical order, binned."""
    return base.derive(number_cases, lambda: _order_cases(base))


def _order_cases(base: CaseBase) -> NumberCases:
    memory, order = base.cases, base.order
    # `take` leaves the rows of an attribute beside each other; an index would not.
    targets, numbers = memory.targets[0, order], memory.numbers.take(order, axis=1)
    codes, cuts = (
        memory.codes.whole.take(order, axis=1),
        [np.zeros(0) for _ in base.names],
    )
    ranks, numeric = score_targets(targets, "rank_variance"), _numeric(memory)
    for j in numeric.tolist():
        own = numbers[memory.numeric[j]]
        cuts[j] = column_number_cuts(own, ranks)
        codes[j] = bin_codes(own, cuts[j])
    widths = np.diff(memory.offsets)
    widths[numeric] = [len(cuts[j]) + 1 for j in numeric]
    offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    unit = find_unit(targets)
    cases = Cases(
        n_rows=base.n_rows,
        codes=Narrow(codes),
        offsets=offsets,
        counts=np.zeros((offsets[-1], 1), np.int64),
        class_counts=np.array([base.n_rows]),
        classes=Narrow(np.zeros(base.n_rows, np.int8)),
        starts=np.full(len(base.names), -1, np.int64),
        value_bits=_NO_BITS,
        class_bits=_NO_BITS,
        numeric=memory.numeric,
        numbers=numbers,
        ranges=memory.ranges,
        targets=targets[None],
        weights=memory.weights[order],
    )
    weights = cases.weights if base.weighted else None
    bins = NumberBins.of(numeric, [cuts[j] for j in numeric])
    return NumberCases(cuts, bins, cases, targets * unit, unit, weights)


def _numeric(cases: Cases) -> Ints:
    """Which attributes are numeric."""
    return np.flatnonzero(cases.numeric >= 0)


class Searched(NamedTuple):
    """The cases as a search takes them."""

    cases: Cases
    columns: ScaledColumns
    boxed: BoxedCases | None


def searched_cases(base: CaseBase, discretize: bool) -> Searched:
    """Cases to be searched by their numbers or, if discretized, by their bins."""
    key = searched_cases, discretize
    return base.derive(key, lambda: _to_search(number_cases(base).cases, discretize))


def _to_search(cases: Cases, discretize: bool) -> Searched:
    if discretize:
        nowhere = np.full_like(cases.numeric, -1)
        nothing = np.zeros((0, cases.n_rows)), np.zeros((0, 2))
        cases = cases._replace(numeric=nowhere, numbers=nothing[0], ranges=nothing[1])
    if (cases.numeric < 0).all():
        cases = _with_bits(cases)
    columns = prepare_columns(cases)
    return Searched(cases, columns, box_cases(cases, columns.kinds))


def _with_bits(cases: Cases) -> Cases:
    """Cases with the bit sets of the rows that have a value."""
    widths = np.diff(cases.offsets)
    few = widths <= _MOST_BIT_VALUES
    firsts = np.concatenate([[0], np.cumsum(widths[few])]).astype(np.int64)
    starts = np.full(len(widths), -1, np.int64)
    starts[few] = firsts[:-1]
    bits = build_bits(cases.codes[few], firsts, words_for(cases.n_rows))
    return cases._replace(starts=starts, value_bits=bits)


class Asked(NamedTuple):
    """Queries as these cases see them.

    Attributes
    ----------
    base : CaseBase
    queries : Queries
        Numbers coded by their bins.
    excluded : int64 array of shape (n_queries,), or None
        For each query the case that it is, by its canonical place.
    """

    base: CaseBase
    queries: Queries
    excluded: Ints | None

    def __len__(self) -> int:
        return len(self.queries.codes)

    def part(self, first: int, last: int) -> "Asked":
        """The queries ``first..last - 1`` by themselves."""
        here, (codes, values) = slice(first, last), self.queries
        excluded = None if self.excluded is None else self.excluded[here]
        return Asked(self.base, Queries(codes[here], values[here]), excluded)


def ask(batch: Batch) -> Asked:
    """Put a batch of queries to the cases in canonical order."""
    base, (codes, values) = batch.base, batch.queries
    codes, values = codes.copy(), np.ascontiguousarray(values)
    number_cases(base).bins.code(values, codes)
    excluded = batch.excluded
    if excluded is not None:
        excluded = left_out_places(base, excluded)
    return Asked(base, Queries(codes, values), excluded)


def ask_of_cases(base: CaseBase, places: Ints) -> Asked:
    """Put cases, by their canonical places, as queries; each is left out."""
    cases = number_cases(base).cases
    codes = np.ascontiguousarray(cases.codes[:, places].T)
    values = np.full(codes.shape, np.nan)
    numeric = _numeric(cases)
    values[:, numeric] = cases.numbers[np.ix_(cases.numeric[numeric], places)].T
    return Asked(base, Queries(codes, values), places)


class Summed(NamedTuple):
    """Scores of the targets in canonical order, and summed by value."""

    scores: Ints
    table: SpreadTable


def sum_targets(base: CaseBase, measure: str) -> Summed:
    """Add up what targets count under a measure."""
    return base.derive((sum_targets, measure), lambda: _sum(base, measure))


def _sum(base: CaseBase, measure: str) -> Summed:
    cases = number_cases(base).cases
    scores = score_targets(cases.targets[0], measure)
    return Summed(scores, sum_spreads(cases.codes.whole, cases.offsets, scores))


def find_spreads(base: CaseBase, recipe: Recipe) -> Spreads:
    """Score all values and attributes."""
    key = find_spreads, recipe.measure, recipe.discount_rare_values
    return base.derive(key, lambda: _score(sum_targets(base, recipe.measure), recipe))


def _score(summed: Summed, recipe: Recipe) -> Spreads:
    return score_spreads(summed.table, discounts=recipe.discount_rare_values)


def find_number_ranks(base: CaseBase, recipe: Recipe) -> RankTable:
    """Rank all values as the recipe's strategy does."""
    rare = recipe.discount_rare_values
    key = find_number_ranks, recipe.selection, recipe.measure, rare
    return base.derive(key, lambda: _rank(base, recipe))


def _rank(base: CaseBase, recipe: Recipe) -> RankTable:
    offsets = number_cases(base).cases.offsets
    if recipe.selection == "none":
        return rank_columns(offsets)
    found = find_spreads(base, recipe)
    if recipe.selection == "eager":
        return rank_attributes(found.attributes, offsets)
    return rank_values(found.lazy, found.attributes, offsets)


def order_without_own_row(
    asked: Asked, recipe: Recipe, query: int
) -> NDArray[np.int32]:
    """All attributes of a case that is left out, the most telling first."""
    codes = asked.queries.codes[query]
    if recipe.selection == "none" or asked.excluded is None:
        return np.arange(codes.size, dtype=np.int32)
    summed = sum_targets(asked.base, recipe.measure)
    known = np.flatnonzero(codes >= 0)
    offsets = summed.table.offsets
    own = int(summed.scores[asked.excluded[query]])
    table = summed.table.without(offsets[known] + codes[known], own)
    found = score_spreads(table, discounts=recipe.discount_rare_values)
    lowest = found.attributes.copy()
    if recipe.selection == "lazy":
        lowest[known] = found.lazy[offsets[known] + codes[known]]
    return np.lexsort((found.attributes, lowest)).astype(np.int32)
