"""Every (attribute, value) has a place in one ranking: the rank table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class RankTable(NamedTuple):
    """A unique rank for each value of each attribute, and for having no known value.

    Cells are laid out attribute by attribute: first the fallback (the cell is missing
    or its value was never seen), then value 0, 1, ...

    Attributes
    ----------
    starts : int64 array of shape (n_attributes,)
        The cell of value v of attribute j is ``starts[j] + v``, its fallback
        ``starts[j] - 1``.
    ranks : int32 array of shape (n_cells,)
        Lower is better.
    attribute_of_rank : int32 array of shape (n_cells,)
    """

    starts: NDArray[np.int64]
    ranks: NDArray[np.int32]
    attribute_of_rank: NDArray[np.int32]

    @property
    def n_attributes(self) -> int:
        """The number of attributes."""
        return self.starts.size


def rank_values(
    value_scores: NDArray[np.float64],
    attribute_scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> RankTable:
    """Rank all values by (score, score of the attribute, column index).

    Parameters
    ----------
    value_scores : float64 array of shape (n_values_total,)
        The lazy score of each value, lower is better; rounded, so that what is equal
        on paper is equal here.
    attribute_scores : float64 array of shape (n_attributes,)
        Used when the value is missing or was never seen, and between ties.
    offsets : int64 array of shape (n_attributes + 1,)
    """
    sizes = np.diff(offsets)
    ties = np.repeat(attribute_scores, sizes)
    return rank_cells(value_scores, ties, attribute_scores, offsets)


def rank_cells(
    value_scores: NDArray[np.float64],
    value_ties: NDArray[np.float64],
    fallback_scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> RankTable:
    """Rank all values by (score, tie score, column index); fallbacks tie with none.

    Like `rank_values`, with a tie score of its own for each value: leaving a row out
    changes its attributes' scores, by its value.
    """
    sizes = np.diff(offsets)
    columns = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes + 1)
    starts = offsets[:-1] + np.arange(1, sizes.size + 1)
    scores = _interleave(fallback_scores, value_scores, starts)
    ties = _interleave(fallback_scores, value_ties, starts)
    order = np.lexsort((columns, ties, scores))
    ranks = np.empty(order.size, np.int32)
    ranks[order] = np.arange(order.size, dtype=np.int32)
    return RankTable(starts, ranks, columns[order])


def rank_attributes(
    attribute_scores: NDArray[np.float64], offsets: NDArray[np.int64]
) -> RankTable:
    """Rank by the attributes' scores alone: the same attributes for every query."""
    repeated = np.repeat(attribute_scores, np.diff(offsets))
    return rank_values(repeated, attribute_scores, offsets)


def rank_columns(offsets: NDArray[np.int64]) -> RankTable:
    """Rank by column index: no selection, in the same form as the others."""
    return rank_attributes(np.zeros(offsets.size - 1), offsets)


def _interleave(
    fallbacks: NDArray[np.float64],
    values: NDArray[np.float64],
    starts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Put each attribute's fallback in front of its values."""
    cells = np.empty(fallbacks.size + values.size)
    is_value = np.ones(cells.size, bool)
    is_value[starts - 1] = False
    cells[starts - 1] = fallbacks
    cells[is_value] = values
    return cells
