"""Lazy attribute selection, top to bottom: attributes, how many, votes, decision."""

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Votes, class_totals
from sklazy.answer.learner import Effort
from sklazy.answer.leave_one_out import classes_stay, cuts_stay
from sklazy.answer.target import CLASSES, Target
from sklazy.casebase import CaseBase
from sklazy.flow import Queries, Selected
from sklazy.measures import RankTable, how_many, to_mask
from sklazy.methods.selection.amounts import (
    best_count,
    best_pair,
    decide_with_each,
    local_counts,
)
from sklazy.methods.selection.choosing import EverySelection, Selection, SetSelection
from sklazy.methods.selection.host import Host
from sklazy.methods.selection.nearest import NearestHost
from sklazy.methods.selection.recipe import RANKED, WITHOUT_AMOUNT, Recipe, Rule
from sklazy.methods.selection.result import SelectionAnswer
from sklazy.methods.selection.scores import find_ranks

# Cells of a matrix, and queries, that are answered at once: memory used again and
# again is faster than new memory.
_MOST_CELLS, _LEAST_QUERIES = 500_000, 256


class SelectionCases(NamedTuple):
    """State shared by all queries.

    Attributes
    ----------
    n_selected : int
        How many attributes a query uses, at most.
    rule : Rule
        How that number was found.
    host : Host
        The classifier, every number settled.
    ranks : RankTable, or None where attributes are chosen as a set
    priors : array of shape (n_classes,)
        Rows of each class, or their weights.
    effort : Effort
    takes_all : bool
        Whether all attributes are used, and their ranks are not needed.
    reads_bins : bool
        Whether attributes are selected, or compared, by the bins of numbers.
    host_selects : bool
        Whether ranks are all that the host needs to know of plain queries.
    """

    n_selected: int
    rule: Rule
    host: Host
    ranks: RankTable | None
    priors: Votes
    effort: Effort
    takes_all: bool
    reads_bins: bool
    host_selects: bool


