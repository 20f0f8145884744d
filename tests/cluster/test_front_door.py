"""The front door of a cluster: answers, faults, bad input, on a small LocalCluster."""

import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import sklazy
from clusters import CLASSES, COLUMNS, QUERIES, TABLE, fit
from emulated import EmulatedDevice, needs_compiler
from places import with_a_cluster
from sklazy.answer.device import use_device

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
from sklazy import dask as sd  # noqa: E402 - it needs distributed
from sklazy.dask import engine as dask_engine  # noqa: E402

pytestmark = with_a_cluster


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    "name",
    [
        "LazyKNeighborsClassifier",
        "LazyNBClassifier",
        "LazyLearningClassifier",
        "LazyDecisionTreeClassifier",
    ],
)
def test_a_cluster_answers_like_one_machine(name, tmp_path):
    one, other = getattr(sklazy, name)().fit(TABLE, CLASSES), fit(name)
    for more in range(2):
        assert other.digest() == one.digest()
        assert other.predict(QUERIES).tolist() == one.predict(QUERIES).tolist()
        shares = other.predict_proba(QUERIES)
        assert shares.tobytes() == one.predict_proba(QUERIES).tobytes()
        for model in (one, other):
            model.partial_fit(TABLE[:2], CLASSES[:2])
            model.forget([3 + more, 50 + more, 119 + more])
    assert other.gather().digest() == one.digest()
    other.save(tmp_path / "model")
    assert sklazy.load(tmp_path / "model").digest() == one.digest()
    told = [receipt.to_dict() for receipt in other.explain(QUERIES[:2], reasons=False)]
    assert told == [
        receipt.to_dict() for receipt in one.explain(QUERIES[:2], reasons=False)
    ]


WORKER = """
import sys
import sklazy.dask, sklazy.dask.shards, sklazy.storage.folders
late = ["sklazy.dask.tables", "sklazy.estimators.audit", "sklazy.estimators.blends"]
assert not {*late, "sklazy.receipts", "sklearn.ensemble"} & set(sys.modules)
assert sklazy.dask.advise is sys.modules["sklazy.dask.tables"].advise
assert all(getattr(sklazy.dask, name) for name in sklazy.dask.__all__)
"""


def test_a_worker_imports_what_parts_need():
    subprocess.run([sys.executable, "-c", WORKER], check=True)


@pytest.mark.usefixtures("client")
def test_searches_leave_the_rows_where_they_are():
    for name in sd.BY_PARTS[:3]:
        model = fit(name)
        model.predict(QUERIES)
        model.explain(QUERIES[:1], reasons=False)
        assert "joined" not in model.model.cases_._state._derived


@pytest.mark.usefixtures("client")
def test_dask_queries_get_dask_answers():
    model = fit("LazyKNeighborsClassifier", 3)
    found = model.predict(dd.from_pandas(QUERIES, npartitions=2))
    assert sum(found.chunks[0]) == len(QUERIES)
    assert found.compute().tolist() == model.predict(QUERIES).tolist()


@pytest.mark.usefixtures("client")
def test_numbers_come_from_arrays():
    X = np.random.default_rng(0).normal(size=(60, 2)).round(1)
    y = X[:, 0] * 2 + X[:, 1]
    model = sd.LazyLearningRegressor(timeout=60)
    model.fit(da.from_array(X, (20, 1)), da.from_array(y, 20))
    one = sklazy.LazyLearningRegressor().fit(X, y)
    assert model.predict(X[:9] + 0.1).tobytes() == one.predict(X[:9] + 0.1).tobytes()


@pytest.mark.usefixtures("client")
def test_the_advantage_is_counted_in_parts():
    data = dd.from_pandas(TABLE.assign(y=CLASSES), npartitions=4)
    found = sd.lazy_advantage(data[COLUMNS], data["y"], timeout=60)
    assert found.to_dict() == sklazy.lazy_advantage(TABLE, CLASSES).to_dict()


@pytest.mark.usefixtures("client")
def test_columns_are_ranked_in_parts():
    data = dd.from_pandas(TABLE.assign(y=CLASSES), npartitions=4)
    found = sd.AttributeRanker(n_attributes=2).fit(data[COLUMNS], data["y"])
    one = sklazy.AttributeRanker(n_attributes=2).fit(TABLE, CLASSES)
    assert found.scores_.tobytes() == one.scores_.tobytes()
    names = found.get_feature_names_out().tolist()
    assert names == one.get_feature_names_out().tolist()
    with pytest.raises(sklazy.BadInputError, match="compute"):
        sd.AttributeRanker.weka().fit(data[COLUMNS], data["y"])


@pytest.mark.usefixtures("client")
def test_partitions_without_rows_and_without_values_are_no_trouble():
    table = TABLE.assign(y=CLASSES)
    table.loc[:29, "a"] = None
    data = dd.from_pandas(table, npartitions=4, sort=False)
    data = dd.concat([data[data["b"] > 1e9], data])
    model = sd.LazyKNeighborsClassifier(3, timeout=60).fit(data[COLUMNS], data["y"])
    one = sklazy.LazyKNeighborsClassifier(3).fit(table[COLUMNS], table["y"])
    assert model.predict(QUERIES).tolist() == one.predict(QUERIES).tolist()
    assert model.digest() == one.digest()


