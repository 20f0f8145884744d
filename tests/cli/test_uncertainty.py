"""Sets of classes, intervals and withheld answers, as a shell asks for them."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sklazy
from sklazy.report import progress

HEATING = ["-t", "heating", "--ignore", "rent", "--ignore", "flat"]
RENT = ["flats.csv", "new-flats.csv", "-t", "rent"]
ASKED = ["flats.csv", "new-flats.csv", *HEATING, "-m", "lazy-nb"]


def rows_of(out):
    return list(csv.DictReader(io.StringIO(out)))


def labels_of(cell):
    """The labels of a set as any reader of CSV finds them."""
    return next(csv.reader([cell], delimiter="|"), [])


@pytest.fixture
def model(flats):
    """What the command learns, learned in Python; and the queries."""
    train, test = map(pd.read_csv, ("flats.csv", "new-flats.csv"))
    X = train.drop(columns=["heating", "rent", "flat"])
    fitted = sklazy.LazyNBClassifier().fit(X, train["heating"])
    return fitted, test[X.columns]


def test_sets_of_classes_are_those_of_the_library(flats, model):
    fitted, queries = model
    sets = fitted.predict_set(queries, coverage=0.8)
    expected = [[str(c) for c in fitted.classes_[own]] for own in sets]
    code, out, err = flats("predict", *ASKED, "--coverage", 0.8)
    assert code == 0
    assert [labels_of(row["set"]) for row in rows_of(out)] == expected
    truth = pd.read_csv("new-flats.csv")["heating"]
    held = np.mean([t in own for t, own in zip(truth, expected, strict=True)])
    size = np.mean([*map(len, expected)])
    share = f"{100 * held:.3g} %"
    assert (
        f"the true value is in {share} of the sets, which have {size:.2f} classes"
        in err
    )
    _, out, _ = flats("predict", *ASKED, "--coverage", 0.8, "--json")
    assert [row["set"] for row in json.loads(out)["rows"]] == expected
    _, out, _ = flats("predict", *ASKED)
    assert "set" not in rows_of(out)[0]


def test_withheld_answers_keep_their_labels(flats, model):
    fitted, queries = model
    labels, answered = fitted.predict_or_abstain(queries, accuracy=0.75)
    assert 0 < answered.sum() < len(answered)
    _, out, err = flats("predict", *ASKED, "--abstain", 0.75)
    assert [row["prediction"] for row in rows_of(out)] == labels.tolist()
    assert [row["answered"] for row in rows_of(out)] == [str(a) for a in answered]
    assert f"{(~answered).sum()} of 20 predictions are withheld" in err
    truth = pd.read_csv("new-flats.csv")["heating"].to_numpy()
    right = (labels == truth)[answered].mean()
    assert f"accuracy {right:.4f} on {answered.sum()} rows answered" in err


def test_a_model_in_a_file_gives_the_same_sets(flats):
    asked = ["--coverage", 0.9, "--abstain", 0.75]
    flats("fit", "flats.csv", *ASKED[2:], "-o", "a.sklazy")
    _, direct, _ = flats("predict", *ASKED, *asked)
    code, saved, _ = flats("predict", "a.sklazy", "new-flats.csv", *asked)
    assert (code, saved) == (0, direct)


def test_receipts_carry_the_set_and_the_abstention(flats):
    asked = ["--coverage", 0.9, "--abstain", 0.75]
    code, out, _ = flats("explain", *ASKED, *asked, "--row", 3, "-o", "why.json")
    assert code == 0
    assert "For a coverage of 0.9 the set is" in " ".join(out.split())
    (receipt,) = json.loads(Path("why.json").read_text())
    assert receipt["prediction_set"]["coverage"] == 0.9
    assert receipt["abstention"]["accuracy"] == 0.75
    code, out, _ = flats("verify", "why.json", "flats.csv", *HEATING)
    assert code == 0


def test_empty_and_full_sets_are_said(flats):
    code, _, err = flats("predict", *ASKED, "--coverage", 0.99)
    assert code == 0
    assert "a set of all classes: none can be ruled out; row" in err
    far = pd.read_csv("flats.csv").head(40)
    far["heating"] = np.where(far["area"] > far["area"].median(), "gas", "stove")
    far.to_csv("clear.csv", index=False)
    asked = ["clear.csv", "clear.csv", *HEATING, "-m", "lazy-nb", "--coverage", 0.1]
    _, out, err = flats("predict", *asked)
    empty = [row["row"] for row in rows_of(out) if row["set"] == ""]
    assert len(empty) > 1
    why = "no class is as probable there as the true one is in 10 % of the cases"
    assert f"{len(empty)} rows have an empty set: {why}" in err
    assert "unlike the cases" not in err
    assert "%" not in err.replace(" %", "")


@pytest.fixture
def rare(run):
    """A file in which 6 of 100 rows have the class "yes", which is hard to see."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "z": rng.normal(size=300)})
    frame["left"] = np.where(np.arange(300) % 100 < 6, "yes", "no")
    frame.loc[frame["left"] == "yes", "x"] += 1
    frame.to_csv("rare.csv", index=False)
    frame.sample(60, random_state=0).to_csv("next.csv", index=False)
    return run


