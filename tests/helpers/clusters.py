"""Small clusters, and a table for them."""

import contextlib

import numpy as np
import pandas as pd
import pytest

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")
from sklazy import dask as sd  # noqa: E402 - it needs distributed


def frame(n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "a": rng.choice(list("xyz"), n_rows),
            "b": rng.normal(size=n_rows).round(1),
            "c": rng.integers(0, 4, n_rows).astype(str),
        }
    )
    table.loc[rng.random(n_rows) < 0.1, "b"] = np.nan
    return table, (table["b"].fillna(0) > 0).astype(int) + (table["a"] == "x")


TABLE, CLASSES = frame()
QUERIES = frame(15, seed=1)[0]
COLUMNS = list(TABLE.columns)


@contextlib.contextmanager
def cluster(*, n_workers=2, processes=True, **options):
    """The client of a small cluster."""
    given = {"threads_per_worker": 1, "dashboard_address": None, **options}
    # After this time a cluster gives up a worker that was killed again just before.
    patience = {"distributed.deploy.lost-worker-timeout": "1 hour"}
    with (
        dask.config.set(patience),
        distributed.LocalCluster(
            n_workers=n_workers, processes=processes, **given
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


def as_dask(table=None, y=None, n_partitions=3, **columns):
    """A table and its classes as Dask frames."""
    table, y = TABLE if table is None else table, CLASSES if y is None else y
    data = dd.from_pandas(
        table.assign(y=np.asarray(y), **columns), n_partitions, sort=False
    )
    return [data[list(table.columns)], data["y"], *(data[name] for name in columns)]


def fit(name, *given, n_partitions=3, **parameters):
    """An estimator by name, fitted on the current cluster."""
    model = getattr(sd, name)(*given, **{"timeout": 60, **parameters})
    return model.fit(*as_dask(n_partitions=n_partitions))
