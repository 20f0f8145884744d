"""One kernel as a compiled extension would have it, beside numba's.

The query of kernel models, `sum_similarities`, in C (compiled_spike.c), built here by
gcc twice: with the plain `exp`, and with the vector `exp` of libmvec. Needs gcc;
nothing of it is part of the package.
Run `python benchmarks/compiled_spike.py`; docs/compiled_wheels.md has the figures.
"""

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from sklazy.flow import KernelColumns
from sklazy.kernels.compiling import every_job_due
from sklazy.kernels.kernel_models import MISMATCH, sum_similarities

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-mprefer-vector-width=512"]
FLAGS += ["-fno-trapping-math", "-fno-math-errno"]
# glibc declares its vector functions only where this name is defined; NaN stays NaN.
BUILDS = {"C": FLAGS, "C, vector exp": [*FLAGS, "-fopenmp", "-D__FAST_MATH__"]}
N_QUERIES, N_COLUMNS, RATE = 16, 16, 0.3


def main() -> None:
    """Print nanoseconds a cell, ratios and differences for two sizes."""
    with tempfile.TemporaryDirectory() as folder:
        builds = {name: build(Path(folder), name) for name in BUILDS}
        for n_rows in (2000, 100_000):
            compare(n_rows, builds)


def build(folder: Path, name: str) -> ctypes.CDLL:
    """Compile the C file; the time that it takes is printed."""
    target = folder / f"{name.replace(' ', '_').replace(',', '')}.so"
    began = time.perf_counter()
    command = ["gcc", *BUILDS[name], "-shared", "-fPIC", "-o", str(target), str(SOURCE)]
    subprocess.run([*command, "-lmvec", "-lm"], check=True)
    size = target.stat().st_size / 1024
    print(f"{name}: built in {time.perf_counter() - began:.1f} s, {size:.0f} KB")
    return ctypes.CDLL(str(target))


def compare(n_rows: int, builds: dict[str, ctypes.CDLL]) -> None:
    """Print the best of several alternating runs of each."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N_COLUMNS, n_rows))
    nominal = np.arange(N_COLUMNS) >= N_COLUMNS // 2
    values[nominal] = rng.integers(0, 6, (int(nominal.sum()), n_rows))
    values[rng.random(values.shape) < 0.02] = np.nan
    weights, absents = rng.random(N_COLUMNS), np.ones(N_COLUMNS)
    columns = KernelColumns(values, nominal, absents, weights)
    queries = np.ascontiguousarray(values[:, :N_QUERIES].T)
    coefficients = rng.normal(size=(2, n_rows))
    sums = {name: np.empty((N_QUERIES, 2)) for name in ("numba", *builds)}

    def by_numba() -> None:
        sum_similarities(columns, queries, RATE, coefficients, sums["numba"])

    runs = {"numba": by_numba}
    for name, library in builds.items():
        runs[name] = bind(library, columns, queries, coefficients, sums[name])
    with every_job_due():
        by_numba()
    seconds = dict.fromkeys(runs, np.inf)
    for _ in range(15):
        for name, run in runs.items():
            began = time.process_time()
            run()
            seconds[name] = min(seconds[name], time.process_time() - began)
    for name, best in seconds.items():
        cell = 1e9 * best / (n_rows * N_COLUMNS * N_QUERIES)
        apart = np.abs(sums[name] / sums["numba"] - 1.0).max()
        figures = f"{cell:.3f} ns a cell  {seconds['numba'] / best:.2f} x  {apart:.0e}"
        print(f"{n_rows:7} rows  {name:14} {figures}")


def bind(library, columns, queries, coefficients, sums):
    """A function that has C fill the sums."""
    n_columns, n_rows = columns.values.shape
    marks = columns.nominal.astype(np.uint8)
    pointers = [
        array.ctypes.data_as(ctypes.c_void_p)
        for array in (columns.values, columns.weights, columns.absents, marks)
    ]
    sides = [a.ctypes.data_as(ctypes.c_void_p) for a in (queries, coefficients, sums)]
    size, real = ctypes.c_long, ctypes.c_double

    def run() -> None:
        library.sum_similarities(
            *(size(n_rows), size(n_rows), size(n_columns)),
            *pointers,
            *(real(MISMATCH), size(len(queries)), sides[0], real(RATE)),
            *(size(len(coefficients)), sides[1], sides[2]),
        )

    run.keeps = (columns, marks, queries, coefficients, sums)
    return run


if __name__ == "__main__":
    main()
