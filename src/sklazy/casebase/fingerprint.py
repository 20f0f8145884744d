"""The fingerprint of a case base: of its head, and of its rows in buckets.

Rows are in buckets by the top bits of their hashes, so one that comes or goes costs one
digest. A bucket's digest is SHA-256 over the content of its rows in canonical order, so
it depends neither on where rows lie nor on how they came.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.canonical import Words, number_words, sort_hashed
from sklazy.casebase.vocabulary import plain_label

if TYPE_CHECKING:
    from sklazy.casebase.base import CaseBase

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
        """Mark the buckets of rows that came or went; all buckets for None."""
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
        digests = {}
        for bucket, version in zip(present.tolist(), versions, strict=True):
            known, digest = self.known.get(bucket, (-1, b""))
            if known == version:
                digests[bucket] = digest
        return digests

    def learn(self, digests: dict[int, bytes]) -> None:
        """Keep digests of buckets as they are here."""
        for bucket, digest in digests.items():
            self.known[bucket] = int(self.versions[bucket]), digest


def hash_buckets(
    hashes: Words, words: NDArray[np.uint64]
) -> Iterator[tuple[int, bytes]]:
    """The digests of all buckets that some rows are in, by their words in any order."""
    order = sort_hashed(hashes, lambda rows: words[rows].T)
    tops = buckets_of(hashes[order])
    starts = np.flatnonzero(np.append(tops[:1] >= 0, tops[1:] != tops[:-1]))
    ends = np.append(starts[1:], len(tops))[: len(starts)]
    for first, last in zip(starts, ends, strict=True):
        content = np.ascontiguousarray(words[order[first:last]], "<u8")
        yield int(tops[first]), hashlib.sha256(content.data).digest()


def in_batches(wanted: Ints, sizes: Ints, n_columns: int) -> Iterator[Ints]:
    """Some buckets after the other, as many as fit the memory by their sizes."""
    filled = np.cumsum(sizes[wanted]) * n_columns // _MOST_CELLS
    for batch in np.unique(filled):
        yield wanted[filled == batch]


def digest_of(cases: "CaseBase", purpose: str = "") -> str:
    """The fingerprint of an up-to-date case base: of its head and of all rows.

    Rows are hashed bucket by bucket; bools are the numbers that they equal, labels
    count by hashes of their own. One for another purpose cannot be found from it.
    """
    sizes = cases.bucket_sizes()
    present = np.flatnonzero(sizes)
    # Others may change what is known meanwhile, so this takes what it needs.
    digests = cases.buckets.known_of(present)
    unknown = np.array([b for b in present.tolist() if b not in digests], np.int64)
    for wanted in in_batches(unknown, sizes, cases.n_words):
        fresh = dict(hash_buckets(*cases.words_in(wanted)))
        cases.buckets.learn(fresh)
        digests |= fresh
    joined = b"".join(digests[bucket] for bucket in present.tolist())
    first = [purpose] if purpose else []
    rows = np.frombuffer(joined, np.uint8)
    return fingerprint([*first, *_head(cases), present, rows])


def _head(cases: "CaseBase") -> list[object]:
    """Content that all rows share: columns, labels and settings."""
    tallies, schema = cases.tallies, cases.schema
    origins = [(o.name, repr(o.reading)) for o in schema.origins]
    return [
        [(a.name, a.kind, a.declared) for a in schema.attributes],
        *([origins] if origins else []),
        [
            [plain_label(label) for label in vocabulary.labels]
            for vocabulary in cases.coder.vocabularies.values()
        ],
        (cases.coder.has_classes, cases.bins.criterion, cases.bins.frozen),
        (schema.clock, cases.half_life, cases.n_rows),
        *(["balanced"] if schema.balanced else []),
        *cases.bins.cuts,
        tallies.offsets,
        tallies.counts,
        number_words(cases.ranges.edges),
    ]


def fingerprint(parts: Iterable[object]) -> str:
    """SHA-256 over parts in order: arrays by type, shape and bytes, the rest as JSON.

    Every part is preceded by its length, so that no two lists of parts look alike.
    """
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            array = np.ascontiguousarray(part.astype(part.dtype.newbyteorder("<")))
            head, body = f"{array.dtype.str}{array.shape}", array.tobytes()
        else:
            head, body = "json", json.dumps(part, ensure_ascii=True).encode("ascii")
        digest.update(f"{head}:{len(body)}:".encode())
        digest.update(body)
    return digest.hexdigest()
