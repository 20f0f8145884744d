"""Bit sets and counts of the rows that have each value of each attribute.

A set has 64 rows per word, row i in bit ``i % 64`` of word ``i // 64``.
"""

import numpy as np
from llvmlite import ir
from numba.core import types

from sklazy.kernels.compiling import (
    entry,
    inlined,
    instruction,
    kernel,
    lean_entry,
)

WORD_BITS = 64
PAD_WORDS = 8  # 64 bytes, one cache line

# Of bit sets made at once for attributes that keep none.
_MOST_BYTES = 32 << 20

_ALL_KEPT = np.zeros(0, np.int64)

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def words_for(n_rows: int) -> int:
    """Return the number of words that hold `n_rows` bits, padded to a cache line."""
    lines = -(-n_rows // (WORD_BITS * PAD_WORDS))
    return max(1, lines) * PAD_WORDS


def _lowest_bit(word: int) -> int:
    return (word & -word).bit_length() - 1 if word else WORD_BITS


@instruction(lambda word: type(word)(int(word).bit_count()))
def popcount(_context, word):
    """Number of set bits of an integer, as an integer of the same type."""
    if not isinstance(word, types.Integer):
        return None

    def generate(_target, builder, _signature, arguments):
        return builder.ctpop(arguments[0])

    return word(word), generate


@instruction(lambda word: type(word)(_lowest_bit(int(word))))
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


@inlined
def find_set(attribute, code, starts, offsets, set_of_value):
    """The number of the bit set of a value; see `sets_in_parts`."""
    if starts[attribute] < 0:
        return set_of_value[offsets[attribute] + code]
    return starts[attribute] + code


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
        At least `words_for` (n_rows) words per set.

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


@lean_entry
def read_sets(value_bits, start, width, first_word, codes):
    """Write the values of rows by the sets they are in; the others stay as they are.

    Parameters
    ----------
    value_bits : uint64 array of shape (n_sets, n_words)
    start, width : int
        The sets of the values 0, 1, ...
    first_word : int
        That of the first row, which begins it.
    codes : int8 array of shape (n_rows,), written
    """
    n_words = (len(codes) + WORD_BITS - 1) // WORD_BITS
    for value in range(width):
        for word in range(n_words):
            left, first = value_bits[start + value, first_word + word], word * WORD_BITS
            while left:
                row = first + np.int64(trailing_zeros(left))
                if row < len(codes):
                    codes[row] = value
                left &= left - ONE


@entry
def build_bits_of(codes, offsets, set_of_value, n_sets, n_words):
    """Like `build_bits`, for the values with a slot (0 .. n_sets - 1) only.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows), rows may be strided
    offsets : int64 array of shape (n_attributes + 1,)
    set_of_value : int64 array of shape (offsets[-1],)
        The set of each value; `n_sets`, the empty one, for those not wanted.
    n_sets, n_words : int
    """
    n_attributes, n_rows = codes.shape
    bits = np.zeros((n_sets + 1, n_words), np.uint64)
    for attribute in range(n_attributes):
        sets_of_attribute = set_of_value[offsets[attribute] : offsets[attribute + 1]]
        if (sets_of_attribute == n_sets).all():
            continue
        for row in range(n_rows):
            code = codes[attribute, row]
            if code >= 0 and sets_of_attribute[code] < n_sets:
                set_bit(bits[sets_of_attribute[code]], row)
    return bits


def sets_in_parts(cases, codes, first, last):
    """Cut queries into parts, each with the bit sets of all values that it has.

    Attributes with many values keep no bit sets. Reading their columns once for many
    queries, to make the few sets these need, costs little beside a search.

    Parameters
    ----------
    cases : Cases
    codes : int32 array of shape (n_queries, n_attributes)
    first, last : int

    Yields
    ------
    begin, end : int
        The queries of the part.
    bits : uint64 array of shape (n_sets + 1, n_words), the last set empty
        The kept sets, where they were, and further ones.
    set_of_value : int64 array of shape (offsets[-1],), or empty if all sets are kept
        The further sets by value; that of any other value is the empty one.
    """
    wide = np.flatnonzero(cases.starts < 0)
    if not wide.size:
        yield first, last, cases.value_bits, _ALL_KEPT
        return
    step = max(1, _MOST_BYTES // (wide.size * cases.value_bits[0].nbytes))
    for begin in range(first, last, step):
        end = min(last, begin + step)
        wide_codes = codes[begin:end, wide]
        wanted = np.unique((cases.offsets[wide] + wide_codes)[wide_codes >= 0])
        yield begin, end, *_add_sets(cases, wanted)


def _add_sets(cases, wanted):
    """Return the kept bit sets with those of further values, and where these are."""
    n_kept, n_words = cases.value_bits.shape[0] - 1, cases.value_bits.shape[1]
    n_sets = n_kept + wanted.size
    set_of_value = np.full(cases.offsets[-1], n_sets, np.int64)
    set_of_value[wanted] = np.arange(n_kept, n_sets)
    codes = cases.codes[:, : cases.n_rows]
    bits = build_bits_of(codes, cases.offsets, set_of_value, n_sets, n_words)
    bits[:n_kept] = cases.value_bits[:-1]
    return bits, set_of_value


@entry
def count_values(codes, offsets, classes, n_classes):
    """Count rows by (attribute, value) and class; missing cells are skipped.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    classes : int32 array of shape (n_rows,)
    n_classes : int

    Returns
    -------
    int64 array of shape (offsets[-1], n_classes)
        Row ``offsets[j] + v`` equals
        ``bincount(classes[codes[j] == v], minlength=n_classes)``.
    """
    n_attributes, n_rows = codes.shape
    counts = np.zeros((offsets[n_attributes], n_classes), np.int64)
    for attribute in range(n_attributes):
        first = offsets[attribute]
        for row in range(n_rows):
            code = codes[attribute, row]
            if code >= 0:
                counts[first + code, classes[row]] += 1
    return counts
