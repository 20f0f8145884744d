"""From a matrix of numbers to codes: bins and categories in one pass."""

import numpy as np

from sklazy.flow import MISSING, UNSEEN
from sklazy.kernels.compiling import entry, kernel

STRANGE = -3  # a cell that has no code yet
TOO_LARGE = 2.0**53  # from here on floats skip whole numbers


@kernel
def code_in_order(values, lows, spans, codes):
    """Code the cells of a row whose labels have the codes 0, 1, ...; count the others.

    Those get the code `STRANGE`. Without a branch, so that several are done at once.
    """
    strange = np.int32(0)
    for j in range(values.size):
        place = values[j] - lows[j]
        inside = (place >= 0.0) & (place < spans[j])
        safe = place if inside else 0.0
        whole = np.int32(safe)
        plain = inside & (whole == safe)
        codes[j] = whole if plain else np.int32(STRANGE)
        strange += np.int32(not plain)
    return strange


@kernel
def count_below(cuts, low, high, value):
    """The number of cuts below a value, among those from `low` to `high`."""
    first = low
    while low < high:
        middle = (low + high) >> 1
        if cuts[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low - first


@entry
def code_cells(matrix, lows, widths, starts, places, cut_starts, cuts, spans, codes):
    """Code a matrix of numbers; return whether every cell could be coded.

    A cell of a numeric attribute has the code ``sum(cuts < value)``, one of a nominal
    attribute has the place of its label, or `UNSEEN`; NaN is `MISSING`. A number that
    is infinite, or too large to be sure of, ends it.

    Parameters
    ----------
    matrix : float64 array of shape (n_rows, n_attributes)
    lows : float64 array of shape (n_attributes,)
        The lowest label of a nominal attribute; labels are whole numbers.
    widths : int64 array of shape (n_attributes,)
        How many whole numbers from there on may be labels; -1: numeric.
    starts : int64 array of shape (n_attributes,)
        Where the codes of these numbers begin in `places`.
    places : int32 array
    cut_starts : int64 array of shape (n_attributes + 1,)
    cuts : float64 array
    spans : float64 array of shape (n_attributes,)
        As `widths` where the codes of the labels are 0, 1, ..., else 0.
    codes : int32 array of shape (n_rows, n_attributes), written
    """
    n_rows, n_attributes = matrix.shape
    for row in range(n_rows):
        if code_in_order(matrix[row], lows, spans, codes[row]) == 0:
            continue
        for j in range(n_attributes):
            if codes[row, j] != STRANGE:
                continue
            value = matrix[row, j]
            place = value - lows[j]
            if 0.0 <= place < widths[j]:
                whole = np.int64(place)
                code = places[starts[j] + whole]
                codes[row, j] = code if whole == place else UNSEEN
            elif np.isnan(value):
                codes[row, j] = MISSING
            elif not -TOO_LARGE < value < TOO_LARGE:
                return False
            elif widths[j] >= 0:
                codes[row, j] = UNSEEN
            else:
                codes[row, j] = count_below(
                    cuts, cut_starts[j], cut_starts[j + 1], value
                )
    return True


@kernel
def code_in_one_pass(values, lows, spans, codes):
    """Code whole numbers, those without a label as `UNSEEN`; count the too large."""
    n_large = np.int64(0)
    limit = np.uint64(TOO_LARGE)
    for i in range(values.size):
        place = values[i] - lows[i]
        inside = np.uint64(place) < np.uint64(spans[i])  # what is below 0 is far beyond
        codes[i] = np.int32(place) if inside else np.int32(UNSEEN)
        n_large += np.int64(np.uint64(values[i] + np.int64(limit)) >= limit + limit)
    return n_large


@entry
def code_whole_cells(matrix, lows, spans, codes):
    """Code labels that have the codes 0, 1, ...; return whether every cell could be.

    As `code_cells` has it, for whole numbers and nominal attributes alone.

    Parameters
    ----------
    matrix : int64 array of shape (n_rows, n_attributes)
    lows, spans : int64 arrays
        The lowest label of an attribute and how many there are, again and again for
        as many rows as are coded in one loop.
    codes : int32 array of shape (n_rows, n_attributes), written
    """
    cells, coded = matrix.reshape(-1), codes.reshape(-1)
    n_large = np.int64(0)
    for first in range(0, cells.size, lows.size):
        last = min(cells.size, first + lows.size)
        n_large += code_in_one_pass(cells[first:last], lows, spans, coded[first:last])
    return n_large == 0
