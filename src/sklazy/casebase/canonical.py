"""The order of rows: by content, whatever the order of the file; copies spread."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
WordsOf = Callable[[Ints], Iterable[Words]]
"""From rows to their columns, one after the other."""

_WORD = np.uint64
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MISSING = np.uint64(0xD1B54A32D192ED03)
_STEP_INT, _ALL = int(_STEP), 2**64 - 1  # Python's integers do not wrap by themselves


def number_words(values: NDArray[np.float64]) -> Words:
    """The bits of floats; -0.0 must have been made 0.0, every NaN counts the same."""
    words = np.array(values, order="C").view(np.uint64)
    words[np.isnan(values)] = _MISSING
    return words


def label_words(codes: NDArray[np.signedinteger[Any]], hashes: Words) -> Words:
    """A word per cell from the hashes of the labels; negative codes are missing."""
    words = hashes[np.maximum(codes, 0)] if len(hashes) else np.empty_like(codes, _WORD)
    words[codes < 0] = _MISSING
    return words


def content_hashes(columns: Iterable[Words]) -> Words:
    """A number for each row that depends on nothing but its content."""
    mixed = np.zeros(1, np.uint64)
    for column in columns:
        mixed = _mix(mixed ^ column)
    return mixed


def hash_row(words: Iterable[int]) -> int:
    """The hash of one row from its words; equal to `content_hashes`.

    Examples
    --------
    >>> columns = [np.array([3], np.uint64), np.array([7], np.uint64)]
    >>> bool(hash_row([3, 7]) == content_hashes(columns)[0])
    True
    """
    mixed = 0
    for word in words:
        z = ((mixed ^ word) + _STEP_INT) & _ALL
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _ALL
        mixed = z ^ (z >> 31)
    return mixed


def sort_hashed(
    hashes: Words, words_of: WordsOf, names: NDArray[Any] | None = None
) -> Ints:
    """Sort rows by their hashes, by content where hashes tie, equal ones by names.

    The hash makes the order cheap and as good as random, so no later step can suffer
    from a sorted file. Without names equal rows stay in the order of the table.
    """
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    same = ordered[1:] == ordered[:-1]
    if not same.any():
        return order
    before, after = order[:-1][same], order[1:][same]
    equal = all(
        np.array_equal(*pair)
        for pair in zip(words_of(before), words_of(after), strict=True)
    )
    if equal and (names is None or (names[before] <= names[after]).all()):
        return order
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    rows = order[tied]
    keys: list[NDArray[Any]] = [] if equal else list(words_of(rows))
    if names is not None:
        keys = [np.unique(names[rows], return_inverse=True)[1], *keys]
    order[tied] = rows[np.lexsort((*keys, hashes[rows]))]
    return order


def number_copies(hashes: Words) -> Ints:
    """Number the rows of each hash 0, 1, ... where rows lie by their hashes."""
    starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))[: len(hashes)]
    sizes = np.diff(np.append(starts, len(hashes)))
    return np.arange(len(hashes)) - np.repeat(starts, sizes)


def spread_copies(hashes: Words, copies: Ints) -> Words:
    """Hash rows by content and number of the copy, so that equal rows lie anywhere.

    Sorted by these numbers, the first rows are a fair draw, and so are the first of
    equally near ones, however often rows repeat. The first copy keeps the row's hash:
    where no rows repeat, this is the canonical order.
    """
    moved = _mix(hashes + _STEP * copies.astype(np.uint64))
    return np.where(copies == 0, hashes, moved)


def _mix(words: Words) -> Words:
    """One round of splitmix64 (Steele, Lea, Flood 2014); wraps on purpose."""
    z = words + _STEP
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
