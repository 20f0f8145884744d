"""The kinds of members an ensemble may have; each answers from the bags of a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.ensembles.data import Crowd, Floats, Gathering
from sklazy.answer.ensembles.evidence import (
    BayesEvidence,
    Evidence,
    LinearEvidence,
    NeighborsEvidence,
    PathEvidence,
    RuleEvidence,
    find_bayes,
    find_linear,
    find_neighbors,
    find_rule,
)
from sklazy.flow import Bags, Queries, Runner
from sklazy.local import place
from sklazy.local.bags import draw_weights
from sklazy.local.members import (
    answer_by_bayes,
    answer_by_linear,
    answer_by_neighbors,
    answer_by_rule,
    place_linear,
    to_shares,
)
from sklazy.local.paths import PathRules, answer_by_paths, trace_paths

Kind = TypeVar("Kind", bound=Gathering, contravariant=True)


class Member(Protocol[Kind]):
    """A kind of model, built anew on every bag."""

    @property
    def name(self) -> str:
        """What reports call it."""

    def answer(self, crowd: Kind, queries: Queries, bags: Bags, run: Runner) -> Floats:
        """Numbers from each bag, (n_queries, n_bags, n_outputs).

        Class probabilities, or a single prediction.
        """

    def cost(self, crowd: Kind) -> float:
        """Nanoseconds a bag, roughly."""

    def evidence(self, crowd: Kind, query: Queries, bags: Bags) -> Sequence[Evidence]:
        """What the answers to one query rest on, one a bag."""


@dataclass(frozen=True)
class TreeMember:
    """An unpruned tree like that of C4.5, of which the query's path is grown.

    Attributes
    ----------
    rules : PathRules
    share : bool
        Whether bags share the part that is drawn from all rows.
    """

    rules: PathRules
    share: bool = False
    name: str = "tree"

    def answer(self, crowd: Crowd, queries: Queries, bags: Bags, run: Runner) -> Floats:
        """Class shares of the leaf that the query comes to."""
        share = self.share
        return answer_by_paths(
            crowd.paths, queries, bags, self.rules, share=share, run=run
        )

    def cost(self, crowd: Crowd) -> float:
        """Nanoseconds a bag, roughly."""
        return 1000.0 + 0.3 * crowd.n_rows * len(crowd.weights)

    def evidence(self, crowd: Crowd, query: Queries, bags: Bags) -> list[PathEvidence]:
        """The path in the tree of each bag."""
        (ways,) = trace_paths(crowd.paths, query, bags, self.rules)
        return [PathEvidence(steps) for steps in ways]


@dataclass(frozen=True)
class BayesMember:
    """Naive Bayes over categories and bins.

    Attributes
    ----------
    alpha : float
        Added to every count.
    """

    alpha: float = 1.0
    name: str = "bayes"

    def answer(self, crowd: Crowd, queries: Queries, bags: Bags, run: Runner) -> Floats:
        """P(class | query)."""
        bins, n_classes = crowd.bins, crowd.n_classes
        alpha = self.alpha
        return answer_by_bayes(
            bins, n_classes, queries.codes, bags, alpha=alpha, run=run
        )

    def cost(self, crowd: Crowd) -> float:
        """Nanoseconds a bag, roughly."""
        return 1000.0 + 1.0 * crowd.n_rows * len(crowd.weights)

    def evidence(self, crowd: Crowd, query: Queries, bags: Bags) -> list[BayesEvidence]:
        """The logarithms added up on each bag."""
        codes, alpha = query.codes[0], self.alpha
        return [find_bayes(crowd, codes, bag, alpha) for bag in draw(crowd, bags)]


@dataclass(frozen=True)
class RuleMember:
    """One rule: the attribute whose categories or bins err least."""

    name: str = "rule"

    def answer(self, crowd: Crowd, queries: Queries, bags: Bags, run: Runner) -> Floats:
        """Class shares of the query's value."""
        return answer_by_rule(crowd.bins, crowd.n_classes, queries.codes, bags, run=run)

    def cost(self, crowd: Crowd) -> float:
        """Nanoseconds a bag, roughly."""
        return 1000.0 + 1.0 * crowd.n_rows * len(crowd.weights)

    def evidence(self, crowd: Crowd, query: Queries, bags: Bags) -> list[RuleEvidence]:
        """The attribute that decides on each bag."""
        return [find_rule(crowd, bag) for bag in draw(crowd, bags)]


@dataclass(frozen=True)
class NeighborsMember:
    """Nearest neighbors in the bag; a row that it holds twice counts twice.

    Attributes
    ----------
    n_neighbors : int
    """

    n_neighbors: int = 5
    name: str = "neighbors"

    def answer(self, crowd: Crowd, queries: Queries, bags: Bags, run: Runner) -> Floats:
        """Class shares of the nearest rows, all ties included."""
        answers = np.zeros((*bags.seeds.shape[1:], crowd.n_classes))
        left = np.arange(len(answers))
        n_nearest = 4 * self.n_neighbors + 16
        while left.size:  # those who need more rows ask for four times as many
            n_nearest = min(n_nearest, crowd.n_rows)
            asked = Queries(queries.codes[left], queries.values[left])
            answers[left], complete = answer_by_neighbors(
                crowd.classes,
                crowd.n_classes,
                crowd.nearest(asked, n_nearest, run),
                bags.take(left),
                n_neighbors=self.n_neighbors,
                run=run,
            )
            left, n_nearest = left[~complete], 4 * n_nearest
        return answers

    def cost(self, crowd: Crowd) -> float:
        """Nanoseconds a bag, roughly."""
        return 1000.0 + 2.0 * crowd.n_rows

    def evidence(
        self, crowd: Crowd, query: Queries, bags: Bags
    ) -> list[NeighborsEvidence]:
        """The rows that vote in each bag."""
        k = self.n_neighbors
        return [find_neighbors(crowd, query, bag, k) for bag in draw(crowd, bags)]


@dataclass(frozen=True)
class LinearMember:
    """A ridge regression of class indicators on numbers and categories.

    Attributes
    ----------
    ridge : float
    """

    ridge: float = 1.0
    name: str = "linear"

    def answer(self, crowd: Crowd, queries: Queries, bags: Bags, run: Runner) -> Floats:
        """Predicted indicators, clipped and made to sum to 1."""
        placed = place_linear(crowd.linear, place(crowd.space, queries)[1])
        ridge = self.ridge
        return to_shares(
            answer_by_linear(crowd.linear, placed, bags, ridge=ridge, run=run)
        )

    def cost(self, crowd: Crowd) -> float:
        """Nanoseconds a bag, roughly."""
        n_regressors = crowd.space.regressors.shape[1]
        return 1000.0 + 0.5 * crowd.n_rows * (n_regressors + 1) ** 2

    def evidence(
        self, crowd: Crowd, query: Queries, bags: Bags
    ) -> list[LinearEvidence]:
        """The terms added up on each bag."""
        cases, ridge = crowd.linear, self.ridge
        return [
            find_linear(crowd, cases, query, bag, ridge) for bag in draw(crowd, bags)
        ]


def draw(crowd: Gathering, bags: Bags) -> NDArray[np.int32]:
    """The bags of the only query as weights, (n_bags, n_rows)."""
    return draw_weights(bags, 0, crowd.n_rows)
