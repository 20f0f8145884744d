"""Numbers into bins by a numeric target; see `sklazy.kernels.number_cuts`."""

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.number_cuts import number_cuts


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
