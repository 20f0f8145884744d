"""Rows that repeat: of equally near ones none is preferred, by any lazy method.

Tables have 4 to 50 different rows and as many copies as make 500, 2001 or 6000. What is
learned is drawn at random, so answers are compared with the shares among the copies.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_regressor

from places import cut
from sklazy import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyDecisionTreeClassifier,
    LazyLearningClassifier,
    LazyLearningRegressor,
    LazyPLSRegressor,
    LazySelectionClassifier,
    LazyStackingClassifier,
    LazyStackingRegressor,
)

SIZES = [(4, 500), (4, 2001), (12, 2001), (50, 6000)]

# How far an answer may be from the share or mean of its copies. Of bags it is a draw of
# some hundred rows, and trees do not split by what tells nothing; lines and naive Bayes
# among the members smooth. The others have it exactly.
EXACT, DRAWN, SMOOTHED = 1e-9, 0.07, 0.12
MODELS = [
    (LazyBaggingClassifier(random_state=0), DRAWN),
    (LazyBaggingClassifier(splits="random", random_state=0), DRAWN),
    (LazyBaggingClassifier(share_bags=True, random_state=0), DRAWN),
    (LazyStackingClassifier(random_state=0), SMOOTHED),
    (LazyLearningClassifier(), EXACT),
    (LazyLearningClassifier(scale="range", degrees=(0, 1)), EXACT),
    (LazyDecisionTreeClassifier(), SMOOTHED),
    (LazySelectionClassifier(), SMOOTHED),
    (LazyBaggingRegressor(random_state=0), DRAWN),
    (LazyBaggingRegressor(splits="random", random_state=0), DRAWN),
    (LazyStackingRegressor(random_state=0), SMOOTHED),
    (LazyLearningRegressor(), EXACT),
    (LazyPLSRegressor(n_neighbors=40), EXACT),
]
every_model = pytest.mark.parametrize(
    ("model", "allowed"), [pytest.param(*pair, id=str(pair[0])) for pair in MODELS]
)


def make_table(n_different, n_rows, seed=0):
    """Different rows of a label and a number, of which the label decides the chance.

    Returns the different rows, how often each is there, and as frame and as booleans
    the rows and whether each is a "yes".
    """
    rng = np.random.default_rng(seed)
    labels, numbers = "abcde"[: max(2, n_different // 10)], (n_different + 1) // 2
    every = [(label, float(x)) for label in labels for x in range(numbers)]
    different = pd.DataFrame(every[:n_different], columns=["kind", "age"])
    chances = 0.3 + 0.4 * (different["kind"] != "a").to_numpy()
    drawn = rng.integers(0, len(different), n_rows)
    rows = different.iloc[drawn].reset_index(drop=True)
    return different, drawn, rows, rng.random(n_rows) < chances[drawn]


def ask(model, rows):
    if is_regressor(model):
        return model.predict(rows)
    return model.predict_proba(rows)[:, list(model.classes_).index("yes")]


def learn(model, rows, yes):
    targets = yes * 1.0 if is_regressor(model) else np.where(yes, "yes", "no")
    return model.fit(rows, targets)


@every_model
@pytest.mark.parametrize(("n_different", "n_rows"), SIZES)
def test_answers_are_the_shares_of_the_copies(model, allowed, n_different, n_rows):
    different, drawn, rows, yes = make_table(n_different, n_rows)
    counts = np.bincount(drawn, minlength=len(different))
    shares = np.bincount(drawn, yes) / counts
    answers = ask(learn(model, rows, yes), different)
    if allowed != EXACT:  # what the label has in all, where other columns tell nothing
        kinds = different["kind"].factorize()[0]
        whole = np.bincount(kinds, shares * counts) / np.bincount(kinds, counts)
        ends = np.sort([shares, whole[kinds]], axis=0)
        shares = np.clip(answers, *ends)
    np.testing.assert_allclose(answers, shares, atol=allowed, rtol=0)


@pytest.mark.parametrize("kind", [LazyBaggingClassifier, LazyStackingClassifier])
def test_the_neighbors_of_bags_are_a_fair_part_of_those_that_tie(kind):
    """Of about 500 equal rows 109 go into the bags."""
    different, drawn, rows, yes = make_table(4, 2001)
    model = learn(kind(n_estimators=5), rows, yes)
    for place, receipt in enumerate(model.explain(different, reasons=False)):
        near = {
            of_class["label"]: of_class["cases"]
            for of_class in receipt["neighbors"]["classes"]
        }
        share, k = yes[drawn == place].mean(), sum(near.values())
        assert k == 109
        assert abs(near["yes"] / k - share) < 4 * np.sqrt(share * (1 - share) / k)


def test_published_settings_vote_and_decide_by_the_larger_share():
    different, _, rows, yes = make_table(4, 2001)
    for kind in (LazyBaggingClassifier, LazyStackingClassifier):
        model = learn(kind.paper(random_state=0), rows, yes)
        expected = np.where(different["kind"] == "a", "no", "yes")
        assert model.predict(different).tolist() == expected.tolist()
        assert model.combine == "vote"


# --- local models ---------------------------------------------------------------------

LOCAL = [LazyLearningRegressor(), LazyLearningClassifier()]


def lack_cells(rows, seed=1):
    gone = np.random.default_rng(seed).random(rows.shape) < 0.2
    return rows.mask(gone)


@pytest.mark.parametrize("model", LOCAL, ids=str)
def test_cases_that_a_query_cannot_tell_apart_count_alike(model):
    _, _, rows, yes = make_table(12, 2001)
    learn(model, rows, yes)
    query = pd.DataFrame({"kind": [None, "a"], "age": [1.0, np.nan]}, dtype=object)
    answers = ask(model, query.astype({"age": float}))
    seen = [rows["age"] == 1.0, rows["kind"] == "a"]
    np.testing.assert_allclose(
        answers, [yes[matching].mean() for matching in seen], rtol=1e-9
    )


@pytest.mark.parametrize("model", [*LOCAL, LazyPLSRegressor(n_neighbors=9)], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_out_a_copy_is_forgetting_it(model, weighted):
    _, _, rows, yes = make_table(6, 60)
    rows = lack_cells(rows)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 3.3], 60) if weighted else None
    targets = yes + np.arange(60) % 3 / 7 if is_regressor(model) else yes
    model.fit(rows, targets, sample_weight=weights)
    left_out = model.loo_predict(approximate=False)
    for row in range(0, 60, 7):
        model.forget([row])
        assert model.predict(rows[row : row + 1])[0] == left_out[row]
        weight = None if weights is None else weights[row : row + 1]
        target = targets[row : row + 1]
        model.partial_fit(rows[row : row + 1], target, sample_weight=weight, ids=[row])


@pytest.mark.parametrize("model", LOCAL, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_add_up_copies_as_one_place_does(model, weighted):
    different, _, rows, yes = make_table(12, 300)
    rng, rows = np.random.default_rng(2), lack_cells(rows)
    weights = rng.choice([0.1, 1.0, 7.3], 300) if weighted else None
    targets = yes + rng.random(300).round(1) if is_regressor(model) else yes
    model.fit(rows, targets, sample_weight=weights)
    other = cut(model, rng.integers(0, 4, 300), 5)  # the last part has no rows
    queries = pd.concat(
        [different, lack_cells(different), different.assign(kind="new")]
    )
    assert model.predict(queries).tolist() == other.predict(queries).tolist()
    for one, two in zip(
        model.explain(queries, reasons=False),
        other.explain(queries, reasons=False),
        strict=True,
    ):
        assert one.to_dict() == two.to_dict()


def test_the_last_neighbor_may_be_alone_among_the_neighbors():
    """The third of three neighbors has a copy that is not among them."""
    X = [[0.0], [1.0], [2.0], [2.0], [9.0], [9.0]]
    model = LazyLearningRegressor(degrees=0, n_neighbors=3).fit(X, [0, 0, 0, 6, 1, 1])
    assert model.predict([[0.0]]) == 1.0  # a third of the mean of 0 and 6
    assert cut(model, [0, 0, 0, 1, 1, 1], 2).predict([[0.0]]) == 1.0
    assert cut(model, [0, 0, 0, 0, 1, 1], 2).predict([[0.0]]) == 1.0
    (receipt,) = model.explain([[0.0]], reasons=False)
    assert [
        neighbor.get("n_same_inputs") for neighbor in receipt["targets"][0]["neighbors"]
    ] == [
        None,
        None,
        2,
    ]
    assert "as one case with their mean target" in " ".join(str(receipt).split())


def test_r_counts_each_case_by_itself():
    X, y = [[0.0], [1.0], [1.0], [1.0], [5.0]], [0.0, 0.0, 6.0, 6.0, 9.0]
    model = LazyLearningRegressor.r_lazy(con_id_par=(2, 2), lin_id_par=None).fit(X, y)
    assert model.predict([[0.0]]) == 0.0
