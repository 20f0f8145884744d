"""Figures of the targets of all cases, from what parts of them add up to."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.sums import (
    ExactSums,
    add_sums,
    deviation,
    nearest_float,
    sum_exactly,
)
from sklazy.measures.magnitudes import find_unit

Floats = NDArray[np.float64]


class TargetSums(NamedTuple):
    """Count, sums and ranges of the targets of a part of the cases."""

    n_rows: int
    totals: ExactSums
    squares: ExactSums
    lows: Floats
    highs: Floats


def sum_targets(part: CaseBase) -> TargetSums:
    """Compute the sums and ranges of the targets of a part of the cases."""
    targets = part.cases.targets[:, : part.n_rows]
    cells = np.broadcast_to(np.arange(len(targets))[:, None], targets.shape).ravel()
    totals, squares = (
        sum_exactly(targets.ravel(), cells, len(targets), squared=squared)
        for squared in (False, True)
    )
    lows, highs = targets.min(axis=1, initial=np.inf), targets.max(1, initial=-np.inf)
    return TargetSums(part.n_rows, totals, squares, lows, highs)


def add_targets(parts: Sequence[TargetSums]) -> list[tuple[float, ...]]:
    """Mean, deviation, least and most of each target."""
    n_rows = sum(part.n_rows for part in parts)
    totals = add_sums(part.totals for part in parts).whole()
    squares = add_sums(part.squares for part in parts).whole()
    lows = np.min([part.lows for part in parts], axis=0)
    highs = np.max([part.highs for part in parts], axis=0)
    figures: list[tuple[float, ...]] = []
    for total, square, low, high in zip(totals, squares, lows, highs, strict=True):
        unit = find_unit(np.array([low, high]))  # in which squares are floats
        spread = deviation(n_rows, total, square, unit) / unit
        figures.append((nearest_float(total / n_rows), spread, low, high))
    return figures