RARE = ["rare.csv", "next.csv", "-t", "left", "-m", "kernel"]


def test_sets_cover_a_rare_class_if_asked_to(rare):
    train, test = map(pd.read_csv, ("rare.csv", "next.csv"))
    fitted = sklazy.LazyKernelClassifier().fit(train, "left")
    expected = fitted.predict_set(test[["x", "z"]], by="class", as_labels=True)
    code, out, err = rare("predict", *RARE, "--coverage", 0.9, "--by", "class")
    assert code == 0
    assert [labels_of(row["set"]) for row in rows_of(out)] == expected
    assert "--by class" not in err
    full = [row["row"] for row in rows_of(out) if row["set"] == "no|yes"]
    assert len(full) > 10
    assert f"rows {', '.join(full[:9])} and {len(full) - 9} more.\n" in err
    code, out, err = rare("predict", *RARE, "--coverage", 0.9)
    assert all("yes" not in labels_of(row["set"]) for row in rows_of(out))
    assert "'yes' (6 %) is rarer than the 10 % of rows that sets may miss" in err
    assert "--by class keeps the promise within every class" in err
    assert "'no' has 94 % of the cases, so some sets must be empty" in err
    for option in (["--by", "none"], ["--by", "nearness"]):
        _, _, err = rare("predict", *RARE, "--coverage", 0.9, *option)
        assert "--by class" not in err


def test_sets_without_the_predicted_class_are_noted(rare):
    code, out, err = rare("predict", *RARE, "--coverage", 0.8, "--by", "class")
    assert code == 0
    rows = rows_of(out)
    odd = [r["row"] for r in rows if r["set"] and r["prediction"] not in r["set"]]
    assert len(odd) > 1
    assert f"note: {len(odd)} rows have sets without the predicted class: it is" in err
    truth = pd.read_csv("next.csv")["left"]
    for label in ("no", "yes"):
        held = [
            label in labels_of(r["set"])
            for r, true in zip(rows, truth, strict=True)
            if true == label
        ]
        share = f"{100 * np.mean(held):.3g} %"
        assert f"{label!r}: {share} of {len(held)} row" in err
    _, _, err = rare("predict", *RARE, "--coverage", 0.8)
    assert "without the predicted class" not in err
    assert "'yes': " not in err


def test_cross_validation_notes_copies(rare):
    asked = ["-t", "left", "-m", "lazy-nb", "--folds", 3]
    frame = pd.read_csv("rare.csv")
    pd.concat([frame] * 2).to_csv("twice.csv", index=False)
    code, _, err = rare("predict", "twice.csv", *asked)
    assert code == 0, err
    assert "note: 300 rows are equal to an earlier one, the target included" in err
    _, _, err = rare("predict", "rare.csv", *asked)
    assert "equal to an earlier one" not in err


def test_a_folder_of_answers_has_sets_by_class_too(rare):
    Path("new").mkdir()
    Path("next.csv").rename("new/next.csv")
    rare("fit", "rare.csv", *RARE[2:], "-o", "a.sklazy")
    asked = ["predict", "a.sklazy", "new", "-o", "answers", "--coverage", 0.9]
    code, _, err = rare(*asked)
    assert (code, err.count("--by class")) == (0, 1)
    code, _, err = rare(*asked, "--by", "class")
    assert "with other options" in err
    code, _, err = rare(*asked[:4], "other", *asked[5:], "--by", "class")
    assert (code, "rarer" in err) == (0, False)
    assert "yes" in pd.read_csv("other/next.csv")["set"].str.cat()


def test_receipts_name_the_way_of_the_set(rare):
    code, out, _ = rare("explain", *RARE, "--coverage", 0.9, "--by", "class", "--json")
    assert code == 0
    assert json.loads(out)[0]["prediction_set"]["by"] == "class"


def test_widths_of_intervals_may_follow_a_wanted_way(flats):
    asked = [*RENT, "--id", "flat", "-m", "lazy-knn"]
    train, test = map(pd.read_csv, RENT[:2])
    fitted = sklazy.LazyKNeighborsRegressor().fit(train, "rent", ids="flat")
    for by, argument in (("none", None), ("ratio", "ratio"), ("auto", "auto")):
        ends = fitted.predict_interval(test[train.columns.drop("rent")], by=argument)
        code, out, _ = flats("predict", *asked, "--by", by)
        assert code == 0
        rows = [[float(row["low"]), float(row["high"])] for row in rows_of(out)]
        np.testing.assert_allclose(rows, ends, rtol=1e-6)


