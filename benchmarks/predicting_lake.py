"""`sklazy predict MODEL FOLDER -o FOLDER`, and `predict` of the same rows in memory.

k-NN with 20 000 cases of 8 columns of numbers and 7 of labels, or of 15 columns of
labels. 1 000 000 rows by default, the number is an argument, in ten files of Parquet.
Each side is a process of its own, with packages imported and compiled code loaded,
alternating, the best of three by processor time. In memory are a pandas frame, and a
`Table`, whose labels are codes already.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet

import sklazy

N_FILES, N_CASES = 10, 20_000
N_NUMBERS = {"mixed": 8, "labels": 0}
SIDES = ("folder", "frame", "table")


def make_rows(kind, n_rows, seed):
    random = np.random.default_rng(seed)
    n_numbers, columns = N_NUMBERS[kind], {}
    for j in range(n_numbers):
        columns[f"n{j}"] = random.normal(size=n_rows).round(3 if j % 2 else 16)
    for j in range(15 - n_numbers):
        words = np.array([f"word{i}" for i in range(3 + 2 * j)])
        columns[f"c{j}"] = words[random.integers(0, len(words), n_rows)]
    return pyarrow.table(columns)


def make_lake(folder, kind, n_rows):
    cases = make_rows(kind, N_CASES, 99).to_pandas()
    random = np.random.default_rng(0)
    chance = np.where(cases["c0"] == "word1", 0.7, 0.3)
    if kind == "mixed":
        chance = np.where(cases["n0"] > 0, 0.7, chance)
    target = np.where(random.random(N_CASES) < chance, "high", "low")
    sklazy.LazyKNeighborsClassifier().fit(cases, target).save(folder / "model.sklazy")
    for part in ("lake", "first"):
        (folder / part).mkdir()
    for number in range(N_FILES):
        rows = make_rows(kind, n_rows // N_FILES, number)
        pyarrow.parquet.write_table(rows, folder / "lake" / f"{number}.parquet")
    shutil.copy(folder / "lake" / "0.parquet", folder / "first")


def seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def predict_folder(folder, lake):
    from click.testing import CliRunner

    from sklazy.cli import main as command

    out = folder / f"predictions of {lake}"
    shutil.rmtree(out, ignore_errors=True)
    words = ["predict", folder / "model.sklazy", folder / lake, "-o", out]
    start = seconds()
    CliRunner().invoke(command, list(map(str, words)), catch_exceptions=False)
    return seconds() - start


def predict_in_memory(folder, lake, side):
    files = sorted((folder / lake).glob("*.parquet"))
    rows = pd.concat(map(pd.read_parquet, files), ignore_index=True)
    rows = sklazy.Table.from_any(rows) if side == "table" else rows
    model = sklazy.load(folder / "model.sklazy")
    start = seconds()
    model.predict(rows)
    return seconds() - start


def run_alone(side, folder):
    for lake in ("first", "lake"):
        if side == "folder":
            taken = predict_folder(folder, lake)
        else:
            taken = predict_in_memory(folder, lake, side)
    print(taken)


def main(n_rows=1_000_000):
    for kind in N_NUMBERS:
        best = dict.fromkeys(SIDES, np.inf)
        with tempfile.TemporaryDirectory(dir=".") as name:
            make_lake(Path(name), kind, n_rows)
            for _ in range(3):
                for side, known in best.items():
                    words = [sys.executable, __file__, side, name]
                    output = subprocess.run(words, capture_output=True, check=True)
                    best[side] = min(known, float(output.stdout.split()[-1]))
        figures = ", ".join(f"{side} {taken:.2f} s" for side, taken in best.items())
        speeds = [f"{best[s] / best['folder']:.2f} of a {s}'s" for s in SIDES[1:]]
        print(f"{kind}: {figures}; speed {', '.join(speeds)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] and not sys.argv[1].isdigit():
        run_alone(sys.argv[1], Path(sys.argv[2]))
    else:
        main(*map(int, sys.argv[1:2]))
