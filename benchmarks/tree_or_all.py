"""Neighbors by a tree or by reading all rows: `python benchmarks/tree_or_all.py`.

Prints microseconds a query for the 50 nearest of 1000 queries, normal numbers, one
thread, for several numbers of columns and rows; both ways in turn, the best of five.
"""

import time

import numpy as np

from sklazy.flow import Columns
from sklazy.kernels.columns import EUCLIDEAN, NUMERIC
from sklazy.neighbors import TreeSearch, find_nearest, nearest

ROWS, COLUMNS, N_QUERIES, N_NEAREST = (
    (20_000, 100_000, 500_000),
    (*range(1, 7), 8),
    1000,
    50,
)


def main():
    nearest.MOST_COLUMNS = max(COLUMNS)  # as if it paid
    print("| columns | " + " | ".join(f"{n} rows: all / tree" for n in ROWS) + " |")
    for n_columns in COLUMNS:
        cells = [" / ".join(f"{u:.0f}" for u in measure(n, n_columns)) for n in ROWS]
        print(f"| {n_columns} | " + " | ".join(cells) + " |", flush=True)


def measure(n_rows, n_columns):
    """Microseconds a query by reading all rows, and by a tree."""
    rng = np.random.default_rng(0)
    every = np.ones(n_columns)
    columns = Columns(
        rng.standard_normal((n_columns, n_rows)),
        np.full(n_columns, NUMERIC),
        every,
        every,
        EUCLIDEAN,
    )
    queries, search = rng.standard_normal((N_QUERIES, n_columns)), TreeSearch(columns)
    few = queries[:100]  # all rows take long

    def by_tree():
        return search.find(queries, N_NEAREST)

    def by_all():
        return find_nearest(columns, few, N_NEAREST)

    while search._tree is None:
        by_tree()
    assert np.array_equal(by_tree().rows[:100], by_all().rows)
    rounds = [(timed(by_all) / 100, timed(by_tree) / N_QUERIES) for _ in range(5)]
    return [1e6 * min(times) for times in zip(*rounds, strict=True)]


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
