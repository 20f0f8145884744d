"""Members of ensembles that predict numbers; see `sklazy.answer.ensembles.members`."""

from dataclasses import dataclass

import numpy as np

from sklazy.answer.ensembles.data import Floats
from sklazy.answer.ensembles.evidence import (
    LinearEvidence,
    NeighborsEvidence,
    PathEvidence,
    RuleEvidence,
    find_linear,
    find_mean_rule,
    find_neighbors,
)
from sklazy.answer.ensembles.members import draw
from sklazy.answer.ensembles.number_data import NumberCrowd
from sklazy.flow import Bags, Queries, Runner
from sklazy.local import place
from sklazy.local.members import place_linear
from sklazy.local.regression_members import (
    mean_by_linear,
    mean_by_neighbors,
    mean_by_rule,
)
from sklazy.local.regression_paths import (
    RegressionRules,
    answer_by_regression_paths,
    trace_regression_paths,
)


@dataclass(frozen=True)
class MeanTreeMember:
    """An unpruned regression tree, of which the query's path is grown."""

    rules: RegressionRules
    name: str = "tree"

    def answer(
        self, crowd: NumberCrowd, queries: Queries, bags: Bags, run: Runner
    ) -> Floats:
        """The mean of the leaf that the query comes to."""
        found = answer_by_regression_paths(
            crowd.paths, queries, bags, self.rules, run=run
        )
        return found[:, :, None]

    def cost(self, crowd: NumberCrowd) -> float:
        """Nanoseconds a bag, roughly."""
        return 1000.0 + 3.0 * crowd.n_rows * len(crowd.weights)

    def evidence(
        self, crowd: NumberCrowd, query: Queries, bags: Bags
    ) -> list[PathEvidence]:
        """The path in the tree of each bag."""
        (ways,) = trace_regression_paths(crowd.paths, query, bags, self.rules)
        return [PathEvidence(steps) for steps in ways]


@dataclass(frozen=True)
class MeanRuleMember:
    """One rule: the attribute whose categories or tenths explain most."""

    name: str = "rule"

    def answer(
        self, crowd: NumberCrowd, queries: Queries, bags: Bags, run: Runner
    ) -> Floats:
        """The mean of the query's value."""
        codes = crowd.code(queries)
        found = mean_by_rule(crowd.bins, crowd.targets, codes, bags, run=run)
        return found[:, :, None]

    def cost(self, crowd: NumberCrowd) -> float:
        """Nanoseconds a bag, roughly."""
        return 1000.0 + 1.0 * crowd.n_rows * len(crowd.weights)

    def evidence(
        self, crowd: NumberCrowd, query: Queries, bags: Bags
    ) -> list[RuleEvidence]:
        """The attribute that decides on each bag."""
        cases = crowd.bins, crowd.targets
        return [find_mean_rule(*cases, bag) for bag in draw(crowd, bags)]


@dataclass(frozen=True)
class MeanNeighborsMember:
    """Nearest neighbors in the bag; a row that it holds twice counts twice."""

    n_neighbors: int = 5
    name: str = "neighbors"

    def answer(
        self, crowd: NumberCrowd, queries: Queries, bags: Bags, run: Runner
    ) -> Floats:
        """The mean of the nearest rows, all ties included."""
        answers = np.zeros(bags.seeds.shape[1:])
        left, n_nearest = np.arange(len(answers)), 4 * self.n_neighbors + 16
        while left.size:  # those who need more rows ask for four times as many
            n_nearest = min(n_nearest, crowd.n_rows)
            asked = Queries(queries.codes[left], queries.values[left])
            answers[left], complete = mean_by_neighbors(
                crowd.targets,
                crowd.nearest(asked, n_nearest, run),
                bags.take(left),
                n_neighbors=self.n_neighbors,
                run=run,
            )
            left, n_nearest = left[~complete], 4 * n_nearest
        return answers[:, :, None]

    def cost(self, crowd: NumberCrowd) -> float:
        """Nanoseconds a bag, roughly."""
        return 1000.0 + 2.0 * crowd.n_rows

    def evidence(
        self, crowd: NumberCrowd, query: Queries, bags: Bags
    ) -> list[NeighborsEvidence]:
        """The rows that count in each bag."""
        k = self.n_neighbors
        return [find_neighbors(crowd, query, bag, k) for bag in draw(crowd, bags)]


@dataclass(frozen=True)
class MeanLinearMember:
    """A ridge regression on numbers and categories."""

    ridge: float = 1.0
    name: str = "linear"

    def answer(
        self, crowd: NumberCrowd, queries: Queries, bags: Bags, run: Runner
    ) -> Floats:
        """The prediction of each bag."""
        placed = place_linear(crowd.linear, place(crowd.space, queries)[1])
        ridge = self.ridge
        found = mean_by_linear(crowd.linear, placed, bags, ridge=ridge, run=run)
        return found[:, :, None]

    def cost(self, crowd: NumberCrowd) -> float:
        """Nanoseconds a bag, roughly."""
        n_regressors = crowd.space.regressors.shape[1]
        return 1000.0 + 0.5 * crowd.n_rows * (n_regressors + 1) ** 2

    def evidence(
        self, crowd: NumberCrowd, query: Queries, bags: Bags
    ) -> list[LinearEvidence]:
        """The terms added up on each bag."""
        cases, ridge = crowd.linear, self.ridge
        return [
            find_linear(crowd, cases, query, bag, ridge) for bag in draw(crowd, bags)
        ]
