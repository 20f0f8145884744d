"""Expressions that messages name, evaluated as they stand: each must lead out."""

import re
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sklazy
from sklazy import (
    LazyClassifier,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
)
from sklazy.errors import BadTypeError, DataWarning, SklazyError

N = 24
Y = ["no", "yes"] * 12
X = pd.DataFrame({"age": np.arange(24.0), "colour": list("abcd") * 6})
LONG = X.assign(code=[2**60 + i % 3 for i in range(N)])
MIXED = X.assign(code=[1, "a"] * 12)
ISO = [f"2024-01-{i + 1:02}" for i in range(N)]
DOTTED = [f"{i + 1:02}.03.2024" for i in range(N)]


def fit(X, y=Y, **parameters):
    return LazyNBClassifier(**parameters).fit(X, y)


def kinds(X, **parameters):
    """The call with the parameter of the message."""
    return lambda value: fit(X, categorical_features=value)


class Literal(NamedTuple):
    """A call that is refused, the expression in its message, what takes its value."""

    wrong: Any
    expression: str
    takes: Any
    names: dict[str, Any]


def way(wrong, expression, takes, **names):
    return Literal(wrong, expression, takes, names)


def dense(**column):
    return X.assign(**column)


SPARSE = dense(n=pd.arrays.SparseArray([0.0, 1.0] * 12))
SPANS = dense(n=pd.interval_range(0, N))
WIDE = dense(n=np.arange(N).astype("longdouble"))
UNIQUE = dense(n=[frozenset([i % 3]) for i in range(N)])
TWICE = pd.concat([X, X[["age"]]], axis=1)
POLARS, ARROW = pl.DataFrame(X.to_dict("list")), pa.Table.from_pandas(X)
PAIRS = POLARS.with_columns(n=pl.Series([[1, 2]] * N))
NAMED = X.assign(moment=range(N))


LITERALS = [
    way(lambda: fit(SPARSE), r"Use (X.*)\.$", fit, X=SPARSE),
    way(lambda: fit(SPANS), r"Use (X.*), or", fit, X=SPANS),
    way(lambda: fit(SPANS), r", or (X.*)\.$", fit, X=SPANS),
    way(lambda: fit(WIDE), r"Use (X.*), or", fit, X=WIDE),
    way(
        lambda: fit(UNIQUE),
        r"as (X.*) does, or drop",
        lambda cells: fit(UNIQUE.assign(n=cells)),
        X=UNIQUE,
    ),
    way(lambda: fit(PAIRS), r"leave it out: (X.*)\.$", fit, X=PAIRS),
    way(lambda: fit(LONG), r"categorical_features=(\{.*?\})", kinds(LONG)),
    way(lambda: fit(MIXED), r"categorical_features=(\{.*?\})", kinds(MIXED)),
    way(lambda: fit(X, categorical_features="colour"), r"mask: (\[.*\])\.", kinds(X)),
    # --- columns of queries -----------------------------------------------------------
    way(
        lambda: fit(X).predict(TWICE),
        r"first of each: (X.*)\.$",
        lambda rows: fit(X).predict(rows),
        X=TWICE,
    ),
    *(
        way(
            lambda rows=rows: fit(X).predict(rows),
            r"not known: (X.*)\.$",
            lambda rows: fit(X).predict(rows),
            X=rows,
        )
        for rows in (X[["age"]], POLARS[["age"]], ARROW.select(["age"]))
    ),
    *(
        way(
            lambda rows=rows: fit(X).predict(rows),
            r"columns out: (X.*?\))\.",
            lambda rows: fit(X).predict(rows),
            X=rows,
        )
        for rows in (
            X.assign(more=1),
            POLARS.with_columns(more=1),
            ARROW.append_column("more", pa.nulls(N)),
        )
    ),
    # --- targets, times and figures ---------------------------------------------------
    *(
        way(
            lambda y=y: LazyLearningRegressor().fit(X[["age"]], y),
            r"days from one: (.*)\.$",
            lambda days: LazyLearningRegressor().fit(X[["age"]], days),
            y=y,
        )
        for y in (ISO, DOTTED, pd.Series(ISO, index=range(5, 5 + N)))
    ),
    way(
        lambda: fit(X).predict_set(X[:1], coverage=90),
        r"below 1, (.*) for 90 %",
        lambda coverage: fit(X).predict_set(X[:1], coverage=coverage),
    ),
    way(
        lambda: LazyKNeighborsClassifier(n_neighbors="x").fit(X, Y),
        r"or ('auto')",
        lambda value: LazyKNeighborsClassifier(n_neighbors=value).fit(X, Y),
    ),
]


@pytest.mark.parametrize("one", LITERALS, ids=lambda one: one.expression)
@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_the_expression_that_a_message_names_leads_out(one):
    with pytest.raises(SklazyError) as error:
        one.wrong()
    found = re.search(one.expression, str(error.value))
    assert found, str(error.value)
    known = {"pandas": pd, "polars": pl, "pyarrow": pa, **one.names}
    value = eval(found[1], known)
    assert one.takes(value) is not None


