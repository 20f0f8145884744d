"""Several fitted models as one."""

import numpy as np
import pandas as pd
import pytest
from pandas.api.types import union_categoricals

import sklazy

X = np.array([[i % 5, i % 3] for i in range(20)], float)
y = (X[:, 0] + X[:, 1] > 3).astype(int)


def fit(X, y, ids):
    return sklazy.LazyKNeighborsClassifier(3).fit(X, y, ids=ids)


def part(first, last, **parameters):
    model = sklazy.LazyKNeighborsClassifier(3, **parameters)
    return model.fit(X[first:last], y[first:last], ids=range(first, last))


def test_joined_models_are_a_model_of_all_rows():
    model, whole = sklazy.join([part(0, 7), part(7, 8), part(8, 20)]), part(0, 20)
    assert model.digest() == whole.digest()
    assert model.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()
    assert model.ids_.tolist() == list(range(20))
    assert model.loo_predict().tolist() == whole.loo_predict().tolist()
    again = sklazy.join([model, model], renumber=True)
    assert len(again.ids_) == 40


def test_the_models_stay_as_they_are():
    one, other = part(0, 10), part(10, 20)
    digests = one.digest(), other.digest()
    joined = sklazy.join([one, other])
    joined.forget(range(10))  # a part without rows
    assert joined.digest() == other.digest() == digests[1]
    assert one.digest() == digests[0]
    assert joined.predict(X).tolist() == other.predict(X).tolist()
    joined.partial_fit(X[:10], y[:10], ids=range(10))
    assert joined.digest() == part(0, 20).digest()


def test_columns_take_the_kind_that_others_have():
    rows = [[None, 1.0], ["a", 2.0], ["b", 3.0], ["a", 4.0]]
    models = [
        sklazy.LazyNBClassifier().fit(rows[a:b], [0, 1, 0, 1][a:b])
        for a, b in [(0, 1), (1, 4)]
    ]
    whole = sklazy.LazyNBClassifier().fit(rows, [0, 1, 0, 1])
    joined = sklazy.join(models, renumber=True)
    assert joined.digest() == whole.digest()
    for model in (whole, joined):
        model.forget([1, 2, 3])  # the column has no value any more
    assert joined.digest() == whole.digest()
    for model in (whole, joined):
        model.partial_fit([["c", 1.0], [None, 2.0]], [1, 0])
    assert joined.digest() == whole.digest()


def categories(labels, declared):
    return pd.DataFrame({"a": pd.Categorical(labels, categories=declared)})


@pytest.mark.parametrize(
    "declared",
    [
        (list("xyq"), list("zyw"), list("xyz")),
        (list("yx"), list("xy"), list("zyx")),
        (list("xyq"), list("xyq"), list("zyx")),
    ],
)
def test_declared_categories_are_united(declared):
    labels, y = (
        (["x", "y", "x"], ["y", "y", None], ["x", "y"]),
        ([0, 1, 0], [1] * 3, [1, 0]),
    )
    frames = [categories(*part) for part in zip(labels, declared, strict=True)]
    models = [
        sklazy.LazyNBClassifier().fit(*part) for part in zip(frames, y, strict=True)
    ]
    united = pd.DataFrame({"a": union_categoricals([part["a"] for part in frames])})
    whole = sklazy.LazyNBClassifier().fit(united, [*y[0], *y[1], *y[2]])
    joined = sklazy.join(models, renumber=True)
    assert joined.digest() == whole.digest()
    assert (
        joined.predict_proba(united).tobytes() == whole.predict_proba(united).tobytes()
    )
    for model in (joined, whole):
        model.forget([0, 2, 6])  # no row has x any more, which stays declared
        model.partial_fit(categories(["w", "b"], list("bw")), [0, 1])
    assert joined.digest() == whole.digest()


def test_categories_that_only_some_models_declare_are_refused():
    frames = [categories(["x", "y"], list("xy")), pd.DataFrame({"a": ["x", "y"]})]
    models = [sklazy.LazyNBClassifier().fit(frame, [0, 1]) for frame in frames]
    with pytest.raises(sklazy.BadInputError, match=r"'a' declares .* not in part 1"):
        sklazy.join(models, renumber=True)


def test_frozen_cuts_are_found_anew():
    models = [part(0, 8, cuts="frozen"), part(8, 20, cuts="frozen")]
    assert sklazy.join(models).digest() == part(0, 20, cuts="frozen").digest()


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([], "give at least one"),
        ([part(0, 5), part(3, 9)], "name rows of several parts"),
        ([part(0, 5), part(5, 9, ties="all")], "differ in"),
        ([part(0, 5), sklazy.LazyNBClassifier().fit(X, y)], "models of one class"),
        ([part(0, 5), "model"], "keeps no cases"),
        (
            [
                part(0, 5),
                fit(X[:, :1], y, range(9, 29)),
            ],
            "columns",
        ),
        (
            [
                part(0, 5),
                sklazy.LazyKNeighborsClassifier(3).fit([["a", "b"]], [1], ids=[9]),
            ],
            "holds numbers in part 0 and labels in another",
        ),
        (
            [
                part(0, 5),
                fit(X[:1], y[:1], ["a"]),
            ],
            "text ids",
        ),
    ],
)
def test_what_cannot_be_joined_is_refused(models, message):
    with pytest.raises(sklazy.BadInputError, match=message):
        sklazy.join(models)
