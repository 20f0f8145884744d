"""The attributes of each query of a batch, by any strategy."""

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch
from sklazy.flow import MISSING, Selected
from sklazy.measures import (
    RankTable,
    entropy,
    find_redundant,
    pack_sets,
    select_by_consistency,
    select_by_correlation,
    select_lowest,
    select_range,
    select_without_own_row,
)
from sklazy.methods.selection.hierarchy import find_hierarchy, find_states
from sklazy.methods.selection.recipe import Recipe
from sklazy.methods.selection.result import Choice
from sklazy.methods.selection.scores import (
    Scores,
    find_correlations,
    find_ranks,
    find_ranks_without,
    find_scores,
)


class Selection:
    """The attributes of a batch of queries, found part by part.

    Parameters
    ----------
    batch : Batch
    recipe : Recipe
    n_selected : int
        How many attributes the strategies that rank take.
    ranks : RankTable, optional
        Of the strategies that rank; not needed where rows are left out.

    """

    def __init__(
        self,
        batch: Batch,
        recipe: Recipe,
        n_selected: int,
        ranks: RankTable | None = None,
    ) -> None:
        self.batch, self.recipe, self.ranks = batch, recipe, ranks
        self.n_queries = len(batch.queries.codes)
        attributes = np.empty((self.n_queries, n_selected), np.int32)
        counts = np.full(self.n_queries, n_selected, np.int32)
        self._selected, self._waits = Selected(attributes, counts), False

    @property
    def selected(self) -> Selected:
        """The attributes in use."""
        if self._waits:
            self._waits = False
            self.run(0, self.n_queries)
        return self._selected

    def wait(self) -> None:
        """Find attributes when they are asked for: a device reads ranks itself."""
        self._waits = True

    @property
    def waiting_ranks(self) -> RankTable | None:
        """Rank table of a selection that has not been computed yet, else None."""
        return self.ranks if self._waits else None

    @property
    def n_most(self) -> int:
        """How many attributes a query uses, at most."""
        return self._selected.attributes.shape[1]

    def run(self, first: int, last: int) -> None:
        """Find the attributes of the queries ``first..last - 1``."""
        codes, excluded = self.batch.queries.codes, self.batch.excluded
        attributes = self._selected.attributes
        if excluded is None:
            assert self.ranks is not None
            select_range(codes, self.ranks, attributes, first, last)
            return
        ranks = find_ranks_without(self.batch.base, self.recipe)
        classes, _ = self.batch.part(first, last).own_classes()
        attributes[first:last] = select_without_own_row(
            codes[first:last], classes, ranks, attributes.shape[1]
        ).attributes

    def choice(self, query: int) -> Choice:
        """Why a query uses its attributes."""
        codes = self.batch.queries.codes[query]
        used = self.selected.attributes[query, : self.selected.counts[query]]
        ranks = np.zeros(codes.size, np.int64)
        ranks[self._order(query)] = np.arange(1, codes.size + 1)
        mask = np.zeros(codes.size, bool)
        mask[used] = True
        own = self._scores_of(codes)
        n_same = self._count_same(codes)
        return Choice(own.lazy, own.values, own.attributes, ranks, n_same, mask)

    def _count_same(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many cases have each of one query's values, -1 where it is missing."""
        known = codes >= 0
        cells = (self.batch.cases.offsets[:-1] + codes)[known]
        n_same = np.where(codes == MISSING, -1, 0).astype(np.int64)
        n_same[known] = self.batch.cases.counts[cells].sum(axis=1)
        return n_same

    def _order(self, query: int) -> NDArray[np.int32]:
        """All attributes, in the order in which the strategy would take them."""
        ranks = find_ranks(self.batch.base, self.recipe)
        codes = self.batch.queries.codes[query : query + 1]
        return select_lowest(codes, ranks, codes.shape[1]).attributes[0]

    def _scores_of(self, codes: NDArray[np.int32]) -> Scores:
        """The scores of one query's values, shapes (n_attributes,)."""
        scores = find_scores(self.batch.base, self.recipe)
        known = codes >= 0
        cells = self.batch.cases.offsets[:-1] + np.maximum(codes, 0)
        values = np.full(codes.size, np.nan)
        values[known] = scores.values[cells[known]]
        lazy = np.fmin(values, scores.attributes)
        return Scores(
            np.where(np.isinf(values), np.nan, values), scores.attributes, lazy
        )


class EverySelection(Selection):
    """All attributes in the order of the columns, for any query."""

    def __init__(self, batch: Batch, recipe: Recipe, n_selected: int) -> None:
        super().__init__(batch, recipe, n_selected)
        self._selected.attributes[:] = np.arange(n_selected)

    def run(self, first: int, last: int) -> None:
        """Leave them as they are."""


class SetSelection(Selection):
    """Attributes chosen as a set: how many is part of the choice."""

    def __init__(self, batch: Batch, recipe: Recipe, n_selected: int) -> None:
        super().__init__(batch, recipe, n_selected)
        self._selected.attributes[:] = -1

    def run(self, first: int, last: int) -> None:
        """Find the attributes of the queries ``first..last - 1``."""
        part = self.batch.part(first, last)
        found = _WAYS[self.recipe.selection](self, part)
        self.selected.counts[first:last] = found.counts
        self.selected.attributes[first:last, : found.attributes.shape[1]] = (
            found.attributes
        )

    def _consistent(self, part: Batch) -> Selected:
        codes = np.ascontiguousarray(part.queries.codes)
        support = self.recipe.min_support
        return select_by_consistency(part.cases, codes, support, part.excluded)

    def _correlated(self, part: Batch) -> Selected:
        scores = np.array([self._scores_of(codes).lazy for codes in part.queries.codes])
        overall = float(entropy(part.cases.class_counts))
        correlations = find_correlations(part.base)
        return select_by_correlation(scores, overall, correlations)

    def _not_implied(self, part: Batch) -> Selected:
        states = find_states(part.base, part.queries, self.recipe)
        ancestors = find_hierarchy(part.base, self.recipe)
        kept = ~find_redundant(states, ancestors)
        return pack_sets([np.flatnonzero(row).tolist() for row in kept])

    def _order(self, query: int) -> NDArray[np.int32]:
        """The set, then the others as lazy selection would take them."""
        used = self.selected.attributes[query, : self.selected.counts[query]]
        own = self._scores_of(self.batch.queries.codes[query])
        by_score = np.lexsort((own.attributes, own.lazy)).astype(np.int32)
        return np.concatenate([used, by_score[~np.isin(by_score, used)]])


_WAYS = {
    "lazy-cfs": SetSelection._correlated,
    "lazy-consistency": SetSelection._consistent,
    "lazy-hip": SetSelection._not_implied,
}
