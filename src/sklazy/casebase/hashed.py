"""Hashes of rows by their content: the canonical order, and words for digests."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.canonical import (
    Words,
    number_copies,
    sort_hashed,
    spread_copies,
)
from sklazy.casebase.fingerprint import BUCKETS, buckets_of
from sklazy.casebase.memory import Memory
from sklazy.casebase.rows import CodedRows

_AT_ONCE = 1 << 18  # rows that are hashed


class Hashed(Memory):
    """Mixin that hashes rows by content."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.rows.n_rows

    @property
    def order(self) -> NDArray[np.int64]:
        """The rows in canonical order: by content, whatever their order of arrival.

        Equal rows are spread by the number of the copy, so that the first rows are a
        fair draw of all, and the first of equally near ones a fair draw of these.
        """
        return self.derive("order", self._order)

    def _order(self) -> NDArray[np.int64]:
        by_content = self.sort_by_content()
        hashes = self.hashes()[by_content]
        if (hashes[1:] != hashes[:-1]).all():  # no copies to spread
            return by_content
        keys = spread_copies(hashes, number_copies(hashes))
        return by_content[np.argsort(keys, kind="stable")]

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of every row in canonical order."""
        return self.derive("canonical places", lambda: np.argsort(self.order))

    def sort_by_content(self) -> NDArray[np.int64]:
        """The rows by their content, equal ones side by side."""
        with self._lock:
            return sort_hashed(
                self.hashes(),
                lambda places: self.coder.words(self.content(places)),
                self.tie_breakers(),
            )

    def tie_breakers(self) -> NDArray[Any]:
        """Keys that order rows of equal content, among those of all parts.

        Where the number of later rows is content, too, the order of arrival does, so
        that ids change no answer.
        """
        if self._counts_arrivals:
            return self.arrival + self.first_row
        return self.rows.ids

    @property
    def first_row(self) -> int:
        """The number of the first row, among those of all parts if there are others."""
        return 0

    @property
    def arrival(self) -> NDArray[np.int64]:
        """The rows' numbers from 0 in order of arrival, in the order they lie in."""
        return self.rows.arrival[: self.n_rows].astype(np.int64)

    def hashes(self) -> Words:
        """A number for each row that depends on its content alone, (n_rows,).

        Once computed, they are kept with the rows.
        """
        with self._lock:
            if self.schema.balanced:  # they change with the weights
                return self.derive("hashes", self._find_hashes)
            if not len(self.rows.hashes):
                self.rows.keep_hashes(self._find_hashes())
            return self.rows.hashes[0, : self.n_rows]

    def content(self, rows: NDArray[np.int64]) -> CodedRows:
        """Some rows as their content is hashed: balanced weights belong to it."""
        taken = self.rows.take(rows)
        return (
            replace(taken, weights=self.weights[rows])
            if self.schema.balanced
            else taken
        )

    @property
    def weights(self) -> NDArray[np.float64]:
        """How much rows count now, in the order they lie in."""
        raise NotImplementedError

    def _find_hashes(
        self, content: Callable[[NDArray[np.int64]], CodedRows] | None = None
    ) -> Words:
        """Hash the rows, in batches that fit the memory."""
        take, starts = content or self.content, range(0, self.n_rows, _AT_ONCE)
        batches = (
            take(np.arange(first, min(first + _AT_ONCE, self.n_rows)))
            for first in starts
        )
        return np.concatenate(
            [np.zeros(0, np.uint64), *map(self.coder.hashes, batches)]
        )

    def hashes_in_digest(self) -> Words:
        """The hashes of rows with their own weights: balanced ones follow from them."""
        if not self.schema.balanced:
            return self.hashes()
        find = partial(self._find_hashes, self.rows.take)
        return self.derive("hashes in digest", find)

    def bucket_sizes(self) -> NDArray[np.int64]:
        """The number of rows in each bucket of hashes."""
        return np.bincount(buckets_of(self.hashes_in_digest()), minlength=BUCKETS)

    @property
    def n_words(self) -> int:
        """How many words a row's content has."""
        rows = self.rows
        n_numbers = len(rows.numbers) + len(rows.targets) + 1 + len(rows.times)
        return n_numbers + len(self.coder.vocabularies) + self._counts_arrivals

    def words_in(self, buckets: NDArray[np.int64]) -> tuple[Words, Words]:
        """Hashes (n,) and content (n, n_words) of the rows that are in some buckets."""
        hashes, wanted = self.hashes_in_digest(), np.zeros(BUCKETS, bool)
        wanted[buckets] = True
        places = np.flatnonzero(wanted[buckets_of(hashes)])
        rows, words = (
            self.rows.take(places),
            np.empty((len(places), self.n_words), np.uint64),
        )
        for column, content in enumerate(self.coder.words(rows)):
            words[:, column] = content
        if self._counts_arrivals:
            words[:, -1] = rows.arrival.astype(np.uint64)
        return hashes[places], words
