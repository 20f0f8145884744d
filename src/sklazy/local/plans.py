"""Which local models are tried: ranges of neighbours, how many of the best."""

import math
import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral, Real

import numpy as np

from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import LocalPlan

Span = float | int | Sequence[int]
"""A float times the usual range, an exact number, a pair, or a triple."""

_LEAST = 2  # one neighbour alone cannot be left out


def count_terms(n_regressors: int, degree: int) -> int:
    """Coefficients of a model, the intercept among them.

    >>> [count_terms(5, degree) for degree in (0, 1, 2)]
    [1, 6, 21]
    """
    d = n_regressors
    return (1, 1 + d, (1 + d) * (2 + d) // 2)[degree]


def neighbour_range(
    span: Span, degree: int, n_regressors: int, n_rows: int, name: str = "n_neighbors"
) -> tuple[int, int, int]:
    """The fewest and most neighbours of a model, and how many are scored (0: all).

    Parameters
    ----------
    span : float, int, pair or triple
        A float s stands for 3 to 5 s neighbours a coefficient, as in R; an int for
        exactly so many; a pair for its range; a third number for how many of the
        nearest neighbours the leave-one-out score is taken over.
    degree : {0, 1, 2}
    n_regressors : int
    n_rows : int
        A range that goes beyond is cut, with a warning.
    name : str
        What to call the parameter in messages.

    Examples
    --------
    >>> neighbour_range(1.0, 1, n_regressors=5, n_rows=200)
    (18, 30, 0)
    >>> neighbour_range((10, 40, 15), 1, n_regressors=5, n_rows=200)
    (10, 40, 15)
    """
    least, most, scored = _numbers(span, count_terms(n_regressors, degree), name)
    if least < _LEAST or most < least or scored < 0:
        raise BadInputError(
            f"{name}={span!r} asks for {least} to {most} neighbours, {scored} of them "
            f"scored; expected at least {_LEAST}, the fewest first, and 0 (all) or "
            "more scored."
        )
    if least > n_rows:
        raise BadInputError(
            f"{name}={span!r} asks for at least {least} neighbours, but there are "
            f"n_samples={n_rows} rows to learn from; ask for fewer neighbours or a "
            "lower degree."
        )
    if most > n_rows:
        warnings.warn(
            f"{name}={span!r} asks for up to {most} neighbours; all {n_rows} rows are "
            "taken at most.",
            DataWarning,
            stacklevel=2,
        )
    return least, min(most, n_rows), scored


def _numbers(span: Span, n_terms: int, name: str) -> tuple[int, int, int]:
    """Fewest, most and scored neighbours, not checked yet."""
    if isinstance(span, Integral) and not isinstance(span, bool):
        return int(span), int(span), 0
    if isinstance(span, Real) and not isinstance(span, bool):
        times = float(span)
        if not 0 < times < math.inf:
            raise _bad_span(span, name)
        return 3 * n_terms, math.ceil(5 * n_terms * times), 0
    given = list(span) if isinstance(span, Sequence | np.ndarray) else []
    if len(given) not in (2, 3) or not all(isinstance(k, Integral) for k in given):
        raise _bad_span(span, name)
    least, most, scored = (*map(int, given), 0)[:3]
    return least, most, scored


def _bad_span(span: object, name: str) -> BadInputError:
    return BadInputError(
        f"{name}={span!r} is no range of neighbours; give (fewest, most), a third "
        "number for how many are scored, one whole number for exactly so many, or a "
        "float above 0 for so many times the usual range."
    )


def make_plan(
    ranges: Mapping[int, tuple[int, int, int]],
    n_best: int | Sequence[int],
    ridge: float,
    *,
    as_in_r: bool = False,
) -> LocalPlan:
    """Put ranges by degree, the number of best models and the ridge into a plan.

    Parameters
    ----------
    ranges : dict from degree to what `neighbour_range` gave
    n_best : int, or three ints
        How many of the best models over all degrees are combined, or of each degree.
    ridge : float
    as_in_r : bool

    Examples
    --------
    >>> make_plan({1: (18, 30, 0)}, n_best=3, ridge=1e-6).best
    array([3, 0, 0, 0])
    """
    if not ranges:
        raise BadInputError("no degree is on; give at least one of 0, 1 and 2.")
    if not 0 < ridge < math.inf:
        raise BadInputError(f"ridge={ridge!r}; expected a number above 0.")
    table = np.zeros((3, 3), np.int64)
    for degree, span in ranges.items():
        table[degree] = span
    return LocalPlan(table, _best(n_best, list(ranges)), 1.0 / ridge, as_in_r)


def _best(n_best: int | Sequence[int], degrees: list[int]) -> np.ndarray:
    """Counts over all degrees, then of each; those of degrees that are off are 0."""
    if isinstance(n_best, Integral) and int(n_best) > 0:
        return np.array([n_best, 0, 0, 0], np.int64)
    given = list(n_best) if isinstance(n_best, Sequence | np.ndarray) else []
    whole = all(isinstance(count, Integral) and count >= 0 for count in given)
    if len(given) != 3 or not whole or not any(given[degree] for degree in degrees):
        raise BadInputError(
            f"n_best={n_best!r}; expected a whole number above 0, or three for the "
            "degrees 0, 1 and 2, one of them above 0 for a degree that is on."
        )
    counts = [given[degree] if degree in degrees else 0 for degree in range(3)]
    return np.array([0, *counts], np.int64)
