"""Distances of our figures from a paper's, in standard errors, with explanations."""

from collections.abc import Sequence
from dataclasses import dataclass

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
        Why they differ, and the command that shows it; empty if it is not known.

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


def unexplained(deviations: Sequence[Deviation]) -> list[Deviation]:
    """Those beyond three standard errors without a word beside them."""
    return [one for one in deviations if one.is_far and not one.explanation]


def deviation_table(deviations: Sequence[Deviation]) -> Table:
    """All figures that are far from the paper's, the farthest first."""
    far = sorted((one for one in deviations if one.is_far), key=_farthest_first)
    near = len(deviations) - len(far)
    rows = [
        [
            one.set,
            one.method,
            f"{one.ours:.4g}",
            f"{one.theirs:.4g}",
            f"{one.distance:+.1f}".replace("-", "\N{MINUS SIGN}"),
            one.explanation or UNKNOWN,
        ]
        for one in far
    ]
    return Table(
        "deviations",
        ["set", "method", "ours", "paper", "standard errors", "why"],
        rows,
        f"Cells that differ from the paper's by more than {FAR:.0f} standard errors; "
        f"the other {near} of {len(deviations)} do not.",
        left=2,
    )


UNKNOWN = "not explained"


def _farthest_first(one: Deviation) -> float:
    return -abs(one.distance)
