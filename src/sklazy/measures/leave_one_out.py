"""Selection for a case as if it were not there.

Without its own row, every attribute that knows the row has other counts, so the row's
values and their attributes have other scores. They depend on the row only through its
class and, for each attribute, its value: one ranking per class serves all rows.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.kernels.entropies import average_entropies, share_classes
from sklazy.measures.choose import select_lowest
from sklazy.measures.ranks import RankTable, rank_cells
from sklazy.memory import cells_within

Scores = tuple[NDArray[np.float64], NDArray[np.float64]]
Scorer = Callable[[NDArray[np.int64], NDArray[np.int64]], Scores]
"""(counts, offsets) -> (scores of the values, scores of the attributes)."""

# Elements of the count tables scored at once.
_MOST_ELEMENTS = 4_000_000

_FEW_VALUES = 32


# Classes whose shares numpy adds up one by one, values that are soon sorted, and
# seconds that numpy takes, at a time and for each cell.
_MOST_CLASSES, _MOST_VALUES = 7, 64
_AT_ALL, _PER_CELL = 6e-4, 1e-6


class AllEntropies(NamedTuple):
    """Scores by entropy with all rows, and without one of each value and class.

    Attributes
    ----------
    values, attributes : float64 arrays of shape (n_values,), (n_attributes,)
    own, whole : float64 arrays of shape (n_values, n_classes)
        Of a value, and of its attribute, without one row; zero where there is none.
    """

    values: NDArray[np.float64]
    attributes: NDArray[np.float64]
    own: NDArray[np.float64]
    whole: NDArray[np.float64]


def find_all_entropies(
    counts: NDArray[np.int64], offsets: NDArray[np.int64], *, discounts: bool
) -> AllEntropies | None:
    """Find all scores by entropy at once; None where there are too many cells.

    Parameters
    ----------
    counts : int64 array of shape (n_values, n_classes)
    offsets : int64 array of shape (n_attributes + 1,)
    discounts : bool
        See `sklazy.measures.discount_rare_values`.

    Examples
    --------
    >>> from sklazy.kernels.compiling import every_job_due
    >>> counts = np.array([[2, 0], [1, 3]])
    >>> with every_job_due():
    ...     found = find_all_entropies(counts, np.array([0, 2]), discounts=False)
    >>> found.values.round(3).tolist(), found.own.round(3).tolist()
    ([0.0, 0.811], [[0.0, 0.0], [0.0, 0.918]])
    """
    n_values, n_classes = counts.shape
    widest = int(np.diff(offsets).max(initial=0))
    is_small = n_classes <= _MOST_CLASSES and widest <= _MOST_VALUES
    if not is_small or not share_classes.is_due(_AT_ALL + _PER_CELL * counts.size):
        return None
    shares = np.empty((1 + 2 * n_classes, n_values, n_classes))
    share_classes(counts, offsets, discounts, shares)
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    found = AllEntropies(
        np.empty(n_values),
        np.empty(len(offsets) - 1),
        np.zeros(counts.shape),
        np.zeros(counts.shape),
    )
    average_entropies(counts, offsets, shares, logs, *found)
    return found


def rank_without_own_row(
    counts: NDArray[np.int64],
    offsets: NDArray[np.int64],
    score: Scorer,
    fallbacks: NDArray[np.float64] | None = None,
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
    fallbacks : float64 array of shape (n_attributes,), optional
        The scores of the attributes with all rows, where they are known.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy.measures import attribute_scores, lazy_scores
    >>> score = lambda *table: (lazy_scores(*table), attribute_scores(*table))
    >>> counts = np.array([[2, 0], [1, 3]])
    >>> len(rank_without_own_row(counts, np.array([0, 2]), score))
    2
    """
    values, ties = _score_without(counts, offsets, score)
    fallbacks = score(counts, offsets)[1] if fallbacks is None else fallbacks
    return rank_by_class(values, ties, fallbacks, offsets)


def rank_by_class(
    values: NDArray[np.float64],
    ties: NDArray[np.float64],
    fallbacks: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> list[RankTable]:
    """Rank scores without a row of each class, both of shape (n_values, n_classes)."""
    return [
        rank_cells(np.ascontiguousarray(values[:, c]), ties[:, c], fallbacks, offsets)
        for c in range(values.shape[1])
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
    cells, class_of = np.nonzero(counts)
    owners = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))[cells]
    examples, places = _find_distinct(counts, offsets, cells, class_of, owners)
    removals = cells[examples], class_of[examples], owners[examples]
    scores = _score_removals(counts, offsets, removals, score)
    values[cells, class_of] = scores[0][places]
    ties[cells, class_of] = scores[1][places]
    return values, ties


def _find_distinct(
    counts: NDArray[np.int64],
    offsets: NDArray[np.int64],
    cells: NDArray[np.int64],
    class_of: NDArray[np.int64],
    owners: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one removal of each kind, and the kind of each.

    Removals from values of an attribute with equal counts come to the same: columns
    with thousands of values have few kinds. With few values all are looked at, which
    is faster than to compare them.
    """
    kinds = np.arange(len(cells))
    wide = np.flatnonzero((np.diff(offsets) > _FEW_VALUES)[owners])
    if not len(wide):
        return kinds, kinds
    keys = np.column_stack([counts[cells], class_of, owners])[wide]
    _, firsts, places = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    kinds[wide] = wide[firsts][places.reshape(-1)]
    examples, places = np.unique(kinds, return_inverse=True)
    return examples, places


def _score_removals(
    counts: NDArray[np.int64],
    offsets: NDArray[np.int64],
    removals: tuple[NDArray[np.int64], ...],
    score: Scorer,
) -> Scores:
    """Score copies of attributes' counts, each with one row taken out.

    `removals` has the row of `counts`, the class and the attribute of each.
    """
    sizes = np.diff(offsets)[removals[2]]
    scores = np.empty((2, sizes.size))
    most = max(1, cells_within(_MOST_ELEMENTS) // counts.shape[1])
    blocks = np.cumsum(sizes) // most  # one removal may be larger than a block
    for block in np.unique(blocks):
        part = np.flatnonzero(blocks == block)
        cells, class_of, owners = (column[part] for column in removals)
        ends = np.concatenate([[0], np.cumsum(sizes[part])])
        firsts = offsets[owners] - ends[:-1]
        copies = counts[np.repeat(firsts, sizes[part]) + np.arange(ends[-1])]
        removed = cells - firsts
        copies[removed, class_of] -= 1
        values, attributes = score(copies, ends)
        scores[:, part] = values[removed], attributes
    return scores[0], scores[1]
