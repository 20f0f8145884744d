"""Lazy attribute selection for numbers, top to bottom: attributes, how many, mean."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, canonical_places
from sklazy.answer.learner import Effort
from sklazy.answer.target import NUMBERS, Target
from sklazy.casebase import CaseBase
from sklazy.flow import MISSING, Queries, Selected
from sklazy.measures import RankTable, how_many, select_lowest, select_range, to_mask
from sklazy.methods.number_selection.amounts import best_number, local_numbers
from sklazy.methods.number_selection.data import (
    Asked,
    ask,
    find_number_ranks,
    find_spreads,
    number_cases,
    order_without_own_row,
)
from sklazy.methods.number_selection.host import MeanHost
from sklazy.methods.selection.learner import Chosen
from sklazy.methods.selection.recipe import WITHOUT_AMOUNT, Recipe, Rule
from sklazy.methods.selection.result import Choice
from sklazy.neighbors.averages import Voters
from sklazy.neighbors.means import MeanSearch

_MOST_CELLS, _LEAST_QUERIES = 500_000, 256  # of a matrix, answered at once


class NumberSelectionCases(NamedTuple):
    """State shared by all queries.

    Attributes
    ----------
    n_selected : int
        How many attributes a query uses, at most.
    rule : Rule
        How that number was found.
    ranks : RankTable
    effort : Effort
    """

    n_selected: int
    rule: Rule
    ranks: RankTable
    effort: Effort


@dataclass(frozen=True, eq=False)
class NumberSelectionAnswer:
    """A batch of queries, answered on the attributes that each of them uses.

    Attributes
    ----------
    recipe : Recipe
    rule : Rule
    queries : Queries
        As they came.
    asked : Asked
    selected : Selected
    search : MeanSearch
    values : float64 array of shape (n_queries, 1)
    ballots : float64 array of shape (n_queries, n_attributes), or None
        Where all numbers of attributes are averaged: the answer of each.
    """

    recipe: Recipe
    rule: Rule
    queries: Queries
    asked: Asked
    selected: Selected
    search: MeanSearch
    values: Floats
    ballots: Floats | None

    @property
    def base(self) -> CaseBase:
        """The cases that answered."""
        return self.asked.base

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which attributes each query uses, (n_queries, n_attributes)."""
        return to_mask(self.selected, len(self.base.names))

    def voters(self, query: int) -> Voters:
        """The cases that one answer is made of, by their places in the base."""
        found = self.search.find_voters(query)
        return found._replace(rows=self.base.order[found.rows])

    def agree(self, query: int, rows: Ints) -> NDArray[np.bool_]:
        """Whether cases agree with a query on each attribute that it uses, in order."""
        used = self.selected.attributes[query, : self.selected.counts[query]]
        cases, places = self.search.cases, canonical_places(self.base)[rows]
        own = self.asked.queries.codes[query, used]
        agree = (own == cases.codes[np.ix_(used, places)].T) & (own >= 0)
        numeric = np.flatnonzero(cases.numeric[used] >= 0)
        columns = np.ix_(cases.numeric[used[numeric]], places)
        values = self.queries.values[query, used[numeric]]
        agree[:, numeric] = values == cases.numbers[columns].T
        return agree

    def choice(self, query: int) -> Choice:
        """Why a query uses its attributes."""
        base, codes = self.base, self.asked.queries.codes[query]
        ranks, offsets = find_number_ranks(base, self.recipe), _offsets(base)
        places = np.zeros(codes.size, np.int64)
        order = select_lowest(codes[None], ranks, codes.size).attributes[0]
        places[order] = np.arange(1, codes.size + 1)
        known, found = codes >= 0, find_spreads(base, self.recipe)
        cells = (offsets[:-1] + codes)[known]
        values = np.full(codes.size, np.nan)
        values[known] = found.values[cells]
        n_same = np.where(codes == MISSING, -1, 0).astype(np.int64)
        n_same[known] = _count_values(base)[cells]
        used = self.mask[query]
        lazy = np.fmin(values, found.attributes)
        values = np.where(np.isinf(values), np.nan, values)
        return Choice(lazy, values, found.attributes, places, n_same, used)


def _offsets(base: CaseBase) -> NDArray[np.int64]:
    return number_cases(base).cases.offsets


