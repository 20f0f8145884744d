"""Distances of our figures from a paper's, in standard errors, with explanations."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sklazy_studies.document import Table

FAR = 3.0
"""Standard errors beyond which a figure needs an explanation."""


@dataclass(frozen=True)
class Deviation:
    """A figure of ours beside the paper's.

    Attributes
    ----------
    set, method : str
    ours, theirs : float
    error : float
        The standard error of the difference.
    explanation : str
        Why they differ, and the command that shows it; empty if there is none.

    Examples
    --------
    >>> Deviation("wine", "tree", 92.0, 90.0, 0.5, "").distance
    4.0
    """

    set: str
    method: str
    ours: float
    theirs: float
    error: float
    explanation: str

    @property
    def distance(self) -> float:
        """The difference in standard errors."""
        return (self.ours - self.theirs) / self.error if self.error else 0.0

    @property
    def is_far(self) -> bool:
        """Whether it is beyond what chance explains."""
        return abs(self.distance) > FAR

    @property
    def is_explained(self) -> bool:
        """Whether an explanation names a command that shows it."""
        return any(command in self.explanation for command in _COMMANDS)


_COMMANDS = ("python -m sklazy_studies.", "sklazy reproduce ")


def unexplained(deviations: Sequence[Deviation]) -> list[Deviation]:
    """Those beyond three standard errors without an explanation and its command."""
    return [one for one in deviations if one.is_far and not one.is_explained]


def find_unexplained(path: Path) -> list[str]:
    """A line for each cell of a recorded table of deviations that lacks a reason.

    Parameters
    ----------
    path : path
        A table of `deviation_table` as CSV.
    """
    if not path.is_file():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [
        f"{of}, {what}: {ours}, and the paper has {theirs}, {distance} standard errors "
        "apart; no explanation with a command stands beside it"
        for of, what, ours, theirs, distance, why in rows
        if not any(command in why for command in _COMMANDS)
    ]


def deviation_table(
    deviations: Sequence[Deviation], named: tuple[str, str] = ("set", "method")
) -> Table:
    """All figures that are far from the paper's, the farthest first.

    Parameters
    ----------
    deviations : sequence of Deviation
    named : pair of str
        What `set` and `method` are called.
    """
    far = sorted((one for one in deviations if one.is_far), key=_farthest_first)
    near = len(deviations) - len(far)
    rows = [
        [
            one.set,
            one.method,
            f"{one.ours:.4g}",
            f"{one.theirs:.4g}",
            f"{one.distance:+.1f}".replace("-", "\N{MINUS SIGN}"),
            one.explanation if one.is_explained else UNKNOWN,
        ]
        for one in far
    ]
    return Table(
        "deviations",
        [*named, "ours", "paper", "standard errors", "why"],
        rows,
        f"Cells that differ from the paper's by more than {FAR:.0f} standard errors; "
        f"the other {near} of {len(deviations)} do not.",
        left=2,
    )


UNKNOWN = "not explained"


def _farthest_first(one: Deviation) -> float:
    return -abs(one.distance)
