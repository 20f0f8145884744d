"""The study of accuracy: honest folds, scores as others have them, and a report."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import log_loss

from sklazy.estimators.encoded import EncodedModel
from sklazy.measures.scores import keep_off_zero
from sklazy_studies.accuracy import methods, report, run, sets
from sklazy_studies.accuracy.results import collect, find_runs
from sklazy_studies.accuracy.scores import (
    calibration_error,
    score_classes,
    score_numbers,
)
from sklazy_studies.document import to_markdown, to_page
from sklazy_studies.harness.data import data_folder, find_sets
from sklazy_studies.harness.significance import corrected_t

needs_data = pytest.mark.skipif(
    not (data_folder() / "classification").is_dir(),
    reason="the data sets are not on this machine",
)


def test_no_set_is_both_chosen_by_and_reported():
    assert not set(sets.CHOOSE) & set(sets.REPORT)
    assert len(sets.CHOOSE) == 24
    assert len(sets.REPORT) == 23


shares = arrays.arrays(
    float, st.tuples(st.integers(1, 20), st.just(3)), elements=st.floats(0, 1)
)


@given(shares, st.randoms(use_true_random=False))
def test_scores_are_those_of_others(probabilities, random):
    classes = np.array([random.randrange(3) for _ in probabilities])
    found = score_classes(probabilities, classes)
    kept = keep_off_zero(probabilities)
    assert np.allclose(kept.sum(axis=1), 1)
    assert kept.min() > 0
    theirs = log_loss(classes, kept, labels=[0, 1, 2], normalize=False)
    assert found["log_loss"] == pytest.approx(theirs)
    truth = np.eye(3)[classes]
    assert found["brier"] == pytest.approx(sum(((kept - truth) ** 2).ravel()))
    assert found["right"] == sum(probabilities.argmax(axis=1) == classes)
    assert np.sum(found["bins"], axis=1)[0] == len(classes)


def test_calibration_is_measured_bin_by_bin():
    right = np.array([True] * 7 + [False] * 3)
    probabilities = np.where(right[:, None], [0.7, 0.3], [0.7, 0.3])
    classes = np.where(right, 0, 1)
    found = score_classes(probabilities, classes)
    assert calibration_error(np.array(found["bins"])) == pytest.approx(0, abs=1e-3)
    always = score_classes(np.tile([1.0, 0.0], (10, 1)), classes)
    assert calibration_error(np.array(always["bins"])) == pytest.approx(0.3, abs=1e-3)


def test_squares_are_added():
    assert score_numbers([1.0, 2.0], np.array([1.0, 4.0]))["squared"] == 4.0


def test_the_corrected_test_is_that_of_nadeau_and_bengio():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.2, 1, (4, 15)), rng.normal(0, 1, (4, 15))
    d = first - second
    t = d.mean(axis=1) / np.sqrt(d.var(axis=1, ddof=1) * (1 / 15 + 0.25))
    expected = 2 * stats.t.sf(np.abs(t), 14)
    assert corrected_t(first, second, 0.25) == pytest.approx(expected)


@needs_data
def test_folds_share_no_row_and_draws_keep_proportions():
    (known,) = find_sets(["kr-vs-kp"], data_folder())
    unit = run.make_units(["kr-vs-kp"], data_folder(), quick=True)[0]
    data = run.load_unit_set(unit, data_folder())[1]
    drawn = run._draw(data)
    assert len(drawn.table) == sets.MOST_ROWS < known.n_rows
    whole = np.bincount(data.classes.data) / known.n_rows
    assert np.allclose(np.bincount(drawn.classes.data) / 800, whole, atol=0.03)
    tests = np.array(list(run._tests(drawn, 1)))
    assert (tests.sum(axis=0) == 1).all()
    assert (tests != np.array(list(run._tests(drawn, 2)))).any()


@pytest.fixture
def guesses(monkeypatch):
    """Guesses in the place of all methods: the protocol, not the models, is tried."""

    def guess_class(seed):
        return EncodedModel(DummyClassifier(strategy="prior"))

    def guess_number(seed):
        return EncodedModel(DummyRegressor())

    for makes, guess in (
        (methods.CLASSIFIERS, guess_class),
        (methods.REGRESSORS, guess_number),
    ):
        for name in list(makes):
            monkeypatch.setitem(makes, name, guess)


@needs_data
def test_guesses_are_scored_as_guesses(guesses):
    names = ["hayes-roth", "tae", "wisconsin"]
    units = run.make_units(names, data_folder(), quick=True)
    found = {unit: run.work(unit, data_folder()) for unit in units}
    reported = collect(find_runs(found, "report"), list(methods.CLASSIFIERS))
    assert reported.sets == ["tae"]
    right = reported.means("right")
    assert (right == right[0, 0]).all()
    assert right[0, 0] == pytest.approx(1 / 3, abs=0.05)  # three classes alike
    numbers = collect(find_runs(found, "numbers"), list(methods.REGRESSORS))
    assert numbers.errors[0] == pytest.approx(1.0, abs=0.02)
    document = report.make_document(found, [("command", "test")])
    assert "tae" in to_markdown(document, "accuracy")
    assert "<svg" not in to_page(document)  # too few sets to be ranked
    names = [table.name for table in document.tables]
    assert names[:3] == ["means-report", "pairs-report", "accuracies-report"]


@needs_data
def test_a_method_that_was_run_on_some_sets_is_compared_on_these(guesses):
    units = run.make_units(["iris", "tae"], data_folder(), quick=True)
    last = list(methods.CLASSIFIERS)[-1]
    done = [
        u for u in units if (u.setting["set"], u.setting["method"]) != ("tae", last)
    ]
    found = {unit: run.work(unit, data_folder()) for unit in done}
    document = report.make_document(found, [])
    tables = {table.name: table for table in document.tables}
    assert [row[0] for row in tables["accuracies-report"].rows] == ["iris", "tae"]
    assert last not in tables["accuracies-report"].header
    some = tables[f"accuracies-report-{last.lower()}"]
    assert [row[0] for row in some.rows] == ["iris"]
    assert last in some.header


@needs_data
def test_what_a_quick_run_did_is_not_done_again():
    units = run.make_units([*run.SETS, *run.EXTRA], data_folder(), quick=False)
    quick = run.make_units(run.QUICK, data_folder(), quick=True)
    assert set(quick) < set(units)
