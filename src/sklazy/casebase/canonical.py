"""The canonical order of rows: by content, whatever the order of the file."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MISSING = np.uint64(0xD1B54A32D192ED03)


def number_words(values: NDArray[np.float64]) -> Words:
    """The bits of floats; -0.0 must have been made 0.0, every NaN counts the same."""
    words = np.ascontiguousarray(values).view(np.uint64).copy()
    words[np.isnan(values)] = _MISSING
    return words


def label_words(codes: NDArray[np.signedinteger[Any]], hashes: Words) -> Words:
    """A word per cell from the hashes of the labels; negative codes are missing."""
    return np.append(hashes, _MISSING)[np.maximum(codes, -1)]


def canonical_order(columns: Sequence[Words]) -> NDArray[np.int64]:
    """Sort rows by a hash of their content, and by the content where hashes tie.

    The hash makes the order cheap and as good as random, so no later step can
    suffer from a sorted file. Rows that tie are equal in every column.
    """
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = _mix(mixed ^ column)
    order = np.argsort(mixed, kind="stable")
    ordered = mixed[order]
    tied = np.flatnonzero(ordered[1:] == ordered[:-1])
    if all(_same(column, order, tied) for column in columns):
        return order
    return np.lexsort((*columns, mixed))


def _same(column: Words, order: NDArray[np.int64], tied: NDArray[np.int64]) -> bool:
    return bool((column[order[tied]] == column[order[tied + 1]]).all())


def _mix(words: Words) -> Words:
    """One round of splitmix64 (Steele, Lea, Flood 2014); wraps on purpose."""
    z = words + _STEP
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