@dataclass(frozen=True)
class SelectionLearner:
    """Chooses attributes for each query, and lets a host classify by them.

    Attributes
    ----------
    recipe : Recipe
        How attributes are chosen.
    host : Host
        Classifies by them.
    """

    recipe: Recipe
    host: Host

    target: ClassVar[Target] = CLASSES

    def prepare(self, base: CaseBase) -> SelectionCases:
        """Find the number of attributes, and what ranks them."""
        n_selected, rule, host = self._find_amount(base)
        selection, reads_ranks = self.recipe.selection, host.reads_ranks(base)
        takes_all = selection == "none" and not reads_ranks
        by_numbers = isinstance(host, NearestHost) and not host.discretize
        ranked = selection in RANKED and not takes_all
        host_selects = ranked and reads_ranks and rule not in ("local", "vote")
        ready = SelectionCases(
            n_selected,
            rule,
            host,
            find_ranks(base, self.recipe) if ranked else None,
            class_totals(base),
            _effort(base, host, n_selected, rule),
            takes_all,
            not (by_numbers and takes_all),
            host_selects,
        )
        if not ready.reads_bins:
            return ready  # the first query finds what others share
        nothing = np.empty((0, len(base.names)))
        batch = Batch(base, base.cases, Queries(nothing.astype(np.int32), nothing))
        host.start(batch, self._select(ready, batch))
        return ready

    def answer(self, ready: SelectionCases, batch: Batch) -> SelectionAnswer:
        """Select attributes, let the host vote on them, decide."""
        selection = self._select(ready, batch)
        work = ready.host.start(batch, selection)
        ballots = None
        if ready.rule == "vote":
            ballots = decide_with_each(batch, work, selection.selected.attributes, 0)
        else:
            work.run(0, selection.n_queries)
        return SelectionAnswer(
            recipe=self.recipe,
            base=batch.base,
            queries=batch.queries,
            rule=ready.rule,
            priors=ready.priors if batch.excluded is None else batch.priors(),
            ballots=ballots,
            chooser=selection,
            work=work,
        )

    def settle(self, base: CaseBase) -> "SelectionLearner":
        """The same learner with the numbers that the cases call for."""
        n_selected, rule, host = self._find_amount(base)
        recipe = self.recipe
        if rule == "auto":
            recipe = replace(recipe, n_attributes=n_selected)
        return replace(self, recipe=recipe, host=host)

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """All but rows behind a cut, and the only ones of a class."""
        recipe = self.recipe
        counted = recipe.selection in ("lazy", "eager")
        nested = counted and recipe.n_attributes in ("auto", "local")
        if nested or recipe.selection == "lazy-cfs":
            return np.zeros(base.n_rows, bool)
        if not self.host.can_leave_out(base) or self._open_host() is not None:
            return np.zeros(base.n_rows, bool)
        others = classes_stay(base)
        if recipe.selection == "none" and not self.host.discretize:
            return others
        return others & cuts_stay(base, recipe.n_jobs)

    def _select(self, ready: SelectionCases, batch: Batch) -> Selection:
        """The attributes of each query, as many as called for."""
        if ready.takes_all:
            return EverySelection(batch, self.recipe, ready.n_selected)
        if ready.ranks is None:
            selection: Selection = SetSelection(batch, self.recipe, ready.n_selected)
        else:
            selection = Selection(batch, self.recipe, ready.n_selected, ready.ranks)
        if ready.host_selects and batch.excluded is None:
            selection.wait()
            return selection
        selection.run(0, selection.n_queries)
        if ready.rule == "local":
            attributes, counts = selection.selected
            counts[:] = local_counts(batch, self.recipe, ready.host, attributes)
        return selection

    def _open_host(self) -> NearestHost | None:
        """The host, if its number of neighbors is yet to be chosen."""
        host = self.host
        return host if isinstance(host, NearestHost) and host.candidates else None

    def _find_amount(self, base: CaseBase) -> tuple[int, Rule, Host]:
        """How many attributes are selected, and the host, its neighbors counted."""
        n_given, rule = self._given_amount(len(base.names))
        host, is_auto = self._open_host(), rule == "auto"
        if host is not None:
            given = None if is_auto else n_given
            n_selected, n_neighbors = best_pair(base, self.recipe, host, given)
            return n_selected, rule, host.with_neighbors(n_neighbors)
        if is_auto:
            return best_count(base, self.recipe, self.host), rule, self.host
        return n_given, rule, self.host

    def _given_amount(self, n_attributes: int) -> tuple[int, Rule]:
        """How many attributes are selected; all where that is yet to be found."""
        wanted = self.recipe.n_attributes
        if self.recipe.selection in WITHOUT_AMOUNT:
            return n_attributes, WITHOUT_AMOUNT[self.recipe.selection]
        if isinstance(wanted, str):
            return n_attributes, cast(Rule, wanted)
        rule: Rule = "count" if isinstance(wanted, int | np.integer) else "fraction"
        return how_many(wanted, n_attributes), rule


def _effort(base: CaseBase, host: Host, n_selected: int, rule: Rule) -> Effort:
    """Looking at every number of attributes takes many times as long."""
    times = {"vote": 10.0, "local": 100.0}.get(rule, 1.0)
    cost = 1.0 + times * host.cost(base, n_selected)
    slices = host.slices(base)
    if slices is not None:
        return Effort(cost, *slices)
    most = max(_LEAST_QUERIES, _MOST_CELLS // len(base.names))
    return Effort(cost, 1, most)


class Chosen(NamedTuple):
    """The attributes of a batch of queries, without an answer.

    Attributes
    ----------
    base : CaseBase
    queries : Queries
    selected : Selected
    """

    base: CaseBase
    queries: Queries
    selected: Selected

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which attributes each query uses, (n_queries, n_attributes)."""
        return to_mask(self.selected, len(self.base.names))


class ChoiceLearner(SelectionLearner):
    """The first step of lazy selection alone: which attributes each query uses."""

    def answer(  # type: ignore[override]
        self, ready: SelectionCases, batch: Batch
    ) -> Chosen:
        """Select attributes."""
        selected = self._select(ready, batch).selected
        return Chosen(batch.base, batch.queries, selected)
