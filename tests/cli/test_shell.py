"""The command line as a shell sees it: quick help, completion, the README's lines."""

import importlib
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from click.shell_completion import BashComplete

from sklazy.cli import main, options
from sklazy.cli.completing import column_names
from sklazy.tables.read import Format
from sklazy.tables.table import Wish

ROOT = Path(__file__).parents[2]
LINE = re.compile(r"^    (sklazy .*?)(?:  +#.*)?$", re.MULTILINE)


def test_names_written_down_for_the_help_are_those_of_the_rooms():
    assert get_args(Format) == options.FORMATS
    assert get_args(Wish) == options.KINDS


@pytest.mark.parametrize("arguments", [["--help"], ["predict", "--help"]])
def test_help_imports_nothing_heavy_and_is_quick(arguments):
    code = (
        "import sys, sklazy_command\n"
        "try: sklazy_command.main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    heavy = {"numpy", "scipy", "sklearn", "numba", "pandas", "rich", "sklazy.tables"}
    assert not heavy & set(done.stderr.split())
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 0.6  # 0.1 s on an idle machine; the goal is 0.3


def complete(arguments, incomplete):
    shell = BashComplete(main, {}, "sklazy", "_SKLAZY_COMPLETE")
    return [item.value for item in shell.get_completions(arguments, incomplete)]


@pytest.mark.parametrize("command", [["predict"], ["fit", "-o", "model.sklazy"]])
def test_a_wrong_target_is_refused_before_anything_heavy(command, tmp_path):
    code = (
        "import sys, sklazy_command\n"
        "try: sklazy_command.main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    (tmp_path / "rows.csv").write_text("size,kind\n1,a\n2,b\n")
    done = subprocess.run(
        [sys.executable, "-c", code, *command, "rows.csv", "--target", "kindd"],
        env={"PYTHONPATH": str(ROOT / "src")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "rows.csv has no column 'kindd'. Did you mean 'kind'?" in done.stderr
    assert not {"sklearn", "numba"}.intersection(done.stderr.split())


def test_columns_of_the_file_are_completed(run):
    run("example")
    assert complete(["predict", "flats.csv", "--target"], "r") == ["rooms", "rent"]
    assert complete(["predict", "flats.csv", "-t", "rent", "--id"], "f") == ["flat"]
    assert complete(["fit", "flats.csv", "--kind"], "bu") == ["built="]
    assert complete(["predict", "nowhere.csv", "--target"], "") == []
    assert complete(["predict", "--target"], "") == []
    assert "lazy-knn" in complete(["predict", "flats.csv", "-m"], "lazy")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", '\ufeffa,"b, c",d\n1,2,3\n'),
        ("a.txt", "\na;b, c;d\n1;2;3\n"),
        ("a.tsv", "a\tb, c\td\n1\t2\t3\n"),
        (
            "a.arff",
            "@RELATION x\n@attribute a real\n@Attribute 'b, c' {1}\n@attribute d real",
        ),
        ("a.jsonl", '{"a": 1, "b, c": 2, "d": 3}\n'),
    ],
)
def test_names_are_found_in_every_kind_of_file(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert column_names(str(path)) == ["a", "b, c", "d"]


def lines_of(text):
    """The command lines in a text, with less time for those that take any."""
    found = [shlex.split(line)[1:] for line in LINE.findall(text)]
    for line in found:
        if "--max-seconds" in line:
            line[line.index("--max-seconds") + 1] = "1"
    return found


def readme_lines():
    text = (ROOT / "README.md").read_text("utf-8")
    return lines_of(text.split("## From a shell")[1].split("\n## ")[0])


def look_once(sessions, port, on_start):
    """Open an explorer, and close it."""
    on_start("http://127.0.0.1:1")
    for session in sessions:
        session.close()


@pytest.fixture
def at_once(monkeypatch):
    """Let a server stop as soon as it is ready, on a port that is free."""
    explore = importlib.import_module("sklazy.cli.explore")
    monkeypatch.setattr(explore, "run_explorer", look_once)
    monkeypatch.setattr("webbrowser.open", lambda url: True)
    work = importlib.import_module("sklazy.cli.serve")
    listen = work.listen

    def stop(app, listening, limits, on_start, may_end):
        on_start()
        listening.close()

    monkeypatch.setattr(work, "listen", lambda host, port: listen(host, 0))
    monkeypatch.setattr(work, "run_server", stop)


@pytest.mark.usefixtures("at_once")
def test_the_readme_can_be_typed_line_by_line(run):
    lines = readme_lines()
    assert len(lines) >= 10
    assert {line[0] for line in lines} >= set(main.commands) - {"demo", "completion"}
    for line in lines:
        if line[0] == "reproduce":  # minutes; its list is instant
            line = ["reproduce", "--list"]
        code, out, err = run(*line)
        assert code == 0, (line, err)
        assert out, line


@pytest.mark.usefixtures("at_once")
def test_the_lines_of_the_manual_can_be_typed(run):
    """Those that the README does not have already; the key is made by other means."""
    text = (ROOT / "docs" / "command_line.md").read_text("utf-8")
    Path("secret.key").write_bytes(b"thirty-two bytes that are secret")
    known = [line for line in readme_lines() if line[0] not in ("example", "fit")]
    for line in lines_of(text):
        if line not in known:
            code, _, err = run(*line)
            assert code == 0, (line, err)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("command", [("explore", "--port", "0"), ("audit",)])
def test_repeated_ids_give_way_to_places_with_a_note(flats, command):
    asked = ["flats.csv", "-t", "heating", "--id", "district", *command[1:]]
    code, out, err = flats(command[0], *asked)
    assert (code, bool(out)) == (0, True)
    assert "twice, so rows are named by their place in the file" in " ".join(
        err.split()
    )


@pytest.mark.parametrize("name", sorted(set(main.commands) - {"demo", "reproduce"}))
def test_examples_of_the_help_name_files_that_are_there(name):
    known = {"flats.csv", "new-flats.csv", "rent.sklazy", "heating.sklazy", "why.json"}
    help_text = main.commands[name].help
    files = set(re.findall(r"[\w-]+\.(?:csv|sklazy|json)\b", help_text))
    assert files <= known | {
        "rents.csv",
        "small.csv",
        "findings.csv",
        "gone.json",
        "old.sklazy",
    }
