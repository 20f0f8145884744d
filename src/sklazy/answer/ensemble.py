"""Ensembles of a query's own: neighbours, bags, members, and one answer of them.

References
----------
Zhu, X., Yang, Y.: A lazy bagging approach to classification. Pattern Recognition 41,
2008.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.crowd import Crowd, Floats, runner
from sklazy.answer.evidence import Evidence
from sklazy.answer.members import Member
from sklazy.combine import (
    average_probabilities,
    cast_votes,
    decide_votes,
    weighted_shares,
)
from sklazy.flow import Bags, Neighbours, Queries
from sklazy.local.bags import beta_neighbours, draw_weights, plan_bags
from sklazy.report.progress import Progress

Ints = NDArray[np.int64]
Combination = Literal["vote", "accuracy", "probability"]

COMBINATIONS: tuple[Combination, ...] = ("vote", "accuracy", "probability")
"""How members' answers become one."""

N_TRIED = 25
"""Nearest cases on which members are tried."""

_SLAB_CELLS = 4_000_000  # neighbours in memory at one time
_SLAB_TIME = 1e9  # nanoseconds between two steps of the progress bar


@dataclass(frozen=True)
class EnsembleRecipe:
    """How an ensemble is made.

    Attributes
    ----------
    members : tuple of Member
        The kinds of members, which take the bags in turn.
    n_estimators : int
        The number of bags.
    beta : float
        Decides how many neighbours bags hold.
    n_neighbors : int or None
        Or just so many.
    combine : {"vote", "accuracy", "probability"}
    share_bags : bool
        Whether queries share what is drawn from all rows.
    seed : int
    n_jobs : int or None
    """

    members: tuple[Member, ...]
    n_estimators: int = 10
    beta: float = 0.99
    n_neighbors: int | None = None
    combine: Combination = "vote"
    share_bags: bool = False
    seed: int = 0
    n_jobs: int | None = None

    def n_near(self, n_rows: int) -> int:
        """How many neighbours the bags of so many rows hold."""
        if self.n_neighbors is None:
            return beta_neighbours(n_rows, self.beta)
        return min(self.n_neighbors, n_rows)

    def bags_of(self, member: int) -> Ints:
        """The bags that a kind of member takes, by number."""
        return np.arange(member, self.n_estimators, len(self.members))


class EnsembleAnswer(NamedTuple):
    """What a batch of queries is answered, and by whom.

    Attributes
    ----------
    crowd : Crowd
    recipe : EnsembleRecipe
    queries : Queries
    neighbours : Neighbours
        The nearest cases; the first of them are those that bags are enriched with.
    bags : Bags
    probabilities : float64 array of shape (n_queries, n_bags, n_classes)
        What each member says.
    votes : int64 array of shape (n_queries, n_bags)
    weights : float64 array of shape (n_queries, n_bags)
        What each member counts.
    shares : float64 array of shape (n_queries, n_classes)
    decisions : int64 array of shape (n_queries,)
    """

    crowd: Crowd
    recipe: EnsembleRecipe
    queries: Queries
    neighbours: Neighbours
    bags: Bags
    probabilities: Floats
    votes: Ints
    weights: Floats
    shares: Floats
    decisions: Ints


def answer_by_ensemble(
    crowd: Crowd, queries: Queries, recipe: EnsembleRecipe
) -> EnsembleAnswer:
    """Answer a batch of queries: the flow, top to bottom."""
    n_near = recipe.n_near(crowd.n_rows)
    neighbours = _search(crowd, queries, max(n_near, N_TRIED), recipe)
    bags = plan_bags(
        queries,
        crowd.is_numeric,
        neighbours.rows[:, :n_near],
        recipe.n_estimators,
        recipe.seed,
        share=recipe.share_bags,
    )
    probabilities = ask_members(crowd, queries, bags, recipe)
    around, priors = _count_classes(crowd, bags.neighbours), crowd.priors
    votes = cast_votes(probabilities, around, priors)
    weights = np.ones(votes.shape)
    if recipe.combine == "accuracy":
        weights = _weigh_members(crowd, bags, neighbours.rows[:, :N_TRIED], recipe)
    if recipe.combine == "probability":
        shares = average_probabilities(probabilities)
    else:
        shares = weighted_shares(votes, weights, crowd.n_classes)
    decisions = decide_votes(shares, around, priors)
    found = neighbours, bags, probabilities, votes, weights, shares, decisions
    return EnsembleAnswer(crowd, recipe, queries, *found)


def _search(
    crowd: Crowd, queries: Queries, n_nearest: int, recipe: EnsembleRecipe
) -> Neighbours:
    cost = 100.0 * n_nearest + 0.3 * crowd.codes.size
    run = runner(recipe.n_jobs, cost)
    return crowd.nearest(queries, min(n_nearest, crowd.n_rows), run)


