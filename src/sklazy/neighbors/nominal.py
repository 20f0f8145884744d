"""Nearest neighbors by agreement: each attribute agrees with the query or not."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Selected
from sklazy.kernels.bits import sets_in_parts
from sklazy.kernels.matching import match_nominal
from sklazy.kernels.nesting import vote_nested_nominal
from sklazy.neighbors.voting import weigh_squares

_NOTHING = np.zeros((0, 0))
_NO_TALLIES = np.zeros((0, 0, 0), np.int32)

# Seconds that numpy takes, for each query and each cell compared.
_PER_QUERY, _PER_CELL = 6e-5, 1e-9


class Tallies(NamedTuple):
    """Rows by number of agreements and class.

    Attributes
    ----------
    thresholds : int64 array of shape (n_queries,)
        Agreements of the k-th neighbor among these rows; 0 where there are fewer.
    tallies : int32 array of shape (n_queries, n_levels, n_classes)
        Complete from the threshold up, zeros below it.
    """

    thresholds: NDArray[np.int64]
    tallies: NDArray[np.int32]


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
            for query in range(first, last):
                self._count_rows(query)
            return
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

    def _count_rows(self, query: int) -> None:
        """Answer one query by counting row by row; equal to the kernel."""
        cases = self.cases
        used = self.selected.attributes[query, : self.selected.counts[query]]
        agreements = count_agreements(cases, self.codes[query], used)
        if self.excluded[query] >= 0:
            agreements[self.excluded[query]] = -1
        least, place = 0, cases.n_rows - self.n_neighbors
        if place >= 0:  # else there are too few, and all of them vote
            least = max(0, int(np.partition(agreements, place)[place]))
        n_classes, classes = self.votes.shape[1], cases.classes[: cases.n_rows]
        voting = classes[agreements >= least]
        self.votes[query] = np.bincount(voting, minlength=n_classes)
        at_last = classes[agreements == least]
        self.tied[query] = np.bincount(at_last, minlength=n_classes)
        self.thresholds[query] = least
        if self.tallies is not None:
            reaching = agreements >= least
            cells = agreements[reaching] * n_classes + classes[reaching]
            own = self.tallies[query]
            own.flat = np.bincount(cells, minlength=own.size)
            if self.known.tallies.size:
                self._add_known(query, own)
        if self.weighted is not None:
            nearer = agreements > least
            self.weighted[query] = weigh_levels(
                used.size - agreements[nearer],
                classes[nearer],
                used.size - least,
                n_classes,
            )

    def _add_known(self, query: int, tallies: NDArray[np.int32]) -> None:
        """Count rows elsewhere with those here."""
        tallies += self.known.tallies[query]
        reached = tallies.sum(axis=1)[::-1].cumsum()[::-1]  # at a level and above
        enough = np.count_nonzero(reached >= self.n_neighbors) - 1
        floor = self.known.thresholds[query]
        least = max(enough, self.thresholds[query], floor)
        tallies[:least] = 0
        self.thresholds[query] = least


def weigh_levels(
    distances: NDArray[np.integer],
    classes: NDArray[np.int32],
    last: int,
    n_classes: int,
) -> NDArray[np.float64]:
    """Weigh rows nearer than the last, distance by distance; see `NominalSearch`."""
    weighted = np.zeros(n_classes + 1)
    levels = np.unique(distances).astype(np.float64)
    nearest = levels[0] if levels.size else float(last)
    weights = weigh_squares(nearest, np.append(levels, last))
    for level, weight in zip(levels, weights[:-1], strict=True):
        counts = np.bincount(classes[distances == level], minlength=n_classes)
        weighted[:-1] += counts * weight
    weighted[-1] = weights[-1]
    return weighted


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
