"""Naive Bayes on the attributes a query uses."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.kernels.likelihoods import sum_by_rank, sum_likelihoods
from sklazy.memory import cells_within

# Seconds that numpy takes, at a time and for each addition.
_AT_ALL, _PER_ADDITION = 2e-5, 1.2e-8

# A set of ranks this many words per attribute takes longer to read than to sort.
_MOST_WORDS = 16

# Elements of the array that numpy gathers at once.
_MOST_GATHERED = 4_000_000


class Likelihoods(NamedTuple):
    """Logarithms of the smoothed frequencies.

    Attributes
    ----------
    offsets : int64 array of shape (n_attributes + 1,)
    values : float64 array of shape (n_values + 1, n_classes)
        log P(value | class) at ``offsets[j] + v``; the last row is zero, for a value
        that is missing or was never seen.
    priors : float64 array of shape (n_classes,)
        log P(class).
    """

    offsets: NDArray[np.int64]
    values: NDArray[np.float64]
    priors: NDArray[np.float64]


def estimate_likelihoods(
    counts: NDArray[np.int64] | NDArray[np.float64],
    class_counts: NDArray[np.int64] | NDArray[np.float64],
    offsets: NDArray[np.int64],
    alpha: float = 1.0,
) -> Likelihoods:
    """Estimate log-probabilities from counts, `alpha` added to every count.

    Parameters
    ----------
    counts : array of shape (n_values, n_classes)
    class_counts : array of shape (n_classes,)
    offsets : int64 array of shape (n_attributes + 1,)
    alpha : float
        Greater than zero; 1 is Laplace's rule and Weka's.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[3, 0], [1, 2]])
    >>> found = estimate_likelihoods(counts, np.array([4, 2]), np.array([0, 2]))
    >>> np.exp(found.values[:2]).round(3).tolist()
    [[0.667, 0.25], [0.333, 0.75]]
    >>> np.exp(found.priors).round(3).tolist()
    [0.625, 0.375]
    """
    values = np.zeros((counts.shape[0] + 1, counts.shape[1]))
    values[:-1] = np.log((counts + alpha) / smooth_totals(counts, offsets, alpha))
    share = (class_counts + alpha) / (class_counts.sum() + alpha * class_counts.size)
    return Likelihoods(offsets, values, np.log(share))


def smooth_totals(
    counts: NDArray[np.int64] | NDArray[np.float64],
    offsets: NDArray[np.int64],
    alpha: float,
) -> NDArray[np.float64]:
    """Return for each value the smoothed number of rows its attribute knows.

    Shape (n_values, n_classes), the same for all values of an attribute.
    """
    sizes = np.diff(offsets)
    of_value = np.repeat(np.arange(sizes.size), sizes)
    totals = np.zeros((sizes.size, counts.shape[1]))
    np.add.at(totals, of_value, counts)
    return (totals + alpha * sizes[:, None])[of_value]


def add_likelihoods(
    likelihoods: Likelihoods,
    codes: NDArray[np.int32],
    selected: Selected,
    out: NDArray[np.float64],
    first: int,
    last: int,
) -> None:
    """Write log P(class) + sum of log P(value | class) for ``first..last - 1``.

    Parameters
    ----------
    likelihoods : Likelihoods
    codes : int32 array of shape (n_queries, n_attributes)
    selected : Selected
        The sum runs over each query's own attributes, in their order.
    out : float64 array of shape (n_queries, n_classes), written
    first, last : int
    """
    offsets, values, priors = likelihoods
    work = (last - first) * selected.attributes.shape[1] * priors.size
    if sum_likelihoods.is_due(_AT_ALL + _PER_ADDITION * work):
        sum_likelihoods(values, priors, offsets, codes, *selected, first, last, out)
        return
    part = Selected(selected.attributes[first:last], selected.counts[first:last])
    cells = find_cells(codes[first:last], part, offsets)
    out[first:last] = _gather_and_add(values, priors, cells)


class RankedLikelihoods(NamedTuple):
    """Log-likelihoods in the order of ranks, each of one value of one attribute.

    Attributes
    ----------
    values : float64 array of shape (n_cells * n_classes,)
        The row of rank 0, of rank 1, ...; zeros for what is missing or was never seen.
    priors : float64 array of shape (n_classes,)
    starts : int64 array of shape (n_attributes,)
    ranks : int32 array of shape (n_cells,)
        As in `sum_by_rank`.
    """

    values: NDArray[np.float64]
    priors: NDArray[np.float64]
    starts: NDArray[np.int64]
    ranks: NDArray[np.int32]


def rank_likelihoods(
    likelihoods: Likelihoods, starts: NDArray[np.int64], ranks: NDArray[np.int32]
) -> RankedLikelihoods:
    """Put the table of log-likelihoods in the order of ranks.

    Parameters
    ----------
    likelihoods : Likelihoods
    starts : int64 array of shape (n_attributes,)
        Where in `ranks` value 0 of an attribute lies; its fallback is one before.
    ranks : int32 array of shape (n_cells,)

    Examples
    --------
    >>> values = np.array([[-1.0], [-2.0], [0.0]])
    >>> likelihoods = Likelihoods(np.array([0, 2]), values, np.zeros(1))
    >>> ranks = np.array([0, 2, 1], np.int32)
    >>> rank_likelihoods(likelihoods, np.array([1]), ranks).values.tolist()
    [0.0, -2.0, -1.0]
    """
    rows = np.zeros((ranks.size, likelihoods.priors.size))
    is_value = np.ones(ranks.size, bool)
    is_value[starts - 1] = False
    rows[ranks[is_value]] = likelihoods.values[:-1]
    return RankedLikelihoods(rows.reshape(-1), likelihoods.priors, starts, ranks)


def can_add_by_rank(
    n_queries: int, starts: NDArray[np.int64], ranks: NDArray[np.int32]
) -> bool:
    """Whether `add_by_rank` is the quicker way, compiling included."""
    if ranks.size // starts.size > 64 * _MOST_WORDS:
        return False
    n_cells = n_queries * starts.size
    return bool(sum_by_rank.is_due(_AT_ALL + _PER_ADDITION * n_cells))


def add_by_rank(
    ranked: RankedLikelihoods,
    codes: NDArray[np.int32],
    n_selected: int,
    out: NDArray[np.float64],
    first: int,
    last: int,
) -> None:
    """Do what `add_likelihoods` does with the `n_selected` attributes of lowest rank.

    Digit for digit; parameters as there.
    """
    values, priors, starts, ranks = ranked
    cells = codes, starts, ranks
    sum_by_rank(values, priors, *cells, n_selected, first, last, out)


def find_cells(
    codes: NDArray[np.int32], selected: Selected, offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the table rows of each query's values, shape (n_queries, n_most).

    ``offsets[-1]``, the row of zeros, stands for whatever adds nothing.
    """
    attributes = np.maximum(selected.attributes, 0)
    used_codes = np.take_along_axis(codes, attributes, axis=1)
    used = np.arange(attributes.shape[1]) < selected.counts[:, None]
    return np.where(
        used & (used_codes >= 0), offsets[attributes] + used_codes, offsets[-1]
    )


