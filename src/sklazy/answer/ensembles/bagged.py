"""What ensembles of classes and of numbers share: bags, members, slabs of queries."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.ensembles.data import Floats, Gathering, runner
from sklazy.answer.ensembles.evidence import Evidence
from sklazy.answer.ensembles.members import Member
from sklazy.flow import Bags, Neighbors, Queries
from sklazy.local.bags import beta_neighbors, draw_weights, plan_bags
from sklazy.report.progress import Progress

Ints = NDArray[np.int64]
Kind = TypeVar("Kind", bound=Gathering)
Given = TypeVar("Given")

N_TRIED = 25
"""Nearest cases on which members are tried."""

_SLAB_CELLS = 4_000_000  # neighbors and members' answers in memory at one time
_SLAB_TIME = 4e9  # nanoseconds between two steps of the progress bar


@dataclass(frozen=True)
class EnsembleRecipe(Generic[Kind]):
    """How an ensemble is made.

    Attributes
    ----------
    members : tuple of Member
        The kinds of members, which take the bags in turn.
    n_estimators : int
        The number of bags.
    beta : float
        Decides how many neighbors bags hold.
    n_neighbors : int or None
        Or just so many.
    combine : str
        How members' answers become one.
    share_bags : bool
        Whether queries share what is drawn from all rows.
    seed : int
    n_jobs : int or None
    """

    members: tuple[Member[Kind], ...]
    n_estimators: int = 10
    beta: float = 0.99
    n_neighbors: int | None = None
    combine: str = "vote"
    share_bags: bool = False
    seed: int = 0
    n_jobs: int | None = None

    def n_near(self, n_rows: int) -> int:
        """How many neighbors the bags of so many rows hold."""
        if self.n_neighbors is None:
            return beta_neighbors(n_rows, self.beta)
        return min(self.n_neighbors, n_rows)

    def bags_of(self, member: int) -> Ints:
        """The bags that a kind of member takes, by number."""
        return np.arange(member, self.n_estimators, len(self.members))


def search_and_plan(
    crowd: Gathering, queries: Queries, recipe: EnsembleRecipe[Any]
) -> tuple[Neighbors, Bags]:
    """The nearest cases, and the bags that the first of them enrich."""
    n_near = recipe.n_near(crowd.n_rows)
    n_nearest = min(max(n_near, N_TRIED), crowd.n_rows)
    run = runner(recipe.n_jobs, 100.0 * n_nearest + 0.3 * crowd.codes.size)
    neighbors = crowd.nearest(queries, n_nearest, run)
    bags = plan_bags(
        queries,
        crowd.is_numeric,
        neighbors.rows[:, :n_near],
        recipe.n_estimators,
        recipe.seed,
        share=recipe.share_bags,
    )
    return neighbors, bags


def ask_members(
    crowd: Kind, queries: Queries, bags: Bags, recipe: EnsembleRecipe[Kind]
) -> Floats:
    """What each member says, (n_queries, n_bags, n_outputs)."""
    answers = np.zeros((*bags.seeds.shape[1:], crowd.n_outputs))
    for i, member in enumerate(recipe.members[: recipe.n_estimators]):
        own = recipe.bags_of(i)
        run = runner(recipe.n_jobs, member.cost(crowd) * len(own))
        answers[:, own] = member.answer(crowd, queries, bags.choose(own), run)
    return answers


def ask_about_rows(
    crowd: Kind,
    rows: NDArray[np.integer],
    bags: Bags,
    recipe: EnsembleRecipe[Kind],
) -> tuple[Floats, Bags]:
    """What the members of each query say about some cases, and the bags repeated.

    Parameters
    ----------
    crowd, bags, recipe
    rows : int array of shape (n_queries, n_asked)

    Returns
    -------
    answers : float64 array of shape (n_queries * n_asked, n_bags, n_outputs)
    bags : Bags of as many queries
    """
    again = bags.take(np.repeat(np.arange(len(rows)), rows.shape[1]))
    return ask_members(crowd, crowd.as_queries(rows.ravel()), again, recipe), again


def are_lacking(
    crowd: Gathering, bags: Bags, rows: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Whether bags lack rows, (n_queries, n_rows_asked, n_bags)."""
    return np.stack(
        [
            draw_weights(bags, query, crowd.n_rows)[:, own].T == 0
            for query, own in enumerate(rows)
        ]
    )


def find_evidence(
    crowd: Kind, query: Queries, bags: Bags, recipe: EnsembleRecipe[Kind]
) -> list[tuple[str, Evidence]]:
    """The name of each member of a single query, and what its answer rests on."""
    found: dict[int, tuple[str, Evidence]] = {}
    for i, member in enumerate(recipe.members[: recipe.n_estimators]):
        own = recipe.bags_of(i)
        told = member.evidence(crowd, query, bags.choose(own))
        found |= {b: (member.name, t) for b, t in zip(own.tolist(), told, strict=True)}
    return [found[bag] for bag in range(recipe.n_estimators)]


def tell_in_slabs(
    crowd: Kind,
    queries: Queries,
    recipe: EnsembleRecipe[Kind],
    answer: Callable[[Kind, Queries, EnsembleRecipe[Kind]], Given],
    tell: Callable[[Given], NDArray[Any]],
) -> NDArray[Any]:
    """What the answers to any number of queries tell, a row a query.

    Some queries are answered at a time, and a bar tells how many are done.
    """
    n_queries, step = len(queries.codes), _slab(crowd, recipe)
    told = []
    with Progress("asking", total=n_queries) as progress:
        for first in range(0, max(n_queries, 1), step):
            here = slice(first, first + step)
            slab = Queries(queries.codes[here], queries.values[here])
            told.append(tell(answer(crowd, slab, recipe)))
            progress.advance(len(slab.codes))
    return np.concatenate(told)


def _slab(crowd: Kind, recipe: EnsembleRecipe[Kind]) -> int:
    """How many queries are answered at a time: for memory, and for the bar's sake."""
    bags = -(-recipe.n_estimators // len(recipe.members))
    cost = bags * sum(member.cost(crowd) for member in recipe.members)
    n_tried = N_TRIED if recipe.combine in ("accuracy", "error") else 1
    near = max(N_TRIED, recipe.n_near(crowd.n_rows))
    cells = n_tried * (near + recipe.n_estimators * crowd.n_outputs)
    fewest = 256 if recipe.share_bags else 16  # what is shared is made for each slab
    return int(np.clip(min(_SLAB_CELLS / cells, _SLAB_TIME / cost), fewest, 8192))
