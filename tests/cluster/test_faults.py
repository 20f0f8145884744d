"""Workers that die, do not come, do not answer: the same answers, or a clear error."""

import asyncio
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dask
import numpy as np
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
    distributed,
    fit,
    sd,
)
from places import with_a_cluster
from sklazy.casebase.parts import Part
from sklazy.dask import client as dask_client
from sklazy.dask import engine as dask_engine

pytestmark = with_a_cluster


def kill(client, n_workers=1):
    """Kill the processes of workers."""
    for pid in list(client.run(os.getpid).values())[:n_workers]:
        os.kill(pid, signal.SIGKILL)


def die_once(piece, path):
    """End the process of a worker, the first time."""
    if path and not os.path.exists(path):
        with open(path, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return piece


def check_equal(other, one):
    assert other.predict(QUERIES).tolist() == one.predict(QUERIES).tolist()
    assert other.digest() == one.digest()


# --- kills ----------------------------------------------------------------------------


def test_all_workers_may_die_at_once():
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    with cluster(n_workers=1) as client:
        other = fit("LazyKNeighborsClassifier", 3)
        for model in (one, other):
            model.partial_fit(TABLE[:5], CLASSES[:5]).forget([7, 121])
        kill(client)
        check_equal(other, one)


@pytest.mark.slow
@pytest.mark.parametrize(("n_killed", "seconds"), [(1, 10), (2, 60)])
@pytest.mark.parametrize("name", ["LazyKNeighborsClassifier", "LazyKernelClassifier"])
def test_killed_workers_change_no_answer(name, n_killed, seconds):
    one = getattr(sklazy, name)().fit(TABLE, CLASSES)
    with cluster() as client:
        other = fit(name)
        check_equal(other, one)
        for model in (one, other):
            model.partial_fit(TABLE[:5], CLASSES[:5]).forget([7, 121])
        check_equal(other, one)
        begin = time.monotonic()
        kill(client, n_killed)
        check_equal(other, one)
        assert time.monotonic() - begin < seconds


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.004, 0.02])
@pytest.mark.parametrize("change", ["add", "forget"])
def test_a_worker_that_dies_during_a_change_loses_nothing(change, delay):
    more, ids = (TABLE[:60], CLASSES[:60]), list(range(1000, 1060))
    before = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    after = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    after.partial_fit(*more, ids=ids)
    with cluster() as client:
        other = fit("LazyKNeighborsClassifier", 3)
        if change == "forget":
            other.partial_fit(*more, ids=ids)
            before, after = after, before
        killer = threading.Timer(delay, kill, [client])
        begin = time.monotonic()
        killer.start()
        try:
            if change == "add":
                other.partial_fit(*more, ids=ids)
            else:
                other.forget(ids)
        except sklazy.LostPartError:
            after = before
        killer.join()
        check_equal(other, after)  # all or nothing
        assert other.ids_.tolist() == after.ids_.tolist()
        assert time.monotonic() - begin < 10


@pytest.mark.slow
def test_a_worker_that_dies_during_fit_changes_no_answer(tmp_path):
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    with cluster():
        data = dd.from_pandas(TABLE.assign(y=CLASSES), npartitions=4)
        path = str(tmp_path / "died")
        data = data.map_partitions(die_once, path, meta=data._meta)
        other = sd.LazyKNeighborsClassifier(3, timeout=60)
        check_equal(other.fit(data[COLUMNS], data["y"]), one)


def die_while(piece, path):
    """End the process of a worker as long as there is a file."""
    if os.path.exists(path):
        os.kill(os.getpid(), signal.SIGKILL)
    return piece


