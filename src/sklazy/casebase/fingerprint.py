"""A fingerprint of plain data and arrays, and what it is taken of."""

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from sklazy.casebase.buckets import hash_buckets, in_batches
from sklazy.casebase.canonical import number_words
from sklazy.casebase.vocabulary import plain_label

if TYPE_CHECKING:
    from sklazy.casebase.base import CaseBase


def digest_of(cases: "CaseBase") -> str:
    """The fingerprint of an up-to-date case base: of its head and of all rows.

    Rows are hashed bucket by bucket (`casebase.buckets`); bools are the numbers that
    they equal, labels count by hashes of their own.
    """
    sizes = cases.bucket_sizes()
    present = np.flatnonzero(sizes)
    # Others may change what is known meanwhile, so this takes what it needs.
    digests = cases.buckets.known_of(present)
    unknown = np.array([b for b in present.tolist() if b not in digests], np.int64)
    for wanted in in_batches(unknown, sizes, cases.n_words):
        found = dict(hash_buckets(*cases.words_in(wanted)))
        cases.buckets.learn(found)
        digests |= found
    joined = b"".join(digests[bucket] for bucket in present.tolist())
    return fingerprint([*_head(cases), present, np.frombuffer(joined, np.uint8)])


def _head(cases: "CaseBase") -> list[object]:
    """What all rows share."""
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
