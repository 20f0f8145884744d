"""Preparation of a worker when it starts, so that the first question need not wait.

``dask worker --preload sklazy.dask`` has Dask call `dask_setup`.
"""

import numpy as np

import sklazy

_N_ROWS, _N_QUERIES = 4000, 64  # fewer are answered without compiled code


def dask_setup(_worker: object) -> None:
    """Import what parts need and load its compiled code, which is compiled once."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(_N_ROWS, 2)).tolist()
    words = random.choice(["a", "b", "c"], (_N_ROWS, 2)).tolist()
    rows = [[*some, *others] for some, others in zip(numbers, words, strict=True)]
    model = sklazy.LazyKNeighborsClassifier(5, n_attributes=2)
    model.fit(rows, [row[2] for row in rows]).predict(rows[:_N_QUERIES])
