"""Processor time of `case_values`, a row that judges.

    python benchmarks/case_values.py [CASES] [JUDGING]

Cases have 10 numbers and 2 classes. It prints the seconds of processor for all rows
that judge and the milliseconds for each, the best of three interleaved runs.
"""

import sys
import time

import numpy as np

import sklazy

N_FEATURES, N_RUNS = 10, 3


def make_rows(rng, n_rows):
    X = rng.normal(size=(n_rows, N_FEATURES))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def measure(n_cases, n_judging):
    """Seconds for some rows, and for ten times as few."""
    rng = np.random.default_rng(0)
    model = sklazy.LazyKNeighborsClassifier(5).fit(*make_rows(rng, n_cases))
    X, y = make_rows(rng, n_judging)
    sklazy.case_values(model, X[:2], y[:2])
    best = {}
    for _ in range(N_RUNS):
        for n in (n_judging, max(1, n_judging // 10)):
            start = time.process_time()
            sklazy.case_values(model, X[:n], y[:n])
            seconds = time.process_time() - start
            best[n] = min(best.get(n, np.inf), seconds)
    return best


if __name__ == "__main__":
    given, usual = sys.argv[1:], ["100000", "500"]
    n_cases, n_judging = map(int, [*given, *usual[len(given) :]])
    for n, seconds in measure(n_cases, n_judging).items():
        each = 1000 * seconds / n
        print(f"{n_cases} cases, {n} rows: {seconds:.1f} s, {each:.1f} ms a row")
