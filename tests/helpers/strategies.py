"""Random mixed tables for Hypothesis: ties, missing cells, constants, single rows.

`mixed_rows` gives plain lists, `mixed_frames` pandas frames, `mixed_tables` sklazy
tables with class labels, `mixed_problems` all forms of one and the same table. All
draw few distinct values, so that ties are the rule and not the exception.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

# Few values, some of them neighbors in float64 or far apart: ties and cancellation.
NUMBERS = [-1.5, 0.0, 0.1, 0.25, 1.0, 2.0, 3.0, 1e6]
WORDS = ["a", "b", "c", "dd", "?", " ", "1"]


@dataclass(frozen=True)
class Problem:
    """One table in all its forms.

    Attributes
    ----------
    rows : list of lists
        Cells: float (numeric), str (nominal) or None (missing).
    kinds : list of "numeric" or "nominal"
    classes : int array of shape (n_rows,)
    targets : float array of shape (n_rows,)
    """

    rows: list[list[Any]]
    kinds: list[str]
    classes: np.ndarray
    targets: np.ndarray

    @property
    def names(self):
        return [f"a{j}" for j in range(len(self.kinds))]

    @functools.cached_property
    def frame(self):
        """A pandas frame: float64 and string columns."""
        import pandas as pd

        columns = {}
        for j, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True)):
            cells = [row[j] for row in self.rows]
            dtype = "float64" if kind == "numeric" else "str"
            columns[name] = pd.Series(cells, dtype=dtype)
        return pd.DataFrame(columns)

    @property
    def table(self):
        """A sklazy Table of the same rows."""
        from sklazy.tables import as_table

        return as_table(self.frame)

    def take(self, rows):
        """The problem with the given rows, in the given order."""
        rows = [int(row) for row in rows]
        return Problem(
            [self.rows[i] for i in rows],
            self.kinds,
            self.classes[rows],
            self.targets[rows],
        )


def column_cells(kind, n_rows, missing=True):
    """Cells of one column: sometimes constant, sometimes all missing."""
    values = st.sampled_from(NUMBERS if kind == "numeric" else WORDS)
    cell = st.one_of(st.none(), values, values, values) if missing else values
    constant = cell.map(lambda value: [value] * n_rows)
    free = st.lists(cell, min_size=n_rows, max_size=n_rows)
    return st.one_of(free, free, free, constant)


@st.composite
def mixed_problems(
    draw,
    min_rows=1,
    max_rows=30,
    min_columns=1,
    max_columns=5,
    max_classes=3,
    kinds=("numeric", "nominal"),
    missing=True,
    telling=False,
):
    """Random `Problem`s; `kinds` and `missing` narrow what may occur.

    With `telling`, every other problem has classes that follow from its first column:
    numbers are cut, and attributes are worth something.
    """
    n_rows = draw(st.integers(min_rows, max_rows))
    chosen = draw(
        st.lists(st.sampled_from(kinds), min_size=min_columns, max_size=max_columns)
    )
    columns = [draw(column_cells(kind, n_rows, missing)) for kind in chosen]
    rows = [list(row) for row in zip(*columns, strict=True)]
    labels = st.integers(0, max_classes - 1)
    classes = draw(st.lists(labels, min_size=n_rows, max_size=n_rows))
    if telling and draw(st.booleans()):
        values = sorted({row[0] for row in rows if row[0] is not None})
        classes = [
            values.index(row[0]) * max_classes // len(values) if row[0] in values else 0
            for row in rows
        ]
    targets = draw(column_cells("numeric", n_rows, missing=False))
    return Problem(rows, chosen, np.array(classes), np.array(targets, float))


def mixed_rows(**limits):
    """Random `(rows, kinds)`: lists of float, str or None, and the columns' kinds."""
    return mixed_problems(**limits).map(lambda problem: (problem.rows, problem.kinds))


def mixed_frames(**limits):
    """Random `(pandas frame, class array)`."""
    return mixed_problems(**limits).map(
        lambda problem: (problem.frame, problem.classes)
    )


def mixed_tables(**limits):
    """Random `(Table, class array)`."""
    return mixed_problems(**limits).map(
        lambda problem: (problem.table, problem.classes)
    )


@st.composite
def split_problems(draw, min_queries=1, max_queries=6, **limits):
    """Random `(cases, queries)`, two problems of the same columns.

    The queries draw from the same values, so they hold seen and unseen ones.
    """
    min_rows = limits.pop("min_rows", 1)
    least = min_rows + min_queries
    most = limits.pop("max_rows", 30) + max_queries
    whole = draw(mixed_problems(min_rows=least, max_rows=most, **limits))
    most_queries = min(max_queries, len(whole.rows) - min_rows)
    n_queries = draw(st.integers(min_queries, most_queries))
    order = range(len(whole.rows))
    return whole.take(order[n_queries:]), whole.take(order[:n_queries])
