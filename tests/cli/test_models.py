"""Models in files, receipts that are verified, names of rows, all probabilities."""

import csv
import gzip
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sklazy

FLATS = Path(sklazy.__file__).parent / "examples" / "flats.csv"


def rows_of(out):
    return list(csv.DictReader(io.StringIO(out)))


# --- models ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "method"), [("heating", "lazy-knn"), ("rent", "kernel")]
)
def test_a_model_predicts_as_its_training_file_does(flats, target, method):
    asked = ["-t", target, "-m", method, "--id", "flat"]
    asked += ["--ignore", "rent"] * (target == "heating")
    code, out, _ = flats("fit", "flats.csv", *asked, "-o", "a.sklazy")
    assert code == 0
    assert f"{method} for '{target}', fitted to 200 rows: a.sklazy" in out
    _, direct, _ = flats("predict", "flats.csv", "new-flats.csv", *asked)
    code, saved, _ = flats("predict", "a.sklazy", "new-flats.csv", "--id", "flat")
    assert code == 0
    assert saved == direct
    assert [row["flat"] for row in rows_of(saved)] == [f"N{i:02}" for i in range(1, 21)]


def test_a_model_reads_dates_and_amounts_as_its_training_file_was_read(run):
    days = pd.date_range("2024-01-01", periods=40).strftime("%d.%m.%Y")
    price = [f"{i % 7 + 1},50 \N{EURO SIGN}" for i in range(40)]
    frame = pd.DataFrame({"day": days, "price": price, "y": np.arange(40) % 7})
    frame.to_csv("train.csv", index=False, sep=";")
    frame[["price", "day"]].head(3).to_csv("ask.csv", index=False, sep=";")
    asked = ["-t", "y", "--task", "regression", "-m", "kernel"]
    assert run("fit", "train.csv", *asked, "-o", "m.sklazy")[0] == 0
    _, direct, _ = run("predict", "train.csv", "ask.csv", *asked)
    code, saved, err = run("predict", "m.sklazy", "ask.csv")
    assert (code, saved) == (0, direct), err


def test_models_are_compared_with_targets_that_are_known(flats):
    flats("fit", "flats.csv", "-t", "heating", "-m", "lazy-knn", "-o", "a.sklazy")
    code, out, err = flats("predict", "a.sklazy", "flats.csv")
    assert code == 0
    assert "on 200 rows with a known 'heating'" in err
    assert {"row", "prediction", "probability", "heating"} == set(rows_of(out)[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["fit", "flats.csv", "-t", "rent", "-m", "ridge", "-o", "b"],
            "cannot be writ",
        ),
        (["predict", "a.sklazy"], "sklazy predict a.sklazy FILE"),
        (
            ["predict", "a.sklazy", "new-flats.csv", "-m", "kernel"],
            "--method is for training",
        ),
        (["predict", "flats.csv"], "--target is missing; give the column to predict"),
        (["explain", "a.sklazy"], "after the model"),
        (
            ["predict", "a.sklazy", "lacking.csv"],
            "To train without one, give --ignore area",
        ),
        (
            ["predict", "flats.csv", "-t", "rent", "--id", "built"],
            "every row needs an id of its own",
        ),
        (
            ["explain", "flats.csv", "-t", "rent", "--id", "flat", "--row", "X"],
            "no row",
        ),
        (["predict", "flats.csv", "new-flats.csv", "-t", "rent", "--id", "flt"], "flt"),
    ],
)
def test_what_cannot_be_done_is_said(flats, arguments, message):
    flats("fit", "flats.csv", "-t", "rent", "-m", "lazy-learning", "-o", "a.sklazy")
    frame = pd.read_csv("new-flats.csv").drop(columns="area")
    frame.to_csv("lacking.csv", index=False)
    code, _, err = flats(*arguments)
    assert code == 2
    assert message in err


# --- beside predictions ---------------------------------------------------------------


def test_probabilities_of_all_classes(flats):
    asked = ["predict", "flats.csv", "new-flats.csv", "-t", "heating"]
    asked += ["-m", "lazy-nb", "--ignore", "rent"]
    _, out, _ = flats(*asked, "--probabilities")
    shares = [
        [float(row[name]) for name in row if name.startswith("probability of ")]
        for row in rows_of(out)
    ]
    assert np.shape(shares) == (20, 4)
    assert np.sum(shares, axis=1) == pytest.approx(np.ones(20))
    _, out, _ = flats(*asked, "--json")
    found = json.loads(out)
    for row in found["rows"]:
        assert list(row["probabilities"]) == ["district", "gas", "heat pump", "stove"]
        assert row["probabilities"][row["prediction"]] == row["probability"]