def _count_values(base: CaseBase) -> NDArray[np.int64]:
    """How many cases have each value."""
    codes, offsets = number_cases(base).cases.codes.whole, _offsets(base)
    cells = (codes + offsets[:-1, None])[codes >= 0]
    return np.bincount(cells, minlength=int(offsets[-1])).astype(np.int64)


@dataclass(frozen=True)
class NumberSelectionLearner:
    """Chooses attributes for each query, and averages the nearest cases by them.

    Attributes
    ----------
    recipe : Recipe
        How attributes are chosen.
    host : MeanHost
        Predicts by them.
    approximate : bool
        Whether cuts, and what targets count, stay those of all rows when one is left
        out; its own part in the figures goes.
    """

    recipe: Recipe
    host: MeanHost
    approximate: bool = field(default=False, compare=False)

    target: ClassVar[Target] = NUMBERS

    def prepare(self, base: CaseBase) -> NumberSelectionCases:
        """Find the number of attributes, and what ranks them."""
        n_selected, rule = self._find_amount(base)
        ranks = find_number_ranks(base, self.recipe)
        times = {"vote": 10.0, "local": 100.0}.get(rule, 1.0)
        cost = 1.0 + times * self.host.cost(base, n_selected)
        most = max(_LEAST_QUERIES, _MOST_CELLS // len(base.names))
        return NumberSelectionCases(n_selected, rule, ranks, Effort(cost, 1, most))

    def answer(
        self, ready: NumberSelectionCases, batch: Batch
    ) -> NumberSelectionAnswer:
        """Select attributes, find the nearest cases on them, average."""
        asked = ask(batch)
        selected = self._select(ready, asked)
        search, ballots = self.host.start(asked, selected), None
        unit = number_cases(batch.base).unit
        if ready.rule == "vote":
            ballots = search.values_with_each(selected.attributes)
            search.values[:] = np.cumsum(ballots, axis=1)[:, -1] / ballots.shape[1]
            ballots /= unit
        else:
            search.run(0, len(batch))
        return NumberSelectionAnswer(
            self.recipe,
            ready.rule,
            batch.queries,
            asked,
            selected,
            search,
            search.values[:, None] / unit,
            ballots,
        )

    def settle(self, base: CaseBase) -> "NumberSelectionLearner":
        """The same learner with the number of attributes that the cases call for."""
        n_selected, rule = self._find_amount(base)
        settled = replace(self, approximate=True)
        if rule != "auto":
            return settled
        return replace(settled, recipe=replace(self.recipe, n_attributes=n_selected))

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """All rows where nothing is learned from their targets; else none."""
        binned = self.host.discretize and bool((base.cases.numeric >= 0).any())
        exact = self.recipe.selection == "none" and not binned
        return np.full(base.n_rows, self.approximate or exact)

    def _select(self, ready: NumberSelectionCases, asked: Asked) -> Selected:
        """The attributes of each query, as many as called for."""
        codes = asked.queries.codes
        attributes = np.empty((len(codes), ready.n_selected), np.int32)
        counts = np.full(len(codes), ready.n_selected, np.int32)
        if asked.excluded is None:
            select_range(codes, ready.ranks, attributes, 0, len(codes))
        for query in range(len(codes)) if asked.excluded is not None else ():
            order = order_without_own_row(asked, self.recipe, query)
            attributes[query] = order[: ready.n_selected]
        if ready.rule == "local":
            counts[:] = local_numbers(asked, self.recipe, self.host, attributes)
        return Selected(attributes, counts)

    def _find_amount(self, base: CaseBase) -> tuple[int, Rule]:
        """How many attributes are selected."""
        wanted, n_attributes = self.recipe.n_attributes, len(base.names)
        if self.recipe.selection in WITHOUT_AMOUNT:
            return n_attributes, WITHOUT_AMOUNT[self.recipe.selection]
        if wanted == "auto":
            return best_number(base, self.recipe, self.host), "auto"
        if isinstance(wanted, str):
            return n_attributes, cast(Rule, wanted)
        rule: Rule = "count" if isinstance(wanted, int | np.integer) else "fraction"
        return how_many(wanted, n_attributes), rule


class NumberChoiceLearner(NumberSelectionLearner):
    """The first step of lazy selection alone: which attributes each query uses."""

    def answer(  # type: ignore[override]
        self, ready: NumberSelectionCases, batch: Batch
    ) -> Chosen:
        """Select attributes."""
        return Chosen(batch.base, batch.queries, self._select(ready, ask(batch)))
