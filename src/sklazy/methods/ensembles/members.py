"""The kinds of members an ensemble may have; each answers from the bags of a query.

Every kind serves classes and numbers: the data it is given know which. A new kind is
a `BagMember` here, named in `estimators/ensembles/member_kinds.py` and in the lists of
`stacking.py` beside it. Evidence of a new kind goes through `evidence.py`,
`member_receipt.py` and `member_drawing.py`; its slow twin is in
`tests/oracle/ensembles.py`.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats
from sklazy.flow import Bags, Queries
from sklazy.kernels.pacing import in_turn
from sklazy.measures import to_shares
from sklazy.methods.ensembles.data import ClassData, EnsembleData
from sklazy.methods.ensembles.evidence import (
    BayesEvidence,
    Evidence,
    LinearEvidence,
    NeighborsEvidence,
    PathEvidence,
    RandomPathEvidence,
    RuleEvidence,
    find_bayes,
    find_linear,
    find_neighbors,
    find_rule,
)
from sklazy.methods.ensembles.member_models import (
    answer_by_bayes,
    answer_by_linear,
    answer_by_neighbors,
    answer_by_rule,
    mean_by_neighbors,
    mean_by_rule,
    place_linear,
)
from sklazy.methods.paths.bags import draw_weights, repeat_bags
from sklazy.methods.paths.model import (
    PathRules,
    RegressionRules,
    answer_by_paths,
    trace_paths,
)
from sklazy.methods.paths.random_paths import (
    answer_by_random_paths,
    trace_changes,
    trace_random_paths,
)
from sklazy.methods.space import place

_SHORT = 2e7  # nanoseconds, by an estimate that may be ten times too low


class BagMember(Protocol):
    """A kind of model, built anew on every bag."""

    @property
    def name(self) -> str:
        """Name in reports."""

    def prepare(self, data: EnsembleData) -> None:
        """Find what all queries share."""

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Numbers from each bag, (n_queries, n_bags, n_outputs).

        Class probabilities, or a single prediction.
        """

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> Sequence[Evidence]:
        """Evidence behind the answers to one query, one per bag."""


@dataclass(frozen=True)
class TreeMember:
    """An unpruned tree, of which the query's path is grown.

    For classes like that of C4.5, for numbers by the largest reduction of variance.

    Attributes
    ----------
    rules : PathRules, or RegressionRules for numbers
    share : bool
        Whether bags share the part that is drawn from all rows.
    """

    rules: PathRules | RegressionRules
    share: bool = False
    name: str = "tree"

    def prepare(self, data: EnsembleData) -> None:
        """Sort the columns."""
        data.paths  # noqa: B018 - found on first use

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Class shares, or the mean, of the leaf that the query comes to."""
        share = self.share
        return answer_by_paths(data.paths, queries, bags, self.rules, share=share)

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""
        a_cell = 0.3 if isinstance(data, ClassData) else 3.0
        return 1000.0 + a_cell * data.n_rows * len(data.weights)

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> list[PathEvidence]:
        """The path in the tree of each bag."""
        (ways,) = trace_paths(data.paths, query, bags, self.rules)
        return [PathEvidence(steps) for steps in ways]


@dataclass(frozen=True)
class RandomTreeMember:
    """A tree whose splits are drawn, of which the query's path is grown.

    Attributes
    ----------
    n_tried : int
        How many attributes a node tries, each with one drawn split; 0 for all.
    """

    n_tried: int = 0
    name: str = "random_tree"

    def prepare(self, data: EnsembleData) -> None:
        """Rank the numbers."""
        data.random_paths  # noqa: B018 - found on first use

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Class shares, or the mean, of the leaf that the query comes to."""
        n_tried = self._tried(data)
        return answer_by_random_paths(data.random_paths, queries, bags, n_tried)

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""
        return 4000.0 + data.n_rows * (5.0 + 2.0 * self._tried(data))

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> list[RandomPathEvidence]:
        """The path drawn on each bag."""
        traced = trace_random_paths(data.random_paths, query, bags, self._tried(data))
        return [RandomPathEvidence(steps) for steps in traced[0]]

    def trace(
        self, data: EnsembleData, queries: Queries, bags: Bags
    ) -> tuple[Floats, Floats, Floats]:
        """Answers, their changes along the paths, and starts; see `trace_changes`."""
        return trace_changes(data.random_paths, queries, bags, self._tried(data))

    def _tried(self, data: EnsembleData) -> int:
        return self.n_tried or len(data.weights)


@dataclass(frozen=True)
class BayesMember:
    """Naive Bayes over categories and bins; for classes only.

    Attributes
    ----------
    alpha : float
        Added to every count.
    """

    alpha: float = 1.0
    name: str = "bayes"

    def prepare(self, data: EnsembleData) -> None:
        """Find the bins."""
        data.bins  # noqa: B018 - found on first use

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """P(class | query)."""
        return answer_by_bayes(
            data.bins, data.n_outputs, queries.codes, bags, alpha=self.alpha
        )

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""
        return 1000.0 + 1.0 * data.n_rows * len(data.weights)

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> list[BayesEvidence]:
        """The logarithms added up on each bag."""
        codes, alpha = query.codes[0], self.alpha
        return [find_bayes(data, codes, bag, alpha) for bag in draw(data, bags)]