def test_intervals_stand_beside_numbers_where_a_method_has_them(flats):
    asked = ["predict", "flats.csv", "new-flats.csv", "-t", "rent"]
    _, out, _ = flats(*asked, "-m", "lazy-learning", "--coverage", 0.8)
    for row in rows_of(out):
        assert float(row["low"]) <= float(row["prediction"]) <= float(row["high"])
    _, out, _ = flats(*asked, "-m", "lazy-learning", "--coverage", 0)
    assert set(rows_of(out)[0]) == {"row", "prediction"}


def test_novelty_is_said(flats):
    strange = pd.read_csv("new-flats.csv").head(2)
    strange.loc[1, ["area", "rooms", "district"]] = [900.0, 40, "moon"]
    strange.to_csv("strange.csv", index=False)
    asked = ["predict", "flats.csv", "strange.csv", "-t", "rent", "-m", "kernel"]
    _, out, err = flats(*asked, "--json")
    usual, unlike = json.loads(out)["rows"]
    assert usual["novelty"] < 0.99 <= unlike["novelty"]
    assert "unlike" not in unlike
    assert "1 row is unlike all cases: row 1" in err
    _, out, _ = flats("explain", *asked[1:], "--row", 1)
    assert "This row is unlike all cases" in out
    _, out, _ = flats("explain", *asked[1:], "--row", 0)
    assert "unlike all cases" not in out
    code, _, err = flats(*asked[:-1], "knn", "--novelty")
    assert (code, "keeps no cases" in err) == (2, True)


# --- receipts -------------------------------------------------------------------------


def test_a_receipt_says_which_row(flats):
    asked = ["explain", "flats.csv", "-t", "rent", "--id", "flat", "-m", "kernel"]
    rows = ["--row", "F007", "--row", "F100"]
    _, out, _ = flats(*asked, *rows, "--html", "why.html", "-o", "why.json")
    assert "F007 of flats.csv" in out
    assert "F100 of flats.csv" in Path("why.html").read_text()
    receipts = sklazy.Receipts.from_json(Path("why.json").read_text())
    assert [receipt.row for receipt in receipts] == ["F007", "F100"]


@pytest.mark.parametrize("method", ["lazy-knn", "lazy-bagging", "blend"])
def test_receipts_are_verified_by_the_file_and_by_the_model(flats, method):
    told = ["flats.csv", "-t", "heating", "--ignore", "rent", "-m", method]
    by_file = ["verify", "why.json", *told[:-2]]
    flats("explain", *told, "--row", 7, "--row", 9, "-o", "why.json")
    code, out, err = flats(*by_file)
    assert code == 0, err
    assert (code, "2 receipts: not edited, flats.csv gives" in out) == (0, True)
    flats("fit", *told, "-o", "m.sklazy")
    flats("explain", "m.sklazy", "new-flats.csv", "--row", 3, "-o", "why.json")
    assert flats(*by_file)[0] == 0
    code, out, _ = flats("verify", "why.json", "m.sklazy", "--json")
    assert code == 0
    assert json.loads(out) == {
        **{"receipts": 1, "sealed": True, "signed": None, "replayed": True}
    }


def test_what_was_edited_or_is_of_other_cases_is_refused(flats):
    told = ["flats.csv", "-t", "heating", "-m", "lazy-knn"]
    flats("explain", *told, "--row", 7, "-o", "why.json")
    content = json.loads(Path("why.json").read_text())
    content[0]["answer"] = "stove"
    Path("edited.json").write_text(json.dumps(content))
    code, _, err = flats("verify", "edited.json")
    assert (code, "was edited" in err) == (2, True)
    pd.read_csv("flats.csv").assign(area=50.0).to_csv("other.csv", index=False)
    code, _, err = flats("verify", "why.json", "other.csv", "-t", "heating")
    assert (code, "other cases" in err) == (2, True), err
    pd.read_csv("flats.csv").head(50).to_csv("few.csv", index=False)
    code, _, err = flats("verify", "why.json", "few.csv", "-t", "heating")
    assert (code, "the file has 50" in err) == (2, True)
    code, _, err = flats("verify", "why.json")
    assert (code, "were not checked" in err) == (0, True)
    Path("why.json").write_text("[]")
    assert flats("verify", "why.json")[0] == 2


