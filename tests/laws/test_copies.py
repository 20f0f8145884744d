"""Law 9: copies count as evidence; repeated rows are counted, drawn and tied fairly."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from discovery import exported, name_of
from lawful import few, fitted, quiet
from model_settings import SETTINGS
from repeated import CONTENTS, admissions, contents, find_answers, label, learn
from sklazy import (
    LazyAssociativeClassifier,
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyKNeighborsRegressor,
    LazyLearningClassifier,
    LazyLearningRegressor,
    LazyLogisticClassifier,
    LazyNBClassifier,
    LazyPLSRegressor,
    LazyRidgeRegressor,
    LazySelectionClassifier,
    LazyStackingClassifier,
    LazyStackingRegressor,
    RacedRegressor,
    RaceSearchCV,
)
from strategies import mixed_problems

pytestmark = quiet

# How far an answer may be from the truth. The tables have no sampling error, so this is
# for methods: bins and lines of five numbers, smoothing, 200 of the nearest that tie,
# and settings that are chosen by some rows. Of all rows together it is half of it.
ALLOWED = {500: 0.15, 2001: 0.1, 6000: 0.1}


def published():
    """Every exported classifier and regressor as users make it, and some variants."""
    models = [
        SETTINGS[kind][0].model if kind is RaceSearchCV else kind()
        for kind in exported().values()
    ]
    variants = [
        LazyBaggingClassifier(combine="vote"),
        LazyBaggingClassifier(splits="random"),
        LazyBaggingRegressor(splits="random"),
    ]
    return [m for m in models if is_classifier(m) or is_regressor(m)] + variants


def tables_of(model):
    """Names of the contents that a model is tried on."""
    if isinstance(model, RaceSearchCV):
        return ["numbers"]  # of ridge regression
    if isinstance(model, RacedRegressor):
        return ["labels", "numbers"]  # races among more columns take seconds
    return list(CONTENTS)


every_predictor = pytest.mark.parametrize(
    "model", [pytest.param(m, id=name_of(m)) for m in published()]
)
every_predictor_and_table = pytest.mark.parametrize(
    ("model", "table"),
    [
        pytest.param(model, table, id=f"{name_of(model)}-{table}")
        for model in published()
        for table in tables_of(model)
    ],
)


def counts_votes(model):
    """Whether "probabilities" are shares of votes or scores of rules by definition.

    Members that vote, or rules above a confidence, agree the more the more rows there
    are: only the class is held to the law.
    """
    votes = getattr(model, "combine", None) in ("vote", "accuracy")
    return votes or isinstance(model, LazyAssociativeClassifier)


def check_answers(model, content, allowed):
    """Compare what a fitted model answers with the truth."""
    if is_classifier(model):
        clear = abs(content.chances - 0.5) >= 0.1
        expected = np.where(content.chances > 0.5, "yes", "no")
        assert model.predict(content.frame[clear]).tolist() == expected[clear].tolist()
    if not counts_votes(model):
        answers = find_answers(model, content)
        errors = abs(answers - content.chances)
        assert errors.max() <= allowed, np.round(answers, 2).tolist()
        assert errors @ content.often <= allowed / 2, np.round(answers, 2).tolist()


@every_predictor_and_table
def test_answers_come_to_the_shares(model, table):
    content = CONTENTS[table]
    model = learn(clone(model), *content.repeat(2001))
    check_answers(model, content, ALLOWED[2001])


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [500, 6000])
@every_predictor_and_table
def test_answers_come_to_the_shares_of_fewer_and_of_more_rows(model, table, n_rows):
    content = CONTENTS[table]
    model = learn(clone(model), *content.repeat(n_rows))
    check_answers(model, content, ALLOWED[n_rows])


@pytest.mark.slow
@every_predictor_and_table
def test_answers_come_to_the_shares_of_rows_that_were_drawn(model, table):
    content = CONTENTS[table]
    model = learn(clone(model), *content.draw(6000, seed=0))
    error = 3 * np.sqrt(0.25 / 6000 / content.often.min())  # of the rarest row's share
    check_answers(model, content, ALLOWED[6000] + error)


@pytest.mark.slow
@every_predictor
@settings(few, max_examples=4)
@given(contents(), st.sampled_from(sorted(ALLOWED)))
def test_answers_come_to_the_shares_of_any_content(model, content, n_rows):
    if isinstance(model, RaceSearchCV):
        content = CONTENTS["numbers"]
    model = learn(clone(model), *content.repeat(n_rows))
    check_answers(model, content, ALLOWED[n_rows])


def left_out_losses(model, receipts):
    """What receipts report of rows left out, and what was answered by whom.

    Returns
    -------
    losses : list of (float, int, float array of shape (n_receipts,))
        The loss, of how many rows, and what the same model answers to the queries.
    """
    first, n_rows = receipts[0].content, len(model.ids_)
    if "members" in first:
        return [
            (own["left_out_loss"], first["n_left_out"], _said(receipts, place))
            for place, own in enumerate(first["members"])
        ]
    answers = np.array([_answer(receipt.content) for receipt in receipts])
    if "kernel" in first:
        n_left_out = min(model.max_loo_rows, n_rows)
        return [(first["kernel"]["loss"], n_left_out, answers)]
    return [(first["linear_model"]["left_out_loss"], n_rows, answers)]


def _said(receipts, place):
    members = [receipt.content["members"][place] for receipt in receipts]
    return np.array(
        [m["value"] if "value" in m else m["probabilities"][1] for m in members]
    )


def _answer(content):
    if "votes" not in content:
        return content["answer"]
    return {item["label"]: item["probability"] for item in content["votes"]}["yes"]


def expected_loss(content, answers, squared):
    """The loss of new rows, and its standard deviation from row to row."""
    kept = np.clip(answers, 1e-3, 1 - 1e-3)
    no, yes = (answers**2, (1 - answers) ** 2) if squared else -np.log([1 - kept, kept])
    weights = content.often * np.array([1 - content.chances, content.chances])
    mean = (weights * [no, yes]).sum()
    variance = (weights * ([no, yes] - mean) ** 2).sum()
    if squared:  # receipts report the root
        return np.sqrt(mean), np.sqrt(variance / mean) / 2
    return mean, np.sqrt(variance)


REPORTING = [
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyLogisticClassifier,
    LazyRidgeRegressor,
    LazyBlendClassifier,
    LazyBlendRegressor,
]


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        *[(kind, "labels") for kind in REPORTING],
        *[(kind, "missing") for kind in REPORTING[:4]],
        *[pytest.param(k, "missing", marks=pytest.mark.slow) for k in REPORTING[4:]],
        *[pytest.param(k, "mixed", marks=pytest.mark.slow) for k in REPORTING],
    ],
)
def test_receipts_report_the_loss_of_new_rows(kind, table):
    content = CONTENTS[table]
    model = learn(kind(), *content.repeat(2001))
    told = left_out_losses(model, model.explain(content.frame, reasons=False))
    assert told
    for loss, n_left_out, answers in told:
        expected, spread = expected_loss(content, answers, is_regressor(model))
        allowed = 0.03 + 3 * spread / np.sqrt(n_left_out)
        assert loss == pytest.approx(expected, abs=allowed)


@pytest.mark.parametrize(
    "model", [pytest.param(m, id=name_of(m)) for m in published() if is_classifier(m)]
)
def test_admissions_are_predicted_as_well_as_tables_of_counts_can(model):
    content, n_rows = admissions()
    model = learn(clone(model), *content.repeat(n_rows))
    chances, decided = content.chances, model.predict(content.frame)
    right = content.often @ np.where(decided == "yes", chances, 1 - chances)
    most = content.often @ np.maximum(chances, 1 - chances)
    assert right >= most - 0.005
    if not counts_votes(model):
        loss, _ = expected_loss(content, find_answers(model, content), squared=False)
        best, _ = expected_loss(content, chances, squared=False)
        assert loss <= best + 0.02


# For whom a weight of m is m copies, exactly, and on which kinds of columns.
BOTH = ("numeric", "nominal")
AS_COPIES = [
    (LazyNBClassifier(selection="none"), ("nominal",)),
    (LazyNBClassifier(n_attributes=1.0), ("nominal",)),
    (LazyNBClassifier(selection="none", discretize=False), BOTH),
    (LazySelectionClassifier(DecisionTreeClassifier(), selection="none"), BOTH),
    (LazyKNeighborsRegressor(1, selection="none"), BOTH),
    (LazyKNeighborsRegressor(1, selection="none", ties="all"), BOTH),
    (LazyKNeighborsClassifier(1, selection="none"), BOTH),
    (LazyKNeighborsClassifier(1, selection="none", ties="all"), BOTH),
    (LazyKernelClassifier(), BOTH),
    (LazyKernelRegressor(), BOTH),
    (LazyLogisticClassifier(), BOTH),
    (LazyRidgeRegressor(), BOTH),
]
NEIGHBORS_ARE_ROWS = "a weight takes up no place among the k nearest"
OTHER_ROWS_ARE_DRAWN = "bags of copies draw other rows, but as often"
NOT_AS_COPIES = {
    LazyBaggingClassifier: OTHER_ROWS_ARE_DRAWN,
    LazyBaggingRegressor: OTHER_ROWS_ARE_DRAWN,
    LazyStackingClassifier: OTHER_ROWS_ARE_DRAWN,
    LazyStackingRegressor: OTHER_ROWS_ARE_DRAWN,
    LazyBlendClassifier: OTHER_ROWS_ARE_DRAWN,
    LazyBlendRegressor: OTHER_ROWS_ARE_DRAWN,
    LazyLearningClassifier: NEIGHBORS_ARE_ROWS,
    LazyLearningRegressor: NEIGHBORS_ARE_ROWS,
    LazyPLSRegressor: NEIGHBORS_ARE_ROWS,
}


def test_it_is_known_of_all_who_take_weights_whether_they_count_as_copies():
    taking = {k for k in exported().values() if has_fit_parameter(k, "sample_weight")}
    assert taking == {type(model) for model, _ in AS_COPIES} | set(NOT_AS_COPIES)


def shares_of_votes(model, frame):
    """What is answered, before votes are smoothed by the number of rows."""
    if isinstance(model, LazyKNeighborsClassifier):
        votes = [
            receipt.content["votes"] for receipt in model.explain(frame, reasons=False)
        ]
        counts = np.array([[item["votes"] for item in own] for own in votes])
        return counts / counts.sum(axis=1, keepdims=True)
    return model.predict(frame) if is_regressor(model) else model.predict_proba(frame)


@pytest.mark.parametrize(
    ("model", "kinds"), [pytest.param(*pair, id=name_of(pair[0])) for pair in AS_COPIES]
)
@few
@given(st.data())
def test_a_weight_is_as_many_copies(model, kinds, data):
    problem = data.draw(mixed_problems(min_rows=2, max_rows=16, kinds=kinds))
    n_rows = len(problem.rows)
    counts = st.lists(st.integers(1, 4), min_size=n_rows, max_size=n_rows)
    weights = data.draw(counts)
    copies = problem.take(np.repeat(np.arange(n_rows), weights))
    weighed = fitted(model, problem, weights)
    copied = fitted(model, copies)
    np.testing.assert_allclose(
        shares_of_votes(weighed, problem.frame),
        shares_of_votes(copied, problem.frame),
        rtol=1e-7 if hasattr(model, "loo_predict") and model._approximates else 1e-9,
        atol=1e-7,
    )


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(kind(), id=kind.__name__)
        for kind in dict.fromkeys((*REPORTING, *NOT_AS_COPIES))
        if "Learning" not in kind.__name__ and "PLS" not in kind.__name__
    ],
)
def test_weights_come_to_the_shares(model):
    content = CONTENTS["labels"]
    frame, yes = content.repeat(2001)
    rows = frame.assign(yes=yes)
    counted = rows.groupby(list(rows), observed=True).size().reset_index(name="often")
    targets = counted.pop("yes").to_numpy()
    weights = counted.pop("often")
    targets = targets * 1.0 if is_regressor(model) else label(targets)
    model = clone(model).fit(counted, targets, sample_weight=weights)
    check_answers(model, content, ALLOWED[2001])


@pytest.mark.parametrize(
    "make",
    [
        LazyBlendClassifier,
        LazyBlendRegressor,
        LazyNBClassifier,
        LazyKernelClassifier,
        LazyLearningClassifier,
        LazyLogisticClassifier,
        LazyBaggingClassifier,
        LazyKernelRegressor,
        LazyKNeighborsRegressor,
        LazyLearningRegressor,
        LazyRidgeRegressor,
    ],
)
def test_rows_without_weight_are_absent(make):
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"a": rng.normal(size=60), "c": rng.choice(list("uv"), 60)})
    number = X["a"] + (X["c"] == "u") + 0.3 * rng.normal(size=60)
    is_class = make.__name__.endswith("Classifier")
    y = np.where(number > 0.5, "p", "q") if is_class else number.to_numpy()
    weights = np.ones(60)
    weights[[0, 20, 59]] = 0.0
    ask = "predict_proba" if is_class else "predict"
    weighed = make().fit(X, y, sample_weight=weights)
    absent = make().fit(X[weights > 0], y[weights > 0])
    there = getattr(weighed, ask)(X[:20])
    np.testing.assert_allclose(there, getattr(absent, ask)(X[:20]), atol=1e-9)
    y = y[::-1].copy()  # the rows themselves would make a difference
    other = make().fit(X, y, sample_weight=weights)
    assert not np.allclose(there, getattr(other, ask)(X[:20]), atol=1e-6)
