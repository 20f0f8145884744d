"""Selection for a case as if it were not there.

Without its own row, every attribute that knows the row has other counts, so the row's
values and their attributes have other scores. They depend on the row only through its
class and, for each attribute, its value: one ranking per class serves all rows.
"""

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.measures.choose import select_lowest
from sklazy.measures.ranks import RankTable, rank_cells
from sklazy.memory import cells_within

Scores = tuple[NDArray[np.float64], NDArray[np.float64]]
Scorer = Callable[[NDArray[np.int64], NDArray[np.int64]], Scores]
"""(counts, offsets) -> (scores of the values, scores of the attributes)."""

# Elements of the count tables scored at once.
_MOST_ELEMENTS = 4_000_000


def rank_without_own_row(
    counts: NDArray[np.int64], offsets: NDArray[np.int64], score: Scorer
) -> list[RankTable]:
    """Return a rank table for each class, for rows of it that are left out.

    Parameters
    ----------
    counts : int64 array of shape (n_values, n_classes)
        Of all rows.
    offsets : int64 array of shape (n_attributes + 1,)
    score : callable
        Takes counts and offsets, of any attributes; gives the scores of the values
        and of the attributes. Must not depend on the order of an attribute's values.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy.measures import attribute_scores, lazy_scores
    >>> score = lambda *table: (lazy_scores(*table), attribute_scores(*table))
    >>> counts = np.array([[2, 0], [1, 3]])
    >>> len(rank_without_own_row(counts, np.array([0, 2]), score))
    2
    """
    n_classes = counts.shape[1]
    values, ties = _score_without(counts, offsets, score)
    fallbacks = score(counts, offsets)[1]
    return [
        rank_cells(np.ascontiguousarray(values[:, c]), ties[:, c], fallbacks, offsets)
        for c in range(n_classes)
    ]


def select_without_own_row(
    codes: NDArray[np.int32],
    classes: NDArray[np.int32],
    tables: list[RankTable],
    n_selected: int,
) -> Selected:
    """Select the attributes of cases, each as if it were not there.

    Parameters
    ----------
    codes : int32 array of shape (n_rows, n_attributes)
    classes : int32 array of shape (n_rows,)
    tables : list of RankTable
        One for each class.
    n_selected : int
    """
    attributes = np.empty((codes.shape[0], n_selected), np.int32)
    for c, table in enumerate(tables):
        members = np.flatnonzero(classes == c)
        attributes[members] = select_lowest(
            codes[members], table, n_selected
        ).attributes
    return Selected(attributes, np.full(codes.shape[0], n_selected, np.int32))


def _score_without(
    counts: NDArray[np.int64], offsets: NDArray[np.int64], score: Scorer
) -> Scores:
    """Return scores of values and their attributes with one row of a class removed.

    Both of shape (n_values, n_classes); zero where there is no such row.
    """
    values, ties = np.zeros(counts.shape), np.zeros(counts.shape)
    for first, last in itertools.pairwise(offsets):
        part = counts[first:last]
        rows, class_of, places = _find_distinct_removals(part)
        scores = _score_removals(part, rows, class_of, score)
        present = part > 0
        values[first:last][present] = scores[0][places]
        ties[first:last][present] = scores[1][places]
    return values, ties


def _find_distinct_removals(
    part: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return one (value, class) for each kind of removal, and the kind of each.

    Removals from values with equal counts come to the same: columns with thousands
    of values have few kinds.
    """
    values, class_of = np.nonzero(part)
    keys = np.column_stack([part[values], class_of])
    _, examples, places = np.unique(
        keys, axis=0, return_index=True, return_inverse=True
    )
    return values[examples], class_of[examples], places.reshape(-1)


def _score_removals(
    part: NDArray[np.int64],
    rows: NDArray[np.int64],
    class_of: NDArray[np.int64],
    score: Scorer,
) -> Scores:
    """Score copies of one attribute's counts, each with one row taken out."""
    n_values, n_classes = part.shape
    value_scores, attribute_scores = np.empty(rows.size), np.empty(rows.size)
    step = max(1, cells_within(_MOST_ELEMENTS) // max(1, part.size))
    for first in range(0, rows.size, step):
        last = min(rows.size, first + step)
        copies = np.repeat(part[None], last - first, axis=0)
        number = np.arange(last - first)
        copies[number, rows[first:last], class_of[first:last]] -= 1
        offsets = np.arange(last - first + 1) * n_values
        scored = score(copies.reshape(-1, n_classes), offsets)
        value_scores[first:last] = scored[0][number * n_values + rows[first:last]]
        attribute_scores[first:last] = scored[1]
    return value_scores, attribute_scores
