"""Tables and figures that commands write: names, dates, formats."""

import csv
import re
from pathlib import Path

import pytest


def test_dates_that_are_predicted_are_called_days(run):
    days = "".join(f"{i},{i % 28 + 1:02}.{i % 12 + 1:02}.2024\n" for i in range(40))
    Path("days.csv").write_text(f"n,day\n{days}")
    code, _, noted = run("predict", "days.csv", "-t", "day", "-m", "ridge")
    assert code == 0
    assert "regression ('day' has dates)" in noted
    assert "the days since 1970-01-01" in noted
    assert "pandas" not in noted


def test_figures_below_a_million_have_no_powers_of_ten(run):
    rents = "".join(f"{i},{i * 1234}\n" for i in range(40))
    Path("rents.csv").write_text(f"n,rent\n{rents}")
    for command in ("predict", "race"):
        more = ("-c", "ridge,tree") if command == "race" else ("-m", "ridge")
        code, said, _ = run(command, "rents.csv", "-t", "rent", *more)
        assert code == 0
        assert not re.search(r"\de\+", said), said


def test_tables_of_audits_and_selections_may_be_parquet(run):
    rows = "".join(f"{i},{'ab'[i >= 20]}\n" for i in range(40))
    Path("small.csv").write_text(f"n,y\n{rows}")
    code, *_ = run("audit", "small.csv", "-t", "y", "-o", "found.parquet")
    assert code == 0
    assert Path("found.parquet").read_bytes()[:4] == b"PAR1"


@pytest.mark.parametrize("name", ["prediction", "probability", "row", "set"])
def test_a_target_named_like_a_written_column_hides_none(run, name):
    rows = "".join(f"{i},{'ab'[i >= 20]}\n" for i in range(40))
    Path("own.csv").write_text(f"n,{name}\n{rows}")
    Path("asked.csv").write_text(f"n,{name}\n1,b\n39,b\n")
    options = ("-t", name, "-m", "lazy-nb")
    code, said, noted = run("predict", "own.csv", "asked.csv", *options)
    assert code == 0, noted
    written = list(csv.DictReader(said.splitlines()))
    assert [row["prediction"] for row in written] == ["a", "b"]
    assert [row["row"] for row in written] == ["0", "1"]
    assert [row[f"{name} (true)"] for row in written] == ["b", "b"]
    assert 0.5 <= float(written[0]["probability"]) <= 1
    assert "accuracy 0.5000" in noted
    code, *_ = run("predict", "own.csv", *options, "-o", "left.csv")
    assert code == 0
    left = list(csv.DictReader(Path("left.csv").read_text().splitlines()))
    assert [row["row"] for row in left] == [str(i) for i in range(40)]


def test_bounds_and_ids_named_like_written_columns_stay(run):
    rows = "".join(f"{i},{i * 2.5},p{i}\n" for i in range(40))
    Path("own.csv").write_text(f"n,low,prediction\n{rows}")
    options = ("-t", "low", "-m", "lazy-learning", "--id", "prediction")
    code, said, _ = run("predict", "own.csv", "own.csv", *options)
    assert code == 0
    written = list(csv.DictReader(said.splitlines()))
    assert [row["prediction (id)"] for row in written[:2]] == ["p0", "p1"]
    for row in written:
        assert float(row["low"]) <= float(row["prediction"]) <= float(row["high"])
    assert [float(row["low (true)"]) for row in written[:3]] == [0, 2.5, 5]
