"""The ranges of numeric attributes."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Ranges:
    """The smallest and the largest value of each numeric attribute.

    Attributes
    ----------
    edges : float64 array (n_numeric, 2), NaN where there is no value; a change makes
        a new one
    """

    def __init__(self, n_numeric: int) -> None:
        self.edges = np.full((n_numeric, 2), np.nan)

    def widen(self, numbers: Floats) -> None:
        """Follow rows that came; `numbers` has the shape (n_numeric, n_rows)."""
        low, high = self.edges.T
        new_low, new_high = _edges(numbers).T
        self.edges = np.stack([np.fmin(low, new_low), np.fmax(high, new_high)], axis=1)

    def narrow(self, gone: Floats, left: Floats) -> None:
        """Follow rows that went: look again only where one was at an edge."""
        at_edge = (gone[:, :, None] == self.edges[:, None, :]).any(axis=(1, 2))
        edges = self.edges.copy()
        edges[at_edge] = _edges(left[at_edge])
        self.edges = edges


def _edges(numbers: Floats) -> Floats:
    """Smallest and largest number along the last axis, NaN where there is none."""
    low = np.fmin.reduce(numbers, axis=1, initial=np.nan)
    return np.stack([low, np.fmax.reduce(numbers, axis=1, initial=np.nan)], axis=1)
