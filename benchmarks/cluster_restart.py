"""A model's folder on a cluster of two workers: `load` to the first answer, in seconds.

8 columns of numbers, 7 of labels and a class; the numbers of features and neighbors are
given, as a model that chooses them looks at left-out rows first. 10 000 000 rows by
default, the number is an argument. Workers are new each time, with sklazy's packages
imported by `--preload` or not; the best of three. The processor time is that of all
processes, from `load` on.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

import sklazy

ROWS_OF_FILE = 500_000


def make_rows(n_rows, seed):
    random = np.random.default_rng(seed)
    columns = {f"n{j}": random.normal(size=n_rows).round(3) for j in range(8)}
    for j in range(7):
        words = np.array([f"word{i}" for i in range(3 + 4 * j)])
        columns[f"c{j}"] = words[random.integers(0, len(words), n_rows)]
    is_high = columns["n0"] + random.normal(size=n_rows) > 0
    columns["y"] = np.where(is_high, "high", "low")
    return pyarrow.table(columns)


def make_model(folder, n_rows):
    lake = folder / "lake"
    lake.mkdir()
    for number in range(max(1, n_rows // ROWS_OF_FILE)):
        rows = make_rows(min(n_rows, ROWS_OF_FILE), number)
        pyarrow.parquet.write_table(rows, lake / f"{number:03d}.parquet")
    model = sklazy.LazyKNeighborsClassifier(5, n_attributes=6)
    sklazy.store(model, lake, "y", folder / "whole.sklazy")
    whole = sklazy.load(folder / "whole.sklazy", mmap_mode="c")
    whole.save(folder / "model", n_parts=2)


def seconds_of_processes(client):
    used = client.run(time.process_time)
    return np.array([time.process_time(), *used.values()])


def restart(path, queries, **options):
    from distributed import Client, LocalCluster

    from sklazy import dask as lazy_dask

    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=None, **options) as on,
        Client(on) as client,
    ):
        before, start = seconds_of_processes(client), time.perf_counter()
        model = lazy_dask.load(path, client)
        loaded = time.perf_counter() - start
        model.predict(queries)
        answered = time.perf_counter() - start
        return loaded, answered, seconds_of_processes(client) - before


def main(n_rows=10_000_000):
    queries = make_rows(1, 1).to_pandas().drop(columns="y")
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        make_model(folder, n_rows)
        for preload in ([], ["sklazy.dask"]):
            best = min(
                (restart(folder / "model", queries, preload=preload) for _ in range(3)),
                key=lambda taken: taken[1],
            )
            loaded, answered, used = best
            processors = ", ".join(f"{taken:.2f}" for taken in used)
            print(
                f"preload={preload}: loaded after {loaded:.2f} s, answered after "
                f"{answered:.2f} s; s of processor here and on workers {processors}",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