def test_signed_receipts_need_their_key(flats):
    told = ["flats.csv", "-t", "heating", "-m", "lazy-knn"]
    Path("our.key").write_bytes(b"a secret of ours")
    Path("other.key").write_bytes(b"another's secret")
    flats("explain", *told, "--key", "our.key", "-o", "signed.json")
    flats("explain", *told, "-o", "plain.json")
    by = ["flats.csv", "-t", "heating"]
    code, out, _ = flats("verify", "signed.json", *by, "--key", "our.key")
    assert (code, "signed with this key" in out) == (0, True)
    code, _, err = flats("verify", "signed.json", *by, "--key", "other.key")
    assert (code, "not that of this" in err) == (2, True)
    code, _, err = flats("verify", "plain.json", *by, "--key", "our.key")
    assert (code, "has no signature" in err) == (2, True)


# --- hints ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "arguments", "hint"),
    [
        ("a,a\n1,2\n3,4\n", [], "--no-header"),
        ("a,b\n1,x\n\xe4,y\n", [], "--encoding latin-1"),
        ("a_id,b\n1,x\n2,y\n", [], "--kind a_id=numeric"),
        ("a,b\n1,x\n2,y\n3,x\n4,y\n", ["-s", "n_neighbors=0"], "--set n_neighbors=0"),
        ("a,b\n1,x\n2,y\n", ["--task", "regression"], "--task classification"),
    ],
)
def test_hints_name_options_of_the_command_line(run, content, arguments, hint):
    Path("a.csv").write_bytes(content.encode("latin-1"))
    asked = ["predict", "a.csv", "-t", "b", "--folds", 2, "-m", "lazy-knn", *arguments]
    if "--task" in arguments:
        asked[asked.index("lazy-knn")] = "kernel"
    _, _, err = run(*asked)
    assert hint in err
    for python in ("header=", "encoding=", "numeric=[", "kinds={", "regressor"):
        assert python not in err


@pytest.mark.parametrize(
    ("option", "value"),
    [("--max-cells", 50), ("--max-bytes", 100), ("--max-read-seconds", 1e-9)],
)
@pytest.mark.parametrize("command", ["fit", "store"])
def test_files_keep_to_limits_and_the_way_out_is_an_option(
    run, files, command, option, value
):
    asked = [command, "train.csv", "-t", "grower", "-m", "lazy-nb", "-o", "m.sklazy"]
    code, _, err = run(*asked, option, value)
    assert code == 2
    assert re.search(rf"train\.csv: .* {option} {value:g}\.", " ".join(err.split()))
    way_out = re.search(r"give (--[\w-]+) (\w+) or a larger", " ".join(err.split()))
    assert run(*asked, *way_out.groups())[0] == 0


def test_a_packed_file_is_counted_as_it_unpacks(run, files):
    text = (files / "train.csv").read_bytes()
    (files / "train.csv.gz").write_bytes(gzip.compress(text))
    asked = ["store", "train.csv.gz", "-t", "grower", "-o", "m.sklazy", "--max-bytes"]
    code, _, err = run(*asked, len(text) - 1)
    assert code == 2
    assert f"--max-bytes {len(text) - 1}" in " ".join(err.split())
    assert run(*asked, len(text))[0] == 0


def test_a_saved_model_knows_the_column_that_names_rows(run, tmp_path):
    rows = [f"f{i},{i},{'gas' if i % 2 else 'oil'}" for i in range(20)]
    head = "flat,size,heat\n"
    (tmp_path / "rows.csv").write_text(head + "\n".join(rows))
    (tmp_path / "more.csv").write_text(head + "g1,3,gas\ng2,4,oil\n")
    code, _, err = run(
        *("fit", "rows.csv", "-t", "heat", "--id", "flat", "-m", "lazy-knn"),
        *("-o", "heat.sklazy"),
    )
    assert code == 0, err
    code, _, err = run("predict", "heat.sklazy", "more.csv")
    assert code == 0, err
    assert "has 'flat', which names the rows of the model; --id flat" in err
    assert "not in the training file" not in err
    model = sklazy.load(tmp_path / "heat.sklazy")
    model.partial_fit(str(tmp_path / "more.csv"), "heat")
    assert model.ids_[-2:].tolist() == ["g1", "g2"]


def test_several_files_are_given_as_a_folder_or_a_pattern(run, tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("size,heat\n1,gas\n2,oil\n")
    code, _, err = run("fit", "a.csv", "b.csv", "-t", "heat", "-o", "heat.sklazy")
    assert code == 2
    assert "give their folder, or a pattern in quotes" in " ".join(err.split())
