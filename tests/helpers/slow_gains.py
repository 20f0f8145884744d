"""What attributes tell a kernel model of classes, by slow random paths."""

import math

import numpy as np

import oracle


def slow_gains(model, n_paths, least_weight):
    """The gains of a fitted classifier's attributes, its rows in its own order.

    Parameters
    ----------
    model : fitted LazyKernelClassifier
    n_paths, least_weight : int
        Paths at least, and the weight of a node whose split counts.
    """
    base = model.cases_
    cases, order = base.cases, base.order
    columns = []
    for j, place in enumerate(cases.numeric.tolist()):
        if place < 0:
            cells = cases.codes[j, order].tolist()
            columns.append([None if cell < 0 else cell for cell in cells])
        else:
            columns.append(mid_ranks(cases.numbers[place, order].tolist()))
    labels, classes = np.unique(cases.classes[order], return_inverse=True)
    rows = sorted(
        zip(zip(*columns, strict=True), classes.tolist(), strict=True), key=key
    )
    columns = list(zip(*[row for row, _ in rows], strict=True))
    sizes = [
        1 + max((c for c in own if c is not None), default=0) if place < 0 else None
        for own, place in zip(columns, cases.numeric.tolist(), strict=True)
    ]
    data = columns, sizes, [label for _, label in rows], len(labels)
    return oracle.path_gains(*data, n_paths, least_weight)


def mid_ranks(numbers):
    """How many known numbers lie below, equal ones counted half; None if missing."""
    known = [x for x in numbers if x == x]
    ranks = [
        sum(y < x for y in known) + sum(y == x for y in known) / 2 for x in numbers
    ]
    return [rank if x == x else None for x, rank in zip(numbers, ranks, strict=True)]


def key(item):
    """Sorted by the last column first, missing cells last, then by class."""
    row, label = item
    return [math.inf if cell is None else cell for cell in reversed(row)], label
