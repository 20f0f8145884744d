"""How often the order of the columns changes an answer, by estimator.

    python benchmarks/column_order.py

Each estimator is fitted, with its defaults, to 60 random tables and to the same tables
with their columns shuffled. Tables of 15 to 60 rows, of which a third asks, with few
different numbers, constants and missing cells, so that ties are the rule: there
the order matters most. Prints on how many some label is another, and on how many some
probability or number moves by more than 1e-9 of the largest.
"""

import inspect
import warnings

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, is_regressor

import sklazy

N_TABLES = 60


def make_column(rng, n_rows):
    """A column of numbers, of labels, with missing cells, or a constant."""
    numbers = rng.normal(size=n_rows)
    columns = [
        rng.integers(0, 3, n_rows).astype(float),
        numbers,
        pd.Series(rng.choice(["a", "b", "c"], n_rows), dtype="str"),
        np.where(rng.random(n_rows) < 0.3, np.nan, numbers.round(1)),
        np.full(n_rows, 2.0),
    ]
    return columns[rng.integers(len(columns))]


def make_table(rng):
    """A frame, and what the first two of its columns tell of."""
    n_rows, n_columns = rng.integers(15, 60), rng.integers(2, 7)
    X = pd.DataFrame({f"c{j}": make_column(rng, n_rows) for j in range(n_columns)})
    codes = [
        np.nan_to_num(X[name]) if X[name].dtype == float else X[name] == "a"
        for name in X.columns[:2]
    ]
    return X, np.sum(codes, axis=0) + rng.normal(scale=0.5, size=n_rows)


def compare(kind, X, score, order):
    """Whether some label is another, and how far answers move."""
    n_known = len(X) * 2 // 3
    y = score if is_regressor(kind()) else np.digitize(score, [-0.3, 0.8])
    first = kind().fit(X[:n_known], y[:n_known])
    X, shuffled = X[n_known:], X[X.columns[order]]
    second = kind().fit(shuffled[:n_known], y[:n_known])
    one, other = first.predict(X), second.predict(shuffled[n_known:])
    if is_regressor(first):
        return False, np.abs(one - other).max() / np.abs(one).max()
    shares = first.predict_proba(X), second.predict_proba(shuffled[n_known:])
    return bool((one != other).any()), np.abs(shares[0] - shares[1]).max()


def main():
    for name in sklazy.__all__:
        kind, rng = getattr(sklazy, name), np.random.default_rng(0)
        if inspect.isclass(kind) and issubclass(kind, BaseEstimator):
            if not hasattr(kind, "forget"):
                continue
            tables = [make_table(rng) for _ in range(N_TABLES)]
            orders = [rng.permutation(X.shape[1]) for X, _ in tables]
            pairs = zip(tables, orders, strict=True)
            differences = [compare(kind, *table, order) for table, order in pairs]
            labels = sum(other for other, _ in differences)
            moved = sum(distance > 1e-9 for _, distance in differences)
            print(f"{name:28} {labels:3} labels, {moved:3} answers", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
