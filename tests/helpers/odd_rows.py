"""Rows of all that histories stumble over."""

import numpy as np
import pandas as pd


def make_rows(rng, n_rows):
    """Rows with ties, missing cells, repeated rows and a rare extreme."""
    numbers = rng.normal(size=(n_rows, 3)).round(rng.integers(0, 3))
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    numbers[rng.random(n_rows) < 0.02, 0] = 1e9
    X = pd.DataFrame(numbers, columns=list("pqr"))
    for name in ("kind", "place"):
        labels = rng.choice(["a", "b", "c"], n_rows).astype(object)
        labels[rng.random(n_rows) < 0.1] = None
        X[name] = pd.Series(labels, dtype="str")
    first_again = np.where(rng.random(n_rows) < 0.2, 0, np.arange(n_rows))
    X = X.iloc[first_again].reset_index(drop=True)
    y = np.where(X["q"].fillna(0) + rng.normal(size=n_rows) > 0, "m", "n")
    return X, y
