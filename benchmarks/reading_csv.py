"""Read CSV: ours, and Arrow's reader with `Table.from_any`, by processor time.

100 000 x 10 is a table that people have: 6.4 MB, where time is spent on cells rather
than on starting. Alternating, the best of seven.
"""

import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.csv

import sklazy
from sklazy.tables import arrow_csv

ROWS = 100_000


def make_frame(n_rows):
    rng = np.random.default_rng(0)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(
        rng.integers(0, 700, n_rows), "D"
    )
    return pd.DataFrame(
        {f"n{i}": rng.normal(size=n_rows).round(4) for i in range(4)}
        | {f"i{i}": rng.integers(0, 1000, n_rows) for i in range(2)}
        | {f"c{i}": rng.choice(["red", "green", "blue"], n_rows) for i in range(3)}
        | {"day": days.strftime("%Y-%m-%d")}
    )


def read_strictly(path):
    least, arrow_csv.FEWEST_BYTES = arrow_csv.FEWEST_BYTES, 1 << 40
    try:
        return sklazy.read_table(path)
    finally:
        arrow_csv.FEWEST_BYTES = least


def read_by_arrow(path):
    return sklazy.Table.from_any(pyarrow.csv.read_csv(path))


def main():
    warnings.simplefilter("ignore")
    pyarrow.set_cpu_count(1)
    ways = {
        "ours": sklazy.read_table,
        "Arrow and Table.from_any": read_by_arrow,
        "ours, Python's reader": read_strictly,
    }
    best = dict.fromkeys(ways, np.inf)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        make_frame(ROWS).to_csv(path, index=False)
        for turn in range(7):
            for name, read in ways.items():
                if turn < 2 or name != "ours, Python's reader":
                    start = time.process_time()
                    read(path)
                    best[name] = min(best[name], time.process_time() - start)
    for name, seconds in best.items():
        ratio = seconds / best["Arrow and Table.from_any"]
        print(f"{name:26} {seconds:.3f} s  {ratio:.2f}")


if __name__ == "__main__":
    main()
