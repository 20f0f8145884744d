"""Joint information of attributes on the class: gains along random paths.

The mean gain of an attribute's splits over the paths of cases is its importance in a
forest of such trees: a node weighs as many paths as come by it. Unlike counts of single
attributes it also finds those that are informative only beside others.

References
----------
Breiman, L., Friedman, J. H., Olshen, R. A., Stone, C. J.: Classification and
regression trees. Wadsworth, 1984.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import MISSING, Queries
from sklazy.methods.paths.bags import plan_bags
from sklazy.methods.paths.model import make_paths
from sklazy.methods.paths.random_paths import make_random_paths, sum_gains

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_PATHS = 2000
"""Default number of paths."""

LEAST_WEIGHT = 10
"""Of a node whose split counts: in small ones any attribute gains."""

_SEED = 0
_NATS = math.log(2.0)  # of a bit


def measure_gains(
    ranks: Floats,
    nominal: NDArray[np.bool_],
    classes: Ints,
    n_paths: int = N_PATHS,
) -> Floats:
    """Information gain of splits by each attribute, in nats of a case.

    Nothing depends on units or on the order of rows: these are sorted, and draws go by
    their ranks.

    Parameters
    ----------
    ranks : float64 array of shape (n_attributes, n_rows)
        Ranks of numbers and codes of categories; NaN where one is missing.
    nominal : bool array of shape (n_attributes,)
    classes : int64 array of shape (n_rows,)
        Numbered from 0.
    n_paths : int
        Paths at least, shared evenly by the cases.

    Returns
    -------
    gains : float64 array of shape (n_attributes,)
    """
    order = np.lexsort((classes, *ranks))
    ranks, n_rows = ranks[:, order], len(order)
    codes = np.where(nominal[:, None] & ~np.isnan(ranks), ranks, MISSING)
    codes, values = codes.astype(np.int32), np.where(nominal[:, None], np.nan, ranks)
    sizes = np.where(nominal, codes.max(axis=1, initial=0) + 1, 0)
    own, n_classes = classes[order].astype(np.int32), int(classes.max()) + 1
    paths = make_random_paths(make_paths(codes, values, sizes, own, n_classes))
    queries = Queries(np.ascontiguousarray(codes.T), np.ascontiguousarray(values.T))
    near, n_bags = np.zeros((n_rows, 0), np.int32), -(-n_paths // n_rows)
    bags = plan_bags(queries, ~nominal, near, n_bags, _SEED)
    n_tried = math.isqrt(len(nominal))
    return _NATS * sum_gains(paths, queries, bags, n_tried, LEAST_WEIGHT)