def test_days_are_counted_in_the_order_that_dates_have():
    with pytest.raises(BadTypeError) as error:
        LazyLearningRegressor().fit(X, DOTTED)
    expression = re.search(r"days from one: (.*)\.$", str(error.value))[1]
    days = eval(expression, {"pandas": pd, "y": DOTTED})
    assert np.diff(days).tolist() == [1] * (N - 1)


# --- what was silent ------------------------------------------------------------------


@pytest.mark.parametrize("target", [pd.date_range("2024-01-01", periods=N), ISO])
def test_dates_as_a_target_are_days_with_a_note(target):
    y = pd.Series(pd.to_datetime(target))
    with pytest.warns(DataWarning, match="'y' holds dates.*days since 1970") as met:
        model = LazyLearningRegressor().fit(X[["age"]], y)
    assert met[0].filename == __file__
    days = model.predict(X[["age"]][:3])
    back = re.search(r"which (pandas\S+) ", str(met[0].message))[1]
    assert back.startswith("pandas.to_datetime(predictions")
    dates = pd.to_datetime(days, unit="D")
    assert abs(dates - y[:3]).max() < pd.Timedelta("2D")


def test_rows_of_x_and_y_in_another_order_are_pointed_out():
    y = pd.Series(Y)
    with pytest.warns(DataWarning, match=r"y\.loc\[X\.index\]"):
        fit(X, y[::-1])
    with warnings.catch_warnings(action="error"):
        fit(X, y)
        fit(X, y.loc[X.index])
        fit(X, pd.Series(Y, index=range(100, 100 + N)))


def test_a_list_of_amounts_is_read_as_a_column_is():
    amounts = [f"{i + 1}.000,50 €" for i in range(N)]
    with pytest.warns(DataWarning, match="numbers of '€'"):
        model = LazyLearningRegressor().fit(X[["age"]], amounts)
    assert 1000 < model.predict(X[["age"]][:1])[0] < 3000


def test_intervals_of_pandas_cut_are_labels():
    bins = pd.cut(X["age"], 3)
    frame = X.assign(span=bins)
    model = fit(frame)
    words = X.assign(span=bins.astype(str))
    answers = model.predict_proba(frame[:20]).tolist()
    assert answers == fit(words).predict_proba(words[:20]).tolist()
    assert model.predict_proba(frame[:3]).tolist() == answers[:3]


def test_integers_of_128_bits_are_numbers():
    frame = POLARS.with_columns(n=pl.Series(range(N), dtype=pl.Int128))
    with warnings.catch_warnings(action="error"):
        assert fit(frame).cases_.schema.user_table({})["n"].kind == "numeric"


def test_a_score_takes_the_name_of_the_target():
    frame = X.assign(churn=Y, size=np.arange(N) * 2.0)
    model = LazyNBClassifier().fit(frame, "churn")
    assert model.score(frame, "churn") == model.score(frame.drop(columns="churn"), Y)
    line = LazyLearningRegressor().fit(frame, "size")
    assert line.score(frame, "size") == line.score(
        frame.drop(columns="size"), frame["size"]
    )


def test_a_warning_of_a_blend_points_to_the_users_line():
    with pytest.warns(DataWarning, match="a member is left out of the blend") as met:
        sklazy.LazyRegressor().fit(X[:1], [1.0]).predict(X[:1])
    assert met[0].filename == __file__
    with warnings.catch_warnings(action="error"):
        LazyClassifier().fit(X[:1], ["a"]).predict(X[:1])


def test_a_target_among_the_features_is_pointed_out():
    frame = X.assign(churn=Y)
    calls = [fit, sklazy.audit, lambda X, y: sklazy.advise(X, y, max_seconds=0.0)]
    for call in calls:
        with pytest.warns(DataWarning, match="X has the target 'churn'") as met:
            call(frame, frame["churn"])
        way = re.search(r"as (X\..*) does", str(met[0].message))[1]
        left = eval(way, {"X": frame})
        with warnings.catch_warnings(action="error"):
            call(left, frame["churn"])
            call(frame, "churn")
    with warnings.catch_warnings(action="error"):
        fit(frame, pd.Series(Y[::-1], name="churn"))
        assert fit(left, Y).score(frame[["age", "colour"]], frame["churn"]) <= 1
    with pytest.warns(DataWarning, match="X has the target"):
        fit(POLARS.with_columns(churn=pl.Series(Y)), pl.Series("churn", Y))


@pytest.mark.parametrize(
    ("rows", "way"),
    [
        ((1.0, 2.0), r"(\[X\]) if it is one row"),
        ([1.0, 2.0, 3.0], r"row, (.*) if it is one column"),
        (np.zeros((N, 2, 1)), r"sample: (.*)\.$"),
        (np.array([(1, 2.0)] * N, dtype=[("a", int), ("b", float)]), r"data: (.*)\.$"),
        (iter([[1.0, 2.0], [3.0, 4.0]]), r"once, (.*)\.$"),
    ],
)
def test_the_shape_that_a_message_names_is_taken(rows, way):
    with pytest.raises(SklazyError, match="Expected 2D array") as error:
        sklazy.tables.as_table(rows)
    expression = re.search(way, str(error.value))[1]
    assert sklazy.tables.as_table(eval(expression, {"X": rows, "pandas": pd}))
