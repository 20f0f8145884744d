"""Several processes serve one model: one state, erasure everywhere, no gap."""

import os
import signal
import struct
import subprocess
import sys

import pytest

import sklazy
from process_memory import children_of, find_in_files, find_in_memory
from served import Served, make_model

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes and their memory are read from /proc"
)

ROW = {"size": 0.5, "color": "red"}
NUMBER, LABEL = 7654.321098765, "a color of one person"
PERSON = ["person-4711-a", "person-4711-b"]
TRACES = [struct.pack("<d", NUMBER), LABEL.encode(), b"person-4711"]
WRITTEN = [*TRACES, str(NUMBER).encode()]


@pytest.fixture
def journaled(tmp_path):
    make_model().save(tmp_path / "model.sklazy")
    words = ("--journal", "journal", "--token-file", "tokens", "--workers", "2")
    with Served(tmp_path, "model.sklazy", *words, "--receipts=values") as served:
        yield tmp_path, served


def digests(served, n=12):
    """What workers answer: the kernel hands connections to any of them."""
    said = [served.ask("GET", "/v1/digest").json() for _ in range(n)]
    return {(one["digest"], one["cases"]) for one in said}


def add_person(served):
    rows = [{"size": NUMBER, "color": LABEL}, {"size": NUMBER, "color": "red"}]
    body = {"rows": rows, "targets": ["up", "down"], "ids": PERSON}
    assert served.ask("POST", "/v1/add", body).json() == {"ids": PERSON, "cases": 62}


def test_a_person_is_erased_from_all_files_and_processes(journaled):
    folder, served = journaled
    before = digests(served)
    add_person(served)
    assert len(digests(served)) == 1
    assert digests(served) != before
    seen = [find_in_memory(pid, TRACES) for pid in served.processes()]
    assert not seen[0]  # the first process never sees a row
    assert all(found == set(TRACES) for found in seen[1:])
    assert {one for _, one in find_in_files(folder / "journal", WRITTEN)} == {
        *WRITTEN[1:]
    }
    old = set(served.processes()[1:])
    said = served.ask("DELETE", "/v1/cases", {"ids": PERSON})
    assert said.status == 200
    answer = said.json()
    assert (answer["forgotten"], answer["cases"]) == (2, 60)
    assert answer["proved"]
    assert answer["processes_replaced"]
    served.wait_until(lambda: not old & set(served.processes()))
    assert len(served.processes()) == 4
    assert digests(served) == before
    for pid in served.processes():
        assert find_in_memory(pid, WRITTEN) == set()
    assert find_in_files(folder, WRITTEN) == set()
    issued = sklazy.Certificate(answer["certificate"])
    snapshot = next((folder / "journal").glob("snapshot-*.sklazy"))
    assert issued.check(snapshot, ids=PERSON)


def test_a_copy_that_still_has_the_person_is_named(journaled):
    _, served = journaled
    answer = served.ask("DELETE", "/v1/cases", {"ids": ["case-5"]}).json()
    assert not answer["proved"]
    hits = [f for f in answer["certificate"]["files"] if f["hits"]]
    assert [file["name"] for file in hits] == ["model.sklazy"]
    assert served.ask("DELETE", "/v1/cases", {"ids": ["case-5"]}).status == 404
    assert served.ask("DELETE", "/v1/cases", {"ids": ["case-6"] * 2}).status == 422
    assert served.ask("POST", "/v1/forget", {"ids": ["case-6"]}).json()["cases"] == 58
    assert {cases for _, cases in digests(served)} == {58}


def test_processes_that_end_are_replaced_and_nothing_is_lost(journaled):
    _, served = journaled
    add_person(served)
    expected = digests(served)
    for pid in children_of(served.process.pid):  # the writer first, then the workers
        os.kill(pid, signal.SIGKILL)
        served.wait_until(lambda gone=pid: gone not in served.processes())
        served.wait_until(lambda: len(served.processes()) == 4)
        assert digests(served) == expected
    body = {"rows": [ROW], "targets": ["up"], "ids": ["late"]}
    served.wait_until(lambda: served.ask("POST", "/v1/add", body).status in (200, 422))
    assert {cases for _, cases in digests(served)} == {63}
    text = served.ask("GET", "/metrics").body.decode()
    assert "sklazy_cases 63" in text
    assert "process_resident_memory_bytes" in text


def test_a_damaged_journal_ends_the_server_with_its_reason(tmp_path):
    make_model().save(tmp_path / "model.sklazy")
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "snapshot-1.sklazy").write_bytes(b"damaged")
    (tmp_path / "tokens").write_text(f"change {'c' * 24}\n")
    words = ("serve", "journal", "--token-file", "tokens", "--workers", "2")
    code = "import sklazy_command; sklazy_command.main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--port=0"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "snapshot-1.sklazy" in done.stderr
    assert "could not start" in done.stderr


@pytest.mark.parametrize("n_workers", [1, 2])
def test_too_few_cases_for_groups_end_the_server_with_the_reason(tmp_path, n_workers):
    make_model(9).save(tmp_path / "model.sklazy")
    code = "import sklazy_command; sklazy_command.main()"
    words = ("serve", "model.sklazy", f"--workers={n_workers}", "--port=0")
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert "lower --min-group, or use --receipts values" in done.stderr
    assert "Traceback" not in done.stderr
