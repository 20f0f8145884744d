"""Neighbors become a local model of partial least squares."""

from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.kernels.pls.blocks import weigh_spectra
from sklazy.kernels.pls.components import explain_components, fit_components

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Components = str | int | tuple[int, int]
"""How many components: "auto", exactly so many, or the range to choose from."""

_MOST_COMPONENTS = 15


class PLSPlan(NamedTuple):
    """Which components are tried on how many neighbors.

    Attributes
    ----------
    k : int
        Neighbors.
    least, most : int
        Components; equal where there is nothing to choose.
    """

    k: int
    least: int
    most: int


class PLSRows(NamedTuple):
    """Cases as local models see them.

    Attributes
    ----------
    regressors : float64 array of shape (n_rows, n_columns)
        NaN where missing.
    targets : float64 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), or empty where all weigh 1
    """

    regressors: Floats
    targets: Floats
    weights: Floats


class Explained(NamedTuple):
    """The model of one query.

    Attributes
    ----------
    slopes : float64 array of shape (n_columns,)
        The change of the prediction for one more in each column.
    leverages, residuals : float64 arrays of shape (1 + k,)
        Leverages, and squares that components leave of a row (Q): of the query, and
        of each neighbor among the others.
    n_grown : int
        How many components there are.
    """

    slopes: Floats
    leverages: Floats
    residuals: Floats
    n_grown: int


def check_components(n_components: object, n_neighbors: int) -> None:
    """Refuse components that are no numbers, or too many for the neighbors."""
    least, most = _range(n_components)
    if not 1 <= least <= most:
        raise _bad(n_components)
    fixed = isinstance(n_components, Integral)
    spare = 1 if fixed else 2
    if most > n_neighbors - spare and not isinstance(n_components, str):
        left_out = "" if fixed else ", one of them left out,"
        raise BadInputError(
            f"n_components={n_components!r}, but n_neighbors={n_neighbors}{left_out} "
            f"have {n_neighbors - spare} components at most; ask for fewer components "
            "or more neighbors."
        )


def plan_components(
    n_components: object, n_neighbors: int, n_rows: int, n_columns: int
) -> PLSPlan:
    """Plan the components to try for a number of rows and columns.

    Examples
    --------
    >>> plan_components("auto", 60, n_rows=200, n_columns=400)
    PLSPlan(k=60, least=1, most=15)
    >>> plan_components(10, 60, n_rows=8, n_columns=400)
    PLSPlan(k=8, least=7, most=7)
    """
    k = min(n_neighbors, n_rows)
    least, most = _range(n_components)
    spare = 1 if least == most else 2
    most = max(0, min(most, k - spare, n_columns))
    return PLSPlan(k, min(least, most), most)


def _range(n_components: object) -> tuple[int, int]:
    if isinstance(n_components, str) and n_components == "auto":
        return 1, _MOST_COMPONENTS
    if isinstance(n_components, Integral) and not isinstance(n_components, bool):
        return int(n_components), int(n_components)
    ends = list(n_components) if isinstance(n_components, tuple | list) else []
    whole = [isinstance(n, Integral) and not isinstance(n, bool) for n in ends]
    if len(ends) != 2 or not all(whole):
        raise _bad(n_components)
    return int(ends[0]), int(ends[1])


def _bad(n_components: object) -> BadInputError:
    return BadInputError(
        f"n_components={n_components!r}; expected 'auto', a whole number of at least "
        "1, or (fewest, most) to choose from."
    )


def weigh(
    distances: Floats, rows: Ints, row_weights: Floats, localization: float
) -> Floats:
    """The weights of each query's neighbors, their mean 1.

    Parameters
    ----------
    distances : float64 array of shape (n_queries, k)
    rows : int64 array of the same shape
    row_weights : float64 array of shape (n_rows,), or empty
    localization : float
        Weights are exp(-localization * distance / deviation of the k distances).
    """
    weights = np.empty(distances.shape)
    weigh_spectra(distances, float(localization), rows, row_weights, weights)
    return weights


def fit_paths(
    cases: PLSRows,
    queries: Floats,
    neighbors: Ints,
    targets: Floats,
    weights: Floats,
    n_components: int,
    *,
    scaled: bool,
    left_out: bool,
) -> tuple[Floats, Floats]:
    """Predictions with 0, 1, ... components, and errors of neighbors left out.

    Parameters
    ----------
    cases : PLSRows
    queries : float64 array of shape (n_queries, n_columns)
        Columns where a query is missing have no part in its model.
    neighbors, targets, weights : arrays of shape (n_queries, k)
    n_components : int
    scaled : bool
        Whether columns are divided by their deviation among the neighbors.
    left_out : bool
        Whether errors are wanted.

    Returns
    -------
    values, errors : float64 arrays of shape (n_queries, 1 + n_components)
        The errors are mean squares, empty where not wanted.

    References
    ----------
    B. S. Dayal, J. F. MacGregor: Improved PLS algorithms. Journal of Chemometrics 11,
    1997.
    """
    values = np.empty((len(queries), 1 + n_components))
    errors = np.empty(values.shape if left_out else (0, 1 + n_components))
    fit_components(
        cases.regressors,
        targets,
        queries,
        neighbors,
        weights,
        scaled,
        0,
        len(queries),
        values,
        errors,
    )
    return values, errors


def explain_one(
    cases: PLSRows,
    query: Floats,
    near: Ints,
    targets: Floats,
    weights: Floats,
    shares: Floats,
    *,
    scaled: bool,
) -> Explained:
    """The model of one query, and how far the query is from its neighbors.

    Parameters
    ----------
    cases : PLSRows
    query : float64 array of shape (n_columns,)
    near, targets, weights : arrays of shape (k,)
    shares : float64 array of shape (1 + n_components,)
        Weights of models with 0, 1, ... components; the first of the largest is the
        one that the query is judged by.
    scaled : bool
    """
    counted = np.cumsum(shares[::-1])[::-1][1:]
    n_judged = int(np.argmax(shares))
    slopes = np.empty(cases.regressors.shape[1])
    leverages, residuals = np.full((2, 1 + len(near)), np.nan)
    n_grown = explain_components(
        cases.regressors,
        targets,
        query,
        near,
        weights,
        scaled,
        np.ascontiguousarray(counted),
        n_judged,
        slopes,
        leverages,
        residuals,
    )
    return Explained(slopes, leverages, residuals, int(n_grown))
