"""Intervals of skewed targets: what they cover, how wide they are, where they begin.

    python benchmarks/skewed_intervals.py DATA [DRAWS] [kernel|blend]

Each draw learns from 400 rows and asks 400 others, of tables made with a skewed target
and of real ones: house prices, medical visits, shares of food, wages. Intervals at 0.9
as they come (`by="auto"`) stand beside those of one width (`by=None`). Coverage is that
of all draws, beside its standard error (binomial, of the rows asked and of those that
widths are found by); "large" is that of the fifth predicted largest. Widths are in
units of those of `by=None`.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from large_tables import read
from small_tables import read as read_set

from sklazy import LazyKernelRegressor, LazyRegressor

N_LEARNED, N_ASKED, COVERAGE = 400, 400, 0.9
MODELS = {"kernel": LazyKernelRegressor, "blend": LazyRegressor}
LARGE = ("r-budget-food", "r-doctor-visits", "r-males-wage", "r-vietnam-households")
SETS = ("house_8L", "house_16H")
MADE = ("lognormal", "gamma", "spread grows", "counts", "even")


def make(kind, random, n_rows):
    """Five numbers, and a target above 0 (counts: not below)."""
    X = random.normal(size=(n_rows, 5))
    middle = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2]
    noise = random.normal(size=n_rows)
    targets = {
        "lognormal": lambda: np.exp(middle + 0.6 * noise),
        "gamma": lambda: np.exp(middle) * random.gamma(1.5, size=n_rows),
        "spread grows": lambda: 5 + np.exp(middle) * (1 + 0.3 * np.abs(noise)),
        "counts": lambda: random.poisson(np.exp(middle)).astype(float),
        "even": lambda: 10 + middle + 0.5 * noise,
    }
    return pd.DataFrame(X, columns=list("abcde")), targets[kind]()


def tables(data):
    """Names, and functions that draw the rows of each."""
    for kind in MADE:
        yield kind, lambda random, n, kind=kind: make(kind, random, n)
    for name in LARGE:
        yield name, drawing(*read(data / "large" / f"{name}.csv.gz"))
    for name in SETS:
        yield name, drawing(*read_set(data, name))


def drawing(frame, targets):
    """A function that draws rows of a table."""

    def draw(random, n_rows):
        rows = random.permutation(len(frame))[:n_rows]
        return frame.iloc[rows].reset_index(drop=True), targets[rows].astype(float)

    return draw


def measure(model, by, asked, truth):
    """Shares of targets covered, in all and of the largest; widths; the lowest end."""
    ends = model.predict_interval(asked, coverage=COVERAGE, by=by)
    inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    values = model.predict(asked)
    large = inside[values >= np.quantile(values, 0.8)].mean()
    return inside.mean(), large, np.diff(ends).mean(), ends[:, 0].min()


def main(data, n_draws="5", kind="kernel"):
    """Print a line for each table."""
    n_draws = int(n_draws)
    error = np.sqrt(COVERAGE * (1 - COVERAGE) * (1 / N_LEARNED + 1 / N_ASKED) / n_draws)
    print(f"{kind}, {n_draws} draws; a coverage of 0.9 is off by {error:.4f} by chance")
    print(
        "| table | skew | covered, None | large | covered, auto | large | width "
        "| least end | ways |"
    )
    for name, draw in tables(Path(data)):
        found, skews, ways = [], [], Counter()
        for seed in range(n_draws):
            random = np.random.default_rng(seed)
            frame, targets = draw(random, N_LEARNED + N_ASKED)
            away = targets - targets.mean()
            skews.append((away**3).mean() / targets.std() ** 3)
            model = MODELS[kind](n_jobs=1).fit(frame[:N_LEARNED], targets[:N_LEARNED])
            asked, truth = frame[N_LEARNED:], targets[N_LEARNED:]
            plain, auto = (measure(model, by, asked, truth) for by in (None, "auto"))
            found.append([*plain[:2], *auto[:2], auto[2] / plain[2], auto[3]])
            receipt = model.explain(asked[:1], coverage=COVERAGE)[0].to_dict()
            ways[str(receipt["prediction_interval"]["by"])] += 1
        *shares, width, _ = np.mean(found, axis=0)
        covered = " | ".join(f"{share:.3f}" for share in shares)
        print(
            f"| {name} | {np.mean(skews):.1f} | {covered} | "
            f"{width:.2f} | {min(row[-1] for row in found):.3g} | "
            f"{', '.join(f'{way} {n}' for way, n in ways.most_common())} |",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