def test_few_rows_have_numbers_without_intervals(flats):
    pd.read_csv("flats.csv").head(8).to_csv("few.csv", index=False)
    asked = ["few.csv", "new-flats.csv", "-t", "rent", "-m", "lazy-learning"]
    code, out, _ = flats("predict", *asked)
    assert code == 0
    assert "low" not in rows_of(out)[0]
    code, _, err = flats("predict", *asked, "--coverage", 0.9)
    assert (code, "needs at least 9 rows" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ASKED, "--coverage", "nan"], "coverage=nan; expected"),
        ([*ASKED, "--coverage", "1"], "not in the range 0<=x<1"),
        ([*ASKED, "--coverage", "0.999"], "needs at least 999 rows"),
        ([*ASKED, "--abstain", "nan"], "accuracy=nan; expected"),
        ([*ASKED, "--abstain", "1.5"], "not in the range 0<x<1"),
        ([*ASKED, "--abstain", "0.9999"], "is not reached"),
        ([*ASKED[:-1], "tree", "--coverage", "0.9"], "tree has no sets of classes"),
        ([*ASKED[:-1], "tree", "--abstain", "0.9"], "tree never abstains"),
        (["flats.csv", *HEATING, "--coverage", "0.9"], "is for the rows of TEST"),
        (["flats.csv", *HEATING, "--by", "class"], "--by is for the rows of TEST"),
        ([*ASKED, "--by", "class"], "ask for them, too: --coverage 0.9 --by class"),
        ([*ASKED, "--coverage", "0.9", "--by", "ratio"], "'heating' has classes"),
        ([*ASKED, "--coverage", "0.99", "--by", "class"], "leave --by out"),
        ([*RENT, "-m", "kernel", "--by", "class"], "'rent' has numbers; expected auto"),
        (
            [*RENT, "-m", "kernel", "--coverage", "0", "--by", "ratio"],
            "--by ratio is for intervals",
        ),
        ([*RENT, "-m", "ridge", "--coverage", "0.9"], "ridge has no intervals"),
        ([*RENT, "-m", "kernel", "--abstain", "0.9"], "'rent' has numbers"),
    ],
)
def test_what_cannot_be_had_is_refused(flats, arguments, message):
    code, out, err = flats("predict", *arguments, "-o", "out.csv")
    assert code == 2
    assert message in err
    assert out == ""
    assert not Path("out.csv").exists()


def test_labels_with_bars_and_formulas_stay_apart(run):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": ["a|b", "=1", 'q"'] * 20})
    frame.to_csv("odd.csv", index=False)
    asked = ["predict", "odd.csv", "odd.csv", "-t", "y", "-m", "lazy-nb"]
    code, out, _ = run(*asked, "--coverage", 0.95)
    assert code == 0
    assert all({*labels_of(r["set"])} <= {"a|b", "=1", 'q"'} for r in rows_of(out))
    assert any(len(labels_of(r["set"])) > 1 for r in rows_of(out))


def test_whole_numbers_are_labels_however_they_are_read(run):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60)})
    frame["y"] = (frame["x"] > 0).astype(int)
    frame.to_csv("known.csv", index=False)
    frame["y"] = frame["y"].astype(float)  # 1.0, and one is missing
    frame.loc[3, "y"] = np.nan
    frame.to_csv("asked.csv", index=False)
    asked = ["known.csv", "asked.csv", "-t", "y", "-m", "lazy-nb", "--abstain", 0.7]
    code, _, err = run("predict", *asked, "--coverage", 0.9)
    assert code == 0
    held = float(err.split("the true value is in ")[1].split("%")[0])
    assert held > 85
    right = float(err.split("accuracy ")[-1].split()[0])
    assert right > 0.9


def test_ids_may_repeat_among_rows_that_no_answer_names(flats):
    lines = Path("flats.csv").read_text().splitlines(keepends=True)
    Path("twice.csv").write_text("".join([*lines, lines[1]]))
    asked = ("twice.csv", "new-flats.csv", *HEATING[:4], "--id", "flat")
    code, out, err = flats("predict", *asked, "-m", "lazy-nb")
    assert code == 0, err
    assert out.splitlines()[1].startswith("N01,")
    code, _, err = flats("predict", "twice.csv", *asked[2:], "-m", "lazy-nb")
    assert (code, "has 'F001' twice" in err) == (2, True)


def test_long_work_for_intervals_is_announced_with_a_way_to_do_without(
    flats, monkeypatch
):
    monkeypatch.setattr(progress, "WORTH_SAYING", 0.0)
    asked = ("flats.csv", "new-flats.csv", "-t", "rent", "-m", "kernel")
    noted = flats("predict", *asked)[2]
    assert "for the intervals, leaving out 9 parts of the rows takes about" in noted
    assert "(no intervals: --coverage 0)" in noted
    code, out, without = flats("predict", *asked, "--coverage", "0")
    assert (code, "for the intervals" in without) == (0, False)
    assert "low" not in out.splitlines()[0]


def test_a_guess_ranks_no_rows(flats):
    shown = json.loads(
        flats("predict", "flats.csv", "-t", "heating", "-m", "lazy-nb", "--json")[1]
    )
    assert shown["quality"]["guess"]["auc"] == 0.5
