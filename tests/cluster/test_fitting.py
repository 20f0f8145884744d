"""Partitions become parts: read once, a few for a worker, rows named as on one."""

import warnings

import numpy as np
import pandas as pd
import pytest

import sklazy
from clusters import (
    CLASSES,
    COLUMNS,
    QUERIES,
    TABLE,
    as_dask,
    cluster,
    dd,
    fit,
    sd,
)
from places import with_a_cluster
from sklazy.casebase.parts import Part
from sklazy.dask.shards import Holder

da = pytest.importorskip("dask.array")
from dask.delayed import delayed  # noqa: E402
from dask.sizeof import sizeof  # noqa: E402

from sklazy.dask import engine as dask_engine  # noqa: E402

pytestmark = [*with_a_cluster, pytest.mark.usefixtures("client")]


def knn(**parameters):
    return sd.LazyKNeighborsClassifier(3, timeout=60, **parameters)


def one(X=TABLE, y=CLASSES, **given):
    return sklazy.LazyKNeighborsClassifier(3).fit(X, y, **given)


def look(piece, path, partition_info=None):
    """Leave a mark for each time that a partition is read."""
    number = partition_info["number"] if partition_info else "meta"
    with open(path, "a") as file:
        file.write(f"{number}\n")
    return piece


def test_a_partition_is_read_once_and_again_only_if_it_is_lost(tmp_path, client):
    path = tmp_path / "read"
    data = dd.from_pandas(TABLE.assign(y=CLASSES, id=range(120)), npartitions=6)
    seen = data.map_partitions(look, str(path), meta=data._meta)
    model = knn().fit(seen[COLUMNS], seen["y"], ids=seen["id"])
    model.predict(QUERIES)
    assert sorted(path.read_text().split()) == list("012345")
    held = {key for keys in client.has_what().values() for key in keys}
    assert {str(key).split("-")[0] for key in held} == {"HolderOf"}
    client.run(lambda dask_worker: dask_worker.state.actors.clear())
    assert model.predict(QUERIES).tolist() == one().predict(QUERIES).tolist()
    assert sorted(path.read_text().split()) == sorted("012345012345")


def test_arrays_are_read_once(tmp_path):
    path = tmp_path / "read"
    X = np.random.default_rng(0).normal(size=(60, 3))

    def see(block):
        with open(path, "a") as file:
            file.write("read\n")
        return block

    whole = da.from_array(X, (20, 3)).map_blocks(see, meta=np.zeros((0, 0)))
    model = sd.LazyLearningRegressor(timeout=60).fit(whole[:, :2], whole[:, 2])
    alone = sklazy.LazyLearningRegressor().fit(X[:, :2], X[:, 2])
    assert path.read_text().count("read") == 3
    assert model.predict(X[:5, :2]).tobytes() == alone.predict(X[:5, :2]).tobytes()


def test_a_frame_and_an_array_go_together():
    X, y = as_dask()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = knn().fit(X, y.to_dask_array(lengths=True))
    assert model.digest() == one().digest()


def test_columns_may_have_any_name():
    table = TABLE.set_axis(["blocks", "rechunk", "ndim"], axis=1)
    assert knn().fit(*as_dask(table)).digest() == one(table).digest()


def test_many_partitions_are_few_parts():
    model = fit("LazyKNeighborsClassifier", 3, n_partitions=60)
    alone = one()
    assert len(model.model.cases_.parts) == 2
    assert max(model.model.cases_.sizes) <= 62
    assert model.digest() == alone.digest()
    assert model.ids_.tolist() == alone.ids_.tolist()
    told = [receipt.to_dict() for receipt in model.explain(QUERIES, reasons=False)]
    assert told == [
        receipt.to_dict() for receipt in alone.explain(QUERIES, reasons=False)
    ]
    for other in (model, alone):
        other.partial_fit(TABLE[:3], CLASSES[:3]).forget([0, 31, 77, 121])
    assert model.digest() == alone.digest()
    assert model.ids_.tolist() == alone.ids_.tolist()


def test_kinds_that_only_some_partitions_of_a_part_know_are_those_of_all():
    table = TABLE.assign(c=np.where(np.arange(120) < 100, None, TABLE["c"]))
    model = knn().fit(*as_dask(table, n_partitions=12))
    assert len(model.model.cases_.parts) == 2
    assert model.digest() == one(table).digest()


# --- ids ------------------------------------------------------------------------------