def test_a_part_comes_back_though_workers_were_lost_with_its_source(tmp_path):
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    path = tmp_path / "die"
    refuse_at_once = dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with refuse_at_once, cluster(n_workers=1) as client:
        data = dd.from_pandas(TABLE.assign(y=CLASSES), npartitions=2)
        data = data.map_partitions(die_while, str(path), meta=data._meta)
        other = sd.LazyKNeighborsClassifier(3, timeout=60)
        other.fit(data[COLUMNS], data["y"])
        path.touch()
        kill(client)
        with pytest.raises(sklazy.LostPartError, match="lost repeatedly") as kept:
            other.predict(QUERIES)
        path.unlink()
        check_equal(other, one)
    assert kept.value.__traceback__  # who asks by hand keeps the last one, too


# --- on a cluster that stays ----------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    with cluster(processes=False, threads_per_worker=2) as client:
        yield client


def test_a_worker_that_knows_no_actor_gets_its_part_anew(client):
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    other = fit("LazyKNeighborsClassifier", 3)

    def lose(dask_worker):  # as one that was started anew at the same address
        dask_worker.state.actors.clear()

    client.run(lose)
    check_equal(other, one)


def test_copies_that_are_lost_are_made_again(client):
    one = sklazy.LazyDecisionTreeClassifier().fit(TABLE, CLASSES)
    other = fit("LazyDecisionTreeClassifier")
    check_equal(other, one)
    client.cancel(other._copies.future, force=True)
    check_equal(other, one)


def test_a_cluster_without_workers_is_waited_for(monkeypatch):
    with cluster(n_workers=0, processes=False) as client:
        model = sd.LazyNBClassifier(timeout=0.3)
        with pytest.raises(sklazy.LostPartError, match=r"within 0\.3 seconds"):
            model.fit(*as_dask())
        with pytest.raises(sklazy.LostPartError, match=r"no workers for 0\.1 s"):
            dask_client.find_workers(client, 0.1)
        come = threading.Timer(0.3, client.cluster.scale, [1])
        come.start()
        model = sd.LazyNBClassifier(timeout=30).fit(*as_dask())
        come.join()
        one = sklazy.LazyNBClassifier().fit(TABLE, CLASSES)
        check_equal(model, one)


def sleep(piece, seconds):
    time.sleep(seconds)
    return piece


@pytest.mark.usefixtures("client")
def test_nobody_waits_for_ever():
    X, y = as_dask()
    late = X.map_partitions(sleep, 2.0, meta=X._meta)
    model = fit("LazyNBClassifier").set_params(timeout=0.2)
    for ask in (
        lambda: model.predict(late),
        lambda: model.explain(late, reasons=False),
        lambda: sd.advise(late, y, timeout=0.2),
        lambda: sd.audit(late, y, timeout=0.2),
        lambda: sd.AttributeRanker(timeout=0.2).fit(late, y),
        lambda: sd.lazy_advantage(late, y, timeout=0.2),
    ):
        begin = time.monotonic()
        with pytest.raises(sklazy.LostPartError, match=r"within 0\.2 seconds"):
            ask()
        assert time.monotonic() - begin < 2


class Sleeper(sklazy.LazyDecisionTreeClassifier):
    """One that takes its time."""

    def predict(self, X):
        time.sleep(2)
        return super().predict(X)


class SleeperOnDask(sd.DaskModel):
    kind, by_parts = Sleeper, False


@pytest.mark.usefixtures("client")
def test_copies_that_do_not_answer_are_given_up():
    model = SleeperOnDask(timeout=60).fit(*as_dask()).set_params(timeout=0.3)
    with pytest.raises(sklazy.LostPartError, match="slice 0 of the queries"):
        model.predict(QUERIES)


def slow_count(part: Part) -> int:
    time.sleep(3)
    return part.n_rows


def test_a_part_tells_how_long_it_has_been_at_work(client):
    model = fit("LazyKNeighborsClassifier", 3)
    engine = model.model.cases_.parts.engine
    assert engine.time_at_work(0) is None
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(model.model.cases_.ask, slow_count)
        time.sleep(1)
        elapsed, worked = engine.time_at_work(0)
        assert 0 < elapsed <= 3
        assert worked >= 0
        assert sum(asked.result()) == len(TABLE)
    assert engine.time_at_work(0) is None


