"""Hide what fewer cases than a group has have: rare labels and classes, extremes."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import CodedRows
from sklazy.flow import MISSING

Floats = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


def hide_rare(rows: CodedRows, least: int, *, has_classes: bool) -> CodedRows:
    """Rows in which at least `least` cases share each label, class and extreme.

    A rarer label is missing. Cases of a rarer class are left out. Numbers, targets
    and weights end at the `least`-th smallest and the `least`-th largest.

    Parameters
    ----------
    rows : CodedRows
    least : int
    has_classes : bool
        Whether `rows.classes` has codes of classes.
    """
    if has_classes:
        rows = rows.take(np.flatnonzero(_is_common(rows.classes, least)))
    return replace(
        rows,
        codes=np.reshape(
            [np.where(_is_common(c, least), c, MISSING) for c in rows.codes],
            rows.codes.shape,
        ).astype(rows.codes.dtype),
        numbers=_clip_extremes(rows.numbers, least),
        targets=_clip_extremes(rows.targets, least),
        weights=_clip_extremes(rows.weights[None], least)[0],
    )


def _is_common(codes: Codes, least: int) -> NDArray[np.bool_]:
    """Whether enough rows have the code that a row has; missing ones never do."""
    known = np.where(codes >= 0, codes, 0)
    common: NDArray[np.bool_] = np.bincount(known[codes >= 0], minlength=1) >= least
    return (codes >= 0) & common[np.minimum(known, len(common) - 1)]


def _clip_extremes(figures: Floats, least: int) -> Floats:
    """Clip each row of figures so that `least` of them share each end."""
    clipped = figures.copy()
    for figure in clipped:
        known = np.sort(figure[~np.isnan(figure)])
        if len(known):
            low = known[min(least - 1, (len(known) - 1) // 2)]
            high = known[max(len(known) - least, len(known) // 2)]
            np.clip(figure, low, high, out=figure)
    return clipped
