"""Changes of the answer along the paths of trees with the best splits.

The nodes that a query passes are known; the rows in each of them follow from the bag.
A query without the value that a node asks for goes down all branches, each by its part
of the known weight, and so do rows without it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats
from sklazy.flow import MISSING, Queries
from sklazy.methods.ensembles.data import ClassData, EnsembleData
from sklazy.methods.ensembles.learner import EnsembleAnswer
from sklazy.methods.ensembles.members import TreeMember
from sklazy.methods.paths.bags import draw_weights
from sklazy.methods.paths.model import PathStep, trace_paths

_MOST_STEPS = 1024  # of a path; of longer ones the changes are not known
_ALIKE = 1e-7  # of an answer


class _Walk(NamedTuple):
    """One query in the tree of one bag.

    `changes` has a row for each attribute, to which is added on the way.
    """

    data: EnsembleData
    outcomes: Floats
    lacks: NDArray[np.bool_]
    steps: Iterator[PathStep]
    changes: Floats


def trace_trees(
    member: TreeMember, answer: EnsembleAnswer, queries: Queries
) -> tuple[Floats, Floats] | None:
    """Changes along the path of each bag, and starts, as `trace_changes` has them.

    None where a path is too long, or does not come to the answer.
    """
    data, bags = answer.data, answer.bags
    traced = trace_paths(data.paths, queries, bags, member.rules, _MOST_STEPS)
    outcomes = _list_outcomes(data)
    n_queries, n_bags = bags.seeds.shape[1:]
    shape = n_queries, n_bags, len(data.codes), data.n_outputs
    changes, starts = np.zeros(shape), np.zeros((*shape[:2], shape[3]))
    for query in range(n_queries):
        drawn = draw_weights(bags, query, data.n_rows).astype(np.float64)
        numbers = np.isnan(queries.values[query])
        lacks = np.where(data.is_numeric, numbers, queries.codes[query] == MISSING)
        for bag, steps in enumerate(traced[query]):
            if len(steps) >= _MOST_STEPS:
                return None
            walk = _Walk(data, outcomes, lacks, iter(steps), changes[query, bag])
            starts[query, bag] = drawn[bag] @ outcomes / drawn[bag].sum()
            _descend(walk, drawn[bag], starts[query, bag], 1.0)
    ends = starts + changes.sum(axis=2)
    scale = max(1.0, float(np.abs(answer.outputs).max(initial=0.0)))
    if not np.allclose(ends, answer.outputs, rtol=0.0, atol=_ALIKE * scale):
        return None
    return changes, starts


def _list_outcomes(data: EnsembleData) -> Floats:
    """The class of each row as indicators, or its number, (n_rows, n_outputs)."""
    if isinstance(data, ClassData):
        return np.eye(data.n_outputs)[data.targets]
    return np.asarray(data.targets, np.float64)[:, None]


def _descend(walk: _Walk, weights: Floats, output: Floats, share: float) -> None:
    """Follow the path from a node of some weights, and note what each split changes."""
    step = next(walk.steps)
    j = step.attribute
    if j < 0:
        return
    branches = _find_branches(walk.data, step)
    known = weights * (branches != MISSING)
    sizes = np.bincount(branches[known > 0], known[known > 0], step.branch + 1)
    if walk.lacks[j]:
        chosen = [(branch, size) for branch, size in enumerate(sizes) if size > 0]
    else:
        chosen = [(step.branch, sizes[step.branch])]
    total = known.sum()
    for branch, size in chosen:
        fraction = size / total
        inside = np.where(branches == MISSING, fraction, branches == branch)
        below = weights * inside
        part = share * fraction if walk.lacks[j] else share
        child = below @ walk.outcomes / below.sum()
        walk.changes[j] += part * (child - output)
        _descend(walk, below, child, part)


def _find_branches(data: EnsembleData, step: PathStep) -> NDArray[np.int64]:
    """The branch of a split that each row takes, -1 where its value is missing."""
    j = step.attribute
    if not data.is_numeric[j]:
        return np.asarray(data.codes[j], np.int64)
    values = data.values[j]
    return np.where(np.isnan(values), MISSING, values > step.cut).astype(np.int64)
