"""Walks across a limit: the error with one row less, and with one row more."""

import numpy as np
import pandas as pd
from sklearn.base import clone, is_regressor

N_QUERIES = 200
NOISE = 0.3  # of numbers, whose standard deviation is about 1
STEEPNESS = 2.0  # of the logistic curve from numbers to chances


def make_lines(random, n_rows, n_columns=12):
    """Normal columns, and a line through them."""
    columns = random.normal(size=(n_rows, n_columns))
    slopes = 1.0 / np.arange(1, n_columns + 1)
    return columns, columns @ slopes / np.linalg.norm(slopes)


def make_curves(random, n_rows):
    """The first function of J. H. Friedman (Annals of Statistics 19, 1991), scaled."""
    x = random.random((n_rows, 8))
    curve = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2
    return x, (curve + 10 * x[:, 3] + 5 * x[:, 4] - 14.4) / 4.9


def make_words(random, n_rows):
    """Three columns of three words: 27 different rows."""
    codes = random.integers(0, 3, (n_rows, 3))
    return np.array(["a", "b", "c"])[codes], (codes - 1.0) @ [1.0, 0.6, 0.0]


TABLES = {"lines": make_lines, "curves": make_curves, "words": make_words}


def make_table(table, seed, n_rows):
    """A frame, and the truth of each row."""
    rows, truth = TABLES[table](np.random.default_rng(seed), n_rows)
    names = [f"column {j}" for j in range(rows.shape[1])]
    return pd.DataFrame(rows, columns=names), truth


def find_chances(truth):
    """The chance of the class True."""
    return 1 / (1 + np.exp(-STEEPNESS * truth))


def draw_targets(model, truth, seed):
    """Numbers with noise, or classes by their chances."""
    random = np.random.default_rng([seed, 1])
    if is_regressor(model):
        return truth + NOISE * random.normal(size=len(truth))
    return random.random(len(truth)) < find_chances(truth)


def measure_error(model, queries, truth):
    """The root of the mean squared error, or the mean error of probabilities."""
    if is_regressor(model):
        return np.sqrt(np.mean((model.predict(queries) - truth) ** 2))
    return abs(model.predict_proba(queries)[:, 1] - find_chances(truth)).mean()


def walk(model, limit, table, n_draws=6, n_queries=N_QUERIES, measure=measure_error):
    """Errors with one row less than the limit and with one more, (n_draws, 2)."""
    queries, truth = make_table(table, 1000, n_queries)
    errors = np.empty((n_draws, 2))
    for seed in range(n_draws):
        rows, expected = make_table(table, seed, limit + 1)
        targets = draw_targets(model, expected, seed)
        for side, n_rows in enumerate([limit - 1, limit + 1]):
            one = clone(model).fit(rows[:n_rows], targets[:n_rows])
            errors[seed, side] = measure(one, queries, truth)
    return errors


def find_rise(errors):
    """By how much the error rises, as a share of it, where that is no sampling error.

    0 where the mean rise is within three standard errors of the differences.
    """
    before, after = errors.T
    rises = after - before
    noise = rises.std(ddof=1) / np.sqrt(len(rises))
    return rises.mean() / before.mean() if rises.mean() > 3 * noise else 0.0
