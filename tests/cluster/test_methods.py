"""What estimators offer on a cluster: the methods of one machine, with its answers."""

import re
import time
import weakref

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sklazy
from clusters import (
    CLASSES,
    QUERIES,
    TABLE,
    as_dask,
    cluster,
    dd,
    fit,
    frame,
    sd,
)
from discovery import one_keeper_of_each
from places import with_a_cluster
from sklazy.casebase.parted import PartedBase
from sklazy.dask import model as dask_model
from sklazy.dask.copies import _ask_copy

pytestmark = [*with_a_cluster, pytest.mark.usefixtures("client")]


@pytest.fixture(scope="module")
def client():
    with cluster(processes=False, threads_per_worker=2) as client:
        yield client


ONE = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)


@pytest.fixture(scope="module")
def model(client):
    return fit("LazyKNeighborsClassifier", 3)


@pytest.mark.parametrize(
    "ask",
    [
        lambda m, X, y: m.predict(X),
        lambda m, X, y: m.predict_proba(X),
        lambda m, X, y: m.predict_both(X)[1],
        lambda m, X, y: m.select_attributes(X),
        lambda m, X, y: m.score(X, y),
        lambda m, X, y: m.novelty(X),
        lambda m, X, y: m.unlike(X),
        lambda m, X, y: m.similar(X, k=2),
        lambda m, X, y: m.predict_set(X, coverage=0.8),
        lambda m, X, y: m.loo_predict(),
        lambda m, X, y: m.loo_predict_proba([3, 1]),
        lambda m, X, y: m.past_predict(),
        lambda m, X, y: m.ids_,
        lambda m, X, y: m.classes_,
        lambda m, X, y: m.feature_names_in_,
        lambda m, X, y: [
            own.to_dict() for own in m.explain(X, coverage=0.8, reasons=False)
        ],
        lambda m, X, y: m.verify(ONE.explain(QUERIES[:1], reasons=False)[0]),
        lambda m, X, y: [own.attribute for own in m.suggest_attribute(X)],
        lambda m, X, y: m.risk_coverage().to_dict(),
    ],
)
def test_methods_answer_as_on_one_machine(model, ask):
    queries = QUERIES.assign(a=None)
    found = ask(model, queries, CLASSES[:15])
    wanted = ask(ONE, queries, CLASSES[:15])
    np.testing.assert_equal(np.asarray(found), np.asarray(wanted))
    by_dask = ask(model, *as_dask(queries, CLASSES[:15], n_partitions=2))
    if hasattr(by_dask, "compute"):
        by_dask = by_dask.compute()
    np.testing.assert_equal(np.asarray(by_dask), np.asarray(wanted))


def test_numbers_have_intervals():
    X, y = TABLE[["b"]].fillna(0.0), TABLE["b"].fillna(0.0) * 2
    model = sd.LazyLearningRegressor(timeout=60).fit(*as_dask(X, y))
    one = sklazy.LazyLearningRegressor().fit(X, y)
    found, wanted = (m.predict_interval(X[:5], coverage=0.8) for m in (model, one))
    np.testing.assert_equal(np.asarray(found), np.asarray(wanted))
    assert not hasattr(model, "predict_proba")


def test_what_is_not_offered_names_the_way_out(model):
    with pytest.raises(AttributeError, match=r"no explore; gather\(\) gives"):
        model.explore  # noqa: B018
    with pytest.raises(AttributeError, match=r"no set_fit_request; gather\(\)"):
        model.set_fit_request  # noqa: B018
    with pytest.raises(AttributeError, match="nothing_such"):
        model.nothing_such  # noqa: B018
    for name in ("RacedRegressor", "RaceFeatureSelector", "SubsetSelector"):
        with pytest.raises(AttributeError, match=rf"use sklazy\.{name} with the rows"):
            getattr(sd, name)


def test_parameters_can_be_set():
    model = fit("LazyKNeighborsClassifier", 3)
    before = model.predict_proba(QUERIES)
    assert model.set_params(n_neighbors=40, timeout=50) is model
    assert model.get_params()["timeout"] == 50
    assert model.get_params()["n_neighbors"] == 40
    one = sklazy.LazyKNeighborsClassifier(40).fit(TABLE, CLASSES)
    found = model.predict_proba(QUERIES)
    assert found.tobytes() == one.predict_proba(QUERIES).tobytes()
    assert found.tobytes() != before.tobytes()


