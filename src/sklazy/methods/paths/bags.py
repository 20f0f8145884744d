"""Bags for a query: how many neighbors they hold, and what decides the draws."""

import math
import sys

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.flow import Bags, Queries
from sklazy.kernels.bags import bag_seeds, bag_weights, query_seeds

WHOLE_ROWS, AUTO_DRAWS = 20_000, 5000
"""Bags of more rows than the first have as many draws as the second by default."""

FEWEST_DRAWS = 4
"""Smaller bags would not hold a tree."""

_STEP = 0x9E3779B97F4A7C15  # splitmix64's, so that shared draws have their own stream


def beta_neighbors(n_rows: int, beta: float = 0.99) -> int:
    """The number K of neighbors in a bag of N rows, by beta-similarity.

    ``K / N <= (1 - beta) log_4 N``, at least 1 and at most N.

    Parameters
    ----------
    n_rows : int
    beta : float
        Sets K = N (1 - beta) log_4 N; the larger, the fewer neighbors. 0 to 1.

    References
    ----------
    Zhu, X., Yang, Y.: A lazy bagging approach to classification. Pattern Recognition
    41 (2008).

    Examples
    --------
    >>> beta_neighbors(1728), beta_neighbors(57)
    (92, 1)
    """
    if not 0 <= beta <= 1:
        raise BadInputError(
            f"beta={beta!r}; expected a number in [0, 1]; the larger, the fewer "
            "neighbors."
        )
    share = (1 - beta) * math.log(n_rows) / math.log(4)
    return min(n_rows, max(1, math.floor(n_rows * share + 1e-9)))


def plan_bags(
    queries: Queries,
    numeric: NDArray[np.bool_],
    neighbors: NDArray[np.integer],
    n_bags: int,
    random_state: int,
    *,
    share: bool = False,
    left_out: NDArray[np.int64] | None = None,
    max_draws: int = sys.maxsize,
) -> Bags:
    """Decide the draws of each query's bags by its content and the random state.

    Parameters
    ----------
    queries : Queries
    numeric : bool array of shape (n_attributes,)
        Which attributes are numbers: their values count, of the others the codes.
    neighbors : int array of shape (n_queries, n_neighbors)
    n_bags, random_state : int
    share : bool
        Whether all queries share what is drawn from all rows.
    left_out : int64 array of shape (n_queries,), optional
        The row that the bags of each query do without.
    max_draws : int
        The most draws of a bag, which has as many as there are rows otherwise.
    """
    state = random_state % (1 << 64)
    seeds = query_seeds(content_words(queries, numeric), np.uint64(state))
    seeded = bag_seeds(seeds, n_bags)
    drawn = seeded
    if share:
        common = np.array([(state * _STEP + 1) % (1 << 64)], np.uint64)
        drawn = np.broadcast_to(bag_seeds(common, n_bags), seeded.shape)
    near = np.ascontiguousarray(neighbors, np.int32)
    if left_out is None:
        left_out = np.full(len(seeded), -1, np.int64)
    return Bags(near, np.stack([seeded, drawn]), left_out, max_draws)


def content_words(queries: Queries, numeric: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """64 bits per cell, equal for equal cells: -0 is 0, and NaN is NaN.

    Examples
    --------
    >>> rows = Queries(np.array([[-1, 3]], np.int32), np.array([[-0.0, np.nan]]))
    >>> content_words(rows, np.array([True, False])).tolist()
    [[0, 3]]
    """
    numbers = np.where(np.isnan(queries.values), np.nan, queries.values + 0.0)
    codes = queries.codes.astype(np.int64).view(np.uint64)
    return np.where(numeric, numbers.view(np.uint64), codes)


def draw_weights(bags: Bags, query: int, n_rows: int) -> NDArray[np.int32]:
    """The bags of one query as weights of the rows, shape (n_bags, n_rows)."""
    seeded, drawn = bags.seeds[:, query]
    near = bags.neighbors[query]
    weights: NDArray[np.int32] = bag_weights(
        seeded, drawn, near, bags.max_draws, n_rows
    )
    return weights


def repeat_bags(bags: Bags) -> NDArray[np.bool_]:
    """Whether the bags of a query are those of the query before."""
    same = np.zeros(len(bags.neighbors), bool)
    if len(same) > 1:
        seeds = (bags.seeds[:, 1:] == bags.seeds[:, :-1]).all(axis=(0, 2))
        near = bags.neighbors
        same[1:] = seeds & (near[1:] == near[:-1]).all(axis=1)
    return same


def bag_size(n_rows: int, max_samples: float | str | None) -> int:
    """The most draws of a bag of `n_rows` rows.

    Parameters
    ----------
    n_rows : int
    max_samples : int, float, "auto" or None
        At most this number, or this fraction of the rows, but `FEWEST_DRAWS` at least;
        None for all; "auto" for all up to `WHOLE_ROWS` rows, else `AUTO_DRAWS`.

    Examples
    --------
    >>> bag_size(100_000, 8000), bag_size(100_000, 0.25), bag_size(500, 8000)
    (8000, 25000, 500)
    """
    if max_samples is None:
        return n_rows
    if isinstance(max_samples, str):
        return AUTO_DRAWS if n_rows > WHOLE_ROWS else n_rows
    is_share = isinstance(max_samples, float)
    size = round(max_samples * n_rows) if is_share else int(max_samples)
    return min(max(size, FEWEST_DRAWS), n_rows)
