"""Numbers into bins by a numeric target; see `sklazy.kernels.number_cuts`."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.cuts import bin_codes
from sklazy.kernels.number_cuts import code_bins, number_cuts

_SMALL_JOB = 100_000  # cells; fewer are coded before the compiler would be done


def column_number_cuts(
    values: NDArray[np.float64], scores: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Cut points of a numeric column by what the target counts.

    Rows with NaN are left out. The order of the rows does not matter.

    Parameters
    ----------
    values : float64 array of shape (n_rows,)
        NaN where missing, nowhere infinite.
    scores : int64 array of shape (n_rows,)
        The target's ranks; see `sklazy.measures.spread.score_targets`.

    Returns
    -------
    float64 array of shape (n_cuts,), rising

    Examples
    --------
    >>> ranks = np.array([-7, -5, -3, -1, 1, 3, 5, 7])
    >>> column_number_cuts(np.array([1.0, 1, 1, 1, 9, 9, 9, 9]), ranks)
    array([5.])
    """
    order = np.argsort(values, kind="stable")
    order = order[: len(values) - int(np.isnan(values).sum())]
    return number_cuts(values[order], scores[order])


class NumberBins(NamedTuple):
    """The cuts of numeric attributes, one after the other.

    Attributes
    ----------
    attributes : int64 array of shape (n_numeric,)
    starts : int64 array of shape (n_numeric + 1,)
    cuts : float64 array
    """

    attributes: NDArray[np.int64]
    starts: NDArray[np.int64]
    cuts: NDArray[np.float64]

    @classmethod
    def of(
        cls, attributes: NDArray[np.int64], cuts: Sequence[NDArray[np.float64]]
    ) -> "NumberBins":
        """Put the cuts of attributes together, of which there is one array for each."""
        starts = np.cumsum([0, *map(len, cuts)]).astype(np.int64)
        return cls(attributes, starts, np.concatenate([np.zeros(0), *cuts]))

    def code(self, values: NDArray[np.float64], codes: NDArray[np.int32]) -> None:
        """Write the bins of all numbers of some queries.

        Parameters
        ----------
        values : float64 array of shape (n_queries, n_attributes)
        codes : int32 array of shape (n_queries, n_attributes), written
        """
        if code_bins.is_due(values.size / _SMALL_JOB):
            code_bins(values, *self, codes)
            return
        for i, j in enumerate(self.attributes):
            own = self.cuts[self.starts[i] : self.starts[i + 1]]
            codes[:, j] = bin_codes(values[:, j], own)
