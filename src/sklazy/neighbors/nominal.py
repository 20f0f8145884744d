"""Nearest neighbours by agreement: each attribute agrees with the query or not."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.kernels.bits import build_bits_of
from sklazy.kernels.matching import match_nominal
from sklazy.neighbors.cases import NominalCases

# Bytes of bit sets made for a chunk of queries when the case base keeps none.
_MOST_BYTES = 32 << 20


class Neighborhood(NamedTuple):
    """The rows that vote for one query.

    Attributes
    ----------
    rows : int64 array of shape (n_neighbors,)
        Nearest first, then by position.
    distances : float64 array of shape (n_neighbors,)
    """

    rows: NDArray[np.int64]
    distances: NDArray[np.float64]


class NominalSearch:
    """The k nearest rows of each query, and all tied with the k-th, as class votes.

    The distance is the number of the query's own attributes on which a row does not
    agree; a missing or unseen value agrees with nothing. Made for one batch; `run`
    answers a part of it, and different parts may run in different threads.

    Parameters
    ----------
    cases : NominalCases
    codes : int32 array of shape (n_queries, n_attributes)
        The queries, C-contiguous.
    selected : Selected
        The attributes of each query; may still be empty when the search is made, as
        long as a query's are there before `run` comes to it.
    n_neighbors : int
        If there are fewer rows, all of them vote.
    excluded : int64 array of shape (n_queries,) or None
        For each query a row that does not take part, -1 for none.

    Attributes
    ----------
    votes : int64 array of shape (n_queries, n_classes)
    thresholds : int64 array of shape (n_queries,)
        On how many attributes the k-th neighbour agrees.
    n_tied : int64 array of shape (n_queries,)
        How many rows agree on just as many.
    """

    def __init__(
        self,
        cases: NominalCases,
        codes: NDArray[np.int32],
        selected: Selected,
        n_neighbors: int,
        excluded: NDArray[np.int64] | None = None,
    ) -> None:
        n_queries = codes.shape[0]
        self.cases, self.codes, self.selected = cases, codes, selected
        self.n_neighbors = n_neighbors
        self.excluded = (
            np.full(n_queries, -1, np.int64) if excluded is None else excluded
        )
        self.votes = np.zeros((n_queries, cases.class_bits.shape[0]), np.int64)
        self.thresholds = np.zeros(n_queries, np.int64)
        self.n_tied = np.zeros(n_queries, np.int64)

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        bits = self.cases.value_bits
        if bits is not None:
            slots = np.arange(bits.shape[0] - 1, dtype=np.int64)
            self._match(bits, slots, first, last)
            return
        n_words = self.cases.class_bits.shape[1]
        a_query = max(1, self.selected.attributes.shape[1]) * n_words * 8
        step = max(1, _MOST_BYTES // a_query)
        for begin in range(first, last, step):
            end = min(last, begin + step)
            self._match(*self._build_bits(begin, end), begin, end)

    def _match(
        self, bits: NDArray[np.uint64], slots: NDArray[np.int64], first: int, last: int
    ) -> None:
        cases = self.cases
        match_nominal(
            bits,
            slots,
            cases.offsets,
            cases.class_bits,
            cases.classes,
            self.codes,
            *self.selected,
            self.excluded,
            self.n_neighbors,
            first,
            last,
            self.votes,
            self.thresholds,
            self.n_tied,
        )

    def _build_bits(
        self, first: int, last: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the bit sets of the values that these queries have, and their slots.

        Reading the columns once for many queries costs little beside the search, and
        columns with thousands of values need no thousands of bit sets.
        """
        cases = self.cases
        part = self.selected.attributes[first:last]
        used = np.arange(part.shape[1]) < self.selected.counts[first:last, None]
        codes = np.take_along_axis(self.codes[first:last], np.maximum(part, 0), axis=1)
        used &= codes >= 0
        wanted = np.unique(cases.offsets[part[used]] + codes[used])
        slots = np.full(cases.offsets[-1], wanted.size, np.int64)
        slots[wanted] = np.arange(wanted.size)
        n_words = cases.class_bits.shape[1]
        bits = build_bits_of(cases.codes, cases.offsets, slots, wanted.size, n_words)
        return bits, slots

    def list_neighbors(self, query: int) -> Neighborhood:
        """Return the rows that voted for a query that has been answered."""
        used = self.selected.attributes[query, : self.selected.counts[query]]
        agreements = count_agreements(self.cases.codes, self.codes[query], used)
        reached = agreements >= self.thresholds[query]
        if self.excluded[query] >= 0:
            reached[self.excluded[query]] = False
        rows = np.flatnonzero(reached)
        order = np.argsort(-agreements[rows], kind="stable")
        rows = rows[order]
        return Neighborhood(rows, (used.size - agreements[rows]).astype(np.float64))


def count_agreements(
    codes: NDArray[np.int32], query: NDArray[np.int32], attributes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Count for every row the attributes on which it has the query's value.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    query : int32 array of shape (n_attributes,)
    attributes : int32 array of the attributes compared
    """
    agreements = np.zeros(codes.shape[1], np.int32)
    for attribute in attributes:
        if query[attribute] >= 0:
            agreements += codes[attribute] == query[attribute]
    return agreements
