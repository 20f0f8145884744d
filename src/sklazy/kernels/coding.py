"""From a matrix of numbers to codes: bins and categories in one pass."""

import numpy as np

from sklazy.flow import MISSING, UNSEEN
from sklazy.kernels.compiling import entry

TOO_LARGE = 2.0**53  # from here on floats skip whole numbers


@entry
def code_cells(matrix, starts, cuts, lows, places, first, last, codes):
    """Code the rows ``first..last - 1`` of a matrix; tell whether every cell could be.

    A cell of a numeric attribute has the code ``sum(cuts < value)``, one of a nominal
    attribute has the place of its label, or `UNSEEN`; NaN is `MISSING`. A number that
    is infinite, or too large to be sure of, ends it.

    Parameters
    ----------
    matrix : float64 array of shape (n_rows, n_attributes)
    starts : int64 array of shape (n_attributes, 2, 2)
        First and last of an attribute's cuts, and of its places; no places: numeric.
    cuts : float64 array
    lows : float64 array of shape (n_attributes,)
        The label that the first place of a nominal attribute belongs to; the next
        belongs to that label plus 1, and so on.
    places : int32 array
        The codes of labels that are whole numbers.
    first, last : int
    codes : int32 array of shape (n_rows, n_attributes), written
    """
    n_attributes = matrix.shape[1]
    for row in range(first, last):
        for j in range(n_attributes):
            value = matrix[row, j]
            if np.isnan(value):
                codes[row, j] = MISSING
                continue
            if not -TOO_LARGE < value < TOO_LARGE:
                return False
            begin, end = starts[j, 1, 0], starts[j, 1, 1]
            if end > begin:
                place = value - lows[j]
                codes[row, j] = UNSEEN
                if 0.0 <= place < end - begin and place == np.floor(place):
                    codes[row, j] = places[begin + np.int64(place)]
            else:
                low, high = starts[j, 0, 0], starts[j, 0, 1]
                while low < high:
                    middle = (low + high) >> 1
                    if cuts[middle] < value:
                        low = middle + 1
                    else:
                        high = middle
                codes[row, j] = low - starts[j, 0, 0]
    return True
