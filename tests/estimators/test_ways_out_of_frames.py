"""First tries with frames of all sorts: messages, their ways out, silent surprises."""

import numpy as np
import pandas as pd
import pytest

import sklazy
from sklazy import LazyNBClassifier
from sklazy.errors import BadInputError
from ways_out import Way, check

N = 24
Y = ["no", "yes"] * 12
X = pd.DataFrame(
    {
        "age": np.arange(24.0),
        "colour": list("abcd") * 6,
        "day": pd.date_range("2024-01-01", periods=N),
        "moment": pd.date_range("2024-01-01", periods=N, tz="Asia/Tokyo"),
    }
)
TWICE = pd.concat([X, X[["age"]]], axis=1)
DATES = pd.date_range("2024-01-01", periods=N)
NAIVE = X.assign(moment=X["moment"].dt.tz_localize(None))
ZONED = X.assign(day=X["day"].dt.tz_localize("UTC"))


def bayes(frame=X, y=None, **fit):
    return LazyNBClassifier().fit(frame, Y if y is None else y, **fit)


WAYS = [
    Way(
        lambda: bayes(ids=DATES),
        r"as by \[str\(one\) for one in ids\]",
        lambda: bayes(ids=[str(one) for one in DATES]),
    ),
    Way(lambda: bayes().forget(3), r"or of text: \[3\]", lambda: bayes().forget([3])),
    Way(
        lambda: bayes().forget(["3"]),
        r"are text, .*nothing was forgotten. Give \[int\(one\) for one in ids\]",
        lambda: bayes().forget([int(one) for one in ["3"]]),
    ),
    Way(
        lambda: bayes(ids=[f"{i}" for i in range(N)]).forget([3, 4]),
        r"are whole numbers, .*Give \[str\(one\) for one in ids\]",
        lambda: bayes(ids=[f"{i}" for i in range(N)]).forget(["3", "4"]),
    ),
    Way(
        lambda: bayes(TWICE),
        r"keep the first of each: X.loc\[:, ~X.columns.duplicated\(\)\]",
        lambda: bayes(TWICE.loc[:, ~TWICE.columns.duplicated()]),
    ),
    Way(
        lambda: bayes().predict(X.drop(columns="age")),
        r"add those that are not known: X.assign\(\*\*\{'age': None\}\)",
        lambda: bayes().predict(X.drop(columns="age").assign(**{"age": None})),
    ),
    Way(
        lambda: bayes().predict(X.rename(columns={"age": "Age"})),
        "Did you mean 'Age'. Rename the columns",
        lambda: bayes().predict(X),
    ),
    Way(
        lambda: bayes().predict([{"age": 3.0, "colour": "a", "day": DATES[0]}]),
        "a cell that is not known is None",
        lambda: bayes().predict([X.iloc[3].to_dict() | {"moment": None}]),
    ),
    Way(
        lambda: bayes().predict(NAIVE),
        r"Set their zone: X\['moment'\].dt.tz_localize\('UTC'\)",
        lambda: bayes().predict(
            NAIVE.assign(moment=NAIVE["moment"].dt.tz_localize("UTC"))
        ),
    ),
    Way(
        lambda: bayes().predict(ZONED),
        r"Set their zone: X\['day'\].dt.tz_localize\(None\)",
        lambda: bayes().predict(ZONED.assign(day=ZONED["day"].dt.tz_localize(None))),
    ),
    Way(
        lambda: bayes(sample_weight="age"),
        r"give a number for each row, such as sample_weight=X\['age'\]",
        lambda: bayes(sample_weight=X["age"]),
    ),
    Way(
        lambda: sklazy.case_values(X, Y),
        "model is of type DataFrame.*as in case_values",
        lambda: sklazy.case_values(sklazy.LazyKNeighborsClassifier().fit(X, Y)),
    ),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.words)
def test_the_way_out_can_be_taken(way):
    check(way)


@pytest.mark.parametrize("dtype", ["bool", "boolean", "bool[pyarrow]", "array"])
def test_bools_stay_bools_as_classes(dtype):
    truth = np.array(Y) == "yes"
    y = pd.Series(truth, dtype=dtype if dtype != "array" else "bool")
    model = bayes(y=pd.array(truth, dtype="boolean") if dtype == "array" else y)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X[:2]).dtype == bool


def test_advice_takes_the_name_of_the_target():
    frame = X.drop(columns=["day", "moment"]).assign(churn=Y)
    by_name = sklazy.advise(frame, "churn", max_seconds=0.0)
    assert by_name.task == "classification"
    assert by_name.n_attributes == 2
    with pytest.raises(sklazy.BadInputError, match="There are: 'age', 'colour'"):
        sklazy.advise(frame, "z")


def test_new_rows_without_ids_are_told_the_column_that_may_hold_them():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "heat": ["gas", "oil", "gas"]})
    model = sklazy.LazyKNeighborsClassifier(1).fit(frame, "heat", ids=["a", "b", "c"])
    with pytest.raises(BadInputError, match=r"or its column: ids='flat'"):
        model.partial_fit(frame.assign(flat=["d", "e", "f"]), "heat")
    with pytest.raises(BadInputError, match=r"give one for each new row\.$"):
        model.partial_fit(frame, "heat")


def test_a_list_of_dicts_has_names():
    rows = [{"size": float(i), "heat": "oil" if i % 2 else "gas"} for i in range(6)]
    rows = [{**row, "flat": f"f{i}"} for i, row in enumerate(rows)]
    model = sklazy.LazyKNeighborsClassifier(1).fit(rows[:4], "heat", ids="flat")
    model.partial_fit(rows[4:], "heat", ids="flat")
    assert model.ids_.tolist() == [f"f{i}" for i in range(6)]
    assert model.predict([{"size": 5.0}]).tolist() == ["oil"]
    with pytest.raises(BadInputError, match=r"ids='flats' is not in X\[0\].*'flat'"):
        model.partial_fit(rows[4:], "heat", ids="flats")
    unknown = [{**row, "odd": 1, "flat": "g" + row["flat"]} for row in rows]
    with pytest.raises(BadInputError, match=r"cases: not known \['odd'\]"):
        model.partial_fit(unknown, "heat", ids="flat")