def test_ids_that_are_repeated_over_partitions_are_refused():
    X, y, ids = as_dask(ids=[*range(40), *range(3, 43), *range(100, 140)])
    with pytest.raises(sklazy.BadInputError, match=r"ids=\[3, 4, 5, 6, 7\] name rows"):
        knn().fit(X, y, ids=ids)
    X, y, ids = as_dask(ids=[f"r{i % 60}" for i in range(120)])
    with pytest.raises(sklazy.BadInputError, match=r"'r0'.* name rows of several"):
        knn().fit(X, y, ids=ids)


def test_text_ids_beside_numbers_are_refused():
    pieces = [
        np.array([f"r{i}" for i in range(40)]),
        *np.arange(40, 120).reshape(2, 40),
    ]
    ids = da.concatenate(
        [da.from_delayed(delayed(piece), (40,), object) for piece in pieces]
    )
    X, y = as_dask()
    with pytest.raises(sklazy.BadInputError, match="text in some partitions"):
        knn().fit(X, y, ids=ids)


@pytest.mark.parametrize(
    "given",
    [
        [f"flat {i}" for i in range(120)],
        [f"flat {i * 7 % 120}" for i in range(120)],
        list(range(500, 620)),
        list(range(120)),
        [i * 7 % 120 for i in range(120)],
        [i % 60 for i in range(120)],
        [i + 0.5 for i in range(120)],
        pd.RangeIndex(5, 125),
        pd.RangeIndex(240, 0, -2),
    ],
    ids=lambda given: f"{type(given).__name__} {given[0]} to {given[119]}",
)
def test_an_index_names_rows_as_on_one_machine(given):
    table = TABLE.set_axis(given)
    alone = one(table, CLASSES.to_numpy())  # whose order is that of the rows
    model = knn().fit(*as_dask(table, n_partitions=5))
    assert model.ids_.tolist() == alone.ids_.tolist()
    assert model.model.cases_.next_id == alone.cases_.next_id
    assert model.model.cases_.schema.indexed == alone.cases_.schema.indexed
    gone = alone.ids_[[2, 50, 119]].tolist()
    assert model.forget(gone).digest() == alone.forget(gone).digest()
    told = [own.to_dict() for own in model.explain(QUERIES[:3], reasons=False)]
    assert told == [own.to_dict() for own in alone.explain(QUERIES[:3], reasons=False)]
    more = TABLE[:2].set_axis(
        ["new 0", "new 1"] if model.ids_.dtype == object else [900, 901]
    )
    assert model.partial_fit(more, CLASSES[:2]).ids_.tolist() == (
        alone.partial_fit(more, CLASSES[:2]).ids_.tolist()
    )


def test_ranges_with_gaps_between_name_rows_as_on_one_machine():
    data = dd.from_pandas(TABLE.assign(y=CLASSES), npartitions=3).partitions[[0, 2]]
    model = knn().fit(data[COLUMNS], data["y"])
    whole = data.compute()
    assert model.ids_.tolist() == one(whole[COLUMNS], whole["y"]).ids_.tolist()
    assert model.ids_[-1] == 119


def test_the_next_id_follows_those_that_are_given():
    ids = np.arange(-120, 0)
    X, y, given = as_dask(ids=ids)
    model, alone = knn().fit(X, y, ids=given), one(ids=ids)
    for other in (model, alone):
        other.partial_fit(TABLE[:2], CLASSES[:2])
    assert model.ids_.tolist() == alone.ids_.tolist()


# --- what else is given ---------------------------------------------------------------


def test_a_partition_may_weigh_nothing_but_not_all():
    X, y, weights = as_dask(w=np.where(np.arange(120) < 40, 0.0, 2.0))
    model = knn().fit(X, y, weights)
    alone = one(sample_weight=weights.compute())
    assert model.predict_proba(QUERIES).tobytes() == (
        alone.predict_proba(QUERIES).tobytes()
    )
    with pytest.raises(sklazy.BadInputError, match="zero everywhere"):
        knn().fit(X, y, weights * 0)


def test_neighbors_may_be_more_than_a_partition_has():
    model = fit("LazyBaggingClassifier", n_neighbors=50, n_estimators=3)
    alone = sklazy.LazyBaggingClassifier(n_neighbors=50, n_estimators=3)
    alone.fit(TABLE, CLASSES)
    assert model.predict(QUERIES[:4]).tolist() == alone.predict(QUERIES[:4]).tolist()
    with pytest.raises(sklazy.BadInputError, match="n_samples=120"):
        fit("LazyBaggingClassifier", n_neighbors=121)


