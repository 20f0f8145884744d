"""Random mixed tables, as the paths see them."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from weka_sets import bin_codes, label_codes, read_columns, read_outputs, train_rows


class Mixed(NamedTuple):
    """Numeric and nominal columns as the kernels and as the slow twin want them."""

    codes: np.ndarray  # (n_attributes, n_rows)
    values: np.ndarray
    n_categories: np.ndarray  # 0: numeric
    classes: np.ndarray
    n_classes: int
    query_codes: np.ndarray  # (n_queries, n_attributes)
    query_values: np.ndarray

    def columns(self):
        return [
            _plain(codes if size else values, size)
            for codes, values, size in zip(
                self.codes, self.values, self.n_categories, strict=True
            )
        ]

    def queries(self):
        rows = np.where(self.n_categories > 0, self.query_codes, self.query_values)
        sizes = self.n_categories.tolist()
        return [
            [_plain([cell], size)[0] for cell, size in zip(row, sizes, strict=True)]
            for row in rows
        ]

    def sizes(self):
        return [int(size) or None for size in self.n_categories]

    def unit(self):
        cells = np.where(self.n_categories[:, None] > 0, self.codes, self.values)
        lacking = (
            np.isnan(cells) | (cells == -1) & (self.n_categories[:, None] > 0)
        ).any()
        return np.float64 if lacking else np.int32


def _plain(cells, size):
    if size:
        return [None if cell == -1 else int(cell) for cell in cells]
    return [None if np.isnan(cell) else float(cell) for cell in cells]


def make_mixed(rng, n_rows, sizes, n_classes, n_queries, missing=0.0, levels=6):
    """Draw a table; sizes of 0 are numeric columns of few or of distinct values."""
    sizes = np.asarray(sizes, np.int64)
    shape = len(sizes), n_rows + n_queries
    skewed = rng.random(shape) ** 1.5
    codes = (skewed * np.maximum(sizes, 1)[:, None]).astype(np.int32)
    values = np.round(skewed * levels, 0 if levels < 100 else 9) - 1.5
    lacking = rng.random(shape) < missing
    codes[lacking], values[lacking] = -1, np.nan
    codes[sizes == 0], values[sizes > 0] = -1, np.nan
    query_codes = codes.T[n_rows:].copy()
    unseen = rng.random(query_codes.shape) < 0.05
    query_codes[unseen & (sizes > 0)] = -2
    classes = rng.integers(0, n_classes, n_rows)
    hint = np.where(sizes > 0, codes.T[:n_rows], values.T[:n_rows]).T[0] > 0
    classes = np.where(rng.random(n_rows) < 0.6, hint % n_classes, classes)
    return Mixed(
        np.ascontiguousarray(codes[:, :n_rows]),
        np.ascontiguousarray(values[:, :n_rows]),
        sizes,
        classes.astype(np.int32),
        n_classes,
        query_codes,
        np.ascontiguousarray(values.T[n_rows:]),
    )


@st.composite
def mixed_tables(draw, most_rows=60):
    """Mixed columns with missing and unseen cells, ties, constants, single rows."""
    n_rows = draw(st.one_of(st.integers(1, 8), st.integers(1, most_rows)))
    sizes = draw(st.lists(st.integers(0, 4), min_size=1, max_size=6))
    n_classes = draw(st.integers(1, 4))
    missing = draw(st.sampled_from([0.0, 0.1, 0.5]))
    levels = draw(st.sampled_from([3, 12, 1000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return make_mixed(rng, n_rows, sizes, n_classes, 4, missing, levels)


def weka_table(name, discretized):
    """A set as Weka's J48 saw it, with the test rows as queries, and its answers."""
    schema, columns = read_columns(name)
    golden, _ = read_outputs(name)
    codes, values, sizes = [], [], []
    for field, column in zip(schema[:-1], columns[:-1], strict=True):
        nothing = np.full(len(column), np.nan)
        if field["type"] != "numeric":
            codes.append(label_codes(column, field["values"]))
            sizes.append(len(field["values"]))
        elif discretized:
            cuts = golden["mdl_cuts_train"][field["name"]]
            codes.append(bin_codes(column, cuts))
            sizes.append(len(cuts) + 1)
        else:
            codes.append(np.full(len(column), -1, np.int32))
            sizes.append(0)
        values.append(nothing if sizes[-1] else column)
    labels = schema[-1]["values"]
    rows = train_rows(len(columns[-1]))
    queries = np.setdiff1d(np.arange(len(columns[-1])), rows)
    codes, values = np.array(codes, np.int32), np.array(values)
    kind = "predictions_discretised" if discretized else "predictions"
    table = Mixed(
        np.ascontiguousarray(codes[:, rows]),
        np.ascontiguousarray(values[:, rows]),
        np.array(sizes, np.int64),
        label_codes(columns[-1], labels)[rows],
        len(labels),
        np.ascontiguousarray(codes[:, queries].T),
        np.ascontiguousarray(values[:, queries].T),
    )
    return table, golden[kind]["J48_unpruned"]["dist"]