def test_copies_follow_parameters():
    model = fit("LazyBaggingClassifier", n_estimators=3, random_state=0)
    before = model.predict_proba(QUERIES)
    assert model.set_params(n_jobs=1).predict_proba(QUERIES).tobytes() == (
        before.tobytes()
    )
    assert model._copies.future.result().n_jobs == 1
    model.set_params(n_estimators=9)
    one = sklazy.LazyBaggingClassifier(n_estimators=9, random_state=0)
    after = one.fit(TABLE, CLASSES).predict_proba(QUERIES)
    assert before.tobytes() != after.tobytes()
    assert model.predict_proba(QUERIES).tobytes() == after.tobytes()


def test_copies_are_of_the_state_that_they_are_said_to_be_of(monkeypatch):
    model, gather = fit("LazyKernelClassifier"), sd.LazyKernelClassifier._gather_state
    ids = list(range(1000, 1120))

    def change_meanwhile(own, cases):
        own.partial_fit(TABLE, (CLASSES + 1) % 3, ids=ids)
        return gather(own, cases)

    with monkeypatch.context() as patch:
        patch.setattr(sd.LazyKernelClassifier, "_gather_state", change_meanwhile)
        model.predict(QUERIES)
    model.model.forget(ids)
    one = sklazy.LazyKernelClassifier().fit(TABLE, CLASSES)
    assert model.digest() == one.digest()
    assert model.predict_proba(QUERIES).tobytes() == (
        one.predict_proba(QUERIES).tobytes()
    )


def test_no_copy_outlives_a_row_that_is_forgotten(client):
    model = fit("LazyDecisionTreeClassifier")
    model.predict(QUERIES)
    copies = weakref.ref(model._copies.future)
    key = model._copies.future.key
    model.forget([7])
    assert copies() is None
    for _ in range(100):
        if not client.who_has().get(key):
            break
        time.sleep(0.05)
    assert not client.who_has().get(key)


def test_published_settings_are_at_hand():
    model = sd.LazyKNeighborsClassifier.paper(timeout=60)
    assert (
        model.model.get_params() == sklazy.LazyKNeighborsClassifier.paper().get_params()
    )
    assert model.timeout == 60
    assert not hasattr(sd.LazyKernelClassifier, "paper")


def test_refresh_finds_frozen_cuts_anew():
    model = fit("LazyKNeighborsClassifier", 3, cuts="frozen")
    one = sklazy.LazyKNeighborsClassifier(3, cuts="frozen").fit(TABLE, CLASSES)
    for other in (model, one):
        other.partial_fit(TABLE.assign(b=TABLE["b"] * 3), CLASSES)
    assert model.digest() == one.digest()
    assert model.refresh() is model
    assert model.digest() == one.refresh().digest()


@pytest.mark.parametrize("name", ["LazyKNeighborsClassifier", "LazyKernelClassifier"])
def test_queries_without_rows_are_refused_as_on_one_machine(name):
    model = fit(name)
    nothing = dd.from_pandas(QUERIES, npartitions=2)
    for queries in (nothing[nothing["b"] > 1e9], QUERIES[:0]):
        with pytest.raises(sklazy.BadInputError, match="minimum of 1 is required"):
            model.predict(queries)


@pytest.mark.parametrize(
    "queries",
    [QUERIES.iloc[0].to_dict(), csr_matrix(np.ones((3, 3))), QUERIES["b"], "x", None],
    ids=lambda own: type(own).__name__,
)
def test_copies_take_and_refuse_queries_as_one_machine(queries):
    model = fit("LazyDecisionTreeClassifier")
    one = sklazy.LazyDecisionTreeClassifier().fit(TABLE, CLASSES)
    if isinstance(queries, dict):
        assert model.predict(queries).tolist() == one.predict(queries).tolist()
        return
    with pytest.raises((TypeError, ValueError)) as wanted:
        one.predict(queries)
    with pytest.raises(wanted.type, match=re.escape(str(wanted.value))):
        model.predict(queries)


