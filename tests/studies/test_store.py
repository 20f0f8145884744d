"""Results that survive: kills, full disks, foreign files, changed settings."""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from sklazy import __version__
from sklazy.errors import ResultsFileError, UnitsFailedError
from sklazy_studies.harness import workers
from sklazy_studies.harness.runner import run_units
from sklazy_studies.harness.store import FORMAT, Store
from sklazy_studies.harness.unit import Unit
from slow_units import units, work, work_or_fail

SLOW = Path(__file__).parents[1] / "helpers" / "slow_units.py"


def expected(n):
    return [{"square": fold**2, "third": fold / 3} for fold in range(n)]


def start(folder, n, jobs, seconds, stderr=None):
    root = Path(__file__).parents[2]
    source = os.pathsep.join(str(root / name) for name in ("src", "studies"))
    return subprocess.Popen(
        [sys.executable, SLOW, folder, *map(str, (n, jobs, seconds)), __version__],
        env={**os.environ, "PYTHONPATH": source},
        stderr=stderr,
        text=True,
    )


def wait_for_results(path, more_than, process):
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
        if count_results(path) > more_than:
            return


def count_results(path):
    """Look from outside; writing is allowed, since a killed commit is rolled back."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True)) as f:
            return f.execute("SELECT count(*) FROM units").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_loses_at_most_the_units_in_hand(tmp_path, jobs):
    n, kills = 24, 0
    chance = random.Random(jobs)
    results = tmp_path / "results.sqlite"
    while not (tmp_path / "finished").exists():
        process = start(tmp_path, n, jobs, 0.05)
        before = count_results(results)
        if kills < 5:
            wait_for_results(results, before, process)
            time.sleep(chance.random() * 0.15)
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            assert count_results(results) > before
        else:
            assert process.wait(60) == 0
    worked = Counter(map(int, (tmp_path / "log").read_text().split()))
    assert sorted(worked) == list(range(n))
    assert worked.total() <= n + kills * jobs
    with Store(results) as store:
        assert list(store.find(units(n)).values()) == expected(n)


def test_orphaned_workers_end(tmp_path):
    process = start(tmp_path, 400, 2, 0.05)
    wait_for_results(tmp_path / "results.sqlite", 0, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(1.0)
    size = (tmp_path / "log").stat().st_size
    time.sleep(0.5)
    assert (tmp_path / "log").stat().st_size == size


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_the_run_and_leaves_no_process(tmp_path, jobs):
    process = start(tmp_path, 400, jobs, 0.05, subprocess.PIPE)
    wait_for_results(tmp_path / "results.sqlite", 2, process)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=10)
    assert "KeyboardInterrupt" in message
    assert message.count("Traceback") == 1
    assert count_results(tmp_path / "results.sqlite") >= 3
    size = (tmp_path / "log").stat().st_size
    time.sleep(0.3)
    assert (tmp_path / "log").stat().st_size == size


def test_what_is_recorded_is_not_done_again(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        first = run_units(work, units(5), store)
        assert list(first.values()) == expected(5)

        def refuse(unit):
            raise AssertionError(unit)

        assert run_units(refuse, units(5), store) == first


@pytest.mark.parametrize(
    "changed",
    [
        Unit("sleeping", 2, "", {"fold": 0}),
        Unit("sleeping", 1, "other data", {"fold": 0}),
        Unit("sleeping", 1, "", {"fold": 0, "k": 3}),
        Unit("sleeping", 1, "", {"fold": 1}),
        Unit("waking", 1, "", {"fold": 0}),
    ],
)
def test_what_is_changed_is_done_again(tmp_path, changed):
    with Store(tmp_path / "results.sqlite") as store:
        unit = Unit("sleeping", 1, "", {"fold": 0})
        store.record(unit, {"square": 0}, 0.1)
        assert store.find([changed]) == {}
        assert run_units(lambda unit: {"new": 1}, [changed], store)[changed] == {
            "new": 1
        }
        assert store.find([unit]) == {unit: {"square": 0}}


def test_another_version_of_sklazy_asks_for_new_results(monkeypatch):
    old = Unit("sleeping", 1, "", {"fold": 0}).key
    monkeypatch.setattr("sklazy.__version__", "99.0")
    assert Unit("sleeping", 1, "", {"fold": 0}).key != old


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_unit_does_not_stop_the_others(tmp_path, jobs):
    fine = [0, 1, 4, 5] if jobs == 2 else [0, 1, 4]
    asked = [units(6)[fold] for fold in [*fine, 2, *([3] if jobs == 2 else [])]]
    with Store(tmp_path / "results.sqlite") as store:
        with pytest.raises(UnitsFailedError, match="two is too many") as caught:
            run_units(work_or_fail, asked, store, jobs=jobs)
        assert [unit.setting["fold"] for unit in store.find(asked)] == fine
    assert any("Traceback" in trace for trace in caught.value.traces)
    if jobs == 2:
        assert "exit code 7" in str(caught.value)


def record_all(store, n):
    for unit in units(n):
        store.record(unit, {"text": "x" * 100}, 0.0)


def test_a_full_disk_loses_nothing(tmp_path):
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        pages = store._file.execute("PRAGMA page_count").fetchone()[0]
        store._file.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(ResultsFileError, match="the disk is full"):
            record_all(store, 10_000)
        recorded = len(store)
    assert recorded > 0
    with Store(path) as store:
        found = store.find(units(10_000))
        assert list(found) == units(recorded)
        store.record(units(10_000)[-1], {}, 0.0)


def test_a_file_of_another_version_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        store.record(units(1)[0], {}, 0.0)
        store._file.execute(f"PRAGMA user_version = {FORMAT + 1}")
    before = path.read_bytes()
    with pytest.raises(ResultsFileError, match=f"format {FORMAT + 1}"):
        Store(path)
    assert path.read_bytes() == before


def test_a_foreign_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "results.sqlite"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE mine (x)")
    file.close()
    before = path.read_bytes()
    with pytest.raises(ResultsFileError, match="another program"):
        Store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough " * 40, b"x", b"\0" * 16]
)
def test_a_file_that_is_no_database_is_refused(tmp_path, content):
    path = tmp_path / "results.sqlite"
    path.write_bytes(content)
    with pytest.raises(ResultsFileError, match="not a file of results"):
        Store(path)
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ResultsFileError, match="-o"):
        Store(tmp_path / "file" / "results.sqlite")


def test_a_file_locked_by_another_process_is_named(tmp_path, monkeypatch):
    path = tmp_path / "results.sqlite"
    Store(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *a, **k: connect(*a, **{**k, "timeout": 0.1})
    )
    with pytest.raises(ResultsFileError, match="another process"):
        Store(path)
    other.close()


def test_results_come_back_as_they_were(tmp_path):
    unit = units(1)[0]
    result = {"a": [0.1 + 0.2, 1e-300, None, "ü"], "b": {"c": [True, 2**53 + 1]}}
    with Store(tmp_path / "results.sqlite") as store:
        store.record(unit, result, 0.25)
        assert store.find([unit]) == {unit: result}
        assert store.seconds([unit]) == 0.25


def test_new_workers_ignore_an_interrupt_while_they_import():
    """Ctrl-C reaches them before their first line of ours: no traceback then."""
    # A shell starts what runs in the background with interrupts ignored.
    given = signal.signal(signal.SIGINT, signal.default_int_handler)
    worker = workers._start(_nothing)
    try:
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        os.kill(worker.process.pid, signal.SIGINT)  # it is importing now
        worker.pipe.send(Unit("demo", 1, "", {"fold": 0}))
        assert worker.pipe.recv().result == {"done": True}
    finally:
        signal.signal(signal.SIGINT, given)
        worker.process.terminate()
        worker.process.join()
        worker.pipe.close()


def _nothing(unit):
    return {"done": True}


@pytest.mark.parametrize("damage", [b"{\xff\xfe", b"{not JSON", b"\x00"])
def test_a_damaged_result_is_called_damaged(damage, tmp_path):
    path = tmp_path / "results.sqlite"
    unit = Unit("demo", 1, "", {"fold": 0})
    with Store(path) as store:
        store.record(unit, {"right": 1}, 0.1)
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE units SET result = CAST(? AS TEXT)", [damage])
    with Store(path) as store, pytest.raises(ResultsFileError) as caught:
        store.find([unit])
    assert str(path) in str(caught.value)


def wait_a_little(unit):
    time.sleep(0.3)
    return dict(unit.setting)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_may_end_before_all_units_are_done(tmp_path, jobs):
    cheap_last = [Unit("demo", 1, "", {"fold": i}, cost=9.0 - i) for i in range(5)]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(wait_a_little, cheap_last, store, max_seconds=0) == {}
        results = run_units(
            wait_a_little, cheap_last, store, jobs=jobs, max_seconds=0.05
        )
        # The cheapest first; what was begun is finished.
        done = [unit.setting["fold"] for unit in results]
        assert done == [4, 3, 2, 1, 0][: len(done)][::-1]
        assert len(done) >= 1 if jobs == 1 else len(done) < 5
        assert len(run_units(wait_a_little, cheap_last, store)) == 5


def test_how_results_were_computed_is_kept(tmp_path):
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        assert store.last_run("demo", "c") == []
        store.record_run("demo", "c", [("command", "first")])
        store.record_run("demo", "c", [("command", "second"), ("date", "today")])
        store.record_run("demo", "d", [("command", "of other code")])
    with Store(path) as store:
        kept = store.last_run("demo", "c")
        assert kept == [("command", "second"), ("date", "today")]
        assert len(store) == 0


def test_a_file_without_runs_gains_them(tmp_path):
    path = tmp_path / "results.sqlite"
    unit = Unit("demo", 1, "", {"fold": 0})
    with Store(path) as store:
        store.record(unit, {"right": 1}, 0.1)
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        file.execute("DROP TABLE runs")
    with Store(path) as store:
        assert store.find([unit]) == {unit: {"right": 1}}
        assert store.last_run("demo", "") == []
