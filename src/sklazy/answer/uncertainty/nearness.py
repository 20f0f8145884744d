"""How far all cases are from queries, on all attributes, whatever the learner."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, batch_of_cases
from sklazy.casebase import CaseBase
from sklazy.flow import Queries, Selected
from sklazy.kernels.nearest_of_classes import find_nearest_of_classes
from sklazy.neighbors import MixedSearch, scaled_columns

_N_NEAR = 25  # cases whose scores measure how hard a query is
_FLOOR = 0.5  # of the typical score, added to that of few cases
_AT_ONCE = 200_000_000  # cells between two chances for an interrupt
_MEASURED = 500_000  # distances at a time, so that calls cost little beside them
_DIGITS = 9  # of shares: rounding decides between no two cases

Ints = NDArray[np.int64]


def measure_squares(batch: Batch) -> Iterator[Floats]:
    """The squared distance of every case, infinite for the one left out, by query."""
    search, every = _search(batch), np.arange(len(batch))
    step = max(1, _MEASURED // batch.base.n_rows)
    for first in range(0, len(batch), step):
        yield from search.measure(every[first : first + step])


def _search(batch: Batch) -> MixedSearch:
    """A search on all attributes."""
    n_queries, n_attributes = len(batch), batch.n_attributes
    every = np.tile(np.arange(n_attributes, dtype=np.int32), (n_queries, 1))
    selected = Selected(every, np.full(n_queries, n_attributes, np.int32))
    queries = Queries(*map(np.ascontiguousarray, batch.queries))
    columns = scaled_columns(batch.base)
    return MixedSearch(batch.cases, columns, queries, selected, 1, batch.excluded)


def class_shares(batch: Batch) -> Floats:
    """How much nearer another class is than each class, in [0, 1].

    The square of the distance to the nearest case of the class, over its sum with that
    to the nearest case of any other class.

    Returns
    -------
    shares : float64 array of shape (n_queries, n_classes)
    """
    cases, search, every = batch.cases, _search(batch), np.arange(len(batch))
    labels, classes = search.columns.labels, cases.classes[: batch.base.n_rows]
    shares = np.empty((len(batch), batch.n_classes))
    attributes = np.arange(batch.n_attributes, dtype=np.int32)
    screened = _find_telling(cases.numeric)
    step = max(1, _AT_ONCE // (len(classes) * batch.n_attributes))
    for first in range(0, len(batch), step):
        part = every[first : first + step]
        nearest = np.empty((len(part), batch.n_classes))
        find_nearest_of_classes(
            *(cells[part] for cells in search.queries),
            attributes,
            screened,
            search.excluded[part],
            labels,
            cases.numeric,
            cases.numbers,
            search.widths_of(part),
            classes,
            nearest,
        )
        shares[part] = list(map(_compare, nearest))
    return shares


def _find_telling(numeric: Ints) -> NDArray[np.int32]:
    """Half of the attributes, or all nominal ones, whose differences are the largest.

    `numeric` is below 0 for nominal attributes.
    """
    largest = np.argsort(numeric >= 0, kind="stable")
    n_screened = max((len(numeric) + 1) // 2, int((numeric < 0).sum()))
    return np.sort(largest[:n_screened]).astype(np.int32)


def _compare(nearest: Floats) -> Floats:
    """Each distance against the least of the others; one half where both are alike."""
    if len(nearest) == 1:
        return np.zeros(1)
    least, second = np.partition(nearest, 1)[:2]
    first = int(np.argmin(nearest))
    others = np.full(len(nearest), least)
    others[first] = second
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        shares: Floats = 1.0 / (1.0 + others / nearest)
    return np.where(np.isnan(shares), 0.5, shares.round(_DIGITS))


def near_scores(base: CaseBase, batch: Batch, rows: Ints, scores: Floats) -> Floats:
    """The mean score of the cases nearest to each query, kept off 0 by the overall one.

    Parameters
    ----------
    base : CaseBase
    batch : Batch
    rows : int64 array of shape (n_scored,)
        Where the cases that have a score lie.
    scores : float64 array of shape (n_scored, n_targets)

    Returns
    -------
    means : float64 array of shape (n_queries, n_targets)
    """
    typical = scores.mean(axis=0)
    means = np.empty((len(batch), scores.shape[1]))
    for query, squares in enumerate(measure_squares(batch)):
        means[query] = scores[_nearest(squares[rows])].mean(axis=0)
    lengths: Floats = means + _FLOOR * typical + np.finfo(float).tiny
    return lengths


def near_scores_of_cases(base: CaseBase, rows: Ints, scores: Floats) -> Floats:
    """The same for cases that have a score themselves, each left out."""
    return near_scores(base, batch_of_cases(base, rows), rows, scores)


def _nearest(squares: Floats) -> Ints:
    """The nearest cases with all that are as far as the last, never one left out."""
    n_near = min(_N_NEAR, len(squares)) - 1
    limit = np.partition(squares, n_near)[n_near]
    seen = np.isfinite(squares)
    return np.flatnonzero((squares <= limit) & seen if seen.any() else ~seen)
