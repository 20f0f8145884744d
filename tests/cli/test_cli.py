"""The command line: results, words, exit codes; never a traceback."""

import csv
import dataclasses
import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
import types
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import rich.console
from click.testing import CliRunner
from pyarrow import feather
from sklearn.datasets import load_diabetes, load_wine
from sklearn.metrics import classification_report, confusion_matrix, roc_auc_score

import sklazy
from sklazy import (
    LazyClassifier,
    LazyKNeighborsClassifier,
    LazyRegressor,
    RaceFeatureSelector,
)
from sklazy.cli import main
from sklazy.cli.console import Console, run_command
from sklazy.cli.methods import LAZY_CLASSIFIERS
from sklazy.cli.predict import predict_both
from sklazy.cli.quality import describe_by_class, show_quality
from sklazy.cli.writing import write_text
from sklazy.estimators.encoded import EncodedModel
from sklazy.report.words import format_number
from sklazy.tables import as_table

ROOT = Path(__file__).parents[2]


def commands():
    return sorted(main.commands)


@pytest.mark.parametrize("name", [*commands(), ""])
def test_every_help_shows_an_example(run, name):
    code, out, _ = run(*[name] * bool(name), "--help")
    assert code == 0
    assert "sklazy " in out.split("Usage", 1)[1].split("\n", 1)[1]


@pytest.mark.parametrize("name", sorted(set(commands()) - {"completion"}))
def test_every_command_has_json_and_debug(name):
    names = {option for p in main.commands[name].params for option in p.opts}
    assert {"--json", "--debug"} <= names


# --- predict --------------------------------------------------------------------------


def test_predictions_are_those_of_the_estimator(run, files, wine):
    code, out, err = run("predict", "train.csv", "test.csv", "--target", "grower")
    assert code == 0
    assert "classification ('grower' has labels), method blend" in err
    table = pd.read_csv(pd.io.common.StringIO(out))
    train, test = wine.iloc[::2], wine.iloc[1::2].drop(columns="grower")
    model = LazyClassifier()
    model.fit(train.drop(columns="grower"), train["grower"])
    assert table["prediction"].tolist() == model.predict(test).tolist()
    assert table["probability"].to_numpy() == pytest.approx(
        model.predict_proba(test).max(axis=1)
    )
    assert table["row"].tolist() == list(range(len(test)))


@pytest.mark.parametrize("method", sorted(LAZY_CLASSIFIERS))
def test_labels_and_probabilities_are_those_of_the_estimator(method):
    # Red is as often few as many; the tie goes to the class with more rows.
    rows = [["red"]] * 6 + [["blue"]] * 3
    classes = ["few"] * 3 + ["many"] * 6
    model = LAZY_CLASSIFIERS[method](0).fit(rows, classes)
    queries = as_table([["blue"], ["red"], ["green"], [None], ["red"]])
    labels, probabilities = predict_both(model, queries)
    assert labels.tolist() == model.predict(queries).tolist()
    assert np.array_equal(probabilities, model.predict_proba(queries))
    if method in ("lazy-knn", "lazy-tree"):
        assert probabilities[1].tolist() == [0.5, 0.5]
        assert labels[1] == "many"


def test_predictions_as_json_and_to_a_file(run, files):
    code, out, _ = run("predict", "train.csv", "test.csv", "-t", "grower", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["task"] == "classification"
    code, _, _ = run("predict", "train.csv", "test.csv", "-t", "grower", "-o", "p.csv")
    assert code == 0
    assert pd.read_csv("p.csv")["prediction"].tolist() == [
        row["prediction"] for row in found["rows"]
    ]


def test_known_targets_of_a_test_file_are_compared(run, files, wine):
    wine.iloc[1::2].to_csv("truth.csv", index=False)
    code, out, err = run("predict", "train.csv", "truth.csv", "-t", "grower")
    assert code == 0
    table = pd.read_csv(pd.io.common.StringIO(out))
    right = (table["prediction"] == table["grower"]).mean()
    assert f"accuracy {right:.4f} on 89 rows" in err
    counts = table["grower"].value_counts()
    assert f"{counts.index[0]!r}: {counts.iloc[0] / 89:.4f}" in err
    assert "AUC" not in err  # of three classes


def test_known_targets_of_two_classes_have_an_auc(run, files, wine):
    two = wine[wine["grower"] != wine["grower"].iloc[-1]]
    two.iloc[::2].to_csv("two.csv", index=False)
    two.iloc[1::2].to_csv("truth.csv", index=False)
    answers = ["predict", "two.csv", "truth.csv", "-t", "grower", "-m", "lazy-nb"]
    _, out, err = run(*answers, "--probabilities")
    table = pd.read_csv(pd.io.common.StringIO(out))
    label = sorted(table["grower"].unique())[1]
    auc = roc_auc_score(table["grower"] == label, table[f"probability of {label}"])
    assert f"AUC {auc:.4f}" in err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_whole_number_classes_are_written_alike_everywhere(run, ending):
    """A target of 0 and 1 is 0 and 1 in predictions, in true values and in notes."""
    frame = pd.DataFrame({"x": np.arange(60.0), "fraud": [0, 0, 0, 0, 1] * 12})
    frame.to_csv("train.csv", index=False)
    if ending == "csv":
        frame.to_csv("truth.csv", index=False)
    else:
        frame.to_parquet("truth.parquet")
    asked = ["predict", "train.csv", f"truth.{ending}", "-t", "fraud", "-m", "lazy-nb"]
    code, out, err = run(*asked)
    assert code == 0
    assert "always answering '0': 0.8000" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["fraud"] for row in rows} == {"0", "1"}
    assert {row["prediction"] for row in rows} <= {"0", "1"}


