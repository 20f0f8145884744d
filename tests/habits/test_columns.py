"""Names and numbers of columns: what came in, and what goes out."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from discovery import one_of_each, settings_of
from sklazy import AttributeRanker, EntropyDiscretizer, LazyKNeighborsClassifier

NAMES = ["alpha", "beta", "gamma"]
one_transformer_of_each = pytest.mark.parametrize(
    "setting", settings_of(lambda s: hasattr(s.model, "fit_transform"), most=1)
)


def table(n_rows=40):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=NAMES)
    return X, (X["beta"] > 0).astype(int)


def fitted(model, X, y):
    return clone(model).fit(X, y)


@one_of_each
def test_names_and_number_of_columns_are_kept(setting):
    X, y = table()
    model = fitted(setting.model, X, y)
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == NAMES
    assert model.feature_names_in_.dtype == object
    plain = fitted(setting.model, X.to_numpy(), y.to_numpy())
    assert plain.n_features_in_ == 3
    assert not hasattr(plain, "feature_names_in_")
    again = model.fit(X.to_numpy(), y.to_numpy())
    assert not hasattr(again, "feature_names_in_")


@one_of_each
def test_nothing_is_known_before_a_fit(setting):
    model = clone(setting.model)
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "feature_names_in_")


@one_of_each
def test_other_columns_are_refused(setting):
    X, y = table()
    model = fitted(setting.model, X, y)
    ask = getattr(model, "predict", None) or model.transform
    with pytest.raises(ValueError, match=r"feature names|columns"):
        ask(X.rename(columns={"beta": "delta"}))
    with pytest.raises(ValueError, match=r"feature names|columns"):
        ask(X[NAMES[:2]])


# scikit-learn before 1.9 does not see the names of columns of polars 2.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@one_transformer_of_each
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output_gives_frames_of_that_library(setting, library):
    X, y = table()
    model = fitted(setting.model, X, y)
    expected = np.asarray(model.set_output(transform="default").transform(X))
    model.set_output(transform=library)
    for frame in (X, pl.DataFrame(X.to_dict("list"))):
        transformed = model.transform(frame)
        kind = pd.DataFrame if library == "pandas" else pl.DataFrame
        assert isinstance(transformed, kind)
        assert list(transformed.columns) == model.get_feature_names_out().tolist()
        assert np.array_equal(transformed.to_numpy().astype(expected.dtype), expected)
    if library == "pandas":
        shuffled = X[::-1]
        assert model.transform(shuffled).index.equals(shuffled.index)


@one_transformer_of_each
def test_names_go_out_as_they_came_in(setting):
    X, y = table()
    model = fitted(setting.model, X, y)
    assert set(model.get_feature_names_out()) <= set(NAMES)
    kept = [NAMES.index(name) for name in model.get_feature_names_out()]
    plain = fitted(setting.model, X.to_numpy(), y)
    assert plain.get_feature_names_out().tolist() == [f"x{j}" for j in kept]
    names = plain.get_feature_names_out(["one", "two", "three"])
    assert names.tolist() == [["one", "two", "three"][j] for j in kept]
    with pytest.raises(NotFittedError):
        clone(setting.model).get_feature_names_out()


def test_a_whole_pipeline_of_frames():
    X, y = table()
    cutter = make_column_transformer(
        (EntropyDiscretizer(), ["alpha", "beta"]), remainder="passthrough"
    )
    pipeline = make_pipeline(
        cutter, AttributeRanker(n_attributes=2), LazyKNeighborsClassifier()
    )
    pipeline.set_output(transform="pandas").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = pipeline[-1].feature_names_in_.tolist()
        assert names == pipeline[:-1].get_feature_names_out().tolist()
        assert "entropydiscretizer__beta" in names
        assert pipeline.predict(X).shape == (40,)
