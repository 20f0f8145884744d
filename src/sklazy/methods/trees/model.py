"""The lazy decision tree: a path of the query's own values."""

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases
from sklazy.kernels.trees import grow_lazy_trees


def answer_by_lazy_trees(
    cases: Cases, codes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The classes of the rows left on each query's path, and the attributes tested.

    Parameters
    ----------
    cases : Cases
        With classes.
    codes : int32 array of shape (n_queries, n_attributes)
        Categories and bins; values that are missing or unseen are not tested.

    Returns
    -------
    left : int64 array of shape (n_queries, n_classes)
    steps : int64 array of shape (n_queries, n_attributes)
        Attributes in the order of the tests, filled up with -1.

    References
    ----------
    Friedman, J. H., Kohavi, R., Yun, Y.: Lazy decision trees. AAAI (1996).
    """
    n_queries, n_attributes = codes.shape
    left = np.zeros((n_queries, cases.class_counts.size), np.int64)
    steps = np.full((n_queries, n_attributes), -1, np.int64)
    rows = np.ascontiguousarray(cases.codes[:, : cases.n_rows])
    sums = np.vstack(
        [np.zeros((1, left.shape[1]), np.int64), cases.counts.cumsum(axis=0)]
    )
    known = np.diff(sums[cases.offsets], axis=0)
    grow_lazy_trees(
        rows,
        cases.classes[: cases.n_rows],
        cases.counts,
        cases.offsets,
        known,
        codes,
        left,
        steps,
    )
    return left, steps
