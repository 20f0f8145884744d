"""The cases most like a query, under the user's names and with the user's values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import sklazy
from discovery import one_keeper_of_each
from lawful import few, fewer, fitted, quiet, splits
from strategies import split_problems

pytestmark = quiet


@few
@given(split_problems(max_rows=15, max_queries=3))
def test_similar_cases_are_those_of_plain_sums(problem):
    cases, queries = problem
    model = fitted(sklazy.LazyKNeighborsClassifier(), cases)
    similar = model.similar(queries.frame, k=4)
    base = model.cases_
    coded, order = base.encode(model._query_table(queries.frame)), base.order.tolist()
    numbers = [
        None if place < 0 else base.cases.numbers[place, : base.n_rows].tolist()
        for place in base.cases.numeric
    ]
    for i, label in enumerate(dict.fromkeys(similar.index.get_level_values("query"))):
        squares = oracle.heom_squares(
            numbers,
            base.cases.codes[:, : base.n_rows],
            coded.values[i].tolist(),
            coded.codes[i].tolist(),
            range(len(base.names)),
        )
        near = sorted(range(base.n_rows), key=lambda r: (squares[r], order.index(r)))[
            :4
        ]
        of_query = similar.loc[label]
        assert of_query["distance"].tolist() == pytest.approx(
            [squares[r] ** 0.5 for r in near]
        )
        assert of_query.index.tolist() == base.ids[near].tolist()


@one_keeper_of_each
@fewer
@given(st.data())
def test_the_order_of_rows_changes_no_similar_case(setting, data):
    cases, queries = data.draw(splits(setting))
    mixed = cases.take(np.random.default_rng(0).permutation(len(cases.rows)))
    one, other = (fitted(setting.model, rows) for rows in (cases, mixed))
    a, b = (m.similar(queries.frame, 3).reset_index(drop=True) for m in (one, other))
    pd.testing.assert_frame_equal(a, b, check_categorical=False)


def test_the_frame_has_the_users_index_and_values():
    X = pd.DataFrame(
        {"distance": [1.0, 2.0, 3.0], "color": ["red", None, "blue"]},
        index=["a", "b", "c"],
    )
    y = pd.Series([10.0, 20.0, 30.0], name="price")
    model = sklazy.LazyLearningRegressor().fit(X, y)
    similar = model.similar(X.loc[["c", "a"]], k=2)
    assert list(similar.columns) == ["distance_", "distance", "color", "price"]
    assert similar.index.tolist() == [("c", "c"), ("c", "b"), ("a", "a"), ("a", "b")]
    assert similar.loc[("c", "c"), ["distance", "color", "price"]].tolist() == [
        *(3.0, "blue", 30.0)
    ]
    assert pd.isna(similar.loc[("a", "b"), "color"])
    assert len(model.similar(X, k=50)) == 9
    numbered = (
        sklazy.LazyNBClassifier().fit(X.to_numpy(), [0, 1, 1]).similar([[2.1, "red"]])
    )
    assert numbered.index.get_level_values("query").tolist() == [0, 0, 0]
    assert list(numbered.columns) == ["distance", "x0", "x1", "y"]
    with pytest.raises(sklazy.BadInputError, match="k=0"):
        model.similar(X, k=0)