def ask_members(
    crowd: Crowd, queries: Queries, bags: Bags, recipe: EnsembleRecipe
) -> Floats:
    """What each member says, (n_queries, n_bags, n_classes)."""
    answers = np.zeros((*bags.seeds.shape[1:], crowd.n_classes))
    for i, member in enumerate(recipe.members[: recipe.n_estimators]):
        own = recipe.bags_of(i)
        run = runner(recipe.n_jobs, member.cost(crowd) * len(own))
        answers[:, own] = member.answer(crowd, queries, bags.choose(own), run)
    return answers


def _count_classes(crowd: Crowd, rows: NDArray[np.integer]) -> Floats:
    """Rows of each class, (n_queries, n_classes)."""
    n_queries, n_classes = len(rows), crowd.n_classes
    places = crowd.classes[rows] + n_classes * np.arange(n_queries)[:, None]
    counts = np.bincount(places.ravel(), minlength=n_queries * n_classes)
    return counts.reshape(n_queries, n_classes).astype(np.float64)


def _weigh_members(
    crowd: Crowd, bags: Bags, tried: NDArray[np.integer], recipe: EnsembleRecipe
) -> Floats:
    """What each member counts by its accuracy around the query.

    A member is tried on the nearest cases that its bag lacks; (right + 1) over
    (tried + 2) counts.
    """
    right = _try_members(crowd, bags, tried, recipe)
    lacking = _are_lacking(crowd, bags, tried)
    n_right = (right & lacking).sum(axis=1)
    return (n_right + 1.0) / (lacking.sum(axis=1) + 2.0)


def _try_members(
    crowd: Crowd, bags: Bags, tried: NDArray[np.integer], recipe: EnsembleRecipe
) -> NDArray[np.bool_]:
    """Whether members are right on cases near to the query.

    Parameters
    ----------
    crowd, bags, recipe
    tried : int array of shape (n_queries, n_tried)

    Returns
    -------
    right : bool array of shape (n_queries, n_tried, n_bags)
    """
    n_queries, n_tried = tried.shape
    asked = crowd.as_queries(tried.ravel())
    again = bags.take(np.repeat(np.arange(n_queries), n_tried))
    answers = ask_members(crowd, asked, again, recipe)
    near = _count_classes(crowd, again.neighbours)
    votes = cast_votes(answers, near, crowd.priors)
    right = votes == crowd.classes[tried].ravel()[:, None]
    return right.reshape(n_queries, n_tried, -1)


def try_members(answer: EnsembleAnswer, query: int) -> NDArray[np.bool_]:
    """Whether the members of a query are right on its nearest cases.

    Returns
    -------
    right : bool array of shape (n_tried, n_bags)
    """
    bags = answer.bags.part(query, query + 1)
    tried = answer.neighbours.rows[query : query + 1, :N_TRIED]
    return _try_members(answer.crowd, bags, tried, answer.recipe)[0]


def find_evidence(answer: EnsembleAnswer, query: int) -> list[tuple[str, Evidence]]:
    """The name of each member of a query, and what its answer rests on."""
    crowd, recipe = answer.crowd, answer.recipe
    bags, codes, values = answer.bags.part(query, query + 1), *answer.queries
    asked = Queries(codes[query : query + 1], values[query : query + 1])
    found: dict[int, tuple[str, Evidence]] = {}
    for i, member in enumerate(recipe.members[: recipe.n_estimators]):
        own = recipe.bags_of(i)
        told = member.evidence(crowd, asked, bags.choose(own))
        found |= {b: (member.name, t) for b, t in zip(own.tolist(), told, strict=True)}
    return [found[bag] for bag in range(recipe.n_estimators)]


def _are_lacking(
    crowd: Crowd, bags: Bags, rows: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Whether bags lack rows, (n_queries, n_rows_asked, n_bags)."""
    return np.stack(
        [
            draw_weights(bags, query, crowd.n_rows)[:, own].T == 0
            for query, own in enumerate(rows)
        ]
    )


def tell_in_slabs(
    crowd: Crowd,
    queries: Queries,
    recipe: EnsembleRecipe,
    tell: Callable[[EnsembleAnswer], NDArray[Any]],
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
            told.append(tell(answer_by_ensemble(crowd, slab, recipe)))
            progress.advance(len(slab.codes))
    return np.concatenate(told)


def _slab(crowd: Crowd, recipe: EnsembleRecipe) -> int:
    """How many queries are answered at a time: for memory, and for the bar's sake."""
    bags = -(-recipe.n_estimators // len(recipe.members))
    cost = bags * sum(member.cost(crowd) for member in recipe.members)
    n_tried = N_TRIED if recipe.combine == "accuracy" else 1
    cells = max(N_TRIED, recipe.n_near(crowd.n_rows)) * n_tried
    return int(np.clip(min(_SLAB_CELLS / cells, 4 * _SLAB_TIME / cost), 256, 8192))
