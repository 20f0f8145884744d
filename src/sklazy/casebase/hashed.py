"""Hashes of rows by their content: the canonical order, and words for digests."""

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.buckets import BUCKETS, buckets_of
from sklazy.casebase.canonical import Words
from sklazy.casebase.memory import Memory


class Hashed(Memory):
    """Rows that can be told apart by their content alone."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.rows.n_rows

    @property
    def order(self) -> NDArray[np.int64]:
        """The rows in canonical order: by content, whatever their order of arrival."""
        return self.derive("order", self._order)

    def _order(self) -> NDArray[np.int64]:
        with self._lock:
            self.hashes()
            rows = self.rows.live()
            names = rows.arrival if self._counts_arrivals else rows.ids
            return self.coder.order(rows, names)

    def hashes(self) -> Words:
        """A number for each row that depends on its content alone, (n_rows,).

        Once somebody has asked for them, they are kept with the rows.
        """
        with self._lock:
            if not len(self.rows.hashes):
                self.rows.keep_hashes(self.coder.hashes(self.rows.live()))
            return self.rows.hashes[0, : self.n_rows]

    def bucket_sizes(self) -> NDArray[np.int64]:
        """The number of rows in each bucket of hashes."""
        return np.bincount(buckets_of(self.hashes()), minlength=BUCKETS)

    @property
    def n_words(self) -> int:
        """How many words a row's content has."""
        rows = self.rows
        n_numbers = len(rows.numbers) + len(rows.targets) + 1 + len(rows.times)
        return n_numbers + len(self.coder.vocabularies) + self._counts_arrivals

    def words_in(self, buckets: NDArray[np.int64]) -> tuple[Words, Words]:
        """Hashes (n,) and content (n, n_words) of the rows that are in some buckets."""
        hashes, wanted = self.hashes(), np.zeros(BUCKETS, bool)
        wanted[buckets] = True
        places = np.flatnonzero(wanted[buckets_of(hashes)])
        rows, words = (
            self.rows.take(places),
            np.empty((len(places), self.n_words), np.uint64),
        )
        for column, own in enumerate(self.coder.words(rows)):
            words[:, column] = own
        if self._counts_arrivals:
            words[:, -1] = rows.arrival.astype(np.uint64)
        return hashes[places], words
