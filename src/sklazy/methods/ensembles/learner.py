"""Ensembles of a query's own: neighbors, bags, members, and one answer of them.

References
----------
Zhu, X., Yang, Y.: A lazy bagging approach to classification. Pattern Recognition 41,
2008.
"""

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, left_out_places
from sklazy.answer.learner import Effort
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.flow import Bags, Neighbors, Queries
from sklazy.forking import cached_property
from sklazy.methods.ensembles.combining import (
    BY_RECORD,
    Combined,
    combine_classes,
    combine_numbers,
)
from sklazy.methods.ensembles.data import (
    ClassData,
    EnsembleData,
    find_copies,
    prepare_data,
)
from sklazy.methods.ensembles.evidence import Evidence
from sklazy.methods.ensembles.members import (
    BagMember,
    RandomTreeMember,
    TreeMember,
    ask_member,
)
from sklazy.methods.paths.bags import bag_size, beta_neighbors, draw_weights, plan_bags

N_TRIED = 25
"""Nearest cases on which members are tried."""

_MOST_CELLS = 4_000_000  # neighbors and members' answers in memory at one time
_MOST_QUERIES = 8192
_WORTH_FEWER = 5000  # draws; bags of more are slow


@dataclass(frozen=True, eq=False)
class EnsembleAnswer:
    """A batch of answered queries, with the members' answers.

    Attributes
    ----------
    learner : EnsembleLearner
    data : EnsembleData
    queries : Queries
    bags : Bags
    outputs : float64 array of shape (n_queries, n_bags, n_outputs)
        Outputs of each member: class probabilities, or one number, in the units of
        the data.
    combined : Combined
        The combined answers of the members.
    traced : (changes, starts), or None
        Changes of the outputs along random paths, and where they start, if the
        learner traces them; see `trace_changes`.
    searched : Neighbors, optional
        The nearest cases, where answers needed them.
    """

    learner: "EnsembleLearner"
    data: EnsembleData
    queries: Queries
    bags: Bags
    outputs: Floats
    combined: Combined
    traced: tuple[Floats, Floats] | None = None
    searched: Neighbors | None = None

    @cached_property
    def neighbors(self) -> Neighbors:
        """The nearest cases; the first of them are those that bags are enriched with.

        Plain bags need none: they are looked for when a receipt lists them.
        """
        if self.searched is not None:
            return self.searched
        return self.data.nearest(self.queries, min(N_TRIED, self.data.n_rows))

    @property
    def base(self) -> CaseBase:
        """The cases that answered."""
        return self.data.base

    @property
    def weights(self) -> Floats:
        """Weight of each member, (n_queries, n_bags)."""
        return self.combined.weights

    @property
    def values(self) -> Floats:
        """Predictions of numbers, (n_queries, 1)."""
        return self.combined.outputs / self.data.unit

    @property
    def member_values(self) -> Floats:
        """Each member's prediction of a number, (n_queries, n_bags)."""
        return self.outputs[:, :, 0] / self.data.unit

    @property
    def probabilities(self) -> Floats:
        """The share of each class, (n_queries, n_classes)."""
        return self.combined.outputs

    @property
    def decisions(self) -> Ints:
        """The class of each query."""
        return self.combined.decisions

    @property
    def votes(self) -> Ints:
        """Each member's class, (n_queries, n_bags)."""
        return self.combined.votes


class EnsembleCases(NamedTuple):
    """The cases, how many neighbors bags hold, and what a query takes."""

    data: EnsembleData
    n_near: int
    effort: Effort


