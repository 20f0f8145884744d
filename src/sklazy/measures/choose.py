"""Choose the attributes of a query: how many, and those of lowest rank."""

from collections.abc import Sequence
from math import floor, nan
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.flow import Selected
from sklazy.kernels.ranking import select_by_rank
from sklazy.measures.ranks import RankTable

# Seconds that numpy takes, at a time and for each cell.
_AT_ALL, _PER_CELL = 4e-6, 3e-9

# A set of ranks this many words per attribute is slower to read than to sort.
_MOST_WORDS = 16


def select_lowest(
    codes: NDArray[np.int32], table: RankTable, n_selected: int
) -> Selected:
    """Select for each query its `n_selected` attributes of lowest rank.

    Parameters
    ----------
    codes : int32 array of shape (n_queries, n_attributes)
        C-contiguous; below zero: missing or unseen.
    table : RankTable
    n_selected : int
        Between 1 and the number of attributes; all of them give the whole order.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy.measures.ranks import rank_values
    >>> value_scores = np.array([0.9, 0.1, 0.5, 0.5])
    >>> table = rank_values(value_scores, np.array([0.8, 0.5]), np.array([0, 2, 4]))
    >>> codes = np.array([[0, 0], [1, 0]], np.int32)
    >>> select_lowest(codes, table, 1).attributes.tolist()
    [[1], [0]]
    """
    n_queries = codes.shape[0]
    attributes = np.empty((n_queries, n_selected), np.int32)
    select_range(codes, table, attributes, 0, n_queries)
    return Selected(attributes, np.full(n_queries, n_selected, np.int32))


def select_range(
    codes: NDArray[np.int32],
    table: RankTable,
    attributes: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Write the attributes of the queries ``first..last - 1`` into `attributes`."""
    n_selected, n_attributes = attributes.shape[1], table.starts.size
    numpy_seconds = _AT_ALL + _PER_CELL * (last - first) * n_attributes
    is_short = table.ranks.size // n_attributes <= 64 * _MOST_WORDS
    if is_short and select_by_rank.is_due(numpy_seconds):
        select_by_rank(codes, *table, n_selected, first, last, attributes)
    else:
        attributes[first:last] = _select_by_sorting(
            codes[first:last], table, n_selected
        )


def _select_by_sorting(
    codes: NDArray[np.int32], table: RankTable, n_selected: int
) -> NDArray[np.int32]:
    """Select by partitioning the ranks; equal to the kernel, rank for rank."""
    ranks = table.ranks.take(table.starts + np.maximum(codes, -1))
    if n_selected < table.starts.size:
        ranks.partition(n_selected - 1, axis=1)
        ranks = ranks[:, :n_selected]
    ranks.sort(axis=1)
    return table.attribute_of_rank.take(ranks)


def to_mask(selected: Selected, n_attributes: int) -> NDArray[np.bool_]:
    """Return the selection as a boolean array of shape (n_queries, n_attributes)."""
    n_queries, n_most = selected.attributes.shape
    mask = np.zeros((n_queries, n_attributes), bool)
    used = np.arange(n_most) < selected.counts[:, None]
    mask[np.nonzero(used)[0], selected.attributes[used]] = True
    return mask


def pack_sets(sets: Sequence[Sequence[int]]) -> Selected:
    """Put lists of attributes, one per query, into one array filled up with -1."""
    counts = np.array([len(chosen) for chosen in sets], np.int32)
    attributes = np.full((len(sets), max(counts, default=0)), -1, np.int32)
    for query, chosen in enumerate(sets):
        attributes[query, : len(chosen)] = chosen
    return Selected(attributes, counts)


def how_many(n_attributes: object, n_available: int) -> int:
    """The number of attributes that a count or a fraction stands for.

    A whole number is a count; another number f in (0, 1] is a fraction and stands for
    ``max(1, floor(f * n_available + 0.5))``.

    Examples
    --------
    >>> from sklazy.measures import how_many
    >>> how_many(3, 13), how_many(0.3, 13), how_many(0.01, 13), how_many(1.0, 13)
    (3, 4, 1, 13)
    """
    is_number = isinstance(n_attributes, Real) and not isinstance(n_attributes, bool)
    number: Any = n_attributes if is_number else nan
    if isinstance(n_attributes, Integral) and 1 <= number <= n_available:
        return int(n_attributes)
    if not isinstance(n_attributes, Integral) and 0.0 < number <= 1.0:
        return max(1, floor(float(number) * n_available + 0.5))
    raise BadInputError(
        f"n_attributes={n_attributes!r} {_describe_fault(number)}; give a count of 1 "
        f"to {n_available} or a fraction in (0, 1]."
    )


def _describe_fault(number: float) -> str:
    if number <= 0:
        return "selects nothing"
    return "is more than there is" if number > 0 else "is not a number"