@pytest.mark.usefixtures("client")
def test_bad_input_is_refused_with_a_way_out():
    data = dd.from_pandas(TABLE.assign(y=CLASSES), npartitions=3)
    model = sd.LazyKNeighborsClassifier(3, timeout=60)
    with pytest.raises(sklazy.BadTypeError, match=r"of this machine.*from_pandas"):
        model.fit(TABLE, CLASSES)
    with pytest.raises(sklazy.BadInputError, match="the same partitions"):
        model.fit(data[COLUMNS], data["y"].repartition(npartitions=2))
    with pytest.raises(sklazy.BadInputError, match="no rows in any partition"):
        nothing = data[data["b"] > 1e9]
        model.fit(nothing[COLUMNS], nothing["y"])
    with pytest.raises(sklazy.BadInputError, match="not a running Dask client"):
        sd.LazyNBClassifier(client="here").fit(data[COLUMNS], data["y"])
    with pytest.raises(sklazy.UnknownIdError, match="nothing was forgotten"):
        model.fit(data[COLUMNS], data["y"]).forget([1, 999])
    with pytest.raises(sklazy.BadInputError, match="cannot be pickled"):
        pickle.dumps(model.model)
    with pytest.raises(AttributeError):
        sd.LazyNothing  # noqa: B018


@pytest.mark.usefixtures("client")
def test_partitions_that_disagree_are_refused():
    from dask import delayed

    pieces = [TABLE[:60], TABLE[60:].rename(columns={"c": "d"})]
    X = dd.from_delayed(
        [delayed(piece) for piece in pieces], meta=TABLE[:0], verify_meta=False
    )
    y = dd.from_pandas(CLASSES, npartitions=2)
    with pytest.raises(
        sklazy.BadInputError, match="differs from partition 0 in columns"
    ):
        sd.LazyNBClassifier(timeout=60).fit(X, y)


@pytest.mark.usefixtures("client")
@pytest.mark.filterwarnings("ignore:.*text that writes numbers")
def test_partitions_that_disagree_in_types_are_refused():
    data = dd.from_pandas(TABLE.assign(y=CLASSES, a=1.5), npartitions=2)

    def name(piece, partition_info=None):
        first = partition_info is not None and partition_info["number"] == 0
        return piece.assign(a=piece["a"].astype(str)) if first else piece

    odd = data.map_partitions(name, meta=data._meta)
    with pytest.raises(sklazy.BadInputError, match=r"numbers in partition 1 and lab"):
        sd.LazyNBClassifier(timeout=60).fit(odd[COLUMNS], odd["y"])


def test_who_has_no_client_or_a_closed_one_is_told(client, monkeypatch):
    data = dd.from_pandas(TABLE.assign(y=CLASSES), npartitions=2)
    with distributed.Client(client.scheduler.address, set_as_default=False) as own:
        model = sd.LazyNBClassifier(client=own, timeout=60)
        model.fit(data[COLUMNS], data["y"])
    with pytest.raises(sklazy.LostPartError, match="closed"):
        model.digest()

    def nobody():
        raise ValueError

    monkeypatch.setattr(distributed, "get_client", nobody)
    with pytest.raises(sklazy.BadInputError, match="there is no Dask client"):
        sd.LazyNBClassifier().fit(data[COLUMNS], data["y"])


@pytest.mark.usefixtures("client")
def test_workers_that_only_the_scheduler_reaches_answer_alike(monkeypatch):
    async def cannot(client, address):
        return False

    model = fit("LazyKNeighborsClassifier", 3)
    direct = model.predict_proba(QUERIES)
    monkeypatch.setattr(dask_engine, "_can_reach", cannot)
    model.model.cases_.parts.engine.reached.clear()
    assert model.predict_proba(QUERIES).tobytes() == direct.tobytes()


@pytest.mark.usefixtures("client")
def test_races_run_on_the_cluster():
    X, y = TABLE[["b"]].fillna(0.0), CLASSES
    grid = {"n_neighbors": [1, 3, 9]}
    races = [
        sklazy.RaceSearchCV(KNeighborsClassifier(), grid, cv=4, refit=False)
        for _ in range(2)
    ]
    races[0].fit(X, y)
    with joblib.parallel_config("dask"):
        races[1].fit(X, y)
    one, other = ({n: list(v) for n, v in r.cv_results_.items()} for r in races)
    assert {n: v for n, v in one.items() if "time" not in n} == {
        n: v for n, v in other.items() if "time" not in n
    }


def test_dask_knows_what_a_part_weighs():
    from dask.sizeof import sizeof

    model = sklazy.LazyNBClassifier().fit(TABLE, CLASSES)
    assert sizeof(model.cases_) > TABLE.shape[0] * 8


@needs_compiler
@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    "name",
    ["LazyKNeighborsClassifier", "LazyLearningClassifier", "LazyKernelClassifier"],
)
def test_each_worker_asks_a_device_of_its_own(name, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    one = getattr(sklazy, name)().fit(TABLE, CLASSES).predict_proba(QUERIES)
    devices = [EmulatedDevice(name=f"emulated:{i}") for i in range(2)]
    with use_device(*devices):
        model = fit(name, device="cuda")
        np.testing.assert_allclose(
            model.predict_proba(QUERIES), one, rtol=1e-9, atol=1e-9
        )
    assert all(device.sources for device in devices)


@needs_compiler
@pytest.mark.usefixtures("client")
def test_a_worker_that_sees_its_device_alone_takes_that(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    one = sklazy.LazyKNeighborsClassifier().fit(TABLE, CLASSES).predict_proba(QUERIES)
    devices = [EmulatedDevice(name=f"emulated:{i}") for i in range(2)]
    with use_device(*devices):
        found = fit("LazyKNeighborsClassifier", device="cuda").predict_proba(QUERIES)
    assert found.tobytes() == one.tobytes()
    assert [bool(device.sources) for device in devices] == [True, False]
