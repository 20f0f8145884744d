"""Bit sets of rows: 64 rows a word, row i in bit ``i % 64`` of word ``i // 64``."""

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from sklazy.kernels.compiling import entry, kernel

WORD_BITS = 64
PAD_WORDS = 8  # 64 bytes, one cache line

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def words_for(n_rows: int) -> int:
    """Return the number of words that hold `n_rows` bits, padded to a cache line."""
    lines = -(-n_rows // (WORD_BITS * PAD_WORDS))
    return max(1, lines) * PAD_WORDS


@intrinsic
def popcount(_context, word):
    """Number of set bits of an integer, as an integer of the same type."""
    if not isinstance(word, types.Integer):
        return None

    def generate(_target, builder, _signature, arguments):
        return builder.ctpop(arguments[0])

    return word(word), generate


@intrinsic
def trailing_zeros(_context, word):
    """Position of the lowest set bit of an integer (its width if there is none)."""
    if not isinstance(word, types.Integer):
        return None

    def generate(_target, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return word(word), generate


@kernel
def set_bit(bits, row):
    """Put a row into the set `bits`, equal to ``members.add(row)``."""
    bits[row >> 6] |= ONE << np.uint64(row & 63)


@kernel
def clear_bit(bits, row):
    """Take a row out of the set `bits`, equal to ``members.discard(row)``."""
    bits[row >> 6] &= ~(ONE << np.uint64(row & 63))


@kernel
def has_bit(bits, row):
    """Tell whether a row is in the set `bits`, equal to ``row in members``."""
    return (bits[row >> 6] >> np.uint64(row & 63)) & ONE != ZERO


@entry
def build_bits(codes, offsets, n_words):
    """One bit set of rows for each (attribute, value).

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
        Values below zero (missing, unseen) belong to no set.
    offsets : int64 array of shape (n_attributes + 1,)
        Value v of attribute j has the row ``offsets[j] + v`` of the result.
    n_words : int
        At least `words_for` (n_rows) words a set.

    Returns
    -------
    uint64 array of shape (offsets[-1] + 1, n_words)
        The last set is empty: what agrees with nothing points at it.
    """
    n_attributes, n_rows = codes.shape
    bits = np.zeros((offsets[n_attributes] + 1, n_words), np.uint64)
    for attribute in range(n_attributes):
        first = offsets[attribute]
        for row in range(n_rows):
            code = codes[attribute, row]
            if code >= 0:
                set_bit(bits[first + code], row)
    return bits


@entry
def build_bits_of(codes, offsets, slots, n_sets, n_words):
    """Like `build_bits`, for the values with a slot (0 .. n_sets - 1) only.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    slots : int64 array of shape (offsets[-1],)
        The set of each value; `n_sets`, the empty one, for those not wanted.
    n_sets, n_words : int
    """
    n_attributes, n_rows = codes.shape
    bits = np.zeros((n_sets + 1, n_words), np.uint64)
    for attribute in range(n_attributes):
        own = slots[offsets[attribute] : offsets[attribute + 1]]
        if (own == n_sets).all():
            continue
        for row in range(n_rows):
            code = codes[attribute, row]
            if code >= 0 and own[code] < n_sets:
                set_bit(bits[own[code]], row)
    return bits


@entry
def change_bits(bits, cells, row, present):
    """Set (or clear) one row's bit in the sets of its cells, in place.

    Parameters
    ----------
    bits : uint64 array of shape (n_sets, n_words)
    cells : int64 array
        The sets concerned; those below zero are skipped.
    row : int
    present : bool
    """
    for cell in cells:
        if cell >= 0:
            if present:
                set_bit(bits[cell], row)
            else:
                clear_bit(bits[cell], row)
