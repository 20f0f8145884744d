"""What an evaluation answers: losses, or the reasons why there are none."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.racing.field import Losses

Answers = Sequence[Any] | NDArray[Any]


def read_losses(answers: Answers, n_asked: int) -> tuple[Losses, list[str]]:
    """Return losses as numbers, NaN where they failed, and the failures' reasons."""
    try:
        row = np.asarray(answers, dtype=np.float64)
    except (TypeError, ValueError):
        row = np.array([_as_number(answer) for answer in answers])
    if row.shape != (n_asked,):
        raise BadInputError(
            f"evaluate gave losses of shape {row.shape} for {n_asked} candidates; "
            "it must give one number for each."
        )
    if np.isfinite(row).all():
        return row, []
    where = np.flatnonzero(~np.isfinite(row)).tolist()
    return row, [_reason(answers[i]) for i in where]


def _as_number(answer: object) -> float:
    failed = isinstance(answer, BaseException)
    return np.nan if failed else np.asarray(answer, dtype=np.float64).item()


def _reason(answer: object) -> str:
    if isinstance(answer, BaseException):
        return f"{type(answer).__name__}: {answer}"
    return f"the loss {answer}"
