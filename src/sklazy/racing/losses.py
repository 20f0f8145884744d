"""What an evaluation returns: losses, or the reasons why there are none."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.racing.field import Losses

Evaluated = Sequence[Any] | NDArray[Any]
"""A loss, or an exception, for each candidate."""


def read_losses(found: Evaluated, n_candidates: int) -> tuple[Losses, list[str]]:
    """Losses as numbers, NaN where an evaluation failed, and why those failed."""
    try:
        row = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        row = np.array([_as_number(one) for one in found])
    if row.shape != (n_candidates,):
        raise BadInputError(
            f"evaluate returned losses of shape {row.shape} for {n_candidates} "
            "candidates; expected one number for each."
        )
    if np.isfinite(row).all():
        return row, []
    where = np.flatnonzero(~np.isfinite(row)).tolist()
    return row, [_reason(found[i]) for i in where]


def _as_number(found: object) -> float:
    failed = isinstance(found, BaseException)
    return np.nan if failed else np.asarray(found, dtype=np.float64).item()


def _reason(found: object) -> str:
    if isinstance(found, BaseException):
        return f"{type(found).__name__}: {found}"
    return f"the loss {found}"
