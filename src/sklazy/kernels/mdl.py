"""Minimum description length: whether a cut is worth its bits.

Terms x log2 x come from one table of 64-bit integers, so that their sums are exact.
"""

import math
from functools import lru_cache

import numpy as np

from sklazy.kernels.compiling import kernel

FAYYAD, KONONENKO, BETTER_ENCODING = 0, 1, 2
"""Criteria of `mdl_cuts`; `BETTER_ENCODING` is added to one of the others."""

UNIT = 2.0**30  # table entries per bit: x log2 x fits 63 bits up to x = 2.9e8
_ROUNDING = 1e-8  # bits; a gain that is not more than rounding is none
_SMALLEST_TABLE = 1024
_LONG_TABLE = 1 << 20  # longer ones are a multiple of it
_AT_ONCE = 1 << 15  # entries that are computed together, within a cache
_LOG2_3 = math.log2(3.0)
_LN_2 = math.log(2.0)


def log_terms(n_rows):
    """Table of ``rint(2**30 * x * log2(x))`` for at least ``x = 0 .. n_rows``.

    Its length is a power of two, or a multiple of one, so that an entry does not depend
    on `n_rows`.
    """
    if n_rows < _LONG_TABLE:
        return _log_terms(max(_SMALLEST_TABLE, 1 << int(n_rows).bit_length()))
    return _log_terms((int(n_rows) // _LONG_TABLE + 1) * _LONG_TABLE)


@lru_cache(maxsize=4)
def _log_terms(length):
    table = np.empty(length, np.int64)
    for first in range(0, length, _AT_ONCE):
        last = min(length, first + _AT_ONCE)
        counts = np.arange(first, last, dtype=np.float64)
        terms = counts * np.log2(np.maximum(counts, 1.0))
        table[first:last] = np.rint(terms * UNIT)
    table.setflags(write=False)
    return table


@kernel
def term_sum(counts, terms):
    """Sum of x log2 x over the counts, in units of the table."""
    total = 0
    for i in range(len(counts)):
        total += terms[counts[i]]
    return total


@kernel
def fayyad_least_gain(total, terms):
    """Bits that a cut has to gain to be accepted, were its sides pure."""
    n_rows, n_present, bits = _entropy_bits(total, terms)
    return math.log2(n_rows - 1) + _label_bits(n_present) - n_present * bits / n_rows


@kernel
def fayyad_accepts(left, right, total, n_candidates, terms):
    """``N Gain > log2(candidates) + log2(3^k - 2) - (k Ent - k1 Ent1 - k2 Ent2)``."""
    n_rows, n_present, bits = _entropy_bits(total, terms)
    n_left, present_left, bits_left = _entropy_bits(left, terms)
    n_right, present_right, bits_right = _entropy_bits(right, terms)
    labels = _label_bits(n_present) - n_present * bits / n_rows
    labels += present_left * bits_left / n_left + present_right * bits_right / n_right
    gain = bits - bits_left - bits_right
    return gain > math.log2(n_candidates) + labels + _ROUNDING


@kernel
def kononenko_accepts(left, right, total, n_candidates):
    """Whether the classes take fewer bits side by side than all together."""
    n_present = 0
    for i in range(len(total)):
        n_present += total[i] > 0
    after = _message_bits(left, n_present) + _message_bits(right, n_present)
    after += math.log2(n_candidates)
    return _message_bits(total, n_present) > after + _ROUNDING * (1.0 + after * 1e-4)


@kernel
def _label_bits(n_present):
    """``log2(3^k - 2)``, without the overflow of 3^k from k = 647 on."""
    return n_present * _LOG2_3 + math.log1p(-2.0 * 3.0**-n_present) / _LN_2


@kernel
def _entropy_bits(counts, terms):
    """Number of rows, of classes present, and rows times entropy in bits."""
    n_rows = 0
    n_present = 0
    for i in range(len(counts)):
        n_rows += counts[i]
        n_present += counts[i] > 0
    return n_rows, n_present, (terms[n_rows] - term_sum(counts, terms)) / UNIT


@kernel
def _message_bits(counts, n_present):
    """``log2 C(n + k - 1, k - 1) + log2 (n! / prod n_c!)``, where n! cancels."""
    n_rows = 0
    ln_factorials = 0.0
    for i in range(len(counts)):
        n_rows += counts[i]
        ln_factorials += math.lgamma(counts[i] + 1.0)
    ln_ways = math.lgamma(1.0 * n_rows + n_present) - math.lgamma(1.0 * n_present)
    return (ln_ways - ln_factorials) / _LN_2
