"""Sessions of the explorer on small tables, and plain twins of what they show."""

import contextlib
import time

import numpy as np
import pandas as pd

import sklazy
from sklazy.web.explore.asking import Asking
from sklazy.web.explore.session import Session


def flats(n=60, seed=0):
    """Numbers, labels and missing cells; the class follows from two of the columns."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.integers(20, 120, n).astype(float),
            "floor": rng.integers(0, 5, n).astype(float),
            "heating": rng.choice(["gas", "oil", "wood"], n),
            "year": rng.integers(1900, 2020, n).astype(float),
        }
    )
    rent = frame["size"] * 8 + (frame["heating"] == "oil") * 150 + rng.normal(0, 20, n)
    label = pd.Series(np.where(rent > rent.median(), "dear", "cheap"), name="price")
    frame.loc[3, "size"] = np.nan
    frame.loc[5, "heating"] = None
    return frame, label, rent.rename("rent")


@contextlib.contextmanager
def exploring(model, source="flats.csv", given=None, *, wait=True):
    """What answers the questions of a page, once all cases were left out."""
    session = Session(model, source, given)
    try:
        if wait:
            wait_for(session, "left-out")
        yield Asking(session)
    finally:
        session.close()


def wait_for(session, name, seconds=60, ends=("done",)):
    """Wait until a job is done."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        (job,) = [one for one in session.describe_jobs() if one["name"] == name]
        assert job["state"] != "failed", job["note"]
        if job["state"] in ends:
            return
        time.sleep(0.01)
    raise TimeoutError(name)


def nearest_class(n_neighbors=3):
    """A model whose left-out answers are quick."""
    return sklazy.LazyKNeighborsClassifier(n_neighbors, selection="none")
