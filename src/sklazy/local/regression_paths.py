"""The regression tree of every bag, of which only a query's path is grown.

The tree is unpruned. A node is split where that reduces the weighted sum of squares
most: numeric attributes in two, nominal ones with a branch for each category; at least
two branches must hold `min_weight`. Reductions within a millionth of the node's sum of
squares are equal, and the lower attribute, then the lower cut wins. Rows without a
value go down all branches, each by its share of the known weight, as in the classifier.
A leaf answers with its weighted mean.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Bags, Queries, Runner, run_here
from sklazy.kernels.paths.classes import N_STEP_COLUMNS, make_route
from sklazy.kernels.paths.means import Moments, RegressionRules, bagged_means
from sklazy.kernels.paths.nodes import make_node
from sklazy.kernels.paths.table import PathTable, build_path_table
from sklazy.local.paths import PathStep, list_steps

Floats = NDArray[np.float64]

__all__ = [
    "RegressionPaths",
    "RegressionRules",
    "answer_by_regression_paths",
    "make_regression_paths",
    "trace_regression_paths",
]


class RegressionPaths(NamedTuple):
    """Training rows made ready for paths of regression trees.

    Attributes
    ----------
    table : PathTable
    targets : float64 array of shape (n_rows,)
    """

    table: PathTable
    targets: Floats


def make_regression_paths(
    codes: NDArray[np.int32],
    values: Floats,
    n_categories: NDArray[np.int64],
    targets: Floats,
) -> RegressionPaths:
    """Make rows ready for paths of regression trees.

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


def answer_by_regression_paths(
    paths: RegressionPaths,
    queries: Queries,
    bags: Bags,
    rules: RegressionRules,
    *,
    run: Runner = run_here,
) -> Floats:
    """Predictions by the regression tree of each bag, (n_queries, n_bags).

    Parameters
    ----------
    paths : RegressionPaths
    queries : Queries
    bags : Bags
    rules : RegressionRules
    run : Runner
        What runs chunks of queries.
    """
    answers = np.zeros(bags.seeds.shape[1:])

    def work(first: int, last: int) -> None:
        asked = Queries(queries.codes[first:last], queries.values[first:last])
        part = bags.part(first, last)
        follow_means(paths, asked, part, rules, answers[first:last])

    run(work, len(answers))
    return answers


def follow_means(
    paths: RegressionPaths,
    queries: Queries,
    bags: Bags,
    rules: RegressionRules,
    answers: Floats,
    weights: NDArray[np.int32] | None = None,
    n_steps: int = 1,
) -> Floats:
    """Add the answers; return the steps, (n_queries, n_bags, n_steps, 6).

    Given `weights`, (n_bags, n_rows), are the bags of all queries.
    """
    n_rows, n_slots = paths.targets.size, int(paths.table.slots[-1])
    steps = np.full((*answers.shape, n_steps, N_STEP_COLUMNS), -1.0)
    bagged_means(
        paths.table,
        paths.targets,
        rules,
        queries,
        bags.neighbors,
        np.ascontiguousarray(bags.seeds),
        np.zeros((0, n_rows), np.int32) if weights is None else weights,
        make_node(paths.table, 1, np.float64),
        Moments(np.zeros(n_rows), np.zeros(n_slots)),
        make_route(n_rows),
        steps,
        answers,
    )
    return steps


def trace_regression_paths(
    paths: RegressionPaths,
    queries: Queries,
    bags: Bags,
    rules: RegressionRules,
    most_steps: int = 256,
) -> list[list[list[PathStep]]]:
    """The nodes that each query passes in the regression tree of each of its bags."""
    answers = np.zeros(bags.seeds.shape[1:])
    found = follow_means(paths, queries, bags, rules, answers, n_steps=most_steps)
    return [[list_steps(table) for table in query] for query in found]
