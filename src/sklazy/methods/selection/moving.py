"""Rows predicted by those before them, all at once, where no attribute is selected.

The answers are those of the estimator asked row by row: distances are measured by the
same steps, and the ranges that scale them are those of the rows seen.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints
from sklazy.flow import MISSING
from sklazy.kernels.moving import find_widths, vote_moving
from sklazy.measures import argmax_with_ties
from sklazy.methods.selection.learner import SelectionLearner
from sklazy.methods.selection.nearest import NearestHost
from sklazy.neighbors import finish_votes
from sklazy.neighbors.voting import Votes
from sklazy.report.progress import Progress
from sklazy.tables import Column, Table

_PART = 1000  # queries between two looks at the user


class Seen(NamedTuple):
    """Which rows each query sees, and which row it is; int64 arrays (n_queries,)."""

    starts: Ints
    ends: Ints
    asked: Ints


def can_move(learner: SelectionLearner, table: Table) -> bool:
    """Whether a learner's answers can be found without its case base."""
    host = learner.host
    if learner.recipe.selection != "none" or not isinstance(host, NearestHost):
        return False
    if host.candidates:  # each row would choose among them anew
        return False
    numbers = [column for column in table if column.kind == "numeric"]
    finite = all(not np.isinf(column.data).any() for column in numbers)
    return finite and not (host.discretize and numbers)


def decide_moving(
    host: NearestHost, table: Table, target: Column, seen: Seen
) -> NDArray[np.int64]:
    """The class of each query, by code, from the rows that it sees."""
    cells, is_number = _cells(table), np.array([c.kind == "numeric" for c in table])
    classes, n_classes = target.data.astype(np.int32), len(target.categories)
    n_queries = len(seen.asked)
    widths = np.zeros((len(cells), n_queries))
    for j in np.flatnonzero(is_number):
        find_widths(cells[j], seen.starts, seen.ends, widths[j])
    votes, tied = (np.zeros((n_queries, n_classes), np.int64) for _ in range(2))
    weighted = np.zeros((n_queries * host.by_distance, n_classes + 1))
    given = cells, is_number, widths, classes, *seen, int(host.n_neighbors)
    with Progress("predicting and learning", total=n_queries) as progress:
        for first in range(0, n_queries, _PART):
            last = min(first + _PART, n_queries)
            vote_moving(*given, first, last, votes, tied, weighted)
            progress.advance(last - first)
    finished = finish_votes(Votes(votes, tied, weighted), host.voting)
    return argmax_with_ties(finished, _priors(classes, n_classes, seen))


def _cells(table: Table) -> Floats:
    """Numbers and codes as numbers, NaN where missing, (n_attributes, n_rows)."""
    cells = np.empty((len(table.columns), len(table)))
    for j, column in enumerate(table):
        cells[j] = column.data
        if column.kind == "nominal":
            cells[j, column.data == MISSING] = np.nan
    return cells


def _priors(classes: NDArray[np.int32], n_classes: int, seen: Seen) -> Ints:
    """Rows of each class among those that each query sees."""
    ones = classes[:, None] == np.arange(n_classes)
    before = np.concatenate([np.zeros((1, n_classes), np.int64), np.cumsum(ones, 0)])
    return np.asarray(before[seen.ends] - before[seen.starts])
