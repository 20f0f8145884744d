"""Random paths: of a tree whose splits are drawn, only the way of a query.

At a node some attributes are tried, in an order that is drawn, each with one split:
a cut drawn uniformly between the smallest and the largest number of the node, or a
random half of its categories. The split of largest information gain, or of largest
reduction of the sum of squares, is taken, though it may gain nothing, until the rows
are of one class or one number, or all alike. Gains within a millionth of the node's
weight, or squares, are equal, and the one tried first wins. The leaf answers with its
class shares or its mean.

References
----------
Geurts, P., Ernst, D., Wehenkel, L.: Extremely randomized trees. Machine Learning 63
(2006).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Bags, Queries
from sklazy.kernels.paths.drawn import ClassRows, drawn_means, drawn_paths
from sklazy.kernels.paths.draws import (
    DrawnTable,
    half_words,
    make_drawn_node,
    make_drawn_table,
)
from sklazy.methods.paths.model import Paths, RegressionPaths

Floats = NDArray[np.float64]
Sets = NDArray[np.uint64]

_N_COLUMNS = 7  # of a step
_NO_CHANGES = np.zeros((0, 0, 2, 1))


class RandomPaths(NamedTuple):
    """Training rows made ready for random paths.

    Attributes
    ----------
    table : DrawnTable
    classes : int32 array of shape (n_rows,)
        All 0 where the targets are numbers.
    by_class : int32 array of shape (n_rows,)
        The rows, class by class.
    logs : float64 array of shape (n_rows + 1,)
        ``x * log2(x)``.
    targets : float64 array of shape (n_rows,), or empty for classes
    n_outputs : int
        As many numbers as a path answers with.
    """

    table: DrawnTable
    classes: NDArray[np.int32]
    by_class: NDArray[np.int32]
    logs: Floats
    targets: Floats
    n_outputs: int


class RandomStep(NamedTuple):
    """A node that a query passes on its random path.

    Attributes
    ----------
    depth : int
    attribute : int
        The attribute that the node splits by; -1 at a leaf.
    branch : int
        0 up to the cut and 1 above it; for categories the number of the half.
    cut : float
        NaN for a nominal attribute.
    weight : float
        The weight of the rows in the node.
    gain : float
        The information, or squares, that the split takes from the node; 0 at a leaf.
    by_lot : bool
        Whether no row of the node has the query's value, so that its side was drawn.
    categories : tuple of int
        Those of the query's side that the node has; -1 stands for missing cells.
    """

    depth: int
    attribute: int
    branch: int
    cut: float
    weight: float
    gain: float
    by_lot: bool
    categories: tuple[int, ...]


def make_random_paths(paths: Paths | RegressionPaths) -> RandomPaths:
    """Make the rows of paths ready for random ones."""
    table = paths.table
    return RandomPaths(
        table=make_drawn_table(table),
        classes=table.classes,
        by_class=np.argsort(table.classes, kind="stable").astype(np.int32),
        logs=table.logs,
        targets=paths.targets if isinstance(paths, RegressionPaths) else np.zeros(0),
        n_outputs=paths.n_outputs,
    )


def answer_by_random_paths(
    paths: RandomPaths, queries: Queries, bags: Bags, n_tried: int
) -> Floats:
    """Class probabilities or means by a random path through each bag.

    Parameters
    ----------
    paths : RandomPaths
    queries : Queries
    bags : Bags
    n_tried : int
        How many attributes a node tries; those of one value there do not count.

    Returns
    -------
    float64 array of shape (n_queries, n_bags, n_outputs)
    """
    answers, _, _ = _follow(paths, queries, bags, n_tried)
    return answers


def trace_random_paths(
    paths: RandomPaths,
    queries: Queries,
    bags: Bags,
    n_tried: int,
    most_steps: int = 256,
) -> list[list[list[RandomStep]]]:
    """The nodes that each query passes on the random path of each of its bags."""
    _, steps, sets = _follow(paths, queries, bags, n_tried, most_steps)
    return [
        [_list_steps(*tables) for tables in zip(*query, strict=True)]
        for query in zip(steps, sets, strict=True)
    ]


def trace_changes(
    paths: RandomPaths, queries: Queries, bags: Bags, n_tried: int
) -> tuple[Floats, Floats, Floats]:
    """Answers, and changes of class shares, or of the mean, along their random paths.

    A split moves the output from that of a node's rows to that of the query's side;
    the change belongs to the attribute that is split by.

    Returns
    -------
    answers : float64 array of shape (n_queries, n_bags, n_outputs)
        Those of `answer_by_random_paths`.
    changes : float64 array of shape (n_queries, n_bags, n_attributes, n_outputs)
    starts : float64 array of shape (n_queries, n_bags, n_outputs)
        The outputs of whole bags; with the changes they add up to the answers.
    """
    n_attributes = len(paths.table.codes)
    shape = (*bags.seeds.shape[1:], n_attributes + 2, paths.n_outputs)
    changes = np.zeros(shape)
    answers, _, _ = _follow(paths, queries, bags, n_tried, changes=changes)
    return answers, changes[:, :, :n_attributes], changes[:, :, n_attributes]


def sum_gains(
    paths: RandomPaths,
    queries: Queries,
    bags: Bags,
    n_tried: int,
    least_weight: float,
    most_steps: int = 64,
) -> Floats:
    """Gain of the splits by each attribute along the paths, the mean of all paths.

    Parameters
    ----------
    paths, queries, bags, n_tried
        As in `answer_by_random_paths`.
    least_weight : float
        Of a node whose split counts.
    most_steps : int
        Of a path; deeper nodes do not count.

    Returns
    -------
    gains : float64 array of shape (n_attributes,)
        Bits, or squares, of a row in the node.
    """
    _, steps, _ = _follow(paths, queries, bags, n_tried, most_steps)
    attributes, weights, gains = steps[:, :, :-1].reshape(-1, _N_COLUMNS).T[[1, 4, 6]]
    counts = (attributes >= 0) & (weights >= least_weight)
    each = gains[counts] / weights[counts]
    n_attributes, (n_queries, n_bags) = len(paths.table.codes), steps.shape[:2]
    sums = np.bincount(attributes[counts].astype(np.int64), each, n_attributes)
    return np.asarray(sums / (n_queries * n_bags))


def _follow(
    paths: RandomPaths,
    queries: Queries,
    bags: Bags,
    n_tried: int,
    n_steps: int = 0,
    changes: Floats = _NO_CHANGES,
) -> tuple[Floats, Floats, Sets]:
    """Answers, and as many steps as wanted, with the categories of nominal ones.

    Changes along the paths are added to `changes`, if it has room for queries.
    """
    shape, n_rows = bags.seeds.shape[1:], paths.classes.size
    answers = np.zeros((*shape, paths.n_outputs))
    steps = np.full((*shape, max(n_steps, 1), _N_COLUMNS), -1.0)
    sets = np.zeros((*shape, n_steps, half_words(paths.table)), np.uint64)
    node, written = make_drawn_node(paths.table), (steps, sets, answers, changes)
    seeds = np.ascontiguousarray(bags.seeds)
    arguments = queries, bags.neighbors, seeds, bags.left_out, bags.max_draws
    if paths.targets.size:
        room = paths.by_class, np.zeros(n_rows + 1)
        drawn_means(
            paths.table, paths.targets, n_tried, *arguments, node, *room, *written
        )
        return answers, steps, sets
    ends, sums = np.zeros(paths.n_outputs + 1, np.int64), (3, paths.n_outputs)
    by_class = paths.classes, paths.by_class, paths.logs
    rows = ClassRows(*by_class, ends, np.zeros(sums, np.int64))
    drawn_paths(paths.table, n_tried, *arguments, node, rows, *written)
    return answers, steps, sets


def _list_steps(table: Floats, sets: Sets) -> list[RandomStep]:
    """The steps that a kernel has written."""
    n_steps = int((table[:, 0] >= 0).sum())
    return [
        RandomStep(
            depth=int(s[0]),
            attribute=int(s[1]),
            branch=int(s[2]),
            cut=float(s[3]),
            weight=float(s[4]),
            gain=float(s[6]),
            by_lot=bool(s[5]),
            categories=_list_bits(bits),
        )
        for s, bits in zip(table[:n_steps], sets, strict=False)
    ]


def _list_bits(words: Sets) -> tuple[int, ...]:
    """The categories whose bits are set; the first bit is that of missing cells."""
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return tuple((np.flatnonzero(bits) - 1).tolist())
