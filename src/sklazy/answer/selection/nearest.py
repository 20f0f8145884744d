"""The k nearest cases vote."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, Votes, canonical_places
from sklazy.answer.selection.host import Neighborhood
from sklazy.answer.selection.nearest_on_device import (
    AHEAD,
    LONG_SEARCH,
    SLICES,
    search_by_ranks,
    search_labels,
    search_numbers,
)
from sklazy.casebase import CaseBase
from sklazy.flow import Queries, Selected
from sklazy.neighbors import (
    MixedSearch,
    NominalSearch,
    ScaledColumns,
    count_agreements,
    prepare_columns,
    to_probabilities,
    vote_by_weight,
    vote_with_each_count,
)
from sklazy.neighbors.cuda.weighted import DeviceWeightedSearch
from sklazy.selection import RankTable


@dataclass(frozen=True)
class NearestHost:
    """Nearest neighbors, all tied with the k-th included.

    Attributes
    ----------
    n_neighbors : int
    discretize : bool
        Compare numbers by their bins; else by the HEOM difference.
    device : str, or None for the CPU
        Where cases are searched.
    """

    n_neighbors: int
    discretize: bool
    device: str | None = None

    def slices(self, base: CaseBase) -> tuple[int, int, int] | None:
        """What keeps a device busy; else any number of queries will do."""
        if self.device is None:
            return None
        worth = self.reads_ranks(base) and base.n_rows >= LONG_SEARCH
        return (*SLICES, AHEAD if worth else 0)

    def start(self, batch: Batch, selected: Selected) -> "NearestWork":
        """Make ready to search."""
        return NearestWork(self, batch, GivenAttributes(selected))

    def start_with(self, batch: Batch, attributes: "Attributes") -> "NearestWork":
        """Make ready to search, by attributes that may yet have to be found."""
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
        return cells / (2.0 if self.compares_numbers(base) else 64.0)

    def can_leave_out(self, base: CaseBase) -> bool:
        """Whether leaving a case out of a batch equals forgetting it."""
        return not base.weighted

    def compares_numbers(self, base: CaseBase) -> bool:
        """Whether distances are measured on numbers."""
        return not self.discretize and bool((base.cases.numeric >= 0).any())

    def search(self, batch: Batch, attributes: "Attributes") -> "Search":
        """The search that this batch calls for."""
        codes, excluded = batch.queries.codes, batch.excluded
        if self.device is not None:
            return self._search_on(self.device, batch, attributes)
        selected = attributes.selected
        if batch.base.weighted:
            return WeightedSearch(self, batch, selected)
        if not self.compares_numbers(batch.base):
            k = self.n_neighbors
            return NominalSearch(batch.cases, codes, selected, k, excluded)
        return self.mixed_search(batch, selected)

    def _search_on(
        self, device: str, batch: Batch, attributes: "Attributes"
    ) -> "Search":
        """The search on a device."""
        ranks, k = attributes.waiting_ranks, self.n_neighbors
        if ranks is not None:
            return search_by_ranks(device, batch, ranks, attributes.n_most, k)
        if not self.compares_numbers(batch.base):
            return search_labels(device, batch, attributes.selected, k)
        columns = scaled_columns(batch.base)
        return search_numbers(device, batch, columns, attributes.selected, k)

    def mixed_search(self, batch: Batch, selected: Selected) -> MixedSearch:
        """A search on numbers."""
        return MixedSearch(
            batch.cases,
            scaled_columns(batch.base),
            batch.queries,
            selected,
            self.n_neighbors,
            batch.excluded,
        )

    def measure(
        self, batch: Batch, query: int, attributes: NDArray[np.int32]
    ) -> Floats:
        """How far every case is from a query, infinite for the one left out.

        The number of attributes that differ; on numbers, the square of the distance.
        """
        if self.compares_numbers(batch.base):
            selected = Selected(attributes[None], np.array([attributes.size], np.int32))
            one = batch.part(query, query + 1)
            return self.mixed_search(one, selected).measure(0)
        codes = batch.queries.codes[query]
        agreements = count_agreements(batch.cases, codes, attributes)
        distances = (attributes.size - agreements).astype(np.float64)
        if batch.excluded is not None:
            distances[batch.excluded[query]] = np.inf
        return distances


def scaled_columns(base: CaseBase) -> ScaledColumns:
    """The cases' columns made ready for distances on numbers."""
    return base.derive(prepare_columns, lambda: prepare_columns(base.cases))


class Attributes(Protocol):
    """The attributes of each query, found or to be found by their ranks."""

    @property
    def selected(self) -> Selected:
        """The attributes; found now if need be."""

    @property
    def waiting_ranks(self) -> RankTable | None:
        """The ranks, where the attributes have not been found yet."""

    @property
    def n_most(self) -> int:
        """How many attributes a query uses, at most."""


class GivenAttributes(NamedTuple):
    """Attributes that are known."""

    selected: Selected
    waiting_ranks: RankTable | None = None

    @property
    def n_most(self) -> int:
        """How many attributes a query uses, at most."""
        return self.selected.attributes.shape[1]


