"""Receipts through pipelines and searches."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import sklazy

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "model",
    [
        sklazy.LazyKNeighborsClassifier(3),
        make_pipeline(StandardScaler(), sklazy.LazyKNeighborsClassifier(3)),
        Pipeline([("only", sklazy.LazyKNeighborsClassifier(3))]),
        GridSearchCV(
            make_pipeline(
                StandardScaler(),
                make_pipeline("passthrough", sklazy.LazyNBClassifier()),
            ),
            {"pipeline__lazynbclassifier__alpha": [0.5, 1.0]},
            cv=2,
        ),
    ],
)
def test_receipts_say_what_the_whole_predicts(model):
    model.fit(X[::2], y[::2])
    receipts = sklazy.explain(model, X[1:20:2])
    assert np.array_equal([r.answer for r in receipts], model.predict(X[1:20:2]))
    assert all("novelty" in r.content for r in receipts)


def test_what_has_no_receipts_is_named():
    forest = RandomForestClassifier(5).fit(X, y)
    for model in (forest, make_pipeline(StandardScaler(), forest).fit(X, y)):
        with pytest.raises(TypeError, match="RandomForestClassifier has no receipts"):
            sklazy.explain(model, X[:1])
    with pytest.raises(NotFittedError):
        sklazy.explain(sklazy.LazyNBClassifier(), X[:1])
