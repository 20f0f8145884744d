"""`sklazy audit`, and `sklazy explain` of rows with missing cells."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine

from sklazy.cli import main


@pytest.fixture
def wine(tmp_path, monkeypatch):
    """A file with a wrong label, a copy, a stranger, a formula and a row without y."""
    monkeypatch.chdir(tmp_path)
    frame, y = load_wine(return_X_y=True, as_frame=True)
    frame["label"] = y.map({0: "=cmd()", 1: "b", 2: "c"})
    frame.loc[100, "label"] = "=cmd()"
    frame.loc[178] = frame.loc[5]
    frame.loc[179] = [*(frame.iloc[:, :13].max() * 1.6), "c"]
    frame.loc[2, "label"] = None
    frame["bottle"] = [f"bottle {i}" for i in range(180)]
    frame.to_csv("wine.csv", index=False)
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(main, [str(a) for a in arguments], prog_name="sklazy")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def read_lines(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def test_findings_are_written_and_the_file_is_left_alone(wine):
    before = (wine / "wine.csv").read_bytes()
    result = run("audit", "wine.csv", "-t", "label", "-o", "f.csv", "--html", "r.html")
    assert result.exit_code == 0
    assert (wine / "wine.csv").read_bytes() == before
    lines = read_lines(wine / "f.csv")
    found = {(line["kind"], line["row"]) for line in lines}
    # Rows are counted as in the file, although row 2 has no label.
    assert {("label", "100"), ("duplicate", "5"), ("duplicate", "178")} <= found
    assert ("novel", "179") in found
    assert [line["column"] for line in lines if line["kind"] == "column"] == ["bottle"]
    wrong = next(line for line in lines if line["row"] == "100")
    assert (wrong["given"], wrong["suggested"]) == ("=cmd()", "b")
    assert "<html" in (wine / "r.html").read_text()
    assert "Worth a second look" in result.output
    assert "label" in result.output


def test_csv_can_be_made_safe_for_spreadsheets(wine):
    run("audit", "wine.csv", "-t", "label", "-o", "f.csv", "--safe-csv")
    lines = read_lines(wine / "f.csv")
    assert next(x for x in lines if x["row"] == "100")["given"] == "'=cmd()"
    assert not any(c[:1] in "=+@" for line in lines for c in line.values() if c)


def test_the_result_can_be_json(wine):
    result = CliRunner().invoke(main, ["audit", "wine.csv", "-t", "label", "--json"])
    start = result.output.index("{\n")
    plain = json.JSONDecoder().raw_decode(result.output[start:])[0]
    assert plain["target"] == "label"
    assert plain["findings"][0]["rows"] == [100]


@pytest.mark.parametrize("option", ["-o", "--html"])
def test_the_input_is_never_overwritten(wine, option):
    before = (wine / "wine.csv").read_bytes()
    result = run("audit", "wine.csv", "-t", "label", option, "wine.csv")
    assert result.exit_code == 2
    assert "is an input file" in result.output
    assert (wine / "wine.csv").read_bytes() == before


def test_numbers_are_audited_too(wine):
    frame = pd.read_csv("wine.csv").drop(columns=["label", "bottle"])
    frame.loc[7, "proline"] = 9000.5
    frame.to_csv("numbers.csv", index=False)
    result = run("audit", "numbers.csv", "-t", "proline", "-o", "f.csv")
    assert result.exit_code == 0
    first = read_lines(wine / "f.csv")[0]
    assert (first["kind"], first["row"], first["given"]) == ("label", "7", "9000.5")


def test_an_interrupt_writes_nothing(wine, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sklazy.estimators.audit.evidence.compare_rows", stop)
    result = run("audit", "wine.csv", "-t", "label", "-o", "f.csv")
    assert result.exit_code == 130
    assert "Nothing was written" in result.output
    assert not (wine / "f.csv").exists()


def test_rows_with_missing_cells_are_told_what_to_measure(wine):
    frame = pd.read_csv("wine.csv").drop(columns=["label", "bottle"]).iloc[[0, 1]]
    frame.iloc[0, 2:] = np.nan
    frame.to_csv("new.csv", index=False)
    command = ["explain", "wine.csv", "-t", "label", "--ignore", "bottle"]
    result = run(*command, "new.csv", "-m", "lazy-nb")
    assert "What to measure next" in result.output
    result = run(*command, "new.csv", "-m", "lazy-nb", "--row", "1")
    assert result.exit_code == 0
    assert "What to measure next" not in result.output
