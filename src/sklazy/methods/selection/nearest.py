"""The k nearest cases vote."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Votes
from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CodedRows
from sklazy.flow import Queries, Selected
from sklazy.methods.selection.host import Attributes, GivenAttributes, Neighborhood
from sklazy.methods.selection.nearest_in_parts import (
    OwnWidths,
    PartedSearch,
    list_telling,
)
from sklazy.methods.selection.nearest_on_device import (
    AHEAD,
    LONG_SEARCH,
    SLICES,
    has_room_for,
    search_by_ranks,
    search_labels,
    search_numbers,
)
from sklazy.neighbors import (
    Counted,
    MixedSearch,
    NominalSearch,
    RawColumns,
    ScaledColumns,
    Voting,
    count_agreements,
    edges_of,
    find_raw_columns,
    finish_votes,
    scaled_columns,
    to_probabilities,
    vote_by_weight,
    vote_with_each_count,
    weigh_squares,
    widths_without,
)
from sklazy.neighbors.boxed import BoxedCases, box_cases

_FEW_QUERIES = 4  # for more it pays to scale the cases first


class Search(Counted, Protocol):
    """A search at work on a batch; each query is answered by itself."""

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""


@dataclass(frozen=True)
class NearestHost:
    """Nearest neighbors, those tied with the k-th included.

    Attributes
    ----------
    n_neighbors : int
        How many cases vote; where the cases decide it, the first of `candidates`.
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
        """Slice sizes that keep a device busy; None where any size will do."""
        if self.device is None:
            return None
        if base.is_parted:
            return (*SLICES, 0)
        if not has_room_for(self.device, base, self.compares_numbers(base)):
            return SLICES[1], SLICES[1], 0  # each slice has all cases pass
        worth = self.reads_ranks(base) and base.n_rows >= LONG_SEARCH
        return (*SLICES, AHEAD if worth else 0)

    @property
    def voting(self) -> Voting:
        """How cases vote."""
        return Voting(self.n_neighbors, self.shares, self.by_distance)

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

    def start(self, batch: Batch, attributes: Attributes) -> "NearestWork":
        """Choose a search: among parts or weights, on a device, or here."""
        base, search = batch.base, None
        in_parts = base.is_parted or base.weighted
        if self.device is not None and not in_parts:
            search = self._search_on(self.device, batch, attributes)
            # Without room on the device the cases are one part, of several pieces.
            in_parts = search is None
        if in_parts:
            search = PartedSearch(self, batch, attributes.selected)
        elif search is None and self.compares_numbers(base):
            search = self.mixed_search(batch, attributes.selected)
        elif search is None:
            search = NominalSearch(
                batch.cases,
                batch.queries.codes,
                attributes.selected,
                self.n_neighbors,
                batch.excluded,
                by_distance=self.by_distance,
            )
        return NearestWork(self, batch, attributes, search)

    def _search_on(
        self, device: str, batch: Batch, attributes: Attributes
    ) -> Search | None:
        """Make a search on a device; None where cases must go piece by piece."""
        ranks, voting = attributes.waiting_ranks, self.voting
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
        """Make a search on numbers; `own_widths` are ranges that single queries see."""
        kept = batch.base.derive(AskedColumns, AskedColumns)
        kept.n_asked += batch.queries.codes.shape[0]
        ready = kept.ready
        is_plain = ready is None or isinstance(ready[0], RawColumns)
        if ready is None or (is_plain and kept.n_asked > _FEW_QUERIES):
            ready = kept.prepare(batch.base)
        columns, boxed = ready
        if batch.excluded is not None and own_widths is None:
            own_widths = find_own_widths(batch, columns.widths)
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
        search.boxed = boxed
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
        `own_widths` has the ranges that the query sees, where they depend on other
        cases and are not those of all.
        """
        if self.compares_numbers(batch.base):
            selected = Selected(attributes[None], np.array([attributes.size], np.int32))
            one = batch.part(query, query + 1)
            if own_widths is not None:
                own_widths = {0: own_widths[query]} if query in own_widths else {}
            return self.mixed_search(one, selected, own_widths).measure(
                np.zeros(1, np.int64)
            )[0]
        codes = batch.queries.codes[query]
        agreements = count_agreements(batch.cases, codes, attributes)
        distances = (attributes.size - agreements).astype(np.float64)
        if batch.excluded is not None and batch.excluded[query] >= 0:
            distances[batch.excluded[query]] = np.inf
        return distances


@dataclass
class AskedColumns:
    """The cases as a search on numbers takes them: scaled, or in a tree, if it pays.

    Attributes
    ----------
    ready : pair (columns, boxed), or None before the first question
        Replaced as one, since threads may ask at the same time.
    n_asked : int
        How many queries there were.
    """

    ready: tuple[ScaledColumns | RawColumns, BoxedCases | None] | None = None
    n_asked: int = 0

    def prepare(
        self, base: CaseBase
    ) -> tuple[ScaledColumns | RawColumns, BoxedCases | None]:
        """Prepare the cases for as many queries as were asked."""
        if self.n_asked <= _FEW_QUERIES:
            raw = base.derive(RawColumns, lambda: find_raw_columns(base.cases))
            self.ready = raw, None
            return raw, None
        columns = scaled_columns(base)
        boxed = box_cases(base.cases, columns.kinds)
        self.ready = columns, boxed
        return columns, boxed


def find_own_widths(batch: Batch, widths: Floats) -> dict[int, Floats]:
    """The ranges of the queries whose own case lies alone at an edge."""
    assert batch.excluded is not None
    edges = edges_of(batch.base)
    return widths_without(batch.cases, widths, edges, batch.excluded)


def _vote_in_parts(host: NearestHost, batch: Batch, order: NDArray[np.int32]) -> Votes:
    """Votes on the first attributes of each query, number by number."""
    votes = []
    for last in range(1, order.shape[1] + 1):
        counts = np.full(len(batch), last, np.int32)
        chosen = Selected(np.ascontiguousarray(order[:, :last]), counts)
        work = host.start(batch, GivenAttributes(chosen))
        work.run(0, len(batch))
        votes.append(work.votes)
    return np.stack(votes, axis=1)


@dataclass(frozen=True, eq=False)
class NearestWork:
    """Nearest neighbors at work on a batch."""

    host: NearestHost
    batch: Batch
    attributes: Attributes
    searching: Search

    @property
    def votes(self) -> Votes:
        """Of the queries that were run, ties and distances included."""
        return finish_votes(self.searching, self.host.voting)

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
        if part.base.is_parted or part.base.weighted:
            hosts = [replace(host, n_neighbors=k, device=None) for k in numbers]
            return np.stack([_vote_in_parts(each, whole, order) for each in hosts])
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
        base, host = self.batch.base, self.host
        numbers, measured = list_telling(
            host, self.batch, self.attributes.selected, query, decision
        )
        order = np.lexsort((base.rank(numbers), measured))
        numbers, measured = numbers[order], measured[order]
        cases = base.take(numbers)
        near = measured, cases.classes, cases.weights
        _, last, share = vote_by_weight(*near, self.batch.n_classes, host.voting)
        distances = np.sqrt(measured) if host.compares_numbers(base) else measured
        rows = slice(int((measured <= last).sum()))
        others = np.flatnonzero(cases.classes != decision)[:1]
        agree = self._agree(query, cases)
        return Neighborhood(
            host.n_neighbors,
            numbers[rows],
            distances[rows],
            cases.weights[rows],
            self._votes_of(cases.weights[rows], measured[rows], share),
            agree[rows],
            int((measured[rows] == last).sum()),
            int(numbers[others[0]]) if others.size else -1,
            float(distances[others[0]]) if others.size else np.inf,
            agree[others].reshape(-1),
        )

    def _votes_of(self, weights: Floats, measured: Floats, share: float) -> Floats:
        """The votes of cases, near to far; those at the last place have a share."""
        votes = np.array(weights, np.float64)
        votes[measured == measured[-1:]] *= share
        if self.host.by_distance and len(measured):
            votes *= weigh_squares(measured[0], measured)
        return votes

    def _agree(self, query: int, rows: CodedRows) -> NDArray[np.bool_]:
        """Whether cases agree with a query, (n_rows, n_used)."""
        cases, queries = self.batch.cases, self.batch.queries
        attributes, counts = self.attributes.selected
        used = attributes[query, : counts[query]]
        codes = queries.codes[query, used]
        agree = (codes == rows.codes[used].T) & (codes >= 0)
        if not self.host.discretize:
            numeric = np.flatnonzero(cases.numeric[used] >= 0)
            numbers = rows.numbers[cases.numeric[used[numeric]]].T
            agree[:, numeric] = numbers == queries.values[query, used[numeric]]
        return agree