def test_a_model_without_rows_says_so():
    for ask in (
        lambda: sd.LazyDecisionTreeClassifier().predict(QUERIES),
        lambda: sd.LazyNBClassifier().predict(QUERIES),
        lambda: sd.LazyNBClassifier().gather(),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask()


def test_a_clone_has_the_client_itself(client):
    model = sd.LazyKNeighborsClassifier.paper(client=client, timeout=7)
    twin = clone(model)
    assert twin is not model
    assert twin.model is not model.model
    assert twin.get_params() == model.get_params()


def test_rows_and_receipts_may_come_from_dask(model):
    other = fit("LazyKNeighborsClassifier", 3)
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    X, y, ids = as_dask(TABLE[:9], CLASSES[:9], ids=range(500, 509))
    other.partial_fit(X, y, ids=ids)
    one.partial_fit(TABLE[:9], CLASSES[:9], ids=range(500, 509))
    assert other.digest() == one.digest()
    assert other.ids_.tolist() == one.ids_.tolist()
    told = [own.to_dict() for own in other.explain(X, reasons=False)]
    assert told == [own.to_dict() for own in one.explain(TABLE[:9], reasons=False)]


@one_keeper_of_each
def test_every_estimator_answers_as_on_one_machine(setting):
    name = type(setting.model).__name__
    y = TABLE["b"].fillna(0.5) if name.endswith("Regressor") else CLASSES
    y = y.rename("y")
    table = TABLE[["b"]].fillna(0.0).assign(d=np.arange(120) % 7 / 2)
    one = clone(setting.model).fit(table, y)
    model = getattr(sd, name)(timeout=100)
    model.model = clone(setting.model)
    model.fit(*as_dask(table, y))
    assert model.digest() == one.digest()
    assert model.predict(table[:6]).tobytes() == one.predict(table[:6]).tobytes()
    told = [own.to_dict() for own in model.explain(table[:2], reasons=False)]
    assert told == [own.to_dict() for own in one.explain(table[:2], reasons=False)]


@pytest.mark.parametrize(("n_jobs", "wanted"), [(None, 2), (1, 1)])
def test_copies_use_the_threads_of_their_worker(client, n_jobs, wanted):
    model = sklazy.LazyDecisionTreeClassifier(n_jobs=n_jobs).fit(TABLE, CLASSES)

    def ask(model):
        _ask_copy(model, {}, "predict", QUERIES)
        return model.n_jobs

    assert client.submit(ask, model, pure=False).result(60) == wanted


def test_an_audit_is_that_of_one_machine():
    found, wanted = sd.audit(*as_dask()), sklazy.audit(TABLE, CLASSES)
    assert found.to_dict() == wanted.to_dict()


@pytest.mark.parametrize("y", [CLASSES, TABLE["b"].fillna(0.0) ** 2])
def test_advice_is_that_of_one_machine(y):
    options = {"n_folds": 2, "max_seconds": 0, "max_rows": 60}
    found = sd.advise(*as_dask(y=y), timeout=60, **options).to_dict()
    wanted = sklazy.advise(TABLE, y, **options).to_dict()
    for advice in (found, wanted):
        del advice["seconds_needed"], advice["verdict"]  # it names seconds
        for score in [*advice["scores"], advice["best"] or {}]:
            score.pop("seconds", None)
    assert found == wanted


def test_advice_leaves_most_rows_where_they_are(monkeypatch):
    table, y = frame(3000)
    taken, take = [], PartedBase.take
    monkeypatch.setattr(PartedBase, "joined", None)
    monkeypatch.setattr(
        PartedBase, "take", lambda own, rows: taken.append(len(rows)) or take(own, rows)
    )
    options = {"n_folds": 2, "max_seconds": 0, "max_rows": 60, "timeout": 60}
    advice = sd.advise(*as_dask(table, y), **options)
    assert advice.n_rows == 3000
    assert advice.n_sampled == 60
    assert max(taken) == 1000  # of one part, as `fit` takes them
    with pytest.raises(sklazy.errors.BadInputError, match="recommends no estimator"):
        _ = advice.best_


@pytest.mark.parametrize("name", ["LazyKNeighborsClassifier", "LazyBaggingClassifier"])
def test_queries_of_dask_are_all_answered_by_one_state(name, monkeypatch):
    given = {"n_neighbors": 3} if "Neighbors" in name else {"random_state": 0}
    model = fit(name, **given)
    expected = model.predict_proba(QUERIES)
    pieces = dask_model.computed_pieces

    def change_between(*given):
        for number, piece in enumerate(pieces(*given)):
            if number == 1:  # the first was answered meanwhile
                model.forget(CLASSES.index[CLASSES == 2][:20])
            yield piece

    monkeypatch.setattr(dask_model, "computed_pieces", change_between)
    found = model.predict_proba(dd.from_pandas(QUERIES, npartitions=3))
    assert found.compute().tolist() == expected.tolist()
    assert model.predict_proba(QUERIES).tolist() != expected.tolist()


def test_answers_have_the_partitions_of_their_queries(model):
    some = dd.from_pandas(QUERIES, npartitions=5, sort=False)
    some = some[some["a"] != "x"].map_partitions(
        lambda piece, partition_info=None: (
            piece
            if partition_info is None or partition_info["number"] % 2
            else piece[:0]
        ),
        meta=QUERIES.iloc[:0],
    )
    found = model.predict(some)
    sizes = some.map_partitions(len).compute().tolist()
    assert sizes.count(0) == 3
    assert list(found.chunks[0]) == sizes
    assert found.compute().tolist() == ONE.predict(some.compute()).tolist()
