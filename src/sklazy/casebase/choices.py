"""Choices that may be older than the rows: cuts, numbers of neighbors, settings.

By default a choice is found anew after every change. Where it may be older, it stays
until enough rows came or went, or until rows are erased on request: nothing of these
is left in it then. Rows that leave a window go at once where a choice holds values of
rows; otherwise with the next refresh.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

CUTS = "cuts"
"""The choice of cuts, which lie with the bins."""


class AgedChoice(NamedTuple):
    """What was chosen, and when.

    Attributes
    ----------
    value : object
    n_moved : int
        Rows that had come or gone until then.
    holds_rows : bool
        Whether values of rows can be read from it.
    digest : str
        Of the rows that it was chosen by; "" as long as these are there.
    """

    value: Any
    n_moved: int
    holds_rows: bool
    digest: str = ""


class Choices:
    """The choices that were made by rows which may have changed since.

    Parameters
    ----------
    refresh_every : int or float
        After how many rows that came or went choices are made anew, or after which
        share of the rows.

    Examples
    --------
    >>> choices = Choices(refresh_every=2)
    >>> choices.keep("n_neighbors", 5)
    >>> choices.follow(1, 1, 10)
    >>> choices.made["n_neighbors"].value, choices.age
    (5, 1)
    >>> choices.follow(1, 1, 11)
    >>> choices.made
    {}
    """

    def __init__(self, refresh_every: float = 1) -> None:
        self.refresh_every, self.n_moved = refresh_every, 0
        self.made: dict[Hashable, AgedChoice] = {}  # replaced, not written to

    @property
    def may_be_old(self) -> bool:
        """Whether choices outlive a change at all."""
        return self.refresh_every != 1

    @property
    def age(self) -> int:
        """How many rows came or went since the oldest choice."""
        return max((self.n_moved - c.n_moved for c in self.made.values()), default=0)

    def keep(self, key: Hashable, value: object, *, holds_rows: bool = False) -> None:
        """Keep what was chosen now."""
        self.made = {**self.made, key: AgedChoice(value, self.n_moved, holds_rows)}

    def follow(self, n_rows: int, step: int, n_left: int) -> None:
        """Grow older by rows that came (step 1) or went (-1); `n_left` are there."""
        self.n_moved += n_rows
        limit = self.refresh_every
        if not isinstance(limit, int):
            limit = max(1, int(limit * n_left))
        self.made = {
            key: choice
            for key, choice in self.made.items()
            if self.n_moved - choice.n_moved < limit
            and not (step < 0 and choice.holds_rows)
        }

    def sign(self, find_digest: Callable[[], str]) -> None:
        """Note which rows the new choices were made by, before these change."""
        if all(choice.digest for choice in self.made.values()):
            return
        digest = find_digest()
        self.made = {
            key: choice if choice.digest else choice._replace(digest=digest)
            for key, choice in self.made.items()
        }

    def lend(self) -> "Choices":
        """Copy those that hold no values of rows, for a base of other rows."""
        lent = Choices(self.refresh_every)
        lent.made = {
            key: choice
            for key, choice in self.made.items()
            if not choice.holds_rows and key != CUTS
        }
        return lent

    def drop(self) -> None:
        """Have all choices made anew."""
        self.made = {}

    def drop_one(self, key: Hashable) -> None:
        """Have one choice made anew."""
        self.made = {k: choice for k, choice in self.made.items() if k != key}

    def describe(self) -> list[tuple[int, str]]:
        """How many rows came or went since each state that chose, and its digest."""
        old = [c for c in self.made.values() if c.n_moved < self.n_moved]
        return sorted({(self.n_moved - c.n_moved, c.digest) for c in old})
