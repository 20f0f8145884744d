"""A table of messages and their ways out: each is met, and what it names is done.

A line has what is done wrong, the words of the message that name the way out, and that
way, taken. `test_messages.py` has those that take more than a line.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression

import sklazy
from sklazy import (
    LazyAssociativeClassifier,
    LazyBaggingClassifier,
    LazyClassifier,
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    LazyPLSRegressor,
    LazySelectionClassifier,
    RaceFeatureSelector,
    RaceSearchCV,
    Receipt,
)
from ways_out import Way, check

X = pd.DataFrame({"age": np.arange(24.0), "colour": list("abcd") * 6})
NUMBERS = np.random.default_rng(0).normal(size=(40, 3))
Y, AMOUNTS = ["no", "yes"] * 12, NUMBERS[:, 0] + NUMBERS[:, 1]
NAMED = X.assign(who=[f"c{i:02}" for i in range(24)], churn=Y)
KEY, LATER = b"sixteen bytes it", pd.Timestamp("2024-02-01")
TIMES = pd.date_range("2024-01-20", periods=24).to_numpy()


def bayes(**parameters):
    return LazyNBClassifier(**parameters).fit(X, Y)


def nearest(**parameters):
    return LazyKNeighborsClassifier(**parameters).fit(X, Y)


def named(model=None):
    return (model or LazyNBClassifier()).fit(NAMED, "churn", ids="who")


def numbers(model=None, **more):
    return (model or LazyKernelRegressor()).fit(NUMBERS, AMOUNTS, **more)


def search(**parameters):
    grid = {"n_neighbors": [1, 3, 5]}
    return RaceSearchCV(LazyKNeighborsClassifier(), grid, **parameters).fit(X, Y)


def select(**parameters):
    return RaceFeatureSelector(**parameters).fit(NUMBERS, AMOUNTS)


WAYS = [
    # --- rows, columns and ids --------------------------------------------------------
    Way(
        lambda: named().predict(NAMED[:2].assign(color=1)),
        r"X\.drop\(columns=\['color'\]\)",
        lambda: named().predict(NAMED[:2].assign(color=1).drop(columns=["color"])),
    ),
    Way(
        lambda: named().explain(NAMED[:1].assign(row="a")),
        r"X\.set_index\('row'\)",
        lambda: named().explain(NAMED[:1].assign(row="a").set_index("row")),
    ),
    Way(
        lambda: LazyNBClassifier().fit(NAMED, "chrun"),
        "mean 'churn'",
        lambda: LazyNBClassifier().fit(NAMED, "churn"),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X.to_numpy(), "churn"),
        "Give a frame as X, or one value for each row",
        lambda: LazyNBClassifier().fit(X.to_numpy(), Y),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X, Y[:5]),
        "give one per row",
        lambda: LazyNBClassifier().fit(X[:5], Y[:5]),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X, [None, *Y[1:]]),
        "Drop those rows",
        lambda: LazyNBClassifier().fit(X[1:], Y[1:]),
    ),
    Way(
        lambda: LazyNBClassifier().fit(NUMBERS, AMOUNTS),
        "use a regressor",
        numbers,
    ),
    Way(
        lambda: LazyNBClassifier().fit(X, Y, ids=["same"] * 24),
        "own id|once",
        lambda: LazyNBClassifier().fit(X, Y, ids=NAMED["who"].tolist()),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X, Y, ids=[1.5] * 24),
        r"whole numbers below 2\*\*62 or of text",
        lambda: LazyNBClassifier().fit(X, Y, ids=range(24)),
    ),
    Way(
        lambda: named().partial_fit(X[:1], Y[:1]),
        "give one for each new row",
        lambda: named().partial_fit(X[:1], Y[:1], ids=["new"]),
    ),
    Way(
        lambda: named().partial_fit(X[:1], Y[:1], ids=[5]),
        "use one kind",
        lambda: named().partial_fit(X[:1], Y[:1], ids=["5"]),
    ),
    Way(
        lambda: named().partial_fit(X[:1], Y[:1], ids=["c03"]),
        "its own id",
        lambda: named().partial_fit(X[:1], Y[:1], ids=["c99"]),
    ),
    Way(
        lambda: bayes().forget([1, 1]),
        "give each id once",
        lambda: bayes().forget([1]),
    ),
    Way(
        lambda: bayes().forget([1], before=LATER),
        "give exactly one of them",
        lambda: bayes().forget([1]),
    ),
    Way(
        lambda: bayes().forget(before=LATER),
        "give times to fit, or forget rows by their ids",
        lambda: LazyNBClassifier().fit(X, Y, times=TIMES).forget(before=LATER),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X, Y, times=TIMES[:3]),
        "give one time for each row",
        lambda: LazyNBClassifier().fit(X, Y, times=TIMES),
    ),
    Way(
        lambda: LazyNBClassifier(window="x").fit(X, Y),
        "a whole number of rows of at least 1",
        lambda: LazyNBClassifier(window=12).fit(X, Y),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X, Y, sample_weight=np.zeros(24)),
        "at least one row a weight above 0",
        lambda: LazyNBClassifier().fit(X, Y, sample_weight=[1.0] + [0.0] * 23),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X, Y, sample_weight=[-1.0] + [1.0] * 23),
        "finite numbers of at least 0",
        lambda: LazyNBClassifier().fit(X, Y, sample_weight=[0.0] + [1.0] * 23),
    ),
    Way(
        lambda: numbers().fit(np.where(NUMBERS > 2, np.inf, NUMBERS), AMOUNTS),
        r"missing \(NaN\)",
        lambda: numbers().fit(np.where(NUMBERS > 2, np.nan, NUMBERS), AMOUNTS),
    ),
    Way(
        lambda: LazyNBClassifier(categorical_features={"age": "word"}).fit(X, Y),
        "one of .*nominal",
        lambda: LazyNBClassifier(categorical_features={"age": "nominal"}).fit(X, Y),
    ),
    Way(
        lambda: sklazy.Table.from_any(X)["aeg"],
        "the table has .*'age'",
        lambda: sklazy.Table.from_any(X)["age"],
    ),
    # --- parameters -------------------------------------------------------------------
    Way(
        lambda: nearest(measure="entropie"),
        "one of .*'entropy'",
        lambda: nearest(measure="entropy"),
    ),
    Way(
        lambda: nearest(n_attributes=0),
        r"a count of 1 to 2 or a fraction in \(0, 1\]",
        lambda: nearest(n_attributes=0.5),
    ),
    Way(
        lambda: nearest(n_jobs=0).predict(X),
        "-1 for all cores, or None",
        lambda: nearest(n_jobs=-1).predict(X),
    ),
    Way(
        lambda: nearest(device="gpu").predict(X),
        "None for the CPU",
        lambda: nearest(device=None).predict(X),
    ),
    Way(
        lambda: nearest(cuts="none"),
        "'exact' or 'frozen'",
        lambda: nearest(cuts="frozen"),
    ),
    Way(lambda: bayes(alpha=0), "a number above 0", lambda: bayes(alpha=0.5)),
    Way(
        lambda: bayes(selection="lazy-hip"),
        "or use selection='lazy'",
        lambda: bayes(selection="lazy"),
    ),
    Way(
        lambda: LazyAssociativeClassifier(min_support=0.0).fit(X, Y),
        r"at least 1, or a fraction in \(0, 1\]",
        lambda: LazyAssociativeClassifier(min_support=1).fit(X, Y),
    ),
    Way(
        lambda: LazyBaggingClassifier(max_features=9).fit(X, Y).predict(X),
        "'sqrt'",
        lambda: LazyBaggingClassifier(max_features="sqrt").fit(X, Y).predict(X),
    ),
    Way(
        lambda: LazyBaggingClassifier(n_neighbors=99).fit(X, Y).predict(X),
        "or None",
        lambda: LazyBaggingClassifier(n_neighbors=None).fit(X, Y).predict(X),
    ),
    Way(
        lambda: LazyBaggingClassifier(beta=2).fit(X, Y).predict(X),
        r"in \[0, 1\]",
        lambda: LazyBaggingClassifier(beta=1).fit(X, Y).predict(X),
    ),
    Way(
        lambda: numbers(LazyLearningRegressor(degrees=[3])).predict(NUMBERS[:1]),
        "'auto'",
        lambda: numbers(LazyLearningRegressor(degrees="auto")).predict(NUMBERS[:1]),
    ),
    Way(
        lambda: numbers(LazyLearningRegressor(metric="round")).predict(NUMBERS[:1]),
        "'manhattan'",
        lambda: numbers(LazyLearningRegressor(metric="manhattan")).predict(NUMBERS[:1]),
    ),
    Way(
        lambda: numbers(LazyPLSRegressor(scale="std")).predict(NUMBERS[:1]),
        "True or False",
        lambda: numbers(LazyPLSRegressor(scale=True)).predict(NUMBERS[:1]),
    ),
    Way(
        lambda: LazyClassifier(default_members=False).fit(X, Y),
        "give some in estimators",
        lambda: LazyClassifier([LazyNBClassifier()], default_members=False).fit(X, Y),
    ),
    Way(
        lambda: LazyClassifier([LazyKernelRegressor()]).fit(X, Y),
        "give a classifier",
        lambda: LazyClassifier([LazyKernelClassifier()]).fit(X, Y),
    ),
    Way(
        lambda: LazySelectionClassifier(SelectKBest()).fit(X, Y).predict(X),
        "no predict; give a classifier",
        lambda: LazySelectionClassifier(LogisticRegression()).fit(X, Y).predict(X[:2]),
    ),
    # --- answers ----------------------------------------------------------------------
    Way(
        lambda: bayes().predict_set(X, coverage=0.99),
        "lower it",
        lambda: bayes().predict_set(X, coverage=0.5),
    ),
    Way(
        lambda: numbers().predict_interval(NUMBERS, by="ratio"),
        "'auto', 'nearness' or None",
        lambda: numbers().predict_interval(NUMBERS, by="nearness"),
    ),
    Way(
        lambda: numbers().explain(NUMBERS[:1], accuracy=0.9),
        "for numbers give a coverage",
        lambda: numbers().explain(NUMBERS[:1], coverage=0.5),
    ),
    Way(
        lambda: bayes().changes(X[:2]),
        r"give one, such as X\[:1\]",
        lambda: bayes().changes(X[:1]),
    ),
    Way(
        lambda: bayes().changes(X[:1], fixed=["aeg"]),
        "choose from 'age', 'colour'",
        lambda: bayes().changes(X[:1], fixed=["age"]),
    ),
    Way(
        lambda: bayes().contributions(X[:1], of="maybe"),
        "give one of .*'no'",
        lambda: bayes().contributions(X[:1], of="no"),
    ),
    Way(
        lambda: sklazy.case_values(LazyKernelClassifier().fit(X, Y)),
        "give X and y.*n_neighbors=5",
        lambda: sklazy.case_values(LazyKernelClassifier().fit(X, Y), n_neighbors=5),
    ),
    Way(
        lambda: sklazy.case_values(LazyKernelClassifier().fit(X[:20], Y[:20])),
        "give X and y",
        lambda: sklazy.case_values(
            LazyKernelClassifier().fit(X[:20], Y[:20]), X[20:], Y[20:]
        ),
    ),
    Way(
        lambda: sklazy.audit(X, Y, estimator=LazyNBClassifier),
        r"give LazyNBClassifier\(\)",
        lambda: sklazy.audit(X, Y, estimator=LazyNBClassifier()),
    ),
    Way(
        lambda: sklazy.audit(X, Y, estimator=[]),
        "or None",
        lambda: sklazy.audit(X, Y, estimator=None),
    ),
    # --- receipts ---------------------------------------------------------------------
    Way(
        lambda: bayes().explain(X[:1], reasons=False)[0].for_customer(),
        r"explain\(X, reasons=True\)",
        lambda: bayes().explain(X[:1], reasons=True)[0].for_customer(),
    ),
    Way(
        lambda: bayes().verify(bayes().explain(X[:1])[0], key=KEY),
        r"signed with it, by signed\(key\)",
        lambda: bayes().verify(bayes().explain(X[:1])[0].signed(KEY), key=KEY),
    ),
    Way(
        lambda: bayes().explain(X[:1])[0].signed(b"short"),
        r"secrets\.token_bytes\(32\)",
        lambda: bayes().explain(X[:1])[0].signed(KEY * 2),
    ),
    Way(
        lambda: bayes().forget([3]).verify(bayes().explain(X[:1])[0]),
        "verify it with the cases it was made from",
        lambda: bayes().verify(bayes().explain(X[:1])[0]),
    ),
    Way(
        lambda: Receipt.from_dict({"answer": "no"}),
        r"its to_dict\(\)",
        lambda: Receipt.from_dict(bayes().explain(X[:1])[0].to_dict()),
    ),
    Way(
        lambda: Receipt.from_dict({**bayes().explain(X[:1])[0].to_dict(), "answer": 1}),
        r"call explain\(\) again",
        lambda: bayes().explain(X[:1])[0],
    ),
    # --- races ------------------------------------------------------------------------
    Way(
        lambda: search(blocks="rows", scoring="roc_auc"),
        "blocks='folds' for any other score",
        lambda: search(blocks="folds", scoring="roc_auc"),
    ),
    Way(
        lambda: RaceSearchCV(LogisticRegression(), {"C": [1, 2]}, blocks="rows").fit(
            NUMBERS, AMOUNTS > 0
        ),
        "Use blocks='folds'",
        lambda: RaceSearchCV(LogisticRegression(), {"C": [1, 2]}, blocks="folds").fit(
            NUMBERS, AMOUNTS > 0
        ),
    ),
    Way(
        lambda: select(start="forward"),
        "'random', 'all'",
        lambda: select(start="random"),
    ),
    Way(lambda: select(alpha=2), r"in \(0, 1\)", lambda: select(alpha=0.1)),
    Way(
        lambda: select(max_seconds=-1),
        "or None for no limit",
        lambda: select(max_seconds=None),
    ),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.words[:40])
@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning", "ignore::UserWarning")
def test_the_way_out_that_a_message_names_leads_out(way):
    check(way)
