"""Digests of rows by the top bits of their hashes: a row that comes or goes costs one.

A bucket's digest is SHA-256 over the content of its rows in canonical order, so it
depends neither on where rows lie nor on how they came. The digests of all buckets make
up the fingerprint of the rows.
"""

import hashlib
import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.canonical import Words, sort_hashed

BUCKETS = 4096
_SHIFT = np.uint64(52)  # leaves the top bits of a hash
_MOST_CELLS = 1 << 22  # written down at once

_counter = itertools.count(1)

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


def buckets_of(hashes: Words) -> Ints:
    """The bucket of each row."""
    return (hashes >> _SHIFT).astype(np.int64)


class Buckets:
    """Which state every bucket is in, and the digests that are known.

    A state and the base that it is of share what is known; a change gives the buckets
    that it touches a number that none had before.

    Attributes
    ----------
    versions : int64 array of shape (BUCKETS,); a change makes a new one
    known : dict, from a bucket to its version and digest
    """

    def __init__(self) -> None:
        self.versions = np.zeros(BUCKETS, np.int64)
        self.known: dict[int, tuple[int, bytes]] = {}

    def touch(self, hashes: Words | None) -> None:
        """Say that rows came or went; all might have for None."""
        if hashes is None:
            self.versions, self.known = np.full(BUCKETS, next(_counter)), {}
            return
        self.versions, touched = self.versions.copy(), buckets_of(hashes)
        self.versions[touched] = next(_counter)
        for bucket in np.unique(touched).tolist() if self.known else ():
            self.known.pop(bucket, None)

    def known_of(self, present: Ints) -> dict[int, bytes]:
        """The digests that are known of some buckets, as these are here."""
        versions = self.versions[present].tolist()
        found = {}
        for bucket, version in zip(present.tolist(), versions, strict=True):
            known, digest = self.known.get(bucket, (-1, b""))
            if known == version:
                found[bucket] = digest
        return found

    def learn(self, digests: dict[int, bytes]) -> None:
        """Keep digests of buckets as they are here."""
        for bucket, digest in digests.items():
            self.known[bucket] = int(self.versions[bucket]), digest


def hash_buckets(
    hashes: Words, words: NDArray[np.uint64]
) -> Iterator[tuple[int, bytes]]:
    """The digests of all buckets that some rows are in.

    Parameters
    ----------
    hashes : uint64 array of shape (n_rows,)
    words : uint64 array of shape (n_rows, n_columns)
        The rows' content, in any order.
    """
    order = sort_hashed(hashes, lambda rows: words[rows].T)
    tops = buckets_of(hashes[order])
    starts = np.flatnonzero(np.append(tops[:1] >= 0, tops[1:] != tops[:-1]))
    ends = np.append(starts[1:], len(tops))[: len(starts)]
    for first, last in zip(starts, ends, strict=True):
        content = np.ascontiguousarray(words[order[first:last]], "<u8")
        yield int(tops[first]), hashlib.sha256(content.data).digest()


def in_batches(wanted: Ints, sizes: Ints, n_columns: int) -> Iterator[Ints]:
    """Some buckets after the other, as many as fit the memory.

    Parameters
    ----------
    wanted : int64 array of buckets
    sizes : int64 array of shape (BUCKETS,)
        The number of rows in each.
    n_columns : int
    """
    filled = np.cumsum(sizes[wanted]) * n_columns // _MOST_CELLS
    for batch in np.unique(filled):
        yield wanted[filled == batch]