@dataclass(frozen=True)
class RuleMember:
    """One rule: the attribute whose categories or bins err least, or explain most."""

    name: str = "rule"

    def prepare(self, data: EnsembleData) -> None:
        """Find the bins."""
        data.bins  # noqa: B018 - found on first use

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Class shares, or the mean, of the query's value."""
        codes = data.code(queries)
        if isinstance(data, ClassData):
            return answer_by_rule(data.bins, data.n_outputs, codes, bags)
        return mean_by_rule(data.bins, data.targets, codes, bags)

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""
        return 1000.0 + 1.0 * data.n_rows * len(data.weights)

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> list[RuleEvidence]:
        """The attribute that decides on each bag."""
        return [find_rule(data, bag) for bag in draw(data, bags)]


@dataclass(frozen=True)
class NeighborsMember:
    """Nearest neighbors in the bag; a row that it holds twice counts twice.

    Attributes
    ----------
    n_neighbors : int
    """

    n_neighbors: int = 5
    name: str = "neighbors"

    def prepare(self, data: EnsembleData) -> None:
        """There is nothing to find."""

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Class shares, or the mean, of the nearest rows, all ties included."""
        answers = np.zeros((*bags.seeds.shape[1:], data.n_outputs))
        left = np.arange(len(answers))
        n_nearest = 4 * self.n_neighbors + 16
        while left.size:  # those who need more rows ask for four times as many
            n_nearest = min(n_nearest, data.n_rows)
            wanted = Queries(queries.codes[left], queries.values[left])
            answers[left], complete = self._vote(
                data, wanted, bags.take(left), n_nearest
            )
            left, n_nearest = left[~complete], 4 * n_nearest
        return answers

    def _vote(
        self, data: EnsembleData, queries: Queries, bags: Bags, n_nearest: int
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Answers by the `n_nearest` nearest rows, and whether these were enough."""
        near, k = data.nearest(queries, n_nearest), self.n_neighbors
        if isinstance(data, ClassData):
            cases = data.targets, data.n_outputs
            return answer_by_neighbors(*cases, near, bags, n_neighbors=k)
        return mean_by_neighbors(data.targets, near, bags, n_neighbors=k)

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""
        return 1000.0 + 2.0 * data.n_rows

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> list[NeighborsEvidence]:
        """The rows that count in each bag."""
        k = self.n_neighbors
        return [find_neighbors(data, query, bag, k) for bag in draw(data, bags)]


@dataclass(frozen=True)
class LinearMember:
    """A ridge regression of the target, or class indicators, on all attributes.

    Attributes
    ----------
    ridge : float
    """

    ridge: float = 1.0
    name: str = "linear"

    def prepare(self, data: EnsembleData) -> None:
        """Place the cases."""
        data.linear  # noqa: B018 - found on first use

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Predictions; of indicators, clipped and made to sum to 1."""
        placed = place_linear(data.linear, place(data.space, queries)[1])
        outputs = answer_by_linear(data.linear, placed, bags, ridge=self.ridge)
        return to_shares(outputs) if isinstance(data, ClassData) else outputs

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""
        n_regressors = data.space.regressors.shape[1]
        return 1000.0 + 0.5 * data.n_rows * (n_regressors + 1) ** 2

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> list[LinearEvidence]:
        """The terms added up on each bag."""
        ridge = self.ridge
        return [find_linear(data, query, bag, ridge) for bag in draw(data, bags)]


def draw(data: EnsembleData, bags: Bags) -> NDArray[np.int32]:
    """The bags of the only query as weights, (n_bags, n_rows)."""
    return draw_weights(bags, 0, data.n_rows)


def ask_member(
    member: BagMember, data: EnsembleData, queries: Queries, bags: Bags, *, share: bool
) -> Floats:
    """Predict by a kind of member from each bag, (n_queries, n_bags, n_outputs).

    Bags are independent of each other, and so are queries unless they share bags or
    have the same: the others are asked one after the other, which lets an interrupt
    through in between.

    Parameters
    ----------
    member : BagMember
    data : EnsembleData
    queries : Queries
    bags : Bags
    share : bool
        Whether queries share what is drawn from all rows.
    """
    n_queries, n_bags = bags.seeds.shape[1:]
    if member.cost(data) * n_queries * n_bags <= _SHORT:
        return member.answer(data, queries, bags)
    outputs = np.zeros((n_queries, n_bags, data.n_outputs))
    firsts = np.flatnonzero(~repeat_bags(bags)).tolist()
    bounds = [0, n_queries] if share else [*firsts, n_queries]
    for first, last in itertools.pairwise(bounds):
        here = slice(first, last)
        few = Queries(queries.codes[here], queries.values[here])
        few_bags = bags.part(first, last)
        _ask_in_turn(member, data, few, few_bags, outputs[here])
    return outputs


def _ask_in_turn(
    member: BagMember, data: EnsembleData, queries: Queries, bags: Bags, outputs: Floats
) -> None:
    """Write what a member answers to some queries, a few bags at a time."""

    def ask(first: int, last: int) -> None:
        chosen = bags.choose(np.arange(first, last))
        outputs[:, first:last] = member.answer(data, queries, chosen)

    in_turn(ask, outputs.shape[1])