def test_rows_that_are_refused_are_counted_in_a_partition_that_is_named():
    table = TABLE.assign(b=np.where(np.arange(120) == 100, np.inf, 1.0))
    with pytest.raises(sklazy.BadInputError, match="inf in row 20") as refused:
        knn().fit(*as_dask(table))
    assert "partition 2," in refused.value.__notes__[0]


def test_a_partition_may_have_no_value_of_nullable_integers():
    table = TABLE.assign(
        d=pd.array([i if i < 40 else None for i in range(120)], "Int64")
    )
    assert knn().fit(*as_dask(table)).digest() == one(table).digest()


def test_what_the_estimator_does_not_take_is_refused():
    X, y, weights = as_dask(w=1.0)
    with pytest.raises(TypeError, match="takes no sample_weight"):
        sd.LazyDecisionTreeClassifier(timeout=60).fit(X, y, weights)
    with pytest.raises(sklazy.BadInputError, match="window=5"):
        knn(window=5).fit(X, y)


def test_times_and_classes_are_those_of_one_machine():
    times = np.arange(120) * 7 % 50
    X, y, given = as_dask(t=times)
    model = sd.LazyKNeighborsClassifier(3, half_life=9.0, timeout=60)
    model.fit(X, y, times=given)
    alone = sklazy.LazyKNeighborsClassifier(3, half_life=9.0)
    alone.fit(TABLE, CLASSES, times=times)
    for other in (model, alone):
        other.partial_fit(TABLE[:2], CLASSES[:2], times=[60, 61])
        other.forget(before=20)
    assert model.digest() == alone.digest()
    assert model.predict_proba(QUERIES).tobytes() == (
        alone.predict_proba(QUERIES).tobytes()
    )


@pytest.mark.parametrize("given", ["here", "Dask"])
@pytest.mark.parametrize("name", ["LazyNBClassifier", "LazyDecisionTreeClassifier"])
def test_the_first_rows_may_come_by_partial_fit(given, name):
    X, y = (TABLE, CLASSES) if given == "here" else as_dask()
    model = getattr(sd, name)(timeout=60).partial_fit(X, y, classes=[0, 1, 2, 3])
    alone = getattr(sklazy, name)().partial_fit(TABLE, CLASSES, classes=[0, 1, 2, 3])
    for other, more in ((model, as_dask(TABLE[:30], CLASSES[:30])), (alone, None)):
        other.partial_fit(*(more or (TABLE[:30], CLASSES[:30])))
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.digest() == alone.digest()
    assert model.predict_proba(QUERIES).tobytes() == (
        alone.predict_proba(QUERIES).tobytes()
    )


def test_parts_have_been_asked_when_fit_ends(monkeypatch):
    asked = []

    def ask(holder, version, function, given):
        asked.append((holder.part.number, function))
        return Holder.ask(holder, version, function, given)

    monkeypatch.setattr(dask_engine.HolderOf, "ask", ask)
    model = fit("LazyKNeighborsClassifier", 3)
    in_fit = set(asked)
    asked.clear()
    model.predict(QUERIES)
    assert asked
    assert in_fit >= set(asked)  # so that no kernel is compiled any more


def test_dask_knows_what_a_holder_weighs():
    model = sklazy.LazyNBClassifier().fit(TABLE, CLASSES)
    holder = Holder(Part.of(model.cases_, model.cases_.rows.live(), 0))
    weight = sizeof(holder)
    assert weight > TABLE.shape[0] * 8
    holder.kept[holder.version] = holder.part
    assert sizeof(holder) == 2 * weight


def test_categories_that_partitions_declare_are_united():
    halves = [
        TABLE[:60].astype({"a": "category"}),
        TABLE[60:].astype({"a": "category"}),
    ]
    halves[0]["a"] = halves[0]["a"].cat.set_categories(["z", "y", "x"])
    halves[1]["a"] = halves[1]["a"].cat.set_categories(["x", "w", "y", "z"])
    united = pd.api.types.union_categoricals([own["a"] for own in halves])
    whole = TABLE.assign(a=united)
    known = sklazy.LazyKNeighborsClassifier(3).fit(whole, CLASSES)
    X = dd.from_delayed([delayed(own) for own in halves], verify_meta=False)
    y = dd.from_delayed([delayed(CLASSES[:60]), delayed(CLASSES[60:])])
    with cluster(processes=False):
        model = sd.LazyKNeighborsClassifier(3).fit(X, y)
        assert model.digest() == known.digest()
        assert model.predict(QUERIES).tolist() == known.predict(QUERIES).tolist()
