"""Waits of commands: announced, cut short, and what was done by then is kept."""

import csv
import itertools
import json
import logging
import time
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.dummy import DummyClassifier

from sklazy import LazyNBClassifier
from sklazy.cli import main, predict, waiting
from sklazy.report import progress


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a command on two small files; give exit code, output and messages."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, n_rows in (("train", 60), ("test", 40)):
        rows = rng.integers(0, 3, (n_rows, 3)).tolist()
        with open(f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([["a", "b", "y"], *rows])
    try:
        runner = CliRunner(mix_stderr=False)  # before click 8.2
    except TypeError:
        runner = CliRunner()

    def call(*arguments):
        words = [str(a) for a in (*arguments, "-t", "y", "-m", "lazy-nb")]
        result = runner.invoke(main, words, prog_name="sklazy")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return call


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


def after(n_calls, act):
    """A stand-in for `predict_both` that does something else after some calls."""
    numbers, true = itertools.count(), predict.predict_both

    def stand_in(model, X):
        if next(numbers) >= n_calls:
            act()
        return true(model, X)

    return stand_in


def interrupt():
    raise KeyboardInterrupt


def test_so_many_rows_and_no_more(run):
    _, all_rows, _ = run("predict", "train.csv", "test.csv")
    code, out, _ = run("predict", "train.csv", "test.csv", "--max-rows", 5)
    assert code == 0
    assert rows_of(out) == rows_of(all_rows)[:5]
    code, out, _ = run(
        "predict", "train.csv", "--max-rows", 20, "--json", "-o", "x.csv"
    )
    assert code == 0
    assert len(rows_of(Path("x.csv").read_text())) == 20
    code, out, _ = run("explain", "train.csv", "--max-rows", 2, "--json")
    assert len(json.loads(out)) == 2


def test_parts_are_what_one_call_says(run, monkeypatch):
    _, whole, _ = run("predict", "train.csv", "test.csv")
    monkeypatch.setattr(waiting, "_FIRST", 1)
    monkeypatch.setattr(waiting, "_GROWTH", 2)
    assert run("predict", "train.csv", "test.csv")[1] == whole


def test_an_interrupt_keeps_the_rows_done(run, monkeypatch):
    _, whole, _ = run("predict", "train.csv", "test.csv")
    monkeypatch.setattr(predict, "predict_both", after(1, interrupt))
    code, _, err = run("predict", "train.csv", "test.csv", "-o", "found.csv")
    assert code == 130
    assert "The first 16 of 40 rows were predicted, in found.partial.csv." in err
    assert rows_of(Path("found.partial.csv").read_text()) == rows_of(whole)[:16]
    assert not Path("found.csv").exists()


def test_an_interrupt_before_any_row_writes_nothing(run, monkeypatch):
    monkeypatch.setattr(predict, "predict_both", after(0, interrupt))
    code, out, err = run("predict", "train.csv", "test.csv", "-o", "found.csv")
    assert (code, out) == (130, "")
    assert "Nothing was written" in err


def test_the_time_given_is_kept(run, monkeypatch):
    begin = time.monotonic()
    monkeypatch.setattr(predict, "predict_both", after(1, lambda: time.sleep(60)))
    limit = "--max-seconds", 2
    code, out, err = run("predict", "train.csv", "test.csv", "--json", *limit)
    assert time.monotonic() - begin < 30
    assert code == 0
    assert json.loads(out)["partial"] is True
    assert len(json.loads(out)["rows"]) == 16
    assert "Stopped after 2 seconds (--max-seconds)." in err


def test_a_time_too_short_for_anything_says_so(run, monkeypatch):
    monkeypatch.setattr(predict, "predict_both", after(0, lambda: time.sleep(60)))
    code, out, err = run("predict", "train.csv", "test.csv", "--max-seconds", 0.2)
    assert (code, out) == (2, "")
    assert "--max-seconds 0.2 was too short to finish anything" in err


def stop_before_fold(number):
    """A stand-in for `predict` that is interrupted at a fold."""
    numbers, true = itertools.count(), LazyNBClassifier.predict

    def stand_in(self, X):
        if next(numbers) == number:
            raise KeyboardInterrupt
        return true(self, X)

    return stand_in


@pytest.mark.parametrize("n_done", [1, 2, 3])
def test_folds_done_before_an_interrupt_are_reported(run, monkeypatch, n_done):
    _, out, _ = run("predict", "train.csv", "--json", "-o", "all.csv")
    monkeypatch.setattr(LazyNBClassifier, "predict", stop_before_fold(n_done))
    code, out, err = run("predict", "train.csv", "--json", "-o", "found.csv")
    assert code == 130
    found = json.loads(out)
    assert (found["partial"], found["folds"], found["of"]) == (True, n_done, 10)
    assert f"This is the quality on {n_done} of 10 folds." in err
    rows = rows_of(Path("found.partial.csv").read_text())
    assert len(rows) == 6 * n_done
    every = {row["row"]: row for row in rows_of(Path("all.csv").read_text())}
    assert rows == [every[row["row"]] for row in rows]
    assert ("spread" in found["quality"]["lazy-nb"]) == (n_done > 1)


def test_the_guess_of_folds_done_is_from_all_other_rows(run, monkeypatch):
    """Of one fold, nothing would be left to guess from."""
    monkeypatch.setattr(LazyNBClassifier, "predict", stop_before_fold(1))
    _, out, _ = run("predict", "train.csv", "--json", "-o", "found.csv")
    tested = rows_of(Path("found.partial.csv").read_text())
    every = [row["y"] for row in rows_of(Path("train.csv").read_text())]
    labels = [row["y"] for row in tested]
    others = {label: every.count(label) - labels.count(label) for label in set(every)}
    most = max(others, key=others.__getitem__)
    expected = labels.count(most) / len(labels)
    assert json.loads(out)["quality"]["guess"]["accuracy"] == pytest.approx(expected)


def test_one_fold_done_is_shown_without_a_spread(run, monkeypatch):
    monkeypatch.setattr(LazyNBClassifier, "predict", stop_before_fold(1))
    code, out, _ = run("predict", "train.csv")
    assert code == 130
    assert "1 fold; each row is predicted from the other folds." in out
    assert "±" not in out


def test_an_interrupt_of_the_guess_keeps_whole_folds(run, monkeypatch):
    true, numbers = DummyClassifier.predict, itertools.count()

    def stop_at_the_third(self, X):
        if next(numbers) == 2:
            raise KeyboardInterrupt
        return true(self, X)

    monkeypatch.setattr(DummyClassifier, "predict", stop_at_the_third)
    code, out, _ = run("predict", "train.csv", "--json")
    assert code == 130
    assert json.loads(out)["folds"] == 2


def test_receipts_made_before_an_interrupt_are_shown(run, monkeypatch):
    numbers, true = itertools.count(), LazyNBClassifier.explain

    def stop_at_the_third(self, X, **wanted):
        if next(numbers) == 2:
            raise KeyboardInterrupt
        return true(self, X, **wanted)

    monkeypatch.setattr(LazyNBClassifier, "explain", stop_at_the_third)
    code, out, err = run("explain", "train.csv", "--max-rows", 9, "--json")
    assert code == 130
    assert len(json.loads(out)) == 2
    assert "The first 2 of 9 rows were explained" in err


def test_a_long_wait_is_announced_with_what_is_faster(run, monkeypatch):
    monkeypatch.setattr(progress, "WORTH_SAYING", 0.0)
    monkeypatch.setattr(waiting, "_ENOUGH", 0.0)
    monkeypatch.setattr(waiting, "_FIRST", 4)
    _, _, err = run("predict", "train.csv", "test.csv")
    assert "predicting 40 rows takes about 0 seconds." in err
    assert "for a part only: --max-rows, --max-seconds" in err


def test_the_library_says_it_to_those_who_listen(monkeypatch, caplog):
    caplog.set_level(logging.INFO, "sklazy")
    with progress.Progress("answering", total=7) as outer:
        outer.expect(9.0, "fewer")
        with progress.Progress("inner") as inner:
            inner.expect(1000.0)
        outer.expect(300.0, "n_estimators=10")
    said = "answering 7 rows takes about 5 minutes. Faster: n_estimators=10."
    assert caplog.messages == [said]


def test_the_notice_of_the_compiler_is_no_wait():
    said = []
    console = mock.Mock(note=said.append)
    with waiting.announced(console, "blend"):
        logging.getLogger("sklazy").warning("compiling for first use")
        logging.getLogger("sklazy").info("asking takes long.")
    assert said[0] == "compiling for first use"
    assert said[1].startswith("asking takes long. (faster: -m kernel")


def test_a_model_is_named_before_it_predicts(run):
    run("fit", "train.csv", "-o", "m.sklazy")
    runner = CliRunner()
    result = runner.invoke(main, ["predict", "m.sklazy", "test.csv", "-o", "p.csv"])
    assert result.exit_code == 0
    said = result.output.splitlines()
    assert "classification of 'y', LazyNBClassifier of 60 rows" in said[0]


def test_a_cross_validation_is_announced_and_followed_in_a_pipe(run, monkeypatch):
    """Lines of progress carry no advice; the announcement does."""
    monkeypatch.setattr(progress, "WORTH_SAYING", 0.0)
    monkeypatch.setattr(progress, "_MOST_SILENT", 0.001)
    _, _, err = run("predict", "train.csv", "--folds", 5)
    assert "predicting 60 rows takes about 0 seconds." in err
    assert "for a part only: --max-rows, --max-seconds" in err
    lines = [one for one in err.splitlines() if one.startswith("predicting: ")]
    assert lines
    assert all("faster" not in one for one in lines)
