"""Cuts of a numeric column by a numeric target, where they are worth their bits.

The target counts by its ranks, which are whole numbers: their sums are exact, and a
target of heavy tails is cut no sooner than any other.
"""

import math

import numpy as np

from sklazy.flow import MISSING
from sklazy.kernels.coding import count_below
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.cuts import cut_between

_LN_2 = math.log(2.0)
_MORE_THAN_ROUNDING = 1.0 + 1e-9
_LEAST_ROWS = 4  # of a part that can be cut: two means and a spread are estimated
_TIE = 1e-12  # of what the best cut explains; what is closer is as good


@kernel
def _ln_choices(n_rows, n_left):
    """The logarithm of how many sets of `n_left` there are among the rows."""
    left, right = math.lgamma(n_left + 1.0), math.lgamma(n_rows - n_left + 1.0)
    return math.lgamma(n_rows + 1.0) - left - right


@kernel
def is_worth(n_rows, n_left, n_candidates, spread, explained):
    """Whether naming a cut costs less than it saves, in nats.

    Normal targets about one mean or two, with one unknown variance, save
    ``(n - 3) / 2 ln(spread / rest)``, though never more than it takes to name the rows
    on the left. It costs a bit to encode that there is a cut, the logarithm of
    the candidates for which one, and half that of the rows for a second mean.
    """
    rest = spread - explained
    saved = _ln_choices(n_rows, n_left)
    if rest > _TIE * spread:
        saved = min(saved, 0.5 * (n_rows - 3.0) * math.log(spread / rest))
    cost = _LN_2 + math.log(n_candidates) + 0.5 * math.log(n_rows)
    return saved > cost * _MORE_THAN_ROUNDING


@kernel
def _best_cut(values, sums, first, last):
    """First row right of the cut that explains most, what it does, and candidates."""
    n_rows, before = last - first, sums[first]
    total = np.float64(sums[last] - before)
    cut, most, n_candidates = np.int64(0), 0.0, 0
    for row in range(first + 1, last):
        if values[row - 1] == values[row]:
            continue
        n_candidates += 1
        n_left = row - first
        apart = np.float64(sums[row] - before) * n_rows - n_left * total
        sizes = np.float64(n_left) * (n_rows - n_left) * n_rows
        explained = apart * apart / sizes
        if explained > most * (1.0 + _TIE):
            cut, most = row, explained
    return cut, most, n_candidates


@entry
def number_cuts(values, scores):
    """Cut points of a sorted column, found by halving its parts again and again.

    A part is cut where the parts' means explain most, if that is worth its bits
    (`is_worth`) and explains at least as much as one row varies on the whole: a bin
    has to pay for the row that its mean is estimated by.

    Parameters
    ----------
    values : float64 array of shape (n_rows,)
        Rising, without NaN.
    scores : int64 array of shape (n_rows,)
        The target as whole numbers; a sum of their squares must fit 63 bits.

    Returns
    -------
    float64 array of shape (n_cuts,), rising
    """
    n_rows = len(values)
    sums, squares = np.zeros(n_rows + 1, np.int64), np.zeros(n_rows + 1, np.int64)
    for row in range(n_rows):
        sums[row + 1] = sums[row] + scores[row]
        squares[row + 1] = squares[row] + scores[row] * scores[row]
    mean = np.float64(sums[n_rows]) / max(1, n_rows)
    least = np.float64(squares[n_rows]) / max(1, n_rows) - mean * mean
    cuts, n_cuts = np.empty(max(0, n_rows - 1)), 0
    ends, n_ends = np.empty(n_rows + 1, np.int64), 1
    ends[0] = n_rows
    first = np.int64(0)
    while n_ends > 0:
        last = ends[n_ends - 1]
        size, cut = last - first, np.int64(0)
        if size >= _LEAST_ROWS:
            total = np.float64(sums[last] - sums[first])
            spread = np.float64(squares[last] - squares[first]) - total * total / size
            cut, explained, n_candidates = _best_cut(values, sums, first, last)
            worth = cut > 0 and explained >= least
            if not worth or not is_worth(
                size, cut - first, n_candidates, spread, explained
            ):
                cut = np.int64(0)
        if cut > 0:
            ends[n_ends] = cut
            n_ends += 1
            continue
        n_ends -= 1
        if n_ends > 0:
            cuts[n_cuts] = cut_between(values[last - 1], values[last])
            n_cuts += 1
        first = last
    return cuts[:n_cuts].copy()


@entry
def code_bins(values, attributes, starts, cuts, codes):
    """Write the bins of numbers, ``sum(cuts < value)``; NaN is `MISSING`.

    Parameters
    ----------
    values : float64 array of shape (n_queries, n_attributes)
    attributes : int64 array of shape (n_numeric,)
        Which of them are numeric.
    starts : int64 array of shape (n_numeric + 1,)
        Where their cuts begin.
    cuts : float64 array
    codes : int32 array of shape (n_queries, n_attributes), written
    """
    for query in range(len(values)):
        for i in range(len(attributes)):
            j = attributes[i]
            value = values[query, j]
            codes[query, j] = MISSING
            if not np.isnan(value):
                codes[query, j] = count_below(cuts, starts[i], starts[i + 1], value)
