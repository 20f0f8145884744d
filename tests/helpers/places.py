"""Places where the cases of a model can lie: parts, files, a cluster.

Each takes a fitted model, the rows that it was fitted to and a folder of its own, and
gives a model that has the same cases in another place.
"""

import copy
import tempfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import sklazy
from random_tables import Rows
from sklazy.casebase.parted import PartedBase

SEGMENT = 24
"""Rows of a segment of a file, so that small tables have several."""

with_a_cluster = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
"""Marks of tests with a cluster: what Dask itself warns of is no matter of theirs."""


def divided(X, y, weights=None):
    """Rows in five parts, the third of which is empty."""
    owners = np.arange(len(y)) * 4 // len(y)
    return Rows(X, y, weights, None, owners + (owners >= 2), 5)


def here(model, rows, folder=None):
    """The model as it is."""
    return model


def in_parts(model, rows, folder=None):
    """The same model, its cases in parts."""
    return cut(model, rows.owners, rows.n_parts)


def cut(model, owners, n_parts):
    """The same model, its cases in parts."""
    twin = copy.copy(model)
    twin.cases_ = PartedBase.cut(model.cases_, owners, n_parts)
    return twin


def joined(model, rows, folder=None):
    """The same model, put together from one for each half of the rows."""
    ids = np.arange(len(rows.y)) if rows.ids is None else rows.ids
    given = {"X": rows.X, "y": rows.y, "ids": ids, "sample_weight": rows.weights}
    given = {name: own for name, own in given.items() if own is not None}
    half = len(rows.y) // 2
    return sklazy.join(
        [
            clone(model).fit(**{name: own[some] for name, own in given.items()})
            for some in (slice(half), slice(half, None))
        ]
    )


def mapped(model, rows, folder):
    """The same model, its cases in a file that is never changed."""
    return sklazy.load(saved(model, folder), mmap_mode="c")


def stored(model, rows, folder):
    """The same model, its cases in a file that is changed with it."""
    return sklazy.load(saved(model, folder), mmap_mode="r+")


def saved(model, folder):
    path = f"{tempfile.mkdtemp(dir=folder)}/cases.sklazy"
    model.save(path)
    return path


def on_cluster(model, rows, folder=None):
    """A model of the same parameters, fitted to the same rows by the current client."""
    from sklazy import dask as sd

    twin = getattr(sd, type(model).__name__)(timeout=60, **model.get_params(deep=False))
    named = (rows.X, rows.y, rows.weights, rows.ids)
    return twin.fit(*(partitions(own, rows) for own in named))


def partitions(cells, rows):
    """Cells of rows as a Dask frame or series, a partition for each part."""
    import dask.dataframe as dd
    from dask import delayed

    if cells is None:
        return None
    kind = type(cells) if hasattr(cells, "iloc") else pd.Series
    pieces = [kind(cells[rows.owners == p]) for p in range(rows.n_parts)]
    return dd.from_delayed(
        [delayed(piece) for piece in pieces], meta=pieces[0][:0], verify_meta=False
    )


PLACES = {
    "here": here,
    "parts": in_parts,
    "joined": joined,
    "mapped": mapped,
    "stored": stored,
    "cluster": on_cluster,
}


def keeper_of(model):
    """The estimator itself, of a model on a cluster, too."""
    return getattr(model, "model", model)


def elsewhere(names, few):
    """Every other place with every name; the gate tries few of them."""
    return [
        pytest.param(place, name, marks=[] if name in few else pytest.mark.slow)
        for place in PLACES
        for name in names
        if place != "here"
    ]
