"""Files with a decimal comma and limits, with and without ``--decimal``."""

import re

import pytest
from click.testing import CliRunner

from sklazy.cli import main

N_ROWS = 60
QUERIES = "who;crp\nQ1;<0,05\nQ2;1,5\nQ3;-\n"


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    return result.exit_code, result.output


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"P{i};{i},{i % 10};{'yn'[i > 30]}" for i in range(N_ROWS)]
    (tmp_path / "lab.csv").write_text("\n".join(["who;crp;ill", *lines]) + "\n")
    (tmp_path / "new.csv").write_text(QUERIES)
    (tmp_path / "pieces").mkdir()
    for i, line in enumerate(QUERIES.split()[1:]):
        (tmp_path / "pieces" / f"{i}.csv").write_text(f"who;crp\n{line}\n")
    return tmp_path


TRAINED = ("-t", "ill", "-m", "lazy-knn")


def test_limits_are_read_with_the_option_and_without(files):
    fit = ("fit", "lab.csv", *TRAINED, "--id", "who", "--decimal", ",")
    assert run(*fit, "-o", "lab.sklazy")[0] == 0
    lab = ("predict", "lab.csv", "new.csv", *TRAINED, "--id", "who")
    saved = ("predict", "lab.sklazy", "new.csv", "--id", "who")
    answers, notes = set(), ""
    for i, words in enumerate((lab, saved)):
        for option in ((), ("--decimal", ",")):
            status, output = run(*words, *option, "-o", f"out{i}{len(option)}.csv")
            assert status == 0, output
            notes += output
            answers.add((files / f"out{i}{len(option)}.csv").read_text())
    assert len(answers) == 1
    assert "'<0,05' as half of its limit" in notes
    status, output = run(*saved[:2], "pieces", "--id", "who", "-o", "answers")
    assert status == 0, output
    paths = sorted(files.glob("answers/*.csv"))
    assert [list_figures(p)[0] for p in paths] == list_figures(files / "out00.csv")


def list_figures(path):
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    return [[who, ill, round(float(share), 5)] for who, ill, share in lines]


def test_what_could_be_thousands_names_the_option(files):
    fit = ("fit", "lab.csv", *TRAINED, "--id", "who", "--decimal", ",")
    run(*fit, "-o", "lab.sklazy")
    ask = ("predict", "lab.sklazy", "new.csv", "--id", "who")
    for cells in (("1,250",), ("1,5", "1.250"), ("<1,250", "7,125")):
        rows = [f"Q{i};{cell}" for i, cell in enumerate(cells)]
        (files / "new.csv").write_text("\n".join(["who;crp", *rows]) + "\n")
        status, output = run(*ask)
        assert status != 0
        assert "--decimal ," in output
        status, output = run(*ask, "--decimal", ",")
        assert status == 0, output


def test_messages_of_the_shell_name_no_objects_of_python(files):
    run("fit", "lab.csv", *TRAINED, "--id", "who", "-o", "lab.sklazy")
    (files / "new.csv").write_text("who;crp\nQ1;warm\n")
    status, output = run("predict", "lab.sklazy", "new.csv", "--id", "who")
    assert status != 0
    assert "'warm'" in output
    assert "leave the cell empty" in re.sub(r"\s+", " ", output)
    assert "None" not in output
