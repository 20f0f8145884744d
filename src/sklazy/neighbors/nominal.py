"""Nearest neighbors by agreement: each attribute agrees with the query or not."""

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Selected
from sklazy.kernels.bits import sets_in_parts
from sklazy.kernels.matching import match_nominal
from sklazy.kernels.nesting import vote_nested_nominal
from sklazy.neighbors.levels import Tallies
from sklazy.neighbors.voting import Voting, vote_by_tallies

_NOTHING = np.zeros((0, 0))
_NO_TALLIES = np.zeros((0, 0, 0), np.int32)

# Seconds that numpy takes, for each query and each cell compared.
_PER_QUERY, _PER_CELL = 6e-5, 1e-9

# Cells that numpy works on at a time.
_TOGETHER = 100_000


class NominalSearch:
    """The k nearest rows of each query, and all tied with the k-th, as class votes.

    The distance is the number of the query's own attributes on which a row does not
    agree; a missing or unseen value agrees with nothing. Made for one batch; `run`
    answers a part of it, and different parts may run in different threads.

    Parameters
    ----------
    cases : Cases
    codes : int32 array of shape (n_queries, n_attributes)
        The queries, C-contiguous.
    selected : Selected
        The attributes of each query; may still be empty when the search is made, as
        long as a query's are there before `run` comes to it.
    n_neighbors : int
        If there are fewer rows, all of them vote.
    excluded : int64 array of shape (n_queries,), optional
        For each query a row that does not take part, -1 for none.
    by_distance : bool
        Whether to weigh votes by distance.
    tally : bool
        Whether to count rows by agreements, for searches among parts of the rows.

    Attributes
    ----------
    votes : int64 array of shape (n_queries, n_classes)
    thresholds : int64 array of shape (n_queries,)
        On how many attributes the k-th neighbor agrees.
    tied : int64 array of shape (n_queries, n_classes)
        The votes of rows that agree on just as many.
    weighted : float64 array of shape (n_queries, n_classes + 1), or None
        Votes of the nearer rows, weighed by distance, and the weight of a tied one.
    tallies : int32 array of shape (n_queries, n_most + 1, n_classes), or None
        Rows by number of agreements and class, zeros below the threshold.
    known : Tallies
        Of rows elsewhere, which count with these; none by default.
    """

    def __init__(
        self,
        cases: Cases,
        codes: NDArray[np.int32],
        selected: Selected,
        n_neighbors: int,
        excluded: NDArray[np.int64] | None = None,
        *,
        by_distance: bool = False,
        tally: bool = False,
    ) -> None:
        n_queries = codes.shape[0]
        self.cases, self.codes, self.selected = cases, codes, selected
        self.n_neighbors = n_neighbors
        self.excluded = (
            np.full(n_queries, -1, np.int64) if excluded is None else excluded
        )
        n_classes = cases.class_bits.shape[0]
        self.votes = np.zeros((n_queries, n_classes), np.int64)
        self.thresholds = np.zeros(n_queries, np.int64)
        self.tied = np.zeros((n_queries, n_classes), np.int64)
        self.weighted = np.zeros((n_queries, n_classes + 1)) if by_distance else None
        shape = n_queries, selected.attributes.shape[1] + 1, n_classes
        self.tallies = np.zeros(shape, np.int32) if tally else None
        self.known = Tallies(np.zeros(n_queries, np.int64), _NO_TALLIES)

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        cases = self.cases
        cells = (last - first) * self.selected.attributes.shape[1] * cases.n_rows
        if not match_nominal.is_due(_PER_QUERY * (last - first) + _PER_CELL * cells):
            return self._count_all(first, last)
        for begin, end, bits, set_of_value in sets_in_parts(
            cases, self.codes, first, last
        ):
            match_nominal(
                bits,
                cases.starts,
                cases.offsets,
                set_of_value,
                cases.class_bits,
                cases.classes.bytes,
                cases.n_rows,
                self.codes,
                *self.selected,
                self.excluded,
                self.known.tallies,
                self.known.thresholds,
                self.n_neighbors,
                begin,
                end,
                self.votes,
                self.thresholds,
                self.tied,
                _NOTHING if self.weighted is None else self.weighted,
                _NO_TALLIES if self.tallies is None else self.tallies,
            )
        return None

    def _count_all(self, first: int, last: int) -> None:
        """Answer queries by counting row by row; equal to the kernel."""
        n_levels, n_classes = self.selected.attributes.shape[1] + 1, self.votes.shape[1]
        step = max(1, _TOGETHER // (n_levels * n_classes))
        for begin in range(first, last, step):
            here = slice(begin, min(last, begin + step))
            queries = range(here.start, here.stop)
            tallies = np.array([self._tally_rows(query) for query in queries])
            if self.known.tallies.size:
                tallies += self.known.tallies[here]
            self._vote(here, tallies)

    def _tally_rows(self, query: int) -> NDArray[np.int64]:
        """Count rows by agreements and class, (n_levels, n_classes)."""
        cases, n_most = self.cases, self.selected.attributes.shape[1]
        used = self.selected.attributes[query, : self.selected.counts[query]]
        agreements = count_agreements(cases, self.codes[query], used)
        cells = agreements * self.votes.shape[1] + cases.classes[: cases.n_rows]
        if self.excluded[query] >= 0:
            cells = np.delete(cells, self.excluded[query])
        shape = n_most + 1, self.votes.shape[1]
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    def _vote(self, here: slice, tallies: NDArray[np.int64]) -> None:
        """Let rows vote that are counted by agreements."""
        counts = self.selected.counts[here]
        voting = Voting(self.n_neighbors, False, self.weighted is not None)
        found = vote_by_tallies(tallies, self.known.thresholds[here], counts, voting)
        self.votes[here], self.tied[here] = found.votes, found.tied
        self.thresholds[here] = counts - found.lasts
        if self.weighted is not None:
            self.weighted[here] = found.weighted
        if self.tallies is not None:
            below = np.arange(tallies.shape[1]) < self.thresholds[here, None]
            self.tallies[here] = np.where(below[:, :, None], 0, tallies)


def vote_with_each_count(
    cases: Cases,
    codes: NDArray[np.int32],
    order: NDArray[np.int32],
    ks: NDArray[np.int64],
    excluded: NDArray[np.int64] | None = None,
    *,
    shares: bool = False,
    by_distance: bool = False,
) -> NDArray[np.float64]:
    """Return the votes with a query's first attribute, its first two, three, ...

    Parameters
    ----------
    cases, codes, excluded
        As in `NominalSearch`.
    order : int32 array of shape (n_queries, n_most)
        The attributes of each query, best first.
    ks : int64 array of shape (n_ks,)
        Numbers of neighbors.
    shares, by_distance : bool
        How rows vote; see `finish_votes`.

    Returns
    -------
    float64 array of shape (n_ks, n_queries, n_most, n_classes)
        ``[:, :, r - 1]``: votes of `NominalSearch` with the first r attributes.
    """
    n_queries = codes.shape[0]
    if excluded is None:
        excluded = np.full(n_queries, -1, np.int64)
    votes = np.zeros((len(ks), *order.shape, cases.class_bits.shape[0]))
    for begin, end, bits, set_of_value in sets_in_parts(cases, codes, 0, n_queries):
        vote_nested_nominal(
            bits,
            cases.starts,
            cases.offsets,
            set_of_value,
            cases.class_bits,
            cases.classes.bytes,
            cases.n_rows,
            codes,
            order,
            excluded,
            ks,
            shares,
            by_distance,
            begin,
            end,
            votes,
        )
    return votes


def count_agreements(
    cases: Cases, query: NDArray[np.int32], attributes: NDArray[np.integer]
) -> NDArray[np.int32]:
    """Count for every row the attributes on which it has the query's value.

    Parameters
    ----------
    cases : Cases
    query : int32 array of shape (n_attributes,)
    attributes : int array of the attributes compared
    """
    agreements = np.zeros(cases.n_rows, np.int32)
    for attribute in attributes.tolist():
        if query[attribute] >= 0:
            agreements += _with_value(cases, attribute, int(query[attribute]))
    return agreements


def _with_value(cases: Cases, attribute: int, value: int) -> NDArray[np.bool_]:
    """Which rows have a value, read from its bit set where there is one."""
    if cases.starts[attribute] < 0:
        return cases.codes[attribute, : cases.n_rows] == value
    words = cases.value_bits[cases.starts[attribute] + value]
    little = np.ascontiguousarray(words, "<u8").view(np.uint8)
    return np.unpackbits(little, count=cases.n_rows, bitorder="little").view(np.bool_)