def test_a_scheduler_that_does_not_answer_is_given_up(client, monkeypatch):
    async def never(**given):
        await asyncio.sleep(60)

    model = fit("LazyKNeighborsClassifier", 3).set_params(timeout=0.2)
    monkeypatch.setattr(dask_engine, "_REACH", 0.2)
    monkeypatch.setattr(client.scheduler, "ncores", never, raising=False)
    begin = time.monotonic()
    with pytest.raises(sklazy.LostPartError, match=r"part 0 has not answered for 0\.2"):
        model.model.cases_.ask(slow_count)
    with pytest.raises(sklazy.LostPartError, match="the scheduler has not answered"):
        dask_client.find_workers(client, 0.2)
    assert time.monotonic() - begin < 2.8


def test_a_client_that_is_closed_while_it_waits_says_so(client):
    with distributed.Client(client.scheduler.address, set_as_default=False) as own:
        model = sd.LazyKNeighborsClassifier(3, client=own, timeout=60)
        model.fit(*as_dask())
        closing = threading.Timer(0.3, own.close)
        closing.start()
        with pytest.raises(sklazy.LostPartError, match="client of these cases is clos"):
            model.model.cases_.ask(slow_count)
        closing.join()


def test_the_client_that_is_given_computes(client):
    with (
        distributed.Client(client.scheduler.address, set_as_default=False) as own,
        cluster(n_workers=0, processes=False),
    ):
        X, y = as_dask()  # the current client has no workers
        model = sd.LazyNBClassifier(client=own, timeout=20).fit(X, y)
        alone = sklazy.LazyNBClassifier().fit(TABLE, CLASSES)
        assert model.predict(X).compute(scheduler="sync").tolist() == (
            alone.predict(TABLE).tolist()
        )
        ranker = sd.AttributeRanker(client=own, timeout=20).fit(X, y)
        assert ranker.scores_.shape == (3,)
        assert sd.advise(X, y, client=own, max_seconds=0).n_rows == 120


@pytest.fixture
def interruptible():
    """A process that hears interrupts, also in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("client", "interruptible")
@pytest.mark.parametrize("way", ["parts", "copies"])
def test_an_interrupt_is_heard_and_the_model_answers_then(way):
    if way == "parts":
        model = fit("LazyKNeighborsClassifier", 3)
        ask = lambda: model.model.cases_.ask(slow_count)  # noqa: E731
    else:
        model = SleeperOnDask(timeout=60).fit(*as_dask())
        ask = lambda: model.predict(QUERIES)  # noqa: E731
    main = threading.main_thread().ident
    timer = threading.Timer(0.5, signal.pthread_kill, [main, signal.SIGINT])
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ask()
    assert time.monotonic() - begin < 1.5
    alone = type(model.gather())(**model.model.get_params()).fit(TABLE, CLASSES)
    assert model.predict(QUERIES).tolist() == alone.predict(QUERIES).tolist()
    assert np.array_equal(model.ids_, alone.ids_)
    assert model.predict(QUERIES).tolist() == alone.predict(QUERIES).tolist()
    assert np.array_equal(model.ids_, alone.ids_)


@pytest.mark.usefixtures("client")
def test_the_timeout_can_be_set_after_fit():
    model = fit("LazyKNeighborsClassifier", 3)
    model.predict(QUERIES)
    model.set_params(timeout=0.2)
    with pytest.raises(sklazy.LostPartError, match=r"has not answered for 0\.2 sec"):
        model.model.cases_.ask(slow_count)
    with (
        model.model.cases_.snapshot() as cases,
        pytest.raises(sklazy.LostPartError, match=r"has not answered for 0\.2 sec"),
    ):
        cases.ask(slow_count)
    assert model.set_params(timeout=60).digest() == (
        sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES).digest()
    )
