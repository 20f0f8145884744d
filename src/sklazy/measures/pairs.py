"""Two coded columns together: their counts and their symmetric uncertainty."""

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.flow import MISSING
from sklazy.kernels.bits import count_values
from sklazy.measures.contingency import (
    Floats,
    Ints,
    ratios,
    raw_entropy,
    round_figures,
    spread_missing,
)
from sklazy.measures.relevance import eager_scores

Codes = NDArray[np.int32]

_MOST_CELLS = 1 << 22  # of a count table that is written down as a whole


def count_known(
    codes: Codes, offsets: Ints, classes: Codes, n_classes: int, missing: str = "omit"
) -> NDArray[np.generic]:
    """Counts of every value with every class, with missing cells omitted or spread.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    classes : int32 array of shape (n_rows,)
        May have missing cells, too: any attribute can take the place of the class.
    n_classes : int
    missing : {"omit", "spread"}
        Leave out the rows that miss one of the two, or deal them out
        (`spread_missing`).

    Returns
    -------
    int64 ("omit") or float64 ("spread") array of shape (n_values_total, n_classes)
    """
    if missing == "omit":
        known = classes != MISSING
        if not known.all():
            codes, classes = np.ascontiguousarray(codes[:, known]), classes[known]
        return np.asarray(count_values(codes, offsets, classes, n_classes))
    # With all codes raised by one, a missing cell is value 0 of its attribute.
    raised = offsets + np.arange(len(offsets))
    full = count_values(
        codes + np.int32(1), raised, classes + np.int32(1), n_classes + 1
    )
    lost = np.zeros(len(full), dtype=bool)
    lost[raised[:-1]] = True
    return spread_missing(
        full[~lost, 1:], offsets, full[lost, 1:], full[~lost, 0], full[lost, 0]
    )


def correlate_columns(
    codes: Codes, offsets: Ints, other: Codes, n_values: int, missing: str = "omit"
) -> Floats:
    """Symmetric uncertainty of every attribute with one more column.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    other : int32 array of shape (n_rows,)
    n_values : int
        How many values the other column has.
    missing : {"omit", "spread"}
        As in `count_known`.

    Returns
    -------
    float64 array of shape (n_attributes,)
    """
    figures = np.empty(len(offsets) - 1)
    first = 0
    while first < len(figures):
        room = offsets[first] + _MOST_CELLS // max(n_values, 1)
        last = int(np.searchsorted(offsets, room, side="right")) - 1
        if last > first:
            within = offsets[first : last + 1] - offsets[first]
            counts = count_known(codes[first:last], within, other, n_values, missing)
            figures[first:last] = eager_scores(counts, within, "symmetric_uncertainty")
        else:
            last = first + 1
            figures[first] = _correlate_large(codes[first], other, missing)
        first = last
    return figures


def _correlate_large(first: Codes, second: Codes, missing: str) -> Floats:
    """Symmetric uncertainty of two columns without writing their table down.

    ``2 (H(A) + H(B) - H(A, B)) / (H(A) + H(B))``, from the cells that some row has.
    """
    known = (first != MISSING) & (second != MISSING)
    if missing == "spread" and not known.all():
        raise BadInputError(
            f"missing='spread' would deal missing cells out over more than "
            f"{_MOST_CELLS} pairs of values; give missing='omit', or drop the columns "
            "that are hardly more than row numbers."
        )
    a, b = first[known].astype(np.int64), second[known].astype(np.int64)
    separate = _entropy_of_codes(a) + _entropy_of_codes(b)
    together = _entropy_of_codes(a * (1 + b.max(initial=0)) + b)
    return round_figures(ratios(2.0 * (separate - together), separate))


def _entropy_of_codes(codes: Ints) -> Floats:
    return raw_entropy(np.unique(codes, return_counts=True)[1])
