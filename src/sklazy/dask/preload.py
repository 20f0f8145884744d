"""Preparation of a worker when it starts, so that the first question need not wait.

``dask worker --preload sklazy.dask`` has Dask call `dask_setup`.
"""

import os
from tempfile import TemporaryDirectory

import numpy as np

import sklazy
from sklazy.kernels.compiling import every_job_due

_N_ROWS, _N_QUERIES = 4000, 64  # fewer are answered without compiled code


def dask_setup(_worker: object) -> None:
    """Import what parts need and load its compiled code, which is compiled once."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(_N_ROWS, 2)).tolist()
    words = random.choice(["a", "b", "c"], (_N_ROWS, 2)).tolist()
    rows = [[*some, *others] for some, others in zip(numbers, words, strict=True)]
    model = sklazy.LazyKNeighborsClassifier(5, n_attributes=2)
    model.fit(rows, [row[2] for row in rows]).predict(rows[:_N_QUERIES])
    with TemporaryDirectory() as folder, every_job_due():  # rows are read from files
        model.save(path := os.path.join(folder, "cases"))
        sklazy.load(path, mmap_mode="c").predict(rows[:_N_QUERIES])
