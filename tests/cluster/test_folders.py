"""A model of a cluster in a folder: written by workers, opened by others."""

import os
import signal
import threading
import time

import pytest

import sklazy
from clusters import CLASSES, QUERIES, TABLE, as_dask, cluster, fit, sd
from places import with_a_cluster
from sklazy.dask import folders
from sklazy.errors import BadInputError

pytestmark = with_a_cluster


def check_equal(other, one):
    assert other.predict(QUERIES).tolist() == one.predict(QUERIES).tolist()
    assert other.digest() == one.digest()


def test_a_cluster_comes_back_and_its_rows_come_and_go(tmp_path):
    path = tmp_path / "model"
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    with cluster():
        sd.save(fit("LazyKNeighborsClassifier", 3), path)
    check_equal(sklazy.load(path), one)  # by one process
    check_equal(sklazy.load(path, mmap_mode="c"), one)
    with cluster() as client:  # another one
        other = sd.load(path, client, timeout=60)
        assert type(other) is sd.LazyKNeighborsClassifier
        check_equal(other, one)
        assert [r.to_json() for r in other.explain(QUERIES)] == [
            r.to_json() for r in one.explain(QUERIES)
        ]
        for model in (one, other):
            model.partial_fit(TABLE[:5], CLASSES[:5]).forget([7, 121])
        check_equal(other, one)
        client.restart()  # workers lose all they have, and open the files again
        check_equal(other, one)
        sd.save(other, path)
        check_equal(sklazy.load(path), one)
        assert sklazy.load(path).ids_.tolist() == one.ids_.tolist()


def test_workers_that_prepare_themselves_answer_as_others(tmp_path, monkeypatch):
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    one.save(tmp_path / "model", n_parts=2)
    prepared = []

    def dask_setup(worker):
        prepared.append(worker.address)
        setup(worker)

    setup = sd.dask_setup
    monkeypatch.setattr(sd, "dask_setup", dask_setup)
    with cluster(processes=False, preload=["sklazy.dask"]) as client:
        assert len(prepared) == len(client.nthreads()) == 2
        check_equal(sd.load(tmp_path / "model", timeout=60), one)


def test_other_methods_are_copied_to_the_workers(tmp_path):
    one = sklazy.LazyKernelClassifier().fit(TABLE, CLASSES)
    one.save(tmp_path / "model", n_parts=3)
    with cluster(processes=False):
        check_equal(sd.load(tmp_path / "model", timeout=60), one)


def open_slowly(places, number):
    """As `_open_part`, but the first two times it takes a while, and is noted."""
    mark = f"{os.path.dirname(places[0].path)}.opening"
    with open(mark, "a") as file:
        file.write(f"{os.getpid()}\n")
        is_first = file.tell() < 12
    if is_first:
        time.sleep(30)
    return folders.open_part(folders.PartPlace(*places[0]), number)


def test_a_worker_killed_while_it_opens_its_part_is_replaced(tmp_path, monkeypatch):
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    one.save(tmp_path / "model", n_parts=2)
    mark = tmp_path / "model.opening"

    def kill():
        while not mark.exists() or not mark.read_text():
            time.sleep(0.05)
        os.kill(int(mark.read_text().split()[0]), signal.SIGKILL)

    monkeypatch.setattr(folders, "_open_part", open_slowly)
    with cluster() as client:
        killer = threading.Thread(target=kill)
        killer.start()
        other = sd.load(tmp_path / "model", client, timeout=60)
        killer.join()
        check_equal(other, one)
    assert len(mark.read_text().split()) >= 3  # two parts, one of them twice


def test_what_cannot_be_opened_is_refused(tmp_path):
    one = sklazy.LazyKNeighborsClassifier(3).fit(TABLE, CLASSES)
    one.save(tmp_path / "file.sklazy")
    one.save(tmp_path / "model", n_parts=2)
    with cluster(processes=False, n_workers=1):
        with pytest.raises(
            BadInputError, match=r"not a model's folder\. Load a single file"
        ):
            sd.load(tmp_path / "file.sklazy")
        model = sd.LazyKNeighborsClassifier(3).fit(*as_dask())
        with pytest.raises(BadInputError, match="is a file"):
            sd.save(model, tmp_path / "file.sklazy")
        opened = sd.load(tmp_path / "model", timeout=60)
        for name in os.listdir(tmp_path / "model"):
            os.remove(tmp_path / "model" / name)
        with pytest.raises(BadInputError, match="not a model's folder"):
            sd.load(tmp_path / "model")
        check_equal(opened, one)  # what is mapped stays