def test_known_numbers_have_the_error_of_their_mean(run, files, wine):
    wine.iloc[1::2].to_csv("truth.csv", index=False)
    number = wine.select_dtypes("float").columns[0]
    answers = ["predict", "train.csv", "truth.csv", "-t", number, "-m", "lazy-knn"]
    _, _, err = run(*answers, "--task", "regression")
    true = wine[number].iloc[1::2]
    assert f"their mean: {(true - true.mean()).abs().mean():.4g}" in err


def test_without_a_test_file_it_cross_validates(run, files):
    arguments = ["predict", "train.csv", "-t", "grower", "--folds", 4]
    code, out, _ = run(*arguments, "-m", "lazy-nb", "--json", "-o", "cv.csv")
    assert code == 0
    found = json.loads(out)
    table = pd.read_csv("cv.csv")
    accuracy = (table["prediction"] == table["grower"]).mean()
    assert found["quality"]["lazy-nb"]["accuracy"] == pytest.approx(accuracy)
    assert found["quality"]["guess"]["accuracy"] < 0.5 < accuracy
    code, out, _ = run(*arguments)
    assert "blend" in out
    assert "guess" in out


def test_regression_is_inferred_and_reported(run, tmp_path):
    frame, target = load_diabetes(return_X_y=True, as_frame=True)
    frame["progress"] = target
    frame[:100].to_csv("train.csv", index=False)
    frame[100:120].to_csv("test.csv", index=False)
    code, out, err = run("predict", "train.csv", "test.csv", "-t", "progress")
    assert code == 0
    assert "regression ('progress' has numbers), method blend" in err
    table = pd.read_csv(pd.io.common.StringIO(out))
    inputs = frame.drop(columns="progress")
    model = LazyRegressor().fit(inputs[:100], target[:100])
    assert table["prediction"].to_numpy() == pytest.approx(
        model.predict(inputs[100:120])
    )
    error = np.abs(table["prediction"] - table["progress"]).mean()
    assert f"mean absolute error {error:.4g} on 20 rows" in err


def test_whole_numbers_are_classes_unless_task_is_given(run, files):
    frame, target = load_wine(return_X_y=True, as_frame=True)
    frame.iloc[:, :3].assign(kind=target).to_csv("numbers.csv", index=False)
    _, _, err = run("predict", "numbers.csv", "-t", "kind", "-m", "knn", "--folds", 2)
    assert "classification ('kind' has 3 different whole numbers)" in err
    asked = ["-t", "kind", "-m", "knn", "--folds", 2, "--task", "regression"]
    code, out, err = run("predict", "numbers.csv", *asked)
    assert code == 0
    assert "regression (set with --task)" in err
    assert "mean absolute error" in out


def test_settings_and_seeds_reach_the_method(run, files, wine):
    asked = ["predict", "train.csv", "test.csv", "-t", "grower", "-m", "lazy-knn"]
    chosen = ["-s", "n_neighbors=1", "-s", "selection=none", "--json"]
    _, out, _ = run(*asked, *chosen)
    train, test = wine.iloc[::2], wine.iloc[1::2].drop(columns="grower")
    model = LazyKNeighborsClassifier(1, selection="none")
    model.fit(train.drop(columns="grower"), train["grower"])
    assert [r["prediction"] for r in json.loads(out)["rows"]] == model.predict(
        test
    ).tolist()


def test_rows_without_a_target_are_left_out_with_a_note(run, files, wine):
    frame = wine.iloc[::2].copy()
    frame.loc[frame.index[:3], "grower"] = None
    frame.to_csv("gaps.csv", index=False)
    code, _, err = run("predict", "gaps.csv", "test.csv", "-t", "grower")
    assert code == 0
    assert "3 rows without 'grower' are left out" in err


