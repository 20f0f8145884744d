"""Counts of the rows: values by class, and bit sets of rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import CLASSES, Places, Rows
from sklazy.casebase.states import shallow
from sklazy.kernels.bits import build_bits, words_for
from sklazy.memory import aligned_zeros

MOST_BIT_VALUES = 64
"""An attribute with more values than this has no bit sets: they would be too many."""

_ONE = np.uint64(1)
_WORTH_FOLLOWING = 16  # recounted rows that take as long as one that comes or goes


class CellTallies:
    """Counts and bit sets, kept up to date row by row, attribute by attribute.

    An attribute whose values were renumbered is *stale*: its part is cleared, rows
    pass it by, and `rebuild` counts it anew. Where many rows came and went between two
    questions, all is stale and *asleep*: to count anew costs less than to keep step.

    Attributes
    ----------
    offsets : int64 array (n_attributes + 1,); value v of attribute j has the row
        ``offsets[j] + v`` of `counts`
    counts : int64 array (n_values, n_classes)
    class_counts : int64 array (n_classes,)
    starts : int64 array (n_attributes,), the first set of each attribute in
        `value_bits`, -1 where it has too many values for bit sets
    value_bits : uint64 array (n_sets + 1, n_words), the last set empty
    class_bits : uint64 array (n_classes, n_words)
    """

    def __init__(self, n_attributes: int) -> None:
        self.stale = np.ones(n_attributes, bool)
        self.offsets = np.zeros(n_attributes + 1, np.int64)
        self.starts = np.full(n_attributes, -1, np.int64)
        self.n_unread, self.asleep = 0, False
        self.discard()

    def discard(self) -> None:
        """Forget every count: all is stale."""
        self.stale[:] = True
        self.counts = np.zeros((0, 0), np.int64)
        self.class_counts = np.zeros(0, np.int64)
        self.value_bits = np.zeros((1, 1), np.uint64)
        self.class_bits = np.zeros((0, 1), np.uint64)

    def pass_by(self, n_passed: int, n_rows: int) -> bool:
        """Note rows that came or went; whether they were too many to keep step."""
        self.n_unread += n_passed
        if self.n_unread * _WORTH_FOLLOWING > n_rows and not self.asleep:
            self.discard()
            self.asleep = True
        return self.asleep

    def spoil(self, attribute: int) -> None:
        """Clear one attribute, whose values were renumbered; all for `CLASSES`."""
        if attribute == CLASSES:
            self.discard()
        elif not self.stale[attribute]:
            self.stale[attribute] = True
            first, last = self.offsets[attribute : attribute + 2]
            self.counts[first:last] = 0
            self._bits_of(attribute)[:] = 0

    def trimmed(self, n_rows: int) -> "CellTallies":
        """The same counts, with bit sets for `n_rows` rows."""
        tallies, words = shallow(self), words_for(n_rows)
        tallies.value_bits = _with_words(self.value_bits, words)
        tallies.class_bits = _with_words(self.class_bits, words)
        return tallies

    def shift(self, rows: Rows, places: Places, step: int) -> None:
        """Count rows in (step 1) or out (step -1), where they lie now."""
        if self.stale.all():
            return
        if len(places) * 4 > rows.n_rows:
            self.discard()
            return
        self._grow(rows)
        classes = rows.classes[places]
        codes = rows.codes[:, places]
        live = (codes >= 0) & ~self.stale[:, None]
        cells = codes + self.offsets[:-1, None]
        where = np.broadcast_to(np.arange(len(places)), codes.shape)[live]
        if len(self.class_counts):
            np.add.at(self.counts, (cells[live], classes[where]), step)
            np.add.at(self.class_counts, classes, step)
            _mark(self.class_bits, classes, places, step)
        live &= self.starts[:, None] >= 0
        where = np.broadcast_to(places, codes.shape)[live]
        _mark(self.value_bits, (codes + self.starts[:, None])[live], where, step)

    def rebuild(self, rows: Rows, widths: Sequence[int], n_classes: int) -> None:
        """Count the stale attributes anew; `widths` are the numbers of values."""
        self.n_unread, self.asleep = 0, False
        if not self.stale.any():
            return
        if self.stale.all():
            self._count_classes(rows, n_classes)
        offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        sets = [w if w <= MOST_BIT_VALUES else 0 for w in widths]
        firsts = np.concatenate([[0], np.cumsum(sets)]).astype(np.int64)
        counts = np.zeros((offsets[-1], n_classes), np.int64)
        n_words = words_for(rows.capacity)
        bits = aligned_zeros((firsts[-1] + 1, n_words), np.uint64)
        self._copy_fresh(counts, offsets, bits, firsts)
        live = slice(0, rows.n_rows)
        for j in np.flatnonzero(self.stale).tolist():
            codes = rows.codes[j, live]
            counts[offsets[j] : offsets[j + 1]] = count_values_by_class(
                codes, rows.classes[live], widths[j], n_classes
            )
            if sets[j]:
                _fill(bits[firsts[j] : firsts[j + 1]], codes)
        self.stale[:] = True  # until all is in place, should this be interrupted
        self.counts, self.offsets, self.value_bits = counts, offsets, bits
        wide = np.array(widths) > MOST_BIT_VALUES
        self.starts = np.where(wide, -1, firsts[:-1])
        self.stale[:] = False

    def _copy_fresh(
        self,
        counts: NDArray[np.int64],
        offsets: NDArray[np.int64],
        bits: NDArray[np.uint64],
        firsts: NDArray[np.int64],
    ) -> None:
        """Carry over the parts that are not stale."""
        words = self.value_bits.shape[1]
        for j in np.flatnonzero(~self.stale):
            counts[offsets[j] : offsets[j + 1]] = self.counts[
                self.offsets[j] : self.offsets[j + 1]
            ]
            bits[firsts[j] : firsts[j + 1], :words] = self._bits_of(int(j))

    def _bits_of(self, attribute: int) -> NDArray[np.uint64]:
        first, width = self.starts[attribute], np.diff(self.offsets)[attribute]
        return self.value_bits[first : first + width] if first >= 0 else _NO_BITS

    def _count_classes(self, rows: Rows, n_classes: int) -> None:
        classes = rows.classes[: rows.n_rows]
        self.class_counts = np.bincount(classes, minlength=n_classes)[:n_classes]
        n_words = words_for(rows.capacity)
        self.class_bits = aligned_zeros((n_classes, n_words), np.uint64)
        _fill(self.class_bits, classes)

    def _grow(self, rows: Rows) -> None:
        """Give the bit sets room for all rows."""
        n_words = words_for(rows.capacity)
        if n_words > self.value_bits.shape[1]:
            self.value_bits = _with_words(self.value_bits, n_words)
            self.class_bits = _with_words(self.class_bits, n_words)


Codes = NDArray[np.signedinteger[Any]]

_NO_BITS = np.zeros((0, 1), np.uint64)
_SMALL_JOB = 10**6  # cells; below, numpy is done before a kernel is loaded


def _with_words(bits: NDArray[np.uint64], n_words: int) -> NDArray[np.uint64]:
    """Copy bit sets to `n_words` words each, padded with zeros or cut off."""
    copy = aligned_zeros((len(bits), n_words), np.uint64)
    n_common = min(n_words, bits.shape[1])
    copy[:, :n_common] = bits[:, :n_common]
    return copy


def count_values_by_class(
    codes: Codes, classes: Codes, width: int, n_classes: int
) -> NDArray[np.int64]:
    """Rows by value and class."""
    cells = codes * np.int64(n_classes) + classes
    known = codes >= 0
    if not known.all():
        cells = cells[known]
    return np.bincount(cells, minlength=width * n_classes)[: width * n_classes].reshape(
        width, n_classes
    )


def count_members(
    sets: NDArray[np.uint64], of_classes: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Rows by value and class, which are bit sets (n_values or n_classes, n_words).

    Examples
    --------
    >>> sets = np.array([[0b0110], [0b1001]], np.uint64)
    >>> count_members(sets, np.array([[0b0011], [0b1100]], np.uint64)).tolist()
    [[1, 1], [1, 1]]
    """
    counts = np.zeros((len(sets), len(of_classes)), np.int64)
    for i, members in enumerate(of_classes):
        counts[:, i] = np.bitwise_count(sets & members).sum(axis=1, dtype=np.int64)
    return counts


def _fill(bits: NDArray[np.uint64], codes: Codes) -> None:
    """Put rows into the sets of their values."""
    sets = _bit_sets(codes, len(bits), words_for(len(codes)))
    bits[:, : sets.shape[1]] = sets


def _bit_sets(codes: Codes, width: int, n_words: int) -> NDArray[np.uint64]:
    """One bit set of rows for each value, shape (width, n_words)."""
    if len(codes) * width > _SMALL_JOB:
        span = np.array([0, width], np.int64)
        return build_bits(codes.astype(np.int32)[None], span, n_words)[:-1]
    packed = np.packbits(codes == np.arange(width)[:, None], axis=1, bitorder="little")
    padded = np.zeros((width, n_words * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64, copy=False)


def _mark(
    bits: NDArray[np.uint64],
    sets: NDArray[np.signedinteger],
    places: Places,
    step: int,
) -> None:
    """Set or clear the bits of rows in their sets."""
    masks = _ONE << (places & 63).astype(np.uint64)
    if step > 0:
        np.bitwise_or.at(bits, (sets, places >> 6), masks)
    else:
        np.bitwise_and.at(bits, (sets, places >> 6), ~masks)
