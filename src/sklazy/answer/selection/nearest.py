"""The k nearest cases vote."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, Votes
from sklazy.answer.selection.host import Attributes, GivenAttributes, Neighborhood
from sklazy.answer.selection.nearest_in_parts import (
    OwnWidths,
    PartedSearch,
    PartedWeightedSearch,
)
from sklazy.answer.selection.nearest_in_pieces import scaled_columns
from sklazy.answer.selection.nearest_on_device import (
    AHEAD,
    LONG_SEARCH,
    SLICES,
    Voting,
    has_room_for,
    search_by_ranks,
    search_labels,
    search_numbers,
)
from sklazy.answer.selection.nearest_weighted import (
    WeightedSearch,
    vote_with_each_by_weight,
)
from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CodedRows
from sklazy.flow import Queries, Selected
from sklazy.neighbors import (
    MixedSearch,
    NominalSearch,
    ScaledColumns,
    count_agreements,
    find_edges,
    finish_votes,
    to_probabilities,
    vote_with_each_count,
    weigh_squares,
    widths_without,
)
from sklazy.neighbors.boxed import BoxedCases, box_cases
from sklazy.neighbors.cuda.nominal import DeviceNominalSearch
from sklazy.neighbors.cuda.weighted import DeviceWeightedSearch


@dataclass(frozen=True)
class NearestHost:
    """Nearest neighbors, those tied with the k-th included.

    Attributes
    ----------
    n_neighbors : int
        How many cases vote; where the cases shall say it, the first of `candidates`.
    discretize : bool
        Compare numbers by their bins; else by the HEOM difference.
    shares : bool
        Cases tied at the k-th place share the places left; else all vote in full.
    by_distance : bool
        A vote weighs the nearest case's distance over its own; else 1.
    device : str, or None for the CPU
        Where cases are searched.
    candidates : tuple of int
        The numbers of neighbors to choose from; empty once it is settled.
    """

    n_neighbors: int
    discretize: bool
    shares: bool = False
    by_distance: bool = False
    device: str | None = None
    candidates: tuple[int, ...] = ()

    def with_neighbors(self, n_neighbors: int) -> "NearestHost":
        """The same with a number of neighbors that is settled."""
        return replace(self, n_neighbors=n_neighbors, candidates=())

    def slices(self, base: CaseBase) -> tuple[int, int, int] | None:
        """What keeps a device busy; else any number of queries will do."""
        if self.device is None:
            return None
        if base.is_parted:
            return (*SLICES, 0)
        if not has_room_for(self.device, base, self.compares_numbers(base)):
            return SLICES[1], SLICES[1], 0  # each slice has all cases pass
        worth = self.reads_ranks(base) and base.n_rows >= LONG_SEARCH
        return (*SLICES, AHEAD if worth else 0)

    def start(self, batch: Batch, attributes: Attributes) -> "NearestWork":
        """Make ready to search."""
        return NearestWork(self, batch, attributes)

    def reads_ranks(self, base: CaseBase) -> bool:
        """Whether a device chooses the attributes of plain queries."""
        counts = not (base.weighted or self.compares_numbers(base))
        return self.device is not None and counts

    def cost(self, base: CaseBase, n_selected: int) -> float:
        """Nanoseconds per query, roughly."""
        cells = base.n_rows * n_selected
        if self.device is not None:
            return cells / 50_000.0
        if base.weighted:
            return 5.0 * cells
        return cells / (6.0 if self.compares_numbers(base) else 256.0)

    def can_leave_out(self, base: CaseBase) -> bool:
        """Whether leaving a case out of a batch equals forgetting it."""
        return not base.weighted

    def compares_numbers(self, base: CaseBase) -> bool:
        """Whether distances are measured on numbers."""
        return not self.discretize and bool(base.coder.numeric)

    def search(self, batch: Batch, attributes: Attributes) -> "Search | Weighing":
        """The search that this batch calls for."""
        in_parts = batch.base.is_parted
        if self.device is not None and not in_parts:
            found = self._search_on(self.device, batch, attributes)
            if found is not None:
                return found
            in_parts = True  # the cases are one part, of several pieces
        selected, weighted = attributes.selected, batch.base.weighted
        if in_parts:
            by_parts = PartedWeightedSearch if weighted else PartedSearch
            return by_parts(self, batch, selected)
        if weighted:
            return WeightedSearch(self, batch, selected)
        return self._search_here(batch, selected)

    def _search_here(self, batch: Batch, selected: Selected) -> "Search":
        """The search among cases without weights."""
        if not self.compares_numbers(batch.base):
            return NominalSearch(
                batch.cases,
                batch.queries.codes,
                selected,
                self.n_neighbors,
                batch.excluded,
                by_distance=self.by_distance,
            )
        return self.mixed_search(batch, selected)

    def _search_on(
        self, device: str, batch: Batch, attributes: Attributes
    ) -> "Search | Weighing | None":
        """The search on a device; None where it must go piece by piece."""
        ranks = attributes.waiting_ranks
        voting = Voting(self.n_neighbors, self.shares, self.by_distance)
        if ranks is not None:
            return search_by_ranks(device, batch, ranks, attributes.n_most, voting)
        if not self.compares_numbers(batch.base):
            return search_labels(device, batch, attributes.selected, voting)
        return search_numbers(device, batch, attributes.selected, voting)

    def mixed_search(
        self,
        batch: Batch,
        selected: Selected,
        own_widths: OwnWidths | None = None,
    ) -> MixedSearch:
        """A search on numbers; `own_widths` are ranges that single queries see."""
        base, columns = batch.base, scaled_columns(batch.base)
        if batch.excluded is not None and own_widths is None:
            edges = base.derive(find_edges, lambda: find_edges(batch.cases))
            widths, excluded = columns.widths, batch.excluded
            own_widths = widths_without(batch.cases, widths, edges, excluded)
        search = MixedSearch(
            batch.cases,
            columns,
            batch.queries,
            selected,
            self.n_neighbors,
            batch.excluded,
            by_distance=self.by_distance,
            own_widths=own_widths,
        )
        search.boxed = boxed_cases(base, columns)
        return search

    def measure(
        self,
        batch: Batch,
        query: int,
        attributes: NDArray[np.int32],
        own_widths: OwnWidths | None = None,
    ) -> Floats:
        """How far every case is from a query, infinite for the one left out.

        The number of attributes that differ; on numbers, the square of the distance.
        `own_widths` has the ranges that the query sees, where other cases have a say
        and these are not those of all.
        """
        if self.compares_numbers(batch.base):
            selected = Selected(attributes[None], np.array([attributes.size], np.int32))
            one = batch.part(query, query + 1)
            if own_widths is not None:
                own_widths = {0: own_widths[query]} if query in own_widths else {}
            return self.mixed_search(one, selected, own_widths).measure(0)
        codes = batch.queries.codes[query]
        agreements = count_agreements(batch.cases, codes, attributes)
        distances = (attributes.size - agreements).astype(np.float64)
        if batch.excluded is not None and batch.excluded[query] >= 0:
            distances[batch.excluded[query]] = np.inf
        return distances


def boxed_cases(base: CaseBase, columns: ScaledColumns) -> BoxedCases | None:
    """The cases in a tree, where one may pay."""
    return base.derive(box_cases, lambda: box_cases(base.cases, columns.kinds))


Search = NominalSearch | MixedSearch | DeviceNominalSearch | PartedSearch
"""A search at work on a batch of cases without weights."""

Weighing = WeightedSearch | DeviceWeightedSearch | PartedWeightedSearch
"""A search at work on a batch of cases with weights."""


def _vote_in_parts(host: NearestHost, batch: Batch, order: NDArray[np.int32]) -> Votes:
    """Votes on the first attributes of each query, among parts of the cases."""
    votes = []
    for last in range(1, order.shape[1] + 1):
        counts = np.full(len(batch), last, np.int32)
        chosen = Selected(np.ascontiguousarray(order[:, :last]), counts)
        work = host.start(batch, GivenAttributes(chosen))
        work.run(0, len(batch))
        votes.append(work.votes)
    return np.stack(votes, axis=1)


class NearestWork:
    """Nearest neighbors at work on a batch."""

    def __init__(self, host: NearestHost, batch: Batch, attributes: Attributes) -> None:
        self.host, self.batch, self.attributes = host, batch, attributes
        self.searching = host.search(batch, attributes)

    @property
    def votes(self) -> Votes:
        """Of the queries that were run, ties and distances included."""
        search = self.searching
        if isinstance(search, Weighing):
            return search.votes
        if not self.host.shares and not self.host.by_distance:
            return search.votes  # ties wait on the device
        return finish_votes(
            search.votes,
            search.tied,
            self.host.n_neighbors,
            shares=self.host.shares,
            weighted=search.weighted,
        )

    @property
    def selected(self) -> Selected:
        """The attributes of each query."""
        return self.attributes.selected

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        self.searching.run(first, last)

    def vote_with_each(self, order: NDArray[np.int32], first: int) -> Votes:
        """Votes with the first attribute, the first two, ... of each query's order."""
        return self.vote_with_each_of((self.host.n_neighbors,), order, first)[0]

    def vote_with_each_of(
        self, numbers: tuple[int, ...], order: NDArray[np.int32], first: int
    ) -> Votes:
        """The same for several numbers of neighbors, (n_numbers, n, n_most, ...)."""
        part, host = self.batch.part(first, first + order.shape[0]), self.host
        order, ks = np.ascontiguousarray(order), np.array(numbers, np.int64)
        queries = Queries(*map(np.ascontiguousarray, part.queries))
        whole = replace(part, queries=queries)
        if part.base.is_parted:
            hosts = [replace(host, n_neighbors=k, device=None) for k in numbers]
            return np.stack([_vote_in_parts(own, whole, order) for own in hosts])
        if part.base.weighted:
            hosts = [replace(host, n_neighbors=k) for k in numbers]
            votes = [vote_with_each_by_weight(own, whole, order) for own in hosts]
            return np.stack(votes)
        if host.compares_numbers(part.base):
            counts = np.full(len(part), order.shape[1], np.int32)
            search = host.mixed_search(whole, Selected(order, counts))
            return search.vote_with_each(order, ks, shares=host.shares)
        return vote_with_each_count(
            part.cases,
            queries.codes,
            order,
            ks,
            part.excluded,
            shares=host.shares,
            by_distance=host.by_distance,
        )

    def to_probabilities(self, votes: Votes) -> Floats:
        """Probabilities as Weka's IBk gives them."""
        return to_probabilities(votes, self.batch.n_others())

    def evidence(self, query: int, decision: int) -> Neighborhood:
        """The cases that voted for a query, and the nearest of another class."""
        self.run(query, query + 1)  # where all counts voted, this has not been asked
        used = self.selected.attributes[query, : self.selected.counts[query]]
        base = self.batch.base
        numbers, measured = self._measure_some(query, used, decision)
        classes, weights = self._read(numbers)
        order = np.lexsort((base.rank(numbers), measured))
        order = order[np.isfinite(measured[order]) & (weights[order] > 0)]
        on_numbers = self.host.compares_numbers(base)
        distances = np.sqrt(measured) if on_numbers else measured
        rows = order[: self._count_voters(query, measured[order])]
        others = order[classes[order] != decision][:1]
        return Neighborhood(
            self.host.n_neighbors,
            numbers[rows],
            distances[rows],
            weights[rows],
            self._votes_of(query, weights[rows], measured[rows]),
            self._agree(query, base.take(numbers[rows]), used),
            int((measured[rows] == measured[rows[-1:]]).sum()),
            int(numbers[others[0]]) if others.size else -1,
            float(distances[others[0]]) if others.size else np.inf,
            self._agree(query, base.take(numbers[others]), used).reshape(-1),
        )

    def _measure_some(
        self, query: int, used: NDArray[np.int32], decision: int
    ) -> tuple[Ints, Floats]:
        """Numbers and measures of all cases, or of those that parts find telling."""
        base, search = self.batch.base, self.searching
        if isinstance(search, PartedSearch | PartedWeightedSearch):
            return search.list_telling(query, decision)
        return np.arange(base.n_rows), self.host.measure(self.batch, query, used)

    def _read(self, numbers: Ints) -> tuple[NDArray[np.int32], Floats]:
        """Classes and weights of cases."""
        cases = self.batch.cases
        if not self.batch.base.is_parted:
            return cases.classes[numbers], cases.weights[numbers]
        own = self.batch.base.take(numbers)
        return own.classes, own.weights

    def _count_voters(self, query: int, measured: Floats) -> int:
        """How many of the cases, from near to far, voted."""
        if isinstance(self.searching, Weighing):
            return int((measured <= self.searching.thresholds[query]).sum())
        return int(self.searching.votes[query].sum())

    def _votes_of(self, query: int, weights: Floats, measured: Floats) -> Floats:
        """What each of the cases that voted added to the votes of its class."""
        votes = np.array(weights, np.float64)
        votes[measured == measured[-1:]] *= self._share_of_last(query)
        if self.host.by_distance and len(measured):
            votes *= weigh_squares(measured[0], measured)
        return votes

    def _share_of_last(self, query: int) -> float:
        """What part of a vote the cases at the last place have."""
        search = self.searching
        if isinstance(search, Weighing):
            return float(search.shares[query])
        n_tied = int(search.tied[query].sum())
        if not self.host.shares or not n_tied:
            return 1.0
        n_nearer = int(search.votes[query].sum()) - n_tied
        return min(n_tied, self.host.n_neighbors - n_nearer) / n_tied

    def _agree(
        self, query: int, rows: CodedRows, used: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Whether cases agree with a query, (n_rows, n_used)."""
        cases, queries = self.batch.cases, self.batch.queries
        own = queries.codes[query, used]
        agree = (own == rows.codes[used].T) & (own >= 0)
        if not self.host.discretize:
            numeric = np.flatnonzero(cases.numeric[used] >= 0)
            numbers = rows.numbers[cases.numeric[used[numeric]]].T
            agree[:, numeric] = numbers == queries.values[query, used[numeric]]
        return agree
