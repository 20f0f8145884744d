"""Votes by weight, of rows that were listed on a device."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases
from sklazy.kernels.cuda.device import Device
from sklazy.neighbors.voting import vote_by_weight

Ints = NDArray[np.int64]


class Voters(NamedTuple):
    """The rows near one query, in no order.

    Attributes
    ----------
    query : int
    rows : int array
    distances : float64 array
    """

    query: int
    rows: NDArray[np.integer]
    distances: NDArray[np.float64]


class ListingSearch(Protocol):
    """A search that can list its voters."""

    @property
    def device(self) -> Device:
        """Where the cases are."""

    def voters(self, first: int, last: int) -> Iterator[Voters]:
        """The rows that vote for the queries ``first..last - 1``."""


class DeviceWeightedSearch:
    """Cases of weight w vote like w cases.

    Parameters
    ----------
    cases : Cases
    search : ListingSearch
        Among rows of a weight above 0, for `count_enough` neighbors.
    n_queries : int
    weight : int
        What the voters' weights must reach.
    shares, by_distance : bool
        How they vote; as in `vote_by_weight`.

    Attributes
    ----------
    votes : float64 array of shape (n_queries, n_classes)
    thresholds : float64 array of shape (n_queries,)
        How far the farthest voter is.
    shares : float64 array of shape (n_queries,)
        What part of their votes the cases as far as it have.
    """

    def __init__(
        self,
        cases: Cases,
        search: ListingSearch,
        n_queries: int,
        weight: int,
        *,
        shares: bool,
        by_distance: bool,
    ) -> None:
        self.cases, self.search, self.weight = cases, search, weight
        self._way = {"shares": shares, "by_distance": by_distance}
        self.votes = np.zeros((n_queries, cases.class_counts.size))
        self.thresholds = np.zeros(n_queries)
        self.shares = np.ones(n_queries)

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        with self.search.device.in_use():
            for query, rows, distances in self.search.voters(first, last):
                found = vote_by_weight(
                    distances,
                    self.cases.classes[rows],
                    self.cases.weights[rows],
                    self.weight,
                    self.votes.shape[1],
                    **self._way,
                )
                self.votes[query], self.thresholds[query], self.shares[query] = found


def count_enough(weights: NDArray[np.float64], wanted: float) -> int:
    """So many rows that any of them together reach a weight, if all rows do.

    Examples
    --------
    >>> count_enough(np.array([0.0, 0.5, 2.0, 1.0, 1.0, 3.0]), 2)
    5
    """
    present = weights[weights > 0]
    if not present.size:
        return 1
    with np.errstate(over="ignore"):  # weights may have faded to next to nothing
        # A row more than enough: the sum is rounded.
        needed = np.ceil(wanted / present.min() * (1 + 1e-9)) + 1
    return int(min(needed, present.size))


def cut_by_size(sizes: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Consecutive items whose sizes add up to `most` at most, or one by itself.

    Examples
    --------
    >>> list(cut_by_size(np.array([2, 2, 9, 1, 1]), 4))
    [(0, 2), (2, 3), (3, 5)]
    """
    begin, total = 0, 0
    for i, size in enumerate(sizes.tolist()):
        if i > begin and total + size > most:
            yield begin, i
            begin, total = i, 0
        total += size
    if len(sizes) > begin:
        yield begin, len(sizes)
