"""Minimum description length: whether a cut is worth its bits.

Terms x log2 x come from one table of 64-bit integers, so that their sums are exact.
"""

import math
from functools import lru_cache

import numpy as np

from sklazy.kernels.compiling import kernel

FAYYAD, KONONENKO, BETTER_ENCODING = 0, 1, 2
"""Criteria of `mdl_cuts`; `BETTER_ENCODING` is added to one of the others."""

UNIT = 2.0**30  # table entries a bit: x log2 x fits 63 bits up to x = 2.9e8
_SMALLEST_TABLE = 1024
_LOG2_3 = math.log2(3.0)
_LN_2 = math.log(2.0)


def log_terms(n_rows):
    """Table of ``rint(2**30 * x * log2(x))`` for at least ``x = 0 .. n_rows``.

    Its length is a power of two, so that an entry does not depend on `n_rows`.
    """
    return _log_terms(max(_SMALLEST_TABLE, 1 << int(n_rows).bit_length()))


@lru_cache(maxsize=4)
def _log_terms(length):
    counts = np.arange(length, dtype=np.float64)
    terms = counts * np.log2(np.maximum(counts, 1.0))
    table = np.rint(terms * UNIT).astype(np.int64)
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
    n_rows = total.sum()
    n_present, bits = _entropy_bits(total, terms)
    return math.log2(n_rows - 1) + _label_bits(n_present) - n_present * bits / n_rows


@kernel
def _label_bits(n_present):
    """``log2(3^k - 2)``, without the overflow of 3^k from k = 647 on."""
    return n_present * _LOG2_3 + math.log1p(-2.0 * 3.0**-n_present) / _LN_2


@kernel
def fayyad_accepts(left, right, n_candidates, terms):
    """``N Gain > log2(candidates) + log2(3^k - 2) - (k Ent - k1 Ent1 - k2 Ent2)``."""
    both = left + right
    n_present, bits = _entropy_bits(both, terms)
    n_left, bits_left = _entropy_bits(left, terms)
    n_right, bits_right = _entropy_bits(right, terms)
    labels = _label_bits(n_present) - n_present * bits / both.sum()
    labels += n_left * bits_left / left.sum() + n_right * bits_right / right.sum()
    return bits - bits_left - bits_right > math.log2(n_candidates) + labels


@kernel
def _entropy_bits(counts, terms):
    """Number of classes present, and rows times entropy, in bits."""
    n_present = 0
    for i in range(len(counts)):
        n_present += counts[i] > 0
    return n_present, (terms[counts.sum()] - term_sum(counts, terms)) / UNIT


@kernel
def kononenko_accepts(left, right, n_candidates):
    """Whether the classes are told in fewer bits by side than all together."""
    both = left + right
    n_present = 0
    for i in range(len(both)):
        n_present += both[i] > 0
    after = _message_bits(left, n_present) + _message_bits(right, n_present)
    return _message_bits(both, n_present) > math.log2(n_candidates) + after


@kernel
def _message_bits(counts, n_present):
    """``log2 C(n + k - 1, k - 1) + log2 (n! / prod n_c!)``."""
    # n! is in both terms and cancels: ln n! = lgamma(n + 1).
    total = math.lgamma(float(counts.sum() + n_present)) - math.lgamma(float(n_present))
    for i in range(len(counts)):
        total -= math.lgamma(counts[i] + 1.0)
    return total / _LN_2
