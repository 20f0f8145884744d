"""Which local models are tried: ranges of neighbors, how many of the best."""

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from sklazy.errors import BadInputError, warn_once
from sklazy.flow import LocalPlan

Span = float | int | Sequence[int]
"""A float times the usual range, an exact number, a pair, or a triple."""

Spans = Span | str | Mapping[int, Span | str]
"""One span for every degree, "auto", or one for each degree."""

NBest = int | Sequence[int] | str
"""How many models are combined: of all, of each degree, or "auto"."""

_LEAST = 2  # one neighbor alone cannot be left out
_MOST_REGRESSORS = 100  # a line through more costs a second per query for little
_CONSTANT = (3, 40)  # neighbors of a constant, found by measurement
_A_TERM = (3, 5)  # neighbors per coefficient of other models, as in R
_BEST = (3, 7, 7)  # models combined of each degree, found by measurement
_RIDGES = (1e-12, 1e100)  # less is lost in rounding, more is no float when squared
_BEST_ALONE = 10  # constants combined where there is nothing else


def count_terms(n_regressors: int, degree: int) -> int:
    """Coefficients of a model, the intercept among them.

    >>> [count_terms(5, degree) for degree in (0, 1, 2)]
    [1, 6, 21]
    """
    d = n_regressors
    return (1, 1 + d, (1 + d) * (2 + d) // 2)[degree]


def neighbor_range(
    span: Span,
    degree: int,
    n_regressors: int,
    n_rows: int,
    name: str = "n_neighbors",
    *,
    warn: bool = True,
) -> tuple[int, int, int]:
    """The fewest and most neighbors of a model, and how many are scored (0: all).

    Parameters
    ----------
    span : float, int, pair or triple
        A float s stands for 3 to 5 s neighbors per coefficient, as in R; an int for
        exactly so many; a pair for its range; a third number for how many of the
        nearest neighbors the leave-one-out score is taken over.
    degree : {0, 1, 2}
    n_regressors : int
    n_rows : int
        A range that goes beyond is cut, with a warning.
    name : str
        The name of the parameter in messages.
    warn : bool
        Whether to warn; where a row is left out, the user knows already.

    Examples
    --------
    >>> neighbor_range(1.0, 1, n_regressors=5, n_rows=200)
    (18, 30, 0)
    >>> neighbor_range((10, 40, 15), 1, n_regressors=5, n_rows=200)
    (10, 40, 15)
    """
    least, most, scored = _numbers(span, count_terms(n_regressors, degree), name)
    if least < _LEAST or most < least or scored < 0:
        raise BadInputError(
            f"{name}={span!r} asks for {least} to {most} neighbors, {scored} of them "
            f"scored; expected at least {_LEAST}, the fewest first, and 0 (all) or "
            "more scored."
        )
    if least > n_rows:
        raise BadInputError(
            f"{name}={span!r} asks for at least {least} neighbors, but there are "
            f"n_samples={n_rows} rows to learn from; ask for fewer neighbors or a "
            "lower degree."
        )
    if most > n_rows and warn:
        warn_once(
            f"{name}={span!r} asks for up to {most} neighbors; all {n_rows} rows are "
            "taken at most."
        )
    return least, min(most, n_rows), min(scored, n_rows)


def _numbers(span: Span, n_terms: int, name: str) -> tuple[int, int, int]:
    """Fewest, most and scored neighbors, not checked yet."""
    if isinstance(span, Integral) and not isinstance(span, bool):
        return int(span), int(span), 0
    if isinstance(span, Real) and not isinstance(span, bool):
        times = float(span)
        if not 0 < times < math.inf:
            raise _bad_span(span, name)
        return 3 * n_terms, math.ceil(5 * n_terms * times), 0
    numbers = list(span) if isinstance(span, Sequence | np.ndarray) else []
    if len(numbers) not in (2, 3) or not all(isinstance(k, Integral) for k in numbers):
        raise _bad_span(span, name)
    least, most, scored = (*map(int, numbers), 0)[:3]
    return least, most, scored


def _bad_span(span: object, name: str) -> BadInputError:
    return BadInputError(
        f"{name}={span!r}; expected (fewest, most), a third number for how many are "
        "scored, one whole number for exactly so many, or a float above 0 for so many "
        "times the usual range."
    )


def find_ranges(
    degrees: object, spans: Spans, n_regressors: int, n_rows: int, *, warn: bool = True
) -> dict[int, tuple[int, int, int]]:
    """The range of neighbors of each degree.

    Parameters
    ----------
    degrees : "auto", or ints among 0, 1 and 2
        By itself: constants, and lines where there are 1 to 100 regressors.
    spans : "auto", what `neighbor_range` takes, or a dict of these by degree
        By itself: 3 to 40 neighbors for constants and 3 to 5 per coefficient for
        lines and parabolas, or all where there are fewer.
    n_regressors, n_rows : int
    warn : bool
        As in `neighbor_range`.

    Examples
    --------
    >>> find_ranges("auto", "auto", n_regressors=5, n_rows=200)
    {0: (3, 40, 0), 1: (18, 30, 0)}
    >>> find_ranges((1, 2), {2: (10, 20)}, n_regressors=1, n_rows=200)
    {1: (6, 10, 0), 2: (10, 20, 0)}
    """
    if n_rows < _LEAST:
        raise BadInputError(
            f"local models need {_LEAST} rows to learn from; there are "
            f"n_samples={n_rows}. Give more rows."
        )
    chosen = _degrees(degrees, n_regressors)
    by_degree = spans if isinstance(spans, Mapping) else dict.fromkeys(chosen, spans)
    unknown = [degree for degree in by_degree if degree not in chosen]
    if unknown:
        raise BadInputError(
            f"n_neighbors={spans!r} has ranges for the degrees {unknown}, which are "
            f"off; degrees={degrees!r}."
        )
    return {
        degree: _automatic(degree, n_regressors, n_rows)
        if isinstance(span := by_degree.get(degree, "auto"), str) and span == "auto"
        else neighbor_range(span, degree, n_regressors, n_rows, warn=warn)  # type: ignore[arg-type]
        for degree in chosen
    }


def _automatic(degree: int, n_regressors: int, n_rows: int) -> tuple[int, int, int]:
    """The range of a degree that was left to us; never more than there are rows."""
    n_terms = count_terms(n_regressors, degree)
    least, most = _A_TERM if degree else _CONSTANT
    return min(least * n_terms, n_rows), min(most * n_terms, n_rows), 0


def _degrees(degrees: object, n_regressors: int) -> list[int]:
    if isinstance(degrees, str) and degrees == "auto":
        return [0, 1] if 0 < n_regressors <= _MOST_REGRESSORS else [0]
    listed = np.atleast_1d(np.asarray(degrees, object)).tolist()
    if not listed or any(isinstance(g, bool) or g not in (0, 1, 2) for g in listed):
        raise BadInputError(
            f"degrees={degrees!r}; expected 'auto' or some of 0 (constant), 1 (linear) "
            "and 2 (quadratic)."
        )
    return sorted({int(degree) for degree in listed})


def make_plan(
    ranges: Mapping[int, tuple[int, int, int]],
    n_best: NBest,
    ridge: float,
    *,
    as_in_r: bool = False,
) -> LocalPlan:
    """Put ranges by degree, the number of best models and the ridge into a plan.

    Parameters
    ----------
    ranges : dict from degree to what `neighbor_range` gave
    n_best : "auto", int, or three ints
        How many of the best models over all degrees are combined, or of each degree.
        By itself 3 constants and 7 of any other degree, or 10 constants alone.
    ridge : float
    as_in_r : bool

    Examples
    --------
    >>> make_plan({1: (18, 30, 0)}, n_best=3, ridge=1e-6).best
    array([3, 0, 0, 0])
    """
    if not ranges:
        raise BadInputError("no degree is on; give at least one of 0, 1 and 2.")
    check_ridge(ridge)
    table = np.zeros((3, 3), np.int64)
    for degree, span in ranges.items():
        table[degree] = span
    n_models = {degree: most - least + 1 for degree, (least, most, _) in ranges.items()}
    return LocalPlan(table, _best(n_best, n_models), 1.0 / ridge, as_in_r)


def check_ridge(ridge: float) -> None:
    """Refuse a ridge that is lost in rounding, or beyond floats."""
    least, most = _RIDGES
    if not least <= ridge <= most:
        raise BadInputError(
            f"ridge={ridge!r}; expected a number above 0, from {least:g} to {most:g}."
        )


def limit_ridge(ridge: float) -> float:
    """The nearest ridge that can be computed with."""
    return min(max(ridge, _RIDGES[0]), _RIDGES[1])


def _best(n_best: NBest, n_models: Mapping[int, int]) -> np.ndarray:
    """Counts over all degrees, then of each; no more than there are models.

    Those of degrees that are off, which have none in `n_models`, are 0.
    """
    if isinstance(n_best, str) and n_best == "auto":
        n_best = _BEST if max(n_models) else (_BEST_ALONE, 0, 0)
    if isinstance(n_best, Integral) and int(n_best) > 0:
        most = sum(n_models.values())
        return np.array([min(int(n_best), most), 0, 0, 0], np.int64)
    listed: list[Any] = []
    if isinstance(n_best, Sequence | np.ndarray):
        listed = list(n_best)
    whole = all(isinstance(count, Integral) and int(count) >= 0 for count in listed)
    if len(listed) != 3 or not whole or not any(listed[degree] for degree in n_models):
        raise BadInputError(
            f"n_best={n_best!r}; expected 'auto', a whole number above 0, or three for "
            "the degrees 0, 1 and 2, one of them above 0 for a degree that is on."
        )
    counts = [min(listed[d], n_models.get(d, 0)) for d in range(3)]
    return np.array([0, *counts], np.int64)
