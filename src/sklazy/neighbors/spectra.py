"""Where spectra stand, so that Euclidean distances compare them in other ways."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from sklazy.flow import Columns, Neighbors
from sklazy.kernels.columns import EUCLIDEAN, NUMERIC
from sklazy.kernels.pls.blocks import to_directions
from sklazy.kernels.vectors import add_terms
from sklazy.neighbors.nearest import find_nearest

Floats = NDArray[np.float64]
Groups = tuple[NDArray[np.int64], NDArray[np.int64]]


class SpectralMetric(NamedTuple):
    """Compares spectra by Euclidean distances of what is computed from them.

    Attributes
    ----------
    sees : {"cells", "scores", "directions"}
        Whether rows stay as they are, or become principal scores or unit vectors.
    to_own : callable
        Turns those Euclidean distances into distances of the metric.
    centered : bool
        Whether directions are those of the cells less their mean.
    """

    sees: Literal["cells", "scores", "directions"]
    to_own: Callable[[Floats], Floats] = lambda distances: distances
    centered: bool = False


SPECTRAL_METRICS = {
    "euclidean": SpectralMetric("cells"),
    "mahalanobis": SpectralMetric("scores"),
    "correlation": SpectralMetric(
        "directions", lambda distances: distances * distances / 2.0, centered=True
    ),
    "angle": SpectralMetric(
        "directions",
        lambda distances: 2.0 * np.arcsin(np.minimum(distances / 2.0, 1.0)),
    ),
}

_SAMPLED = 2000  # rows in which principal components are looked for
_NEGLIGIBLE = 1e-10  # of the largest variance


class SpectralView(NamedTuple):
    """How rows are seen by a metric.

    Attributes
    ----------
    metric : str
        Of `SPECTRAL_METRICS`, but none that sees cells as they are.
    means : float64 array of shape (n_columns,)
        Where a missing cell stands.
    axes, loadings : float64 arrays of shape (n_scores, n_columns)
        Principal axes over the deviation along them, and times it; none of other
        metrics.
    """

    metric: str
    means: Floats
    axes: Floats
    loadings: Floats


def make_view(rows: Floats, metric: str, n_scores: int) -> SpectralView:
    """Find how a metric sees rows.

    Parameters
    ----------
    rows : float64 array of shape (n_rows, n_columns)
        In an order that depends on their content alone; NaN where missing.
    metric : {"mahalanobis", "correlation", "angle"}
    n_scores : int
        Principal components, at most, that "mahalanobis" looks at.
    """
    known = ~np.isnan(rows)
    sums, counts = np.where(known, rows, 0.0).sum(axis=0), known.sum(axis=0)
    means = sums / np.maximum(counts, 1)
    if SPECTRAL_METRICS[metric].sees == "directions":
        none = np.zeros((0, rows.shape[1]))
        return SpectralView(metric, means, none, none)
    sample = rows[:_SAMPLED]
    sample = np.where(np.isnan(sample), 0.0, sample - means)
    axes, deviations = _principal_axes(sample, n_scores)
    over, times = axes / deviations[:, None], axes * deviations[:, None]
    return SpectralView(metric, means, over, times)


def see(view: SpectralView, rows: Floats) -> Floats:
    """Rows as the metric sees them, each by itself, (n_rows, n_seen).

    A missing cell stands at the mean; principal scores of a row that lacks cells are
    those that come nearest to the cells it has.
    """
    missing = np.isnan(rows)
    filled = np.where(missing, view.means, rows)
    metric = SPECTRAL_METRICS[view.metric]
    if metric.sees == "directions":
        seen = np.empty(filled.shape)
        to_directions(filled, metric.centered, seen)
        return seen
    seen = np.empty((len(rows), len(view.axes)))
    add_terms(filled - view.means, view.axes, np.zeros(len(view.axes)), seen)
    for i in np.flatnonzero(missing.any(axis=1)).tolist():
        known = ~missing[i]
        cells = rows[i, known] - view.means[known]
        seen[i] = np.linalg.lstsq(view.loadings[:, known].T, cells)[0]
    return seen


def seen_columns(view: SpectralView, rows: Floats) -> Columns:
    """Rows as `find_nearest` takes them."""
    values = np.ascontiguousarray(see(view, rows).T)
    n = len(values)
    kinds = np.full(n, NUMERIC, np.int64)
    return Columns(values, kinds, np.ones(n), np.zeros(n), EUCLIDEAN)


def find_nearest_known(
    columns: Columns, queries: Floats, n_nearest: int, groups: Groups | None
) -> Neighbors:
    """The nearest rows of each query, in the columns that it has.

    The parameters are those of `find_nearest`, which counts a missing cell.
    """
    found = find_nearest(columns, queries, n_nearest, groups=groups)
    for i in np.flatnonzero(np.isnan(queries).any(axis=1)).tolist():
        known = ~np.isnan(queries[i])
        values, kinds, weights, absents = (a[known] for a in columns[:4])
        part = Columns(values, kinds, weights, absents, columns.metric)
        _search_one(part, queries[i : i + 1, known], i, groups, found)
    return found


def _search_one(
    columns: Columns, query: Floats, i: int, groups: Groups | None, found: Neighbors
) -> None:
    """Search for one query of several, and write down what is found."""
    own = None if groups is None else (groups[0], groups[1][i : i + 1])
    near = find_nearest(columns, query, found.rows.shape[1], groups=own)
    found.rows[i], found.distances[i] = near.rows[0], near.distances[0]


def find_nearest_spectra(
    view: SpectralView,
    columns: Columns,
    rows: Floats,
    queries: Floats,
    n_nearest: int,
    groups: Groups | None,
) -> Neighbors:
    """The nearest rows of each query; directions are those in the columns it has.

    Parameters
    ----------
    view : SpectralView
    columns : Columns
        The rows, from `seen_columns`.
    rows, queries : float64 arrays of shape (n, n_columns)
    n_nearest : int
    groups : pair of int64 arrays, optional
        As for `find_nearest`.
    """
    lacks = np.isnan(queries).any(axis=1)
    found = find_nearest(columns, see(view, queries), n_nearest, groups=groups)
    if SPECTRAL_METRICS[view.metric].sees == "scores":
        return found
    for i in np.flatnonzero(lacks).tolist():
        known = ~np.isnan(queries[i])
        part = view._replace(means=view.means[known])
        of_rows = seen_columns(part, np.ascontiguousarray(rows[:, known]))
        query = see(part, queries[i : i + 1, known])
        _search_one(of_rows, query, i, groups, found)
    return found


def to_metric(distances: Floats, metric: str) -> Floats:
    """Euclidean distances of what is seen, as the metric counts them.

    One less the correlation, or an angle in radians.

    Examples
    --------
    >>> to_metric(np.array([0.0, 2.0]), "correlation")
    array([0., 2.])
    >>> to_metric(np.array([0.0, 2.0]), "angle").round(3)
    array([0.   , 3.142])
    """
    return SPECTRAL_METRICS[metric].to_own(distances)


def _principal_axes(rows: Floats, n_scores: int) -> tuple[Floats, Floats]:
    """Axes along which centered rows vary most, and the deviations along them."""
    n_rows, n_columns = rows.shape
    wide = n_rows < n_columns
    products = rows @ rows.T if wide else rows.T @ rows
    most = min(n_scores, len(products))
    if not most:
        return np.zeros((0, n_columns)), np.zeros(0)
    ends = (len(products) - most, len(products) - 1)
    sizes, vectors = eigh(products, subset_by_index=ends)
    sizes, vectors = sizes[::-1], vectors[:, ::-1]
    real = sizes > _NEGLIGIBLE * max(sizes[0], 0.0)
    sizes, vectors = sizes[real], vectors[:, real]
    if wide:
        vectors = rows.T @ vectors / np.sqrt(sizes)
    return np.ascontiguousarray(vectors.T), np.sqrt(sizes / n_rows)
