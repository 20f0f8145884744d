"""Benchmarks run for minutes; that they use what the library has is seen at once."""

import ast
import importlib
import importlib.util
import pathlib
import re
import subprocess
import sys
import types

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "benchmarks"
FILES = sorted(FOLDER.glob("*.py"))
RUN = {"date": "2026-11-16 12:00", "machine": "2 cores", "load": 0.1}
RUN |= {"commit": "abc", "versions": {"python": "3.12.1"}}
LATER = {**RUN, "date": "2026-11-17 12:00"}


@pytest.fixture(autouse=True)
def beside_each_other(monkeypatch):
    """Benchmarks import each other as scripts do."""
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_benchmarks_use_what_is_there(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = getattr(module, node.value.id, None)
            if isinstance(owner, types.ModuleType):
                assert hasattr(owner, node.attr), f"{owner.__name__}.{node.attr}"


def test_there_are_benchmarks():
    assert len(FILES) > 10


def an_item(name, **more):
    return {"name": name, "why": "small", "goal": 2.0, "peer_name": "a peer", **more}


def test_a_row_has_both_sides_and_their_ratio():
    run = importlib.import_module("run")
    row = run.measure(
        an_item("x", measure=lambda: {"ours": 2.0, "peer": 6.0, "peer_name": "limit"})
    )
    assert (row["ratio"], row["unit"], row["peer_name"]) == (3.0, "s", "limit")
    alone = run.measure(an_item("x", measure=lambda: (1.5, "by fits")))
    assert alone["ratio"] == 1.5
    assert run.is_missed(alone)
    assert not run.is_missed(row)


def test_contestants_take_turns(monkeypatch):
    run, called = importlib.import_module("run"), []
    monkeypatch.setattr(run, "PAUSE", 0)
    item = an_item(
        "x", ours=lambda: called.append("o"), peer=lambda: called.append("p")
    )
    row = run.measure(item)
    assert len(re.findall("o+p+", "".join(called))) == 1 + run.REPETITIONS
    assert row["ours"] > 0
    assert row["peer"] > 0


def test_what_is_not_installed_is_named(tmp_path):
    run = importlib.import_module("run")

    def measure():
        importlib.import_module("a_peer_nobody_has")

    found = run.measure(an_item("x", measure=measure))
    assert found["missing"] == "needs a_peer_nobody_has"
    assert "ratio" not in found
    (tmp_path / "bench_odd.py").write_text("import a_peer_nobody_has\n")
    (item,) = run.open_group(tmp_path / "bench_odd.py")
    assert run.measure(item)["missing"] == "needs a_peer_nobody_has"


def test_a_benchmark_that_fails_is_a_row_and_the_last_word(tmp_path, capsys):
    run, speeds = map(importlib.import_module, ("run", "speeds"))
    row = run.measure(an_item("x", measure=lambda: {"ours": 0.0, "peer": 1.0}))
    assert row["missing"] == "failed: ZeroDivisionError"
    assert "ZeroDivisionError" in capsys.readouterr().err
    file = tmp_path / "speed.json"
    speeds.keep("some", ["x"], [an_item("x", ratio=3.0)], RUN, file)
    speeds.keep("some", ["x"], [row], LATER, file)
    (kept,) = speeds.read(file)["groups"]["some"]
    assert "ratio" not in kept


def test_the_table_fits_80_columns():
    run = importlib.import_module("run")
    rows = [
        {"name": "word " * 40, "why": "", "goal": 1 / 3, "ratio": 12345.6}
        | {"ours": 1.23456e-8, "peer": 99999.9, "unit": "s", "peer_name": "p" * 90},
        {"name": "x", "why": "", "goal": 100.0, "ratio": 0.00123}
        | {"ours": 0.999, "peer": 123.4, "unit": "bytes", "peer_name": "the limit"},
        {"name": "x", "why": "", "goal": None, "missing": "needs an NVIDIA GPU"},
    ]
    lines = "\n".join([run.HEAD, *map(run.as_lines, rows)]).splitlines()
    assert max(map(len, lines)) <= 80
    assert any("100!" in line for line in lines)
    assert any("not run" in line for line in lines)


def test_a_run_of_some_rows_replaces_those_alone(tmp_path):
    speeds, file = importlib.import_module("speeds"), tmp_path / "speed.json"
    names = ["a", "b", "gone"]
    rows = [an_item(name, ratio=1.23456, unit="s") for name in names]
    speeds.keep("first", names, rows, RUN, file)
    speeds.keep("second", ["c"], [an_item("c", ratio=5.0)], RUN, file)
    new = [an_item("b", ratio=7.0), an_item("a", missing="needs a GPU")]
    speeds.keep("first", ["b", "a"], new, LATER, file)
    stored = speeds.read(file)
    found = {row["name"]: row for row in stored["groups"]["first"]}
    assert list(found) == ["b", "a"]
    assert found["a"]["ratio"] == 1.235
    assert found["a"]["run"] == RUN["date"]
    assert (found["b"]["ratio"], found["b"]["run"]) == (7.0, LATER["date"])
    assert [row["name"] for row in stored["groups"]["second"]] == ["c"]
    speeds.keep("first", ["b", "a"], [an_item("a", ratio=2.0)], LATER, file)
    speeds.keep("second", ["c"], [an_item("c", ratio=2.0)], LATER, file)
    assert list(speeds.read(file)["runs"]) == [LATER["date"]]


def test_tables_show_figures_machine_versions_and_what_is_missing(monkeypatch):
    tables = importlib.import_module("tables")
    shown = [
        tables.Shown("two sizes", "a peer", ("a", "b")),
        tables.Shown("on a GPU", "all cores", ("c",)),
    ]
    monkeypatch.setattr(tables, "SHOWN", shown)
    soon = {**RUN, "date": "2026-11-16 13:00", "load": 0.7}
    rows = [
        an_item("a", ratio=20.04, ours=0.001, peer=0.02, unit="s", run=RUN["date"]),
        an_item("b", ratio=0.5, ours=2.0, peer=1.0, unit="s", run=soon["date"]),
        an_item("c", missing="needs a GPU", run=RUN["date"]),
    ]
    runs = {RUN["date"]: RUN, soon["date"]: soon}
    stored = {"runs": runs, "groups": {"some": rows}}
    text = tables.short_table(stored)
    assert "| two sizes | a peer | 1 ms / 2 s | 20 ms / 1 s | 20 / 0.5 |" in text
    assert "| on a GPU | all cores |  |  | not run |" in text
    assert "Measured 2026-11-16 on 2 cores; python 3.12.1, commit abc (load at" in text
    assert text.count("Measured") == 1
    assert "needs a GPU" in text
    page = tables.whole_page(stored)
    assert "| b: small | a peer | 2 s | 1 s | **0.5** | 2 |" in page
    assert "| c: small | needs a GPU |  |  | not run | 2 |" in page


def test_the_tables_are_those_of_the_last_run():
    """`make tables` would change nothing."""
    speeds, tables = map(importlib.import_module, ("speeds", "tables"))
    for path, text in tables.make_pages(speeds.read()).items():
        assert path.read_text("utf-8") == text, f"{path.name}: run `make tables`"


def test_the_tables_show_benchmarks_that_exist():
    run, tables = map(importlib.import_module, ("run", "tables"))
    files = sorted(FOLDER.glob("bench_*.py"))
    items = [run.open_group(file) for file in files if file.stem != "bench_tables"]
    names = [item["name"] for group in items for item in group]
    assert len(set(names)) == len(names)
    assert {name for shown in tables.SHOWN for name in shown.names} <= set(names)


def test_the_comparison_is_what_the_peers_answered():
    """`make peers` asks them; here the page is compared with what it kept."""
    command = [sys.executable, str(FOLDER / "peers" / "run.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_cliff_is_a_jump_of_more_than_five_times():
    everyday = importlib.import_module("everyday")
    before = {"fit": 0.1, "first": 0.1, "one row": 0.0001}
    after = {"fit": 0.49, "first": 0.51, "one row": 0.01}
    (jump,) = everyday.list_jumps(before, after)
    assert jump == ("first", pytest.approx(5.1))