def _gather_and_add(
    values: NDArray[np.float64],
    priors: NDArray[np.float64],
    cells: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Add the table rows of each query to the priors, in order, a few at a time.

    `cumsum` adds one after the other, as the kernel does; `sum` would not.
    """
    n_queries, n_most = cells.shape
    joint = np.empty((n_queries, priors.shape[-1]))
    n_cells = max(1, (n_most + 1) * priors.shape[-1])
    step = max(1, cells_within(_MOST_GATHERED) // n_cells)
    for first in range(0, n_queries, step):
        part = slice(first, min(n_queries, first + step))
        terms = np.empty((part.stop - first, n_most + 1, priors.shape[-1]))
        terms[:, 0] = priors if priors.ndim == 1 else priors[part]
        terms[:, 1:] = values[cells[part]]
        joint[part] = terms.cumsum(axis=1)[:, -1]
    return joint


def to_probabilities(joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn log P(class, query) of shape (n_queries, n_classes) into P(class | query).

    Examples
    --------
    >>> import numpy as np
    >>> to_probabilities(np.log([[0.02, 0.06]])).round(6).tolist()
    [[0.25, 0.75]]
    """
    shares = np.exp(joint - joint.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def contributions(
    likelihoods: Likelihoods, codes: NDArray[np.int32], selected: Selected
) -> NDArray[np.float64]:
    """Return what each attribute in use adds: (n_queries, n_most, n_classes).

    With the priors they add up to what `add_likelihoods` writes.
    """
    cells = find_cells(codes, selected, likelihoods.offsets)
    return likelihoods.values[cells]
