"""Where to cut a sorted column: recursive entropy minimisation with an MDL stop.

Entropies are sums of x log2 x over whole counts. They come from one table of 64-bit
integers, so a sum is exact: it has the same value in whatever order its terms came,
and rows of equal value may stand in any order. A row that moves from the right of
a cut to its left changes two terms a side, whatever the number of classes.
"""

import math
from functools import lru_cache

import numpy as np

from sklazy.kernels.compiling import entry, kernel

FAYYAD, KONONENKO, BETTER_ENCODING = 0, 1, 2
"""Criteria of `mdl_cuts`; `BETTER_ENCODING` is added to one of the others."""

_UNIT = 2.0**30  # table entries a bit: x log2 x fits 63 bits up to x = 2.9e8
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
    table = np.rint(terms * _UNIT).astype(np.int64)
    table.setflags(write=False)
    return table


@entry
def mdl_cuts(values, classes, n_classes, criterion, terms):
    """Cut points of a column, ascending; a value equal to a cut lies below it.

    Parameters
    ----------
    values : float64 array of shape (n_rows,)
        Ascending, without NaN.
    classes : int32 array of shape (n_rows,)
        The class of each row, 0 .. n_classes - 1.
    n_classes : int
    criterion : int
        `FAYYAD` or `KONONENKO`, plus `BETTER_ENCODING`.
    terms : int64 array
        `log_terms(n_rows)` or a longer one.

    Returns
    -------
    float64 array of shape (n_cuts,)
    """
    n_rows = len(values)
    cuts = np.empty(max(n_rows, 1), dtype=np.float64)
    n_cuts = 0
    # The ends of the parts still to be looked at: the leftmost is on top, so that
    # cuts are found in ascending order and nothing recurs.
    ends = np.empty(n_rows + 1, dtype=np.int64)
    ends[0] = n_rows
    n_ends = 1
    first = 0
    left = np.zeros(n_classes, dtype=np.int64)
    right = np.zeros(n_classes, dtype=np.int64)
    while n_ends > 0:
        last = ends[n_ends - 1]
        cut = _accepted_cut(values, classes, first, last, criterion, terms, left, right)
        if cut > 0:
            ends[n_ends] = cut
            n_ends += 1
            continue
        n_ends -= 1
        if n_ends > 0:
            cuts[n_cuts] = _between(values[last - 1], values[last])
            n_cuts += 1
        first = last
    return cuts[:n_cuts].copy()


@kernel
def _between(low, high):
    """Midpoint of two neighbouring values that parts them under ``value <= cut``."""
    middle = (low + high) / 2.0
    if math.isinf(middle):
        middle = low / 2.0 + high / 2.0
    # Between adjacent floats the midpoint may round to the upper one.
    return middle if middle < high else low


@kernel
def _accepted_cut(values, classes, first, last, criterion, terms, left, right):
    """First row right of the best cut of rows first .. last - 1, or 0: no cut.

    `left` and `right` are room for the class counts; nothing is expected in them.
    """
    n_rows = last - first
    left[:] = 0
    right[:] = 0
    for i in range(first, last):
        right[classes[i]] += 1
    prior = terms[n_rows] - _term_sum(right, terms)
    if prior == 0:
        return 0
    cut, n_candidates = _best_cut(
        values, classes, first, last, prior, terms, left, right
    )
    if cut == 0:
        return 0
    right += left
    left[:] = 0
    for i in range(first, cut):
        left[classes[i]] += 1
    right -= left
    if criterion & BETTER_ENCODING == 0:
        n_candidates = n_rows - 1
    if criterion & KONONENKO:
        accepted = _kononenko_accepts(left, right, n_candidates)
    else:
        accepted = _fayyad_accepts(left, right, n_candidates, terms)
    return cut if accepted else 0


@kernel
def _best_cut(values, classes, first, last, prior, terms, left, right):
    """First row right of the cut of least entropy (0: none gains), and how many cuts.

    Entropies are in total, not per row: ``|S1| Ent(S1) + |S2| Ent(S2)``, in units
    of the table. Of cuts that tie, the first is taken.
    """
    n_rows = last - first
    # A table entry is off by half a unit from its rounding and by x 2**-49 bits from
    # that of the logarithm: what is closer than the sum of these errors is a tie.
    tie = 2 * (len(left) + 1) * (1 + (n_rows >> 18))
    least = prior
    inside = _term_sum(right, terms)
    cut = 0
    n_candidates = 0
    for i in range(first, last - 1):
        label = classes[i]
        n_left = left[label]
        n_right = right[label]
        inside += terms[n_left + 1] - terms[n_left]
        inside += terms[n_right - 1] - terms[n_right]
        left[label] = n_left + 1
        right[label] = n_right - 1
        if values[i] < values[i + 1]:
            n_candidates += 1
            n_below = i + 1 - first
            entropy = terms[n_below] + terms[n_rows - n_below] - inside
            if entropy < least - tie:
                least = entropy
                cut = i + 1
    return cut, n_candidates


@kernel
def _term_sum(counts, terms):
    total = 0
    for i in range(len(counts)):
        total += terms[counts[i]]
    return total


@kernel
def _fayyad_accepts(left, right, n_candidates, terms):
    """``N Gain > log2(candidates) + log2(3^k - 2) - (k Ent - k1 Ent1 - k2 Ent2)``."""
    both = left + right
    n_present, bits = _entropy_bits(both, terms)
    n_left, bits_left = _entropy_bits(left, terms)
    n_right, bits_right = _entropy_bits(right, terms)
    # 3^k overflows from k = 647 on; log2(3^k - 2) = k log2(3) + log2(1 - 2 / 3^k).
    labels = n_present * _LOG2_3 + math.log1p(-2.0 * 3.0**-n_present) / _LN_2
    labels -= n_present * bits / both.sum()
    labels += n_left * bits_left / left.sum() + n_right * bits_right / right.sum()
    return bits - bits_left - bits_right > math.log2(n_candidates) + labels


@kernel
def _entropy_bits(counts, terms):
    """Number of classes present, and rows times entropy, in bits."""
    n_present = 0
    for i in range(len(counts)):
        n_present += counts[i] > 0
    return n_present, (terms[counts.sum()] - _term_sum(counts, terms)) / _UNIT


@kernel
def _kononenko_accepts(left, right, n_candidates):
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
    n_rows = counts.sum()
    total = math.lgamma(n_rows + n_present)
    total -= math.lgamma(n_rows + 1.0) + math.lgamma(float(n_present))
    total += math.lgamma(n_rows + 1.0)
    for i in range(len(counts)):
        total -= math.lgamma(counts[i] + 1.0)
    return total / _LN_2