class Search(Protocol):
    """A search at work on a batch."""

    @property
    def votes(self) -> Votes:
        """Shape (n_queries, n_classes)."""

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""


class WeightedSearch:
    """Cases of weight w vote like w cases: measured one query after the other."""

    def __init__(self, host: NearestHost, batch: Batch, selected: Selected) -> None:
        self.host, self.batch, self.selected = host, batch, selected
        self.votes = np.zeros((len(batch), batch.n_classes))
        self.thresholds = np.zeros(len(batch))

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        cases = self.batch.cases
        live = slice(0, cases.n_rows)
        for query in range(first, last):
            used = self.selected.attributes[query, : self.selected.counts[query]]
            distances = self.host.measure(self.batch, query, used)
            weights = np.where(np.isinf(distances), 0.0, cases.weights[live])
            self.votes[query], self.thresholds[query] = vote_by_weight(
                distances,
                cases.classes[live],
                weights,
                self.host.n_neighbors,
                self.votes.shape[1],
            )


class NearestWork:
    """Nearest neighbors at work on a batch."""

    def __init__(self, host: NearestHost, batch: Batch, attributes: Attributes) -> None:
        self.host, self.batch, self.attributes = host, batch, attributes
        self.searching = host.search(batch, attributes)

    @property
    def votes(self) -> Votes:
        """Of the queries that were run, (n_queries, n_classes)."""
        return self.searching.votes

    @property
    def selected(self) -> Selected:
        """The attributes of each query."""
        return self.attributes.selected

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        self.searching.run(first, last)

    def vote_with_each(self, order: NDArray[np.int32], first: int) -> Votes:
        """Votes with the first attribute, the first two, ... of each query's order."""
        part = self.batch.part(first, first + order.shape[0])
        if not (part.base.weighted or self.host.compares_numbers(part.base)):
            codes = np.ascontiguousarray(part.queries.codes)
            k = self.host.n_neighbors
            return vote_with_each_count(part.cases, codes, order, k, part.excluded)
        votes = [
            self._vote_with(part, order[:, : r + 1]) for r in range(order.shape[1])
        ]
        return np.stack(votes, axis=1)

    def _vote_with(self, part: Batch, attributes: NDArray[np.int32]) -> Votes:
        """Votes on the given attributes of each query."""
        counts = np.full(len(part), attributes.shape[1], np.int32)
        selected = Selected(np.ascontiguousarray(attributes), counts)
        queries = Queries(*map(np.ascontiguousarray, part.queries))
        whole = Batch(part.base, part.cases, queries, part.excluded)
        search = self.host.search(whole, GivenAttributes(selected))
        search.run(0, len(part))
        return search.votes

    def to_probabilities(self, votes: Votes) -> Floats:
        """Probabilities as Weka's IBk gives them."""
        return to_probabilities(votes, self.batch.n_others())

    def evidence(self, query: int, decision: int) -> Neighborhood:
        """The cases that voted for a query, and the nearest of another class."""
        self.run(query, query + 1)  # where all counts voted, this has not been asked
        used = self.selected.attributes[query, : self.selected.counts[query]]
        measured = self.host.measure(self.batch, query, used)
        cases, places = self.batch.cases, canonical_places(self.batch.base)
        weights = cases.weights[: cases.n_rows]
        order = np.lexsort((places, measured))
        order = order[np.isfinite(measured[order]) & (weights[order] > 0)]
        rows = order[: self._count_voters(query, measured[order])]
        others = order[cases.classes[order] != decision][:1]
        on_numbers = self.host.compares_numbers(self.batch.base)
        distances = np.sqrt(measured) if on_numbers else measured
        return Neighborhood(
            self.host.n_neighbors,
            rows,
            distances[rows],
            weights[rows],
            self._agree(query, rows, used),
            int((measured[rows] == measured[rows[-1:]]).sum()),
            int(others[0]) if others.size else -1,
            float(distances[others[0]]) if others.size else np.inf,
            self._agree(query, others, used).reshape(-1),
        )

    def _count_voters(self, query: int, measured: Floats) -> int:
        """How many of the cases, from near to far, voted."""
        if isinstance(self.searching, WeightedSearch | DeviceWeightedSearch):
            return int((measured <= self.searching.thresholds[query]).sum())
        return int(self.votes[query].sum())

    def _agree(
        self, query: int, rows: Ints, used: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Whether cases agree with a query, (n_rows, n_used)."""
        cases, queries = self.batch.cases, self.batch.queries
        own = queries.codes[query, used]
        theirs = cases.codes[np.ix_(used, rows)].T
        agree = (theirs == own) & (own >= 0)
        if not self.host.discretize:
            numeric = np.flatnonzero(cases.numeric[used] >= 0)
            numbers = cases.numbers[np.ix_(cases.numeric[used[numeric]], rows)].T
            agree[:, numeric] = numbers == queries.values[query, used[numeric]]
        return agree
