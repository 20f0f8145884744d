"""The tree of every bag, of which only a query's path is grown."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Bags, Queries, Runner, run_here
from sklazy.kernels.paths.classes import N_STEP_COLUMNS, bagged_paths, make_route
from sklazy.kernels.paths.nodes import make_node
from sklazy.kernels.paths.shared import make_kept, shared_paths
from sklazy.kernels.paths.splits import PathRules
from sklazy.kernels.paths.table import GAPS, KIND, MANY, PathTable, build_path_table

Floats = NDArray[np.float64]

__all__ = ["PathRules", "PathStep", "Paths", "answer_by_paths", "make_paths"]


class Paths(NamedTuple):
    """Training rows made ready for paths.

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
    def unit(self) -> type:
        """The type of weights."""
        return np.int32 if self.whole else np.float64

    @property
    def can_share(self) -> bool:
        """Whether nodes of shared bags can be kept for all queries."""
        return self.whole and not (self.table.facts[KIND] == MANY).any()


class PathStep(NamedTuple):
    """A node that a query passes on its way.

    Attributes
    ----------
    depth : int
    attribute : int
        What the node asks for; -1 at a leaf.
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
    """Make rows ready for paths; see `build_path_table`.

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


def answer_by_paths(
    paths: Paths,
    queries: Queries,
    bags: Bags,
    rules: PathRules,
    *,
    share: bool = False,
    run: Runner = run_here,
) -> Floats:
    """Class probabilities by the tree of each bag, (n_queries, n_bags, n_classes).

    Parameters
    ----------
    paths : Paths
    queries : Queries
    bags : Bags
    rules : PathRules
    share : bool
        Whether the bags share what is drawn from all rows; the nodes of that part are
        then kept where they can be.
    run : Runner
        What runs chunks of queries.
    """
    n_queries, n_bags = bags.seeds.shape[1:]
    answers = np.zeros((n_queries, n_bags, paths.n_classes))
    if share and paths.can_share:
        whole = _lack_nothing(paths, queries)
    else:
        whole = np.zeros(n_queries, np.bool_)
    for kept in (True, False):
        chosen = np.flatnonzero(whole == kept)
        if chosen.size:
            part = Queries(queries.codes[chosen], queries.values[chosen])
            own = Bags(bags.neighbors[chosen], bags.seeds[:, chosen])
            answers[chosen] = _answer(paths, part, own, rules, kept, run)
    return answers


def _lack_nothing(paths: Paths, queries: Queries) -> NDArray[np.bool_]:
    nominal = paths.table.facts[KIND] == 0
    known = np.where(nominal, queries.codes != -1, ~np.isnan(queries.values))
    return np.asarray(known.all(axis=1))


def _answer(
    paths: Paths,
    queries: Queries,
    bags: Bags,
    rules: PathRules,
    kept: bool,
    run: Runner,
) -> Floats:
    answers = np.zeros((*bags.seeds.shape[1:], paths.n_classes))

    def work(first: int, last: int) -> None:
        part = bags.part(first, last)
        asked = Queries(queries.codes[first:last], queries.values[first:last])
        follow = _follow_shared if kept else _follow
        follow(paths, asked, part, rules, answers[first:last])

    run(work, len(answers))
    return answers


def _follow_shared(
    paths: Paths, queries: Queries, bags: Bags, rules: PathRules, answers: Floats
) -> None:
    node = make_node(paths.table, paths.n_classes, paths.unit)
    kept = make_kept(paths.table, paths.n_classes, bags.neighbors.shape[1])
    seeds = np.ascontiguousarray(bags.seeds)
    shared_paths(
        paths.table, rules, queries, bags.neighbors, seeds, node, kept, answers
    )


def _follow(
    paths: Paths,
    queries: Queries,
    bags: Bags,
    rules: PathRules,
    answers: Floats,
    weights: NDArray[np.int32] | None = None,
    n_steps: int = 1,
) -> Floats:
    """Add the answers; return the steps, (n_queries, n_bags, n_steps, 6)."""
    n_rows = paths.table.classes.size
    steps = np.full((*answers.shape[:2], n_steps, N_STEP_COLUMNS), -1.0)
    bagged_paths(
        paths.table,
        rules,
        queries,
        bags.neighbors,
        np.ascontiguousarray(bags.seeds),
        np.zeros((0, n_rows), np.int32) if weights is None else weights,
        make_node(paths.table, paths.n_classes, paths.unit),
        make_route(n_rows),
        steps,
        answers,
    )
    return steps


def trace_paths(
    paths: Paths,
    queries: Queries,
    bags: Bags,
    rules: PathRules,
    most_steps: int = 256,
) -> list[list[list[PathStep]]]:
    """The nodes that each query passes in the tree of each of its bags."""
    answers = np.zeros((*bags.seeds.shape[1:], paths.n_classes))
    found = _follow(paths, queries, bags, rules, answers, n_steps=most_steps)
    return [[list_steps(table) for table in query] for query in found]


def list_steps(table: Floats) -> list[PathStep]:
    """The steps that a kernel has written."""
    return [
        PathStep(int(s[0]), int(s[1]), int(s[2]), float(s[3]), float(s[4]), float(s[5]))
        for s in table
        if s[0] >= 0
    ]


def answer_by_given_bags(
    paths: Paths,
    queries: Queries,
    weights: NDArray[np.int32],
    keys: NDArray[np.uint64],
    rules: PathRules,
) -> Floats:
    """Class probabilities by the trees of bags that are given as weights.

    Parameters
    ----------
    paths, queries, rules
        As in `answer_by_paths`.
    weights : int32 array of shape (n_bags, n_rows)
        The same bags for all queries, each summing to at most the number of rows.
    keys : uint64 array of shape (n_bags,)
        What the random choices of a tree depend on.
    """
    n_queries = len(queries.codes)
    answers = np.zeros((n_queries, len(weights), paths.n_classes))
    seeds = np.broadcast_to(keys, (2, n_queries, len(keys)))
    bags = Bags(np.zeros((n_queries, 1), np.int32), seeds)
    _follow(paths, queries, bags, rules, answers, np.ascontiguousarray(weights))
    return answers
