"""The attributes of a batch of queries, as a search takes them."""

from typing import NamedTuple, Protocol

from sklazy.flow import Selected
from sklazy.selection import RankTable


class Attributes(Protocol):
    """The attributes of each query, found or to be found by their ranks."""

    @property
    def selected(self) -> Selected:
        """The attributes; found now if need be."""

    @property
    def waiting_ranks(self) -> RankTable | None:
        """The ranks, where the attributes have not been found yet."""

    @property
    def n_most(self) -> int:
        """How many attributes a query uses, at most."""


class GivenAttributes(NamedTuple):
    """Attributes that are known."""

    selected: Selected
    waiting_ranks: RankTable | None = None

    @property
    def n_most(self) -> int:
        """How many attributes a query uses, at most."""
        return self.selected.attributes.shape[1]
