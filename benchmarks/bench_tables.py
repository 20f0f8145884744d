"""Reading files and coding columns against SciPy and pandas."""

import pathlib
import tempfile

import numpy as np
import pandas as pd
from scipy.io import arff

from sklazy.tables import as_table, read_table, recode


def _write_arff(path, n_rows=20_000, n_columns=16, seed=0):
    """A file of the shape of the letter data: small integers and a nominal class."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 16, (n_rows, n_columns))
    classes = rng.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), n_rows)
    head = [f"@attribute a{j} integer" for j in range(n_columns)]
    labels = ",".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    rows = [
        ",".join(map(str, row)) + f",{label}"
        for row, label in zip(numbers.tolist(), classes, strict=True)
    ]
    lines = ["@relation letters", *head, f"@attribute class {{{labels}}}", "@data"]
    path.write_text("\n".join(lines + rows))


def benchmarks():
    folder = tempfile.TemporaryDirectory()  # lives as long as the benchmarks do
    path = pathlib.Path(folder.name, "letters.arff")
    _write_arff(path)
    rng = np.random.default_rng(0)
    words = np.array([f"word {i}" for i in range(1000)], object)
    known, cells = words[:900], rng.choice(words, 1_000_000)
    column = as_table(cells[:, np.newaxis])["x0"]
    series = pd.Series(pd.Categorical(cells))
    return [
        {
            "name": "read_table, ARFF of 20 000 x 17",
            "why": "the largest classification set of the papers has this shape",
            "goal": None,
            "ours": lambda folder=folder: read_table(path),
            "peer": lambda: arff.loadarff(path),
            "peer_name": "scipy.io.arff.loadarff",
        },
        {
            "name": "recode, 1 000 000 cells among 900 of 1000 labels",
            "why": "a batch of queries as large as one is likely to ask at once",
            "goal": None,
            "ours": lambda: recode(column, tuple(known)),
            "peer": lambda: series.cat.set_categories(known).cat.codes,
            "peer_name": "pandas set_categories",
        },
    ]