@dataclass(frozen=True)
class EnsembleLearner:
    """Draws bags around each query, and lets members built on them answer.

    Attributes
    ----------
    target : Target
    members : tuple of BagMember
        The kinds of members, which take the bags in turn.
    n_estimators : int
        The number of bags.
    beta : float
        Decides how many neighbors bags hold.
    n_neighbors : int or None
        Or exactly this number; 0 for plain bags.
    combine : str
        How members' answers become one; see `COMBINATIONS`.
    share_bags : bool
        Whether queries share what is drawn from all rows.
    max_samples : int, float, "auto" or None
        How many draws a bag has; see `bag_size`. Only trees and random paths can do
        with fewer than there are rows.
    seed : int
    approximate : bool
        Whether categories and classes stay those of all rows when rows are left out of
        the bags of random paths.
    in_part : bool
        Whether one of the copies that a whole weight stands for is left out, not all.
    traces : bool
        Whether answers by random paths hold the changes along them, for contributions.
    """

    target: Target
    members: tuple[BagMember, ...]
    n_estimators: int = 10
    beta: float = 0.99
    n_neighbors: int | None = None
    combine: str = "vote"
    share_bags: bool = False
    max_samples: float | str | None = None
    seed: int = 0
    approximate: bool = field(default=False, compare=False)
    in_part: bool = field(default=False, compare=False)
    traces: bool = field(default=False, compare=False)

    keeps_choices: ClassVar[bool] = True
    """It chooses nothing by the targets of all rows."""

    def prepare(self, base: CaseBase) -> EnsembleCases:
        """Order and weigh the cases, and find what the members need."""
        data = prepare_data(base, self.target)
        for member in self.members:
            member.prepare(data)
        n_near = self._n_near(data.n_rows)
        return EnsembleCases(data, n_near, self._effort(data, n_near))

    def answer(self, ready: EnsembleCases, batch: Batch) -> EnsembleAnswer:
        """Search, draw bags, ask the members, combine."""
        data, queries = ready.data, batch.queries
        neighbors = None
        if ready.n_near or self._is_weighted:
            n_nearest = min(max(ready.n_near, N_TRIED), data.n_rows)
            neighbors = data.nearest(queries, n_nearest)
            near = neighbors.rows[:, : ready.n_near]
        else:
            near = np.zeros((len(batch), 0), np.int32)
        seeds = self.n_estimators, self.seed
        bags = plan_bags(
            queries,
            data.is_numeric,
            near,
            *seeds,
            share=self.share_bags,
            left_out=_left_out(data, batch),
            max_draws=self._n_draws(data.n_rows),
        )
        member, traced = self.members[0], None
        is_traced = self.traces and not self.members[1:]
        if is_traced and isinstance(member, RandomTreeMember):
            outputs, *both = member.trace(data, queries, bags)
            traced = both[0], both[1]
        else:
            outputs = self.ask(data, queries, bags)
        combined = self.combine_outputs(data, neighbors, bags, outputs)
        parts = bags, outputs, combined, traced, neighbors
        return EnsembleAnswer(self, data, queries, *parts)

    def _effort(self, data: EnsembleData, n_near: int) -> Effort:
        """A search and the members of all bags; memory for what they answer."""
        n_bags = -(-self.n_estimators // len(self.members))
        cost = n_bags * sum(member.cost(data) for member in self.members)
        cost *= self._n_draws(data.n_rows) / data.n_rows
        cost += 100.0 * max(n_near, N_TRIED) + 0.3 * data.codes.size
        n_tried = N_TRIED if self._is_weighted else 1
        cells = n_tried * (max(N_TRIED, n_near) + self.n_estimators * data.n_outputs)
        fewest = 256 if self.share_bags else 16  # what is shared is made per slice
        most = int(np.clip(_MOST_CELLS / cells, fewest, _MOST_QUERIES))
        faster = self._faster(data.n_rows)
        return Effort(cost, fewest, most, faster=faster, memory=8.0 * cells)

    def _faster(self, n_rows: int) -> str:
        """Suggest parameters that take less time."""
        fewer = f"n_estimators={max(1, self.n_estimators // 10)}"
        by_trees = all(isinstance(member, TreeMember) for member in self.members)
        if not by_trees or self._n_draws(n_rows) <= _WORTH_FEWER:
            return fewer
        return f"{fewer} or max_samples={_WORTH_FEWER}"

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """Those that the plain bags of random paths can do without.

        Other bags and members depend on relevances of all rows, which are forgotten.
        So are the only rows of a class or a category, without which others have other
        numbers, unless these may stay.
        """
        drawn = all(isinstance(member, RandomTreeMember) for member in self.members)
        others = base.n_rows - 1
        fewer = min(self._n_draws(base.n_rows), others) != self._n_draws(others)
        if not drawn or self.n_neighbors != 0 or self._is_weighted or fewer:
            return np.zeros(base.n_rows, bool)
        return (~_are_lonely(base) | self.approximate) & self._are_single(base)

    def _are_single(self, base: CaseBase) -> NDArray[np.bool_]:
        """Which rows are left out with a copy, (n_rows,), as they lie in the base.

        Without a row, those of equal content have other copies if weights differ.
        """
        copies = find_copies(base)
        if copies is None:
            return np.ones(base.n_rows, bool)
        if self.in_part and (base.weights == np.round(base.weights)).all():
            return np.ones(base.n_rows, bool)
        single = np.empty(base.n_rows, bool)
        single[base.order] = (copies <= 1) & self.approximate
        return single

    def _n_near(self, n_rows: int) -> int:
        """How many neighbors the bags of `n_rows` rows hold."""
        n_draws = self._n_draws(n_rows)
        if self.n_neighbors is None:
            return beta_neighbors(n_draws, self.beta)
        return min(self.n_neighbors, n_draws)

    def _n_draws(self, n_rows: int) -> int:
        """How many draws the bags of `n_rows` rows have."""
        return bag_size(n_rows, self.max_samples)

    def bags_of(self, member: int) -> Ints:
        """The bags that a kind of member takes, by number."""
        return np.arange(member, self.n_estimators, len(self.members))

    def ask(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Predict by each member, (n_queries, n_bags, n_outputs)."""
        outputs = np.zeros((*bags.seeds.shape[1:], data.n_outputs))
        for i, member in enumerate(self.members[: self.n_estimators]):
            drawn = self.bags_of(i)
            outputs[:, drawn] = ask_member(
                member, data, queries, bags.choose(drawn), share=self.share_bags
            )
        return outputs

    def ask_about(
        self, data: EnsembleData, rows: NDArray[np.integer], bags: Bags
    ) -> tuple[Floats, Bags]:
        """Predict some cases by the members of each query, and repeat the bags.

        Parameters
        ----------
        data : EnsembleData
        rows : int array of shape (n_queries, n_tried)
        bags : Bags

        Returns
        -------
        outputs : float64 array of shape (n_queries * n_tried, n_bags, n_outputs)
        bags : Bags of as many queries
        """
        again = bags.take(np.repeat(np.arange(len(rows)), rows.shape[1]))
        return self.ask(data, data.as_queries(rows.ravel()), again), again

    @property
    def _is_weighted(self) -> bool:
        """Whether members count by how they do on the nearest cases."""
        return self.combine in BY_RECORD

    def combine_outputs(
        self,
        data: EnsembleData,
        neighbors: Neighbors | None,
        bags: Bags,
        outputs: Floats,
    ) -> Combined:
        """One answer of the members'."""
        tried = None
        if self._is_weighted:
            assert neighbors is not None
            rows = neighbors.rows[:, :N_TRIED]
            lacking = _are_lacking(data, bags, rows)
            tried = self.try_members(data, bags, rows), lacking
        if isinstance(data, ClassData):
            return combine_classes(self.combine, data, bags, outputs, tried)
        return combine_numbers(self.combine, outputs, tried)

    def try_members(
        self, data: EnsembleData, bags: Bags, rows: NDArray[np.integer]
    ) -> Floats:
        """The losses of members on cases near to the query.

        Parameters
        ----------
        data : EnsembleData
        bags : Bags
        rows : int array of shape (n_queries, n_tried)

        Returns
        -------
        losses : float64 array of shape (n_queries, n_tried, n_bags)
            0 or 1 for classes, squared errors for numbers.
        """
        outputs, again = self.ask_about(data, rows, bags)
        losses = data.losses(outputs, again, rows.ravel())
        return losses.reshape(*rows.shape, -1)


def _left_out(data: EnsembleData, batch: Batch) -> Ints | None:
    """The places of the cases that a batch leaves out."""
    if batch.excluded is None:
        return None
    return data.find_places(left_out_places(batch.base, batch.excluded))


def _are_lonely(base: CaseBase) -> NDArray[np.bool_]:
    """Which rows are the only ones of their class, or have a category of their own."""
    cases = base.cases
    lonely = np.zeros(base.n_rows, bool)
    if cases.class_counts.size:
        lonely |= cases.class_counts[cases.classes[: base.n_rows]] == 1
    for codes in cases.codes[cases.numeric < 0, : base.n_rows]:
        counts = np.append(np.bincount(codes[codes >= 0], minlength=1), 0)
        lonely |= (codes >= 0) & (counts[codes] == 1)
    return lonely


def _are_lacking(
    data: EnsembleData, bags: Bags, rows: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Whether bags lack rows, (n_queries, n_rows_tried, n_bags)."""
    return np.stack(
        [
            draw_weights(bags, query, data.n_rows)[:, tried].T == 0
            for query, tried in enumerate(rows)
        ]
    )


def losses_around(answer: EnsembleAnswer, query: int) -> Floats:
    """The losses of a query's members on its nearest cases, (n_tried, n_bags)."""
    bags = answer.bags.part(query, query + 1)
    rows = answer.neighbors.rows[query : query + 1, :N_TRIED]
    return answer.learner.try_members(answer.data, bags, rows)[0]


def find_evidence(answer: EnsembleAnswer, query: int) -> list[tuple[str, Evidence]]:
    """The name of each member of a query, and what its answer rests on."""
    learner, by_bag = answer.learner, dict[int, tuple[str, Evidence]]()
    here = slice(query, query + 1)
    one = Queries(answer.queries.codes[here], answer.queries.values[here])
    bags = answer.bags.part(query, query + 1)
    for i, member in enumerate(learner.members[: learner.n_estimators]):
        drawn = learner.bags_of(i)
        evidence = member.evidence(answer.data, one, bags.choose(drawn))
        pairs = zip(drawn.tolist(), evidence, strict=True)
        by_bag |= {bag: (member.name, of_bag) for bag, of_bag in pairs}
    return [by_bag[bag] for bag in range(learner.n_estimators)]
