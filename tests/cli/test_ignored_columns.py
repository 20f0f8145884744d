"""Columns that the user leaves out bring no note, and wrong names a good message."""

import pytest
from click.testing import CliRunner

from sklazy.cli import main


def run(*words):
    result = CliRunner().invoke(main, list(words))
    return result.exit_code, result.output


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"P{i};{i % 9};about {i};{'yn'[i % 9 > 4]}" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["who;age;text;ill", *rows]) + "\n")
    asked = [row.rsplit(";", 1)[0] for row in rows[:5]]
    (tmp_path / "b.csv").write_text("\n".join(["who;age;text", *asked]) + "\n")
    return tmp_path


TASK = ("-t", "ill", "-m", "lazy-nb")


@pytest.mark.parametrize(
    "words", [("predict", "a.csv", *TASK), ("predict", "a.csv", "b.csv", *TASK)]
)
def test_nothing_is_noted_of_what_the_user_ignored(people, words):
    words = [str(people / w) if w.endswith(".csv") else w for w in words]
    status, output = run(*words)
    assert status == 0
    assert "'who': set aside" in output
    status, output = run(*words, "--ignore", "who")
    assert status == 0, output
    assert "'who'" not in output
    assert "'text': set aside" in output
    status, output = run(*words, "--ignore", "who", "--ignore", "text")
    assert status == 0, output
    assert "set aside" not in output


def test_nothing_is_noted_of_it_in_a_store(people):
    store = ("store", str(people / "a.csv"), *TASK, "--id", "who", "-o", "a.store")
    assert "'text': set aside" in run(*store)[1]
    status, output = run(*store[:-1], "b.store", "--ignore", "text")
    assert status == 0, output
    assert "set aside" not in output
    status, output = run(*store[:-1], "c.store", "--ignore", "txt")
    assert status != 0
    assert "a.csv has no column 'txt'. Did you mean 'text'" in output


def test_the_models_are_those_of_a_file_without_the_column(people):
    fit = ("fit", "a.csv", *TASK, "--id", "who", "--ignore", "text")
    assert run(*fit, "-o", "a.sklazy")[0] == 0
    status, output = run("predict", "a.sklazy", "b.csv", "--id", "who", "-o", "c.csv")
    assert status == 0, output
    lines = (people / "a.csv").read_text().splitlines()
    kept = [";".join(line.split(";")[i] for i in (0, 1, 3)) for line in lines]
    (people / "d.csv").write_text("\n".join(kept) + "\n")
    run("fit", "d.csv", *TASK, "--id", "who", "-o", "d.sklazy")
    run("predict", "d.sklazy", "b.csv", "--id", "who", "-o", "e.csv")
    assert (people / "c.csv").read_text() == (people / "e.csv").read_text()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--ignore", "whom"), "a.csv has no column 'whom'. Did you mean 'who'"),
        (("--id", "whom", "--ignore", "text"), "--id whom: a.csv has no such column"),
        (("--id", "who", "--ignore", "txt"), "a.csv has no column 'txt'"),
    ],
)
def test_wrong_names_are_refused(people, option, message):
    status, output = run("predict", "a.csv", *TASK, *option)
    assert status != 0
    assert message in output