# --- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train.csv", "-t", "growr"], "no column 'growr'. Did you mean 'grower'?"),
        (["train.csv", "-t", "grower", "--ignore", "hu"], "no column 'hu'. Did you"),
        (["train.csv", "-t", "grower", "-s", "k=3"], "no parameter 'k'"),
        (["train.csv", "-t", "grower", "-s", "k"], "expected NAME=VALUE"),
        (["train.csv", "-t", "grower", "-m", "ridge"], "ridge is not for classif"),
        (["empty.csv", "-t", "grower"], "empty.csv"),
        (["header.csv", "-t", "b"], "no rows"),
        (["binary.csv", "-t", "b"], "binary.csv"),
        (["only.csv", "-t", "b"], "no column except the target"),
        (["none.csv", "-t", "b"], "missing in every row"),
        (["ragged.csv", "-t", "b"], "ragged.csv"),
        (["broken.arff", "-t", "b"], "broken.arff"),
        (["broken.parquet", "-t", "b"], "broken.parquet"),
        (["train.csv", "other.csv", "-t", "grower"], "lacks 12 columns"),
        (["train.csv", "renamed.csv", "-t", "grower"], "Did you mean 'alcohl'?"),
    ],
)
def test_bad_input_has_a_message(run, files, wine, arguments, message):
    write_text("empty.csv", "")
    write_text("header.csv", "a,b\n")
    Path("binary.csv").write_bytes(b"\xff\xfe\x00\x01" * 20)
    write_text("only.csv", "b\n1\n2\n")
    write_text("none.csv", "a,b\n1,\n2,\n")
    write_text("ragged.csv", "a,b\n1,2\n1,2,3\n")
    write_text("broken.arff", "@relation x\n@attribute a {1,2\n@data\n")
    write_text("broken.parquet", "no parquet")
    write_text("other.csv", "alcohol,b\n1,2\n")
    renamed = wine.drop(columns="grower").rename(columns={"alcohol": "alcohl"})
    renamed.to_csv("renamed.csv", index=False)
    code, out, err = run("predict", *arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert not out


def test_a_file_that_cannot_be_written(run, files):
    code, _, err = run("predict", "train.csv", "-t", "grower", "-o", "train.csv/x")
    assert code == 1
    assert "Error: train.csv: File exists." in err


def test_a_file_that_is_not_there(run):
    code, _, err = run("predict", "nowhere.csv", "-t", "x")
    assert code == 2
    assert "nowhere.csv" in err


def test_errors_can_be_json_and_have_a_traceback_with_debug(run, files):
    code, out, err = run("predict", "train.csv", "-t", "growr", "--json")
    assert code == 2
    assert not out
    assert json.loads(err)["error"] == "BadInputError"
    _, _, err = run("predict", "train.csv", "-t", "growr", "--debug")
    assert "Traceback" in err


def test_a_note_on_slices_of_the_same_rows_comes_once(capsys):
    """Each slice gives another example; another column is another note."""

    def work(console):
        for name, example in [("TSH", "0.32"), ("TSH", "0.24"), ("CRP", "0.06")]:
            message = f"column {name!r}: text such as {example!r} as numbers."
            warnings.warn(message, sklazy.DataWarning, stacklevel=1)

    run_command(work, False, False, {})
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == 2
    assert "'TSH': text such as '0.32'" in notes[0]
    assert "'CRP'" in notes[1]


def test_unexpected_errors_have_a_message_too(run, files, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("sklazy.cli.predict.read_task", fail)
    code, _, err = run("predict", "train.csv", "-t", "grower")
    assert code == 1
    assert "RuntimeError: the sky fell" in err
    assert "--debug" in err
    assert "Traceback" not in err


def test_an_interrupt_ends_with_130(run, files, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sklazy.cli.predict.read_task", stop)
    code, _, err = run("predict", "train.csv", "-t", "grower")
    assert code == 130
    assert "Interrupted" in err


def test_columns_that_nobody_knows_are_left_out_with_a_note(run, files, wine):
    extra = wine.drop(columns="grower").assign(color="red")
    extra.to_csv("extra.csv", index=False)
    code, _, err = run("predict", "train.csv", "extra.csv", "-t", "grower")
    assert code == 0
    assert "left out: 'color'" in err


# --- explain, advise, race ------------------------------------------------------------


def test_a_row_is_explained_by_the_others(run, files, wine):
    asked = ["explain", "train.csv", "-t", "grower", "--row", 5, "-m", "lazy-knn"]
    code, out, _ = run(*asked, "--json")
    assert code == 0
    (receipt,) = json.loads(out)
    train = wine.iloc[::2].reset_index(drop=True)
    model = LazyKNeighborsClassifier()
    others = train.drop(index=5)
    model.fit(others.drop(columns="grower"), others["grower"], ids=others.index)
    expected = model.explain(train.drop(columns="grower").iloc[[5]])[0]
    assert receipt["answer"] == expected.answer
    cases = [case["id"] for case in receipt["neighbors"]["listed"]]
    assert cases == [case["id"] for case in expected.to_dict()["neighbors"]["listed"]]
    assert 5 not in cases


def check_article(article, row, label, query):
    """An article names the row, has its answer, and every value of it."""
    assert f'<p class="soft">Row {row} of train.csv</p>' in article
    assert f'<bdi class="label">{label}</bdi>' in article
    for name, value in query.iloc[0].items():
        cells = rf"{re.escape(name)}</bdi></td>\s*<td[^>]*><bdi[^>]*>{value:.6g}</bdi>"
        assert re.search(cells, article), name


def predict_left_out(model, table, target, row):
    """A row, and what a model of all others predicts for it."""
    others = table.drop(index=table.index[row])
    query = table.drop(columns=target).iloc[[row]]
    model.fit(others.drop(columns=target), others[target])
    return query, model.predict(query)[0]


def test_receipts_are_written_as_pages(run, files, wine):
    asked = ["explain", "train.csv", "-t", "grower", "--row", 0, "--row", 60]
    code, out, _ = run(*asked, "--html", "why.html")
    assert code == 0
    _, *articles = Path("why.html").read_text().split("<article")
    train = wine.iloc[::2]
    labels = []
    for row, article in zip([0, 60], articles, strict=True):
        model = LazyClassifier()
        query, label = predict_left_out(model, train, "grower", row)
        check_article(article, row, label, query)
        labels.append(label)
    assert labels[0] != labels[1]
    assert re.findall(r"Answer: (.*) \(probability", out) == labels


def test_receipts_of_numbers_are_written_as_pages(run, files, wine):
    asked = ["explain", "train.csv", "-t", "alcohol", "--row", 0, "--ignore", "grower"]
    code, out, _ = run(*asked, "--html", "number.html")
    assert code == 0
    page = Path("number.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    train = wine.iloc[::2].drop(columns="grower")
    query, number = predict_left_out(LazyRegressor(), train, "alcohol", 0)
    label = f"alcohol = {format_number(number)}"
    assert out.startswith(f"Row 0 of train.csv\n\nAnswer: {label}")
    check_article(page.split("<article")[1], 0, label, query)


@pytest.mark.parametrize(
    ("method", "least"),
    [
        ("lazy-bagging", 0.85),
        ("lazy-stacking", 0.85),
        ("lazy-tree", 0.85),
        ("lazy-bayes-rules", 0.85),
        ("lazy-rules", 0.75),
    ],
)
def test_ensembles_and_rules_predict_and_are_explained(run, files, method, least):
    code, out, _ = run("predict", "train.csv", "-t", "grower", "-m", method, "--json")
    assert code == 0
    assert json.loads(out)["quality"][method]["accuracy"] > least
    chosen = ["-t", "grower", "-m", method, "--row", "3", "--html", "page.html"]
    code, out, _ = run("explain", "train.csv", *chosen)
    assert code == 0
    assert "grower" in out
    assert "<html" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", ["lazy-bagging", "lazy-stacking", "lazy-knn"])
def test_numbers_are_explained(run, files, method):
    asked = [
        "explain",
        "train.csv",
        "-t",
        "alcohol",
        "-m",
        method,
        "--ignore",
        "grower",
    ]
    code, out, _ = run(*asked, "--row", 0, "--row", 7, "--html", "numbers.html")
    assert code == 0
    assert out.count("Answer:") == 2
    assert Path("numbers.html").read_text(encoding="utf-8").count("<article") == 2


def test_rows_of_a_test_file_can_be_explained(run, files):
    asked = ["explain", "train.csv", "test.csv", "-t", "grower"]
    code, _, _ = run(*asked, "--row", 88)
    assert code == 0
    code, _, err = run(*asked, "--row", 89)
    assert code == 2
    assert "a row from 0 to 88" in err


def test_what_cannot_be_explained(run, files):
    asked = ["explain", "train.csv", "-t", "grower", "--row", 1]
    code, _, err = run(*asked, "-m", "random-forest")
    assert code == 2
    assert "no receipts" in err


def test_advice(run, files):
    asked = ["advise", "train.csv", "-t", "grower", "--max-seconds", 0.1]
    code, out, _ = run(*asked, "--json", "--html", "advice.html")
    assert code == 0
    assert json.loads(out)["recommendation"] == "not enough time"
    assert Path("advice.html").read_text().startswith("<!DOCTYPE html>")
    asked = ["advise", "train.csv", "-t", "alcohol", "--max-seconds", 0]
    code, out, err = run(*asked, "--max-rows", 50)
    assert code == 0
    assert "regression ('alcohol' has numbers)" in err
    assert "Raise --max-rows to make sure" in " ".join(out.split())


def test_advice_cut_short_shows_what_is_measured(run, files, monkeypatch):
    def stop(model, queries):
        raise KeyboardInterrupt

    monkeypatch.setattr(EncodedModel, "predict_proba", stop)  # of the second method
    asked = ["advise", "train.csv", "-t", "grower"]
    code, out, err = run(*asked, "--max-rows", 40)
    assert code == 130
    said = " ".join(out.split())
    assert "Interrupted after 1 fold; not measured: random forest" in said
    assert "Not enough time: about" in said
    assert "Raise --max-seconds" in said
    assert "advice is based on what was measured so far" in err


def test_a_race(run, files):
    asked = ["race", "train.csv", "-t", "grower", "-c", "lazy-nb,guess,tree"]
    code, out, _ = run(*asked, "--folds", 8, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["winners"][0] != "guess"
    guess = next(one for one in found["candidates"] if one["name"] == "guess")
    assert guess["out_after"] is not None
    code, out, _ = run(*asked, "--folds", 8)
    assert "out after" in out
    code, _, err = run("race", "train.csv", "-t", "grower", "-c", "lazy-nb,gues")
    assert code == 2
    assert "Did you mean 'guess'?" in err


@pytest.fixture
def numbers(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(120, 5))
    y = 10 * X[:, 0] + 20 * (X[:, 1] - 0.5) ** 2 + rng.normal(0, 0.1, 120)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    frame.to_csv(tmp_path / "numbers.csv", index=False)
    return frame


def test_attributes_are_selected(run, numbers):
    asked = ["select", "numbers.csv", "-t", "y", "--max-candidates", 40]
    code, out, _ = run(*asked, "--json", "-o", "small.csv")
    assert code == 0
    found = json.loads(out)
    assert found["selected"] == ["a", "b"]
    assert ["a", "b"] in [winner["attributes"] for winner in found["winners"]]
    small = pd.read_csv("small.csv")
    wanted = numbers[["a", "b", "y"]]
    pd.testing.assert_frame_equal(small, wanted, rtol=1e-12)
    code, out, _ = run(*asked)
    assert "Selected 2 of 5 features: a, b" in out


def test_a_file_is_described_before_anything_is_learned(run, tmp_path):
    lines = ["id,when,level,word,same"]
    lines += [
        f"k{i},2024-05-{1 + i % 28:02},{'<1' if i < 3 else i},w,1" for i in range(30)
    ]
    path = tmp_path / "d.csv"
    path.write_text("\n".join([*lines, lines[-1]]))
    code, out, err = run("describe", str(path), "--json")
    assert code == 0
    assert "half of its limit" in err
    found = json.loads(out)
    assert (found["rows"], found["repeated_rows"]) == (31, 1)
    named = {one["name"]: one for one in found["columns"]}
    assert (named["id"]["names_rows"], named["id"]["set_aside"]) == (True, True)
    assert named["when"]["median"] == "2024-05-13"
    assert (named["when"]["kind"], named["when"]["lowest"]) == ("dates", "2024-05-01")
    assert (named["level"]["lowest"], named["level"]["highest"]) == (0.5, 29.0)
    assert named["word"]["most_frequent"] == [{"value": "w", "rows": 31}]
    code, out, _ = run("describe", str(path))
    assert "31 rows, 5 columns; 1 row is equal to an earlier one" in out
    assert "an id or free text" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_numbers_that_name_rows_are_described_with_the_options(run):
    Path("d.csv").write_text("\n".join(["no", *map(str, range(100, 140))]))
    out = run("describe", "d.csv")[1]
    assert "40 rows, 1 column; no row is repeated" in out
    assert "an id? then give --id or --ignore no" in " ".join(out.split())


def test_cross_validation_shows_classes_and_probabilities(run, files, wine):
    asked = ["predict", "train.csv", "-t", "grower", "-m", "lazy-nb", "--folds", 3]
    code, out, _ = run(*asked, "--json", "-o", "cv.csv")
    assert code == 0
    found = json.loads(out)
    table = pd.read_csv("cv.csv")
    classes = sorted(set(table["grower"]))
    counts = confusion_matrix(table["grower"], table["prediction"], labels=classes)
    assert [one["class"] for one in found["classes"]] == classes
    for one, expected in zip(found["classes"], counts, strict=True):
        assert list(one["predicted"].values()) == expected.tolist()
    report = classification_report(
        table["grower"], table["prediction"], output_dict=True, zero_division=np.nan
    )
    for one in found["classes"]:
        assert one["recall"] == pytest.approx(report[one["class"]]["recall"])
        assert one["precision"] == pytest.approx(report[one["class"]]["precision"])
        assert one["f1"] == pytest.approx(report[one["class"]]["f1-score"])
    quality = found["quality"]["lazy-nb"]
    assert quality["log_loss"] < found["quality"]["guess"]["log_loss"]
    assert quality["auc"] > 0.9
    assert 0 <= quality["calibration_error"] < 0.2
    code, out, _ = run(*asked)
    assert "predicted as (rows):" in out
    assert "precision" in out
    code, out, _ = run("predict", "train.csv", "-t", "alcohol", "--folds", 3, "--json")
    figures = json.loads(out)["quality"]["blend"]
    assert 0.7 < figures["coverage"] <= 1
    assert figures["width"] > 0


def test_a_matrix_that_is_too_wide_is_listed(monkeypatch):
    names = [f"a class with a long name {i}" for i in range(5)]
    target = np.array(names * 2, object)
    task = types.SimpleNamespace(classifies=True, target=target)
    by_class = describe_by_class(task, np.roll(target, 1))
    stream = io.StringIO()
    terminal = rich.console.Console(file=stream, width=80)
    show_quality(terminal, {"m": {"accuracy": 0.0}}, by_class, 2)
    assert f"{names[1]} taken for {names[0]}: 2" in stream.getvalue()
    assert max(map(len, stream.getvalue().splitlines())) <= 80


def test_predictions_are_written_as_parquet(run, files, monkeypatch):
    asked = ["predict", "train.csv", "test.csv", "-t", "grower", "-m", "lazy-nb", "-o"]
    assert run(*asked, "p.parquet")[0] == 0
    assert run(*asked, "p.csv")[0] == 0
    pd.testing.assert_frame_equal(pd.read_parquet("p.parquet"), pd.read_csv("p.csv"))
    assert all(
        len(text) <= 9 for text in pd.read_csv("p.csv", dtype=str)["probability"]
    )
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run(*asked, "q.parquet")
    assert code == 2
    assert "needs pyarrow; install it with pip install pyarrow, or name" in err


@pytest.mark.parametrize("command", ["explore", "serve"])
def test_a_missing_extra_ends_in_one_sentence(run, files, monkeypatch, command):
    for name in [n for n in sys.modules if n.startswith(("sklazy.web", "sklazy.cli."))]:
        if name.endswith(("explore", "serve")) or name.startswith("sklazy.web"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    more = ["-t", "grower"] if command == "explore" else []
    code, _, err = run(command, "train.csv", *more)
    assert code == 2
    assert "Traceback" not in err
    assert err.startswith("Error: ")
    assert "pip install" in err


def test_a_note_on_sheets_names_the_option(run, tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name="Info")
        pd.DataFrame({"b": [2.5]}).to_excel(writer, sheet_name="Data", index=False)
    _, _, err = run("describe", str(path))
    assert "not 'Data' (choose with --sheet)" in err
    _, out, err = run("describe", str(path), "--sheet", "Data", "--json")
    assert [one["name"] for one in json.loads(out)["columns"]] == ["b"]


def test_marks_for_missing_can_be_named(run, tmp_path):
    rows = "".join(f"{i % 7},{'abc'[i % 3]}\n" for i in range(30))
    (tmp_path / "m.csv").write_text(f"x,y\nunbekannt,a\nNA,b\n{rows}")
    asked = ["predict", str(tmp_path / "m.csv"), "-t", "y", "-m", "lazy-nb", "--json"]
    _, out, err = run(*asked)
    assert (
        "'unbekannt'; correct it; if it means missing, give --missing unbekannt" in err
    )
    code, out, err = run(*asked, "--missing", "unbekannt")  # the way out is taken
    assert code == 0
    assert "unbekannt" not in err
    assert json.loads(out)


def test_a_choice_of_features_needs_rows(run, numbers):
    asked = ["select", "numbers.csv", "-t", "y"]
    code, out, err = run(*asked, "--max-seconds", 0, "-o", "small.csv")
    assert code == 0
    assert out.startswith("So far ")
    assert "Not enough time for a choice: the sets above were compared on 1 row" in err
    assert "small.csv was not written" in err
    assert not Path("small.csv").exists()
    seconds = re.search(r"--max-seconds (\d+)", err)[1]
    code, out, err = run(*asked, "--max-seconds", seconds, "--json")
    assert code == 0  # the way out is taken
    found = json.loads(out)
    assert found["enough"]
    assert found["selected"] == ["a", "b"]


def test_a_race_without_time_decides_nothing(run, files):
    asked = ["race", "train.csv", "-t", "grower", "-c", "lazy-nb,guess,tree"]
    code, _, err = run(*asked, "--max-seconds", 0)
    assert code == 0
    assert "Not enough time: 1 of at least 5 folds were run" in err
    seconds = re.search(r"--max-seconds (\d+)", err)[1]
    code, out, err = run(*asked, "--max-seconds", seconds, "--json")
    assert code == 0
    assert json.loads(out)["evaluations"] >= 15
    assert "Not enough" not in err


# --- reproduce ------------------------------------------------------------------------


def test_what_there_is_to_reproduce(run):
    code, out, _ = run("reproduce", "--list", "--json")
    assert code == 0
    listed = {one["name"]: one for one in json.loads(out)}
    assert "letter" in listed["lazy-selection"]["missing"]
    assert "wine" not in listed["lazy-selection"]["missing"]
    code, out, _ = run("reproduce", "--list")
    assert "Pereira" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "name an experiment"),
        (["lazy-selecton"], 2, "Did you mean 'lazy-selection'"),
        (["lazy-selection", "--sets", "wein"], 2, "Did you mean 'wine'?"),
        (["lazy-selection", "--sets", "iris"], 2, "lazy-selection has no set 'iris'"),
        (["lazy-selection", "--jobs", "0"], 2, "--jobs 0"),
        (["lazy-selection", "--sets", "zoo,letter"], 3, "letter.arff (OpenML 6)"),
        (["lazy-selection", "--sets", "wine", "-o", "file"], 2, "is a file"),
        (["racsam", "--sets", "pol"], 3, "regression/pol.arff (OpenML 201)"),
    ],
)
def test_what_cannot_be_reproduced(run, tmp_path, arguments, code, message):
    (tmp_path / "file").touch()
    found, _, err = run("reproduce", *arguments)
    assert found == code
    assert message in err


def test_a_report_without_any_data_but_scikit_learns(run, tmp_path):
    asked = ["reproduce", "lazy-selection", "--quick", "--protocol", "honest"]
    code, out, _ = run(*asked, "-o", "out")
    assert code == 0
    assert "Report: out/lazy-selection.html" in out
    assert (tmp_path / "out" / "lazy-selection" / "totals.csv").exists()
    code, out, _ = run(*asked, "-o", "out", "--json")
    found = json.loads(out)["lazy-selection"]
    assert found["tables"]["totals"]["rows"][0][:2] == ["1-NN", "paper"]
    assert found["facts"]["date"]


def test_a_results_file_of_another_version(run, tmp_path):
    import sqlite3

    run("reproduce", "lazy-selection", "--quick", "-o", "out")
    with sqlite3.connect("out/results.sqlite") as file:
        file.execute("PRAGMA user_version = 99")
    file.close()
    code, _, err = run("reproduce", "lazy-selection", "--quick", "-o", "out")
    assert code == 1
    assert "format 99" in err


def test_reproduce_says_how_to_get_the_studies(run, monkeypatch):
    monkeypatch.delitem(sys.modules, "sklazy_studies.command", raising=False)
    monkeypatch.setitem(sys.modules, "sklazy_studies", None)
    code, _, err = run("reproduce", "--list")
    assert code == 2
    assert "pip install ./studies" in " ".join(err.split())


def test_a_changed_file_is_computed_anew(run, tmp_path, monkeypatch):
    from sklazy_studies.lazy_selection import run as lazy_selection

    asked = ["reproduce", "lazy-selection", "--sets", "wine", "-o", "out", "--json"]
    _, first, _ = run(*asked)
    frame, target = load_wine(return_X_y=True, as_frame=True)
    rows = ["@relation wine"]
    rows += [f"@attribute a{j} numeric" for j in range(13)]
    rows += ["@attribute class {0,1,2}", "@data"]
    frame.iloc[:, 0] = np.random.default_rng(0).permutation(frame.iloc[:, 0])
    for values, label in zip(frame.to_numpy(), target, strict=True):
        rows.append(",".join([*map(str, values), str(label)]))
    write_text(tmp_path / "no data" / "wine.arff", "\n".join(rows))
    _, second, _ = run(*asked)
    tables = [json.loads(text)["lazy-selection"]["tables"] for text in (first, second)]
    assert tables[0]["best-accuracy"] != tables[1]["best-accuracy"]

    def refuse(unit, folder):
        raise AssertionError

    monkeypatch.setattr(lazy_selection, "run_fold", refuse)
    code, third, _ = run(*asked)
    assert code == 0
    assert json.loads(third)["lazy-selection"]["tables"] == tables[1]


def test_the_shell_can_complete(run):
    code, out, _ = run("completion", "bash")
    assert code == 0
    assert "_SKLAZY_COMPLETE" in out


# A shell makes programs in the background deaf to interrupts.
HEAR = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"


def test_ctrl_c_ends_a_run_in_a_shell(tmp_path, data_folder):
    command = [sys.executable, "-c", f"{HEAR}; from sklazy.cli import main; main()"]
    command += ["reproduce", "lazy-selection", "-v", "--jobs", "2", "-o", str(tmp_path)]
    command += ["--sets", "splice,vowel,segment", "--data", str(data_folder)]
    process = subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/src{os.pathsep}{ROOT}/studies"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    lines = []
    while not any(" of 63: " in line for line in lines):
        lines.append(process.stderr.readline())
        assert lines[-1], "".join(lines)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted" in err
    assert "Traceback" not in err


INTERRUPT = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
"""


@pytest.mark.parametrize("module", ["sklazy", "click", "sklearn", "sklazy.cli.race"])
def test_ctrl_c_during_imports_ends_without_a_traceback(module, files):
    code = f"{HEAR}\n{INTERRUPT}\nfrom sklazy_command import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", code, "race", "train.csv", "-t", "grower"],
        cwd=files,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
            "INTERRUPTED_AT": module,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == "Interrupted. Nothing was written."


def test_the_installed_command_is_the_one_that_hears_interrupts():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["scripts"] == {"sklazy": "sklazy_command:main"}
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"src/sklazy_command.py": "sklazy_command.py"}


FORMULAS = ["=cmd()", "+1", "-x", "@a", "\tb", "\rc", "plain"]


@pytest.mark.parametrize("safe", [True, False])
def test_safe_csv_leaves_no_formula_for_a_spreadsheet(run, tmp_path, safe, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = FORMULAS * 6
    table = pa.table({"=n": [-1.5, 2.0] * 21, "a": labels, "kind": labels})
    feather.write_feather(table, "odd.feather")
    option = ["--safe-csv"] if safe else []
    asked = ["predict", "odd.feather", "-t", "kind", "-m", "lazy-nb", "--folds", 2]
    assert run(*asked, "-o", "cv.csv", *option)[0] == 0
    known = ["predict", "odd.feather", "odd.feather", "-t", "kind", "-m", "lazy-nb"]
    code, out, _ = run(*known, *option)
    assert code == 0
    few = ["select", "odd.feather", "-t", "kind", "--max-candidates", 5]
    assert run(*few, "-o", "few.csv", *option)[0] == 0
    written = [Path(name).read_bytes().decode() for name in ("cv.csv", "few.csv")]
    for text in (out, *written):
        cells = [
            cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row
        ]
        texts = [cell for cell in cells if not _is_number(cell)]
        dangerous = {cell for cell in texts if cell.startswith(tuple("=+-@\t\r"))}
        assert not dangerous if safe else dangerous
        assert ("'=cmd()" in cells) == safe


def _is_number(cell):
    try:
        return float(cell) < 0
    except ValueError:
        return False


def test_a_file_that_is_read_is_not_written_over(run, files):
    before = (files / "train.csv").read_bytes()
    for command, option in (
        ("predict", "-o"),
        ("select", "-o"),
        ("explain", "--html"),
        ("advise", "--html"),
    ):
        code, _, err = run(command, "train.csv", "-t", "grower", option, "./train.csv")
        assert (code, "is an input file" in err) == (2, True), command
    assert (files / "train.csv").read_bytes() == before


def test_a_folder_is_no_file_to_write(run, files):
    (files / "dir").mkdir()
    code, _, err = run("predict", "train.csv", "test.csv", "-t", "grower", "-o", "dir")
    assert code == 2
    assert "'dir' is a directory" in err


def test_options_of_reading_reach_the_reader(run, wine, tmp_path):
    frame = wine[["hue", "grower"]].assign(Ort="Süd")
    frame.to_csv(tmp_path / "wine.txt", sep=";", decimal=",", encoding="latin-1")
    asked = ["predict", "wine.txt", "wine.txt", "-t", "grower", "--json"]
    code, _, err = run(*asked)
    assert code == 2
    options = ["--format", "csv", "--encoding", "latin-1", "--decimal", ","]
    code, out, err = run(*asked, *options, "--delimiter", ";", "-m", "tree")
    assert code == 0
    assert "decimal comma" not in err
    assert (
        np.mean([r["prediction"] for r in json.loads(out)["rows"]] == frame["grower"])
        > 0.9
    )


def test_rows_without_a_target_do_not_shift_the_others(run, wine, tmp_path):
    frame = wine.iloc[::3].reset_index(drop=True)
    frame.loc[[0, 4], "grower"] = None
    frame.to_csv(tmp_path / "wine.csv", index=False)
    assert run("predict", "wine.csv", "-t", "grower", "-o", "out.csv")[0] == 0
    out = pd.read_csv(tmp_path / "out.csv")
    assert out["row"].tolist() == frame.index[frame["grower"].notna()].tolist()
    assert out["grower"].tolist() == frame["grower"].dropna().tolist()


@pytest.mark.parametrize("command", ["predict", "race"])
def test_folds_that_cannot_be_are_refused(run, files, wine, command):
    code, _, err = run(command, "train.csv", "-t", "grower", "--folds", 1)
    assert (code, "--folds 1; expected 2 or more" in err) == (2, True)
    wine.iloc[:1].to_csv(files / "one.csv", index=False)
    code, _, err = run(command, "one.csv", "-t", "grower")
    assert (code, "no others to predict it from" in err) == (2, True)


def test_a_constant_target_is_reported(run, files, wine):
    wine.assign(grower=5).iloc[::9].to_csv(files / "same.csv", index=False)
    code, _, err = run("predict", "same.csv", "-t", "grower")
    assert code == 0
    assert "has one whole number)" in err
    assert "'grower' is the same in every row" in err


def test_a_race_cut_short_shows_its_results(run, numbers, monkeypatch):
    calls = iter(range(100))

    def loss(task, name, testing, seed):
        if next(calls) == 20:
            raise KeyboardInterrupt
        return float(len(name))

    monkeypatch.setattr("sklazy.cli.race._measure_loss", loss)
    code, out, err = run("race", "numbers.csv", "-t", "y", "-c", "ridge,guess")
    assert code == 130
    assert "Interrupted. These are the results so far." in err
    assert "ridge" in out


def test_a_search_cut_short_shows_its_best_and_writes_nothing(
    run, numbers, monkeypatch
):
    original = RaceFeatureSelector.fit

    def fit(self, *arguments, **options):
        found = original(self, *arguments, **options)
        found.search_ = dataclasses.replace(found.search_, stopped="interrupted")
        return found

    monkeypatch.setattr(RaceFeatureSelector, "fit", fit)
    asked = ["select", "numbers.csv", "-t", "y", "--max-candidates", 9, "-o", "no.csv"]
    code, out, err = run(*asked)
    assert code == 130
    assert "the best set so far" in err
    assert "Selected" in out
    assert not Path("no.csv").exists()


def test_a_file_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*page.html'"):
        write_text(tmp_path / "page.html", "text")
    assert not list(tmp_path.iterdir())


def test_a_quick_run_names_the_sets_it_lacks(run):
    asked = ["reproduce", "--quick", "--protocol", "honest", "-o", "out"]
    code, _, err = run(*asked)
    assert code == 0
    assert "lazy-stacking runs without" in err
    assert "--fetch" in err
    assert Path("out/lazy-selection.html").exists()
    assert not Path("out/lazy-stacking.html").exists()
    code, _, err = run("reproduce", "lazy-stacking", "--quick", "-o", "out")
    assert code == 3


def test_columns_that_name_the_rows_are_pointed_out(run, files, wine):
    named = wine.assign(**{"the id": [f"w{i}" for i in range(len(wine))]})
    named.iloc[::3].to_csv(files / "named.csv", index=False)
    asked = ["predict", "named.csv", "-t", "grower", "-m", "tree"]
    _, _, err = run(*asked)
    assert "'the id': set aside, since 60 of its 60 cells differ" in err
    assert "--kind name=nominal" in err
    _, _, err = run(*asked, "--kind", "the id=nominal")
    assert "--ignore 'the id'." in err
    _, _, err = run(*asked, "--kind", "the id=nominal", "--ignore", "the id")
    assert "--ignore" not in err
    code, _, err = run(*asked, "--kind", "the id=label")
    assert (code, "expected NAME=KIND" in err) == (2, True)


def test_messy_cells_are_read_in_both_files_alike(run, files):
    rows = [f"{i % 28 + 1:02}/05/2024;{i + 1}.000,50 EUR;{i // 15}" for i in range(30)]
    (files / "a.csv").write_text("\n".join(["day;price;class", *rows]))
    (files / "b.csv").write_text("day;price\n02/03/2024;2.000 EUR\n;27,5\n")
    code, out, err = run("predict", "a.csv", "b.csv", "-t", "class", "-m", "tree")
    assert (code, "'day': date (day-first)" in err) == (0, True)
    assert [line.split(",")[1] for line in out.split()] == ["prediction", "0", "0"]
    assert run("explain", "a.csv", "b.csv", "-t", "class")[0] == 0
    assert run("select", "a.csv", "-t", "class")[0] == 0
    plain = [f"id{i},{i + 1}.00,{i},{'ab'[i // 15]}" for i in range(30)]
    (files / "c.csv").write_text("\n".join(plain))
    (files / "d.csv").write_text("id30,2.00,3\nid31,30.00,29\n")
    code, out, err = run("predict", "c.csv", "d.csv", "-t", "x3", "-m", "lazy-knn")
    assert (code, "'x0': set aside" in err) == (0, True)
    assert [line.split(",")[1] for line in out.split()] == ["prediction", "a", "b"]
    (files / "b.csv").write_text("day;price\n02/03/2024;ask\n")
    code, _, err = run("predict", "a.csv", "b.csv", "-t", "class")
    assert (code, "holds 'ask'" in err) == (2, True)


def test_standard_input_is_a_file(files, wine, monkeypatch):
    runner = CliRunner()
    monkeypatch.chdir(files)
    train = wine.iloc[::2].to_csv(index=False)
    asked = ["predict", "-", "test.csv", "-t", "grower", "-m", "tree"]
    piped = runner.invoke(main, asked, input=train)
    named = runner.invoke(main, ["predict", "train.csv", *asked[2:]])
    assert (piped.exit_code, piped.stdout) == (0, named.stdout)
    lines = wine.iloc[1::2].drop(columns="grower").to_json(orient="records", lines=True)
    asked = ["predict", "train.csv", "-", "-t", "grower", "-m", "tree"]
    assert runner.invoke(main, asked, input=lines).stdout == named.stdout
    twice = runner.invoke(main, ["predict", "-", "-", "-t", "grower"], input=train)
    assert (twice.exit_code, "can be read once" in twice.output) == (2, True)


# --- messages on a terminal -----------------------------------------------------------


def test_notes_are_broken_between_words_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    text = "note: " + "some words that are long enough for three lines " * 2
    Console().note(text)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == text.strip()


def test_another_sheet_is_no_warning_of_its_own(run, tmp_path):
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        pd.DataFrame({"made by": ["us", "them"]}).to_excel(book, sheet_name="Info")
        frame = pd.DataFrame({"n": range(20), "y": ["a", "b"] * 10})
        frame.to_excel(book, sheet_name="Data", index=False)
    sheet = ("--sheet", "Data", "-m", "lazy-nb")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = run("fit", "book.xlsx", "-t", "y", "-o", "y.sklazy", *sheet)
    assert done[0] == 0
    assert "Info" not in done[2]


def test_figures_that_do_not_exist_are_dashes(run, tmp_path):
    frame = pd.DataFrame({"n": range(40), "y": ["a"] * 39 + ["b"]})
    frame.to_csv(tmp_path / "rare.csv", index=False)
    code, out, _ = run("predict", "rare.csv", "-t", "y", "-m", "lazy-nb")
    assert code == 0
    assert "nan" not in out
    assert re.search(r"b +1 +- +0\.000", out)


@pytest.mark.parametrize(
    "command",
    [
        ("select", "--max-candidates", "9"),
        ("race", "-c", "ridge,lazy-learning"),
        ("advise", "--max-seconds", "0.01"),
    ],
    ids=lambda one: one[0],
)
def test_the_column_of_ids_is_no_feature_anywhere(flats, command):
    name, *more = command
    done = flats(name, "flats.csv", "-t", "rent", "--id", "flat", *more)
    assert done[0] == 0, done[2]
    assert "set aside" not in done[2]
