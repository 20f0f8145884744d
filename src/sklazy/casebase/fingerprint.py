"""A fingerprint of plain data and arrays, and what it is taken of."""

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from sklazy.casebase.canonical import number_words
from sklazy.casebase.rows import CodedRows
from sklazy.casebase.vocabulary import plain_label

if TYPE_CHECKING:
    from sklazy.casebase.base import CaseBase


def content(cases: "CaseBase") -> list[object]:
    """All that the state of an up-to-date case base consists of.

    Rows are in canonical order; bools are the numbers that they equal.
    """
    batch, tallies = cases.rows.take(cases.order), cases.tallies
    origins = [(o.name, repr(o.reading)) for o in cases.schema.origins]
    return [
        [(a.name, a.kind, a.declared) for a in cases.schema.attributes],
        *([origins] if origins else []),
        [
            [plain_label(label) for label in vocabulary.labels]
            for vocabulary in cases.coder.vocabularies.values()
        ],
        (cases.coder.has_classes, cases.bins.criterion, cases.bins.frozen),
        *[number_words(n) for n in (*batch.numbers, *batch.targets)],
        batch.codes,
        batch.classes,
        number_words(batch.weights),
        *_moments(cases, batch),
        *cases.bins.cuts,
        tallies.offsets,
        tallies.counts,
        number_words(cases.ranges.edges),
    ]


def _moments(cases: "CaseBase", batch: CodedRows) -> list[object]:
    """Times and how weights fade by them; nothing where neither is there."""
    if len(batch.times):
        return [cases.schema.clock, cases.half_life, number_words(batch.times[0])]
    return [] if cases.half_life is None else [cases.half_life, batch.arrival]


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
