"""Columns of a Dask frame by their names, and words for what is no Dask frame."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest

import sklazy
from clusters import CLASSES, QUERIES, TABLE, cluster, dd, sd
from places import with_a_cluster
from sklazy.errors import BadInputError, BadTypeError

pytestmark = with_a_cluster


def test_target_ids_and_times_are_taken_by_name():
    n_rows = len(TABLE)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n_rows), "D")
    ids = [f"row {i}" for i in range(n_rows)]
    frame = TABLE.assign(y=CLASSES, who=ids, when=days)
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES, ids=ids, times=days)
    with cluster(processes=False):
        other = sd.LazyKNeighborsClassifier(3, timeout=60).fit(
            dd.from_pandas(frame, 3, sort=False), "y", ids="who", times="when"
        )
        assert other.digest() == one.digest()
        assert other.ids_.tolist() == one.ids_.tolist()
        more = frame[:4].assign(who=["a", "b", "c", "d"])
        other.partial_fit(more, "y", ids="who", times="when").forget(["a", "row 5"])
        one.partial_fit(
            TABLE[:4], CLASSES[:4], ids=["a", "b", "c", "d"], times=days[:4]
        ).forget(["a", "row 5"])
        assert other.predict(QUERIES).tolist() == one.predict(QUERIES).tolist()
        assert other.digest() == one.digest()


def test_what_is_no_dask_frame_gets_its_own_words():
    frame = dd.from_pandas(TABLE.assign(y=CLASSES), 2)
    model = sd.LazyKNeighborsClassifier()
    with pytest.raises(
        BadTypeError, match=r"X is a DataFrame of this machine.*sklazy\."
    ):
        model.fit(TABLE, CLASSES)
    with pytest.raises(BadInputError, match="ids='customer' is not a column of X"):
        model.fit(frame, "y", ids="customer")
    with pytest.raises(BadInputError, match="y='y' names a column, but X has no names"):
        model.fit(da.ones((4, 2)), "y")
    with pytest.raises(
        BadTypeError, match=r"list is not a Dask collection.*frame\['name'"
    ):
        model.fit(frame, [1, 2])


@pytest.mark.parametrize("method", ["predict", "predict_proba", "novelty"])
def test_partitions_are_predicted_where_they_are(tmp_path, method):
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    one.save(tmp_path / "model.sklazy")
    frame = dd.from_pandas(QUERIES.assign(other=1), 4)
    with cluster(processes=False):
        answers = sd.predict(tmp_path / "model.sklazy", frame, method=method)
        assert answers.npartitions == frame.npartitions
        computed = answers.compute()
    assert computed.index.tolist() == QUERIES.index.tolist()
    assert computed.to_numpy().tolist() == getattr(one, method)(QUERIES).tolist()
    assert (
        computed.dtypes.tolist() == answers.dtypes.tolist()
        if (method == "predict_proba")
        else computed.dtype == answers.dtype
    )
    with pytest.raises(BadTypeError, match="expected a Dask frame"):
        sd.predict(tmp_path / "model.sklazy", QUERIES)
