"""Codes as bit sets of rows, from which they can be read again.

A row of an attribute with up to `MOST_BIT_VALUES` values is in the set of its value, or
in none where the cell is missing. So codes take no room beside the sets; attributes of
more values have no sets and keep their codes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import Codes, Places
from sklazy.flow import MISSING

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

STEP = 1 << 16
"""Rows that are packed or unpacked at once."""

_MANY = 64  # rows side by side that are read faster by words


class Packing(NamedTuple):
    """Where the codes of rows lie.

    Attributes
    ----------
    starts : int64 array of shape (n_attributes,)
        The first set of each attribute, -1 where its codes are kept.
    widths : int64 array of shape (n_attributes,)
        The number of its values.
    value_bits : uint64 array of shape (n_sets + 1, n_words)
    kept : int array of shape (n_kept, capacity)
        The codes of the attributes without sets, in their order.
    """

    starts: Ints
    widths: Ints
    value_bits: Words
    kept: Codes

    def at(self, places: Places) -> NDArray[np.int32]:
        """The codes of rows at some places, (n_attributes, n_places)."""
        if len(places) > _MANY and (np.diff(places) == 1).all():
            return self._between(int(places[0]), int(places[-1]) + 1)
        found = np.full((len(self.starts), len(places)), MISSING, np.int32)
        word, bit = places >> 6, (places & 63).astype(np.uint64)
        for j, start in enumerate(self.starts.tolist()):
            if start < 0:
                found[j] = self.kept[self._kept_place(j), places]
                continue
            sets = self.value_bits[start : start + self.widths[j]]
            value, row = np.nonzero(sets[:, word] >> bit & np.uint64(1))
            found[j, row] = value
        return found

    def _between(self, first: int, last: int) -> NDArray[np.int32]:
        """The codes of rows side by side."""
        found = np.empty((len(self.starts), last - first), np.int32)
        begin = first & ~63  # where a word begins
        for j in range(len(self.starts)):
            found[j] = self._read(j, begin, last)[first - begin :]
        return found

    def column(self, attribute: int, n_rows: int) -> Codes:
        """The codes of an attribute in the smallest type that holds them."""
        if self.starts[attribute] < 0:
            return self._read(attribute, 0, n_rows)
        codes = np.empty(n_rows, np.int8)
        for first in range(0, n_rows, STEP):
            last = min(n_rows, first + STEP)
            codes[first:last] = self._read(attribute, first, last)
        return codes

    def _read(self, attribute: int, first: int, last: int) -> Codes:
        """The codes of an attribute from a row that begins a word."""
        start, width = int(self.starts[attribute]), int(self.widths[attribute])
        if start < 0:
            return self.kept[self._kept_place(attribute), first:last]
        codes = np.full(last - first, MISSING, np.int8)
        for value in range(width):
            codes[self._members(start + value, first, last - first)] = value
        return codes

    def _members(self, number: int, first: int, n_rows: int) -> NDArray[np.bool_]:
        """Which rows, from one that begins a word, are in a set."""
        words = self.value_bits[number, first >> 6 : (first + n_rows + 63) >> 6]
        little = np.ascontiguousarray(words, "<u8").view(np.uint8)
        return np.unpackbits(little, count=n_rows, bitorder="little").view(np.bool_)

    def _kept_place(self, attribute: int) -> int:
        return int((self.starts[:attribute] < 0).sum())


def pack_column(codes: Codes, bits: Words, first: int) -> None:
    """Put rows into the sets of their values, from a row that begins a word.

    Parameters
    ----------
    codes : int array of shape (n_rows,)
    bits : uint64 array of shape (n_values, n_words), written
        Zeros where these rows go.
    first : int
        The place of the first row.
    """
    n_bytes, begin = (len(codes) + 7) >> 3, first >> 3
    for value, own in enumerate(bits):
        packed = np.packbits(codes == value, bitorder="little")
        own.view(np.uint8)[begin : begin + n_bytes] = packed
