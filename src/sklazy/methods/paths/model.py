"""The tree of every bag, of which only a query's path is grown.

Trees are unpruned. A tree of classes splits by the rules of C4.5. A regression tree
splits where that reduces the weighted sum of squares most: numeric attributes in two,
nominal ones with a branch for each category; at least two branches must hold
`min_branch_weight`. Reductions within a millionth of the node's sum of squares are
equal, and the lower attribute, then the lower cut wins. In both, rows without a value
go down all branches, each by its share of the known weight. A leaf answers with its
class shares or its weighted mean.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Bags, Queries
from sklazy.kernels.paths.classes import N_STEP_COLUMNS, bagged_paths, make_route
from sklazy.kernels.paths.means import CenteredTargets, RegressionRules, bagged_means
from sklazy.kernels.paths.nodes import make_node
from sklazy.kernels.paths.shared import make_kept, shared_paths
from sklazy.kernels.paths.splits import PathRules
from sklazy.kernels.paths.table import GAPS, KIND, MANY, PathTable, build_path_table

Floats = NDArray[np.float64]
Weights = NDArray[np.int32]
Rules = PathRules | RegressionRules

__all__ = [
    "PathRules",
    "PathStep",
    "Paths",
    "RegressionPaths",
    "RegressionRules",
    "answer_by_given_bags",
    "answer_by_paths",
    "make_paths",
    "make_regression_paths",
    "trace_paths",
]


class Paths(NamedTuple):
    """Training rows with classes, made ready for paths.

    Attributes
    ----------
    table : PathTable
    n_classes : int
    whole : bool
        Whether no cell is missing, so that weights stay integers.
    """

    table: PathTable
    n_classes: int
    whole: bool

    @property
    def n_outputs(self) -> int:
        """A probability for each class."""
        return self.n_classes

    @property
    def unit(self) -> type:
        """The type of weights."""
        return np.int32 if self.whole else np.float64

    @property
    def can_share(self) -> bool:
        """Whether nodes of shared bags can be kept for all queries."""
        return self.whole and not (self.table.facts[KIND] == MANY).any()

    def follow(
        self,
        queries: Queries,
        bags: Bags,
        rules: Rules,
        answers: Floats,
        weights: Weights,
        steps: Floats,
    ) -> None:
        """Add the answers, and write the steps; see `bagged_paths`."""
        bagged_paths(
            self.table,
            rules,
            queries,
            bags.neighbors,
            np.ascontiguousarray(bags.seeds),
            weights,
            make_node(self.table, self.n_classes, self.unit),
            make_route(self.table.classes.size),
            steps,
            answers,
        )


class RegressionPaths(NamedTuple):
    """Training rows with numbers, made ready for paths.

    Attributes
    ----------
    table : PathTable
    targets : float64 array of shape (n_rows,)
    """

    table: PathTable
    targets: Floats

    @property
    def n_outputs(self) -> int:
        """A single mean."""
        return 1

    def follow(
        self,
        queries: Queries,
        bags: Bags,
        rules: Rules,
        answers: Floats,
        weights: Weights,
        steps: Floats,
    ) -> None:
        """Add the answers, and write the steps; see `bagged_means`."""
        n_rows, n_slots = self.targets.size, int(self.table.slots[-1])
        bagged_means(
            self.table,
            self.targets,
            rules,
            queries,
            bags.neighbors,
            np.ascontiguousarray(bags.seeds),
            weights,
            make_node(self.table, 1, np.float64),
            CenteredTargets(np.zeros(n_rows), np.zeros(n_slots)),
            make_route(n_rows),
            steps,
            answers,
        )


AnyPaths = Paths | RegressionPaths


class PathStep(NamedTuple):
    """A node that a query passes on its way.

    Attributes
    ----------
    depth : int
    attribute : int
        The attribute that the node splits by; -1 at a leaf.
    branch : int
        The category, or 0 up to the cut and 1 above it.
    cut : float
        NaN for a nominal attribute.
    weight : float
        The weight of the rows in the node.
    share : float
        The part of the query that comes by; less than 1 where a value is missing.
    """

    depth: int
    attribute: int
    branch: int
    cut: float
    weight: float
    share: float


def make_paths(
    codes: NDArray[np.int32],
    values: Floats,
    n_categories: NDArray[np.int64],
    classes: NDArray[np.int32],
    n_classes: int,
) -> Paths:
    """Make rows with classes ready for paths; see `build_path_table`.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
        Categories of the nominal attributes, -1 if missing.
    values : float64 array of shape (n_attributes, n_rows)
        Numbers of the numeric attributes, NaN if missing.
    n_categories : int64 array of shape (n_attributes,)
        0 marks a numeric attribute.
    classes : int32 array of shape (n_rows,)
    n_classes : int
    """
    table = build_path_table(codes, values, n_categories, classes, n_classes)
    return Paths(table, n_classes, not table.facts[GAPS].any())


def make_regression_paths(
    codes: NDArray[np.int32],
    values: Floats,
    n_categories: NDArray[np.int64],
    targets: Floats,
) -> RegressionPaths:
    """Make rows with numbers ready for paths.

    Parameters
    ----------
    codes, values, n_categories
        As in `make_paths`.
    targets : float64 array of shape (n_rows,)
    """
    alike = np.zeros(len(targets), np.int32)
    table = build_path_table(codes, values, n_categories, alike, 1)
    table = table._replace(bits=table.bits[:0], class_bits=table.class_bits[:0])
    return RegressionPaths(table, np.ascontiguousarray(targets, np.float64))


def answer_by_paths(
    paths: AnyPaths,
    queries: Queries,
    bags: Bags,
    rules: Rules,
    *,
    share: bool = False,
) -> Floats:
    """Class probabilities or means by the tree of each bag.

    Parameters
    ----------
    paths : Paths or RegressionPaths
    queries : Queries
    bags : Bags
    rules : PathRules or RegressionRules
        Of the same kind as the paths.
    share : bool
        Whether the bags share what is drawn from all rows; the nodes of that part are
        then kept where they can be.

    Returns
    -------
    float64 array of shape (n_queries, n_bags, n_outputs)
    """
    answers = np.zeros((*bags.seeds.shape[1:], paths.n_outputs))
    can_keep = share and bags.max_draws >= paths.table.classes.size
    kept = _can_keep(paths, queries) if can_keep else np.zeros(len(answers), np.bool_)
    ways: list[tuple[Callable[..., object], NDArray[np.bool_]]] = [
        (_follow_kept, kept),
        (_follow, ~kept),
    ]
    for follow, chosen in ways:
        if chosen.any():
            part = Queries(queries.codes[chosen], queries.values[chosen])
            some = bags.take(np.flatnonzero(chosen))
            outputs = np.zeros((*some.seeds.shape[1:], paths.n_outputs))
            follow(paths, part, some, rules, outputs)
            answers[chosen] = outputs
    return answers


def _can_keep(paths: AnyPaths, queries: Queries) -> NDArray[np.bool_]:
    """Which queries can use nodes that are kept: those that lack no value."""
    if not (isinstance(paths, Paths) and paths.can_share):
        return np.zeros(len(queries.codes), np.bool_)
    nominal = paths.table.facts[KIND] == 0
    known = np.where(nominal, queries.codes != -1, ~np.isnan(queries.values))
    return np.asarray(known.all(axis=1))


def _follow_kept(
    paths: Paths, queries: Queries, bags: Bags, rules: Rules, answers: Floats
) -> None:
    node = make_node(paths.table, paths.n_classes, paths.unit)
    kept = make_kept(paths.table, paths.n_classes, bags.neighbors.shape[1])
    seeds = np.ascontiguousarray(bags.seeds)
    shared_paths(
        paths.table, rules, queries, bags.neighbors, seeds, node, kept, answers
    )


def _follow(
    paths: AnyPaths,
    queries: Queries,
    bags: Bags,
    rules: Rules,
    answers: Floats,
    weights: Weights | None = None,
    n_steps: int = 1,
) -> Floats:
    """Add the answers; return the steps, (n_queries, n_bags, n_steps, 6)."""
    if weights is None:
        weights = np.zeros((0, min(bags.max_draws, paths.table.classes.size)), np.int32)
    steps = np.full((*answers.shape[:2], n_steps, N_STEP_COLUMNS), -1.0)
    paths.follow(queries, bags, rules, answers, weights, steps)
    return steps


def trace_paths(
    paths: AnyPaths, queries: Queries, bags: Bags, rules: Rules, most_steps: int = 256
) -> list[list[list[PathStep]]]:
    """The nodes that each query passes in the tree of each of its bags."""
    answers = np.zeros((*bags.seeds.shape[1:], paths.n_outputs))
    tables = _follow(paths, queries, bags, rules, answers, n_steps=most_steps)
    return [[_list_steps(table) for table in query] for query in tables]


def _list_steps(table: Floats) -> list[PathStep]:
    """The steps that a kernel has written."""
    return [
        PathStep(int(s[0]), int(s[1]), int(s[2]), float(s[3]), float(s[4]), float(s[5]))
        for s in table
        if s[0] >= 0
    ]


def answer_by_given_bags(
    paths: AnyPaths,
    queries: Queries,
    weights: Weights,
    keys: NDArray[np.uint64],
    rules: Rules,
) -> Floats:
    """Answers as of `answer_by_paths`, by the trees of bags that are given as weights.

    Parameters
    ----------
    paths, queries, rules
        As in `answer_by_paths`.
    weights : int32 array of shape (n_bags, n_rows)
        The same bags for all queries, each summing to at most the number of rows.
    keys : uint64 array of shape (n_bags,)
        Seeds of the random choices of a tree.
    """
    n_queries = len(queries.codes)
    answers = np.zeros((n_queries, len(weights), paths.n_outputs))
    seeds = np.broadcast_to(keys, (2, n_queries, len(keys)))
    none = np.full(n_queries, -1, np.int64)
    bags = Bags(np.zeros((n_queries, 1), np.int32), seeds, none)
    _follow(paths, queries, bags, rules, answers, np.ascontiguousarray(weights))
    return answers
