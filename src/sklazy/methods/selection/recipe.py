"""Settings of a selection, as plain data."""

from dataclasses import dataclass, field
from typing import Literal

Strategy = Literal["lazy", "eager", "none", "lazy-cfs", "lazy-consistency", "lazy-hip"]
Hierarchy = tuple[tuple[str | int, tuple[str | int, ...]], ...]
Rule = Literal["count", "fraction", "auto", "local", "vote", "set", "all"]

STRATEGIES: tuple[Strategy, ...] = (
    "lazy",
    "eager",
    "none",
    "lazy-cfs",
    "lazy-consistency",
    "lazy-hip",
)
"""How a query's attributes are chosen."""

RANKED: tuple[Strategy, ...] = ("lazy", "eager", "none")
"""The strategies that put attributes in an order and take the first of it."""

WITHOUT_AMOUNT: dict[Strategy, Rule] = {
    "none": "all",
    "lazy-cfs": "set",
    "lazy-consistency": "set",
    "lazy-hip": "set",
}
"""The strategies that pay no heed to `n_attributes`, and what they go by."""


@dataclass(frozen=True)
class Recipe:
    """How attributes are chosen for a query; what then uses them is the host.

    Attributes
    ----------
    n_attributes : int, float, "auto", "local" or "vote"
    selection : one of `STRATEGIES`
    measure : str
        A name in `sklazy.measures.MEASURES`.
    discount_rare_values : bool
        Score values by counts without one of their cases; see
        `sklazy.measures.contingency`.
    min_support : int
        Rows that must remain when a conjunction is grown (lazy consistency).
    max_loo_rows : int
        How many training rows "auto" leaves out in turn, at most.
    n_local_neighbors : int
        How many neighbors "local" leaves out in turn.
    hierarchy : tuple of (attribute, parents)
        Of "lazy-hip".
    n_jobs : int or None
    """

    n_attributes: int | float | str = 0.3
    selection: Strategy = "lazy"
    measure: str = "entropy"
    discount_rare_values: bool = False
    min_support: int = 1
    max_loo_rows: int = 1000
    n_local_neighbors: int = 20
    hierarchy: Hierarchy = ()
    n_jobs: int | None = field(default=None, compare=False)
