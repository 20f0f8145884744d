"""What every exported estimator promises; discovery finds them, so none is left out."""

import inspect
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from discovery import every_keeper, exported, one_keeper_of_each, settings_of
from mixed import example_frame
from model_settings import SETTINGS
from sklazy import RaceSearchCV, Table, load
from sklazy.errors import DataWarning

CHECKED = [param.values[0] for param in settings_of(lambda setting: setting.checked)]
FAILS = {id(setting.model): setting.fails for setting in CHECKED}


@pytest.mark.parametrize("kind", exported().values(), ids=exported())
def test_every_estimator_has_settings(kind):
    settings = SETTINGS.get(kind, [])
    assert any(setting.checked for setting in settings)
    for setting in settings:
        assert type(setting.model) is kind
        assert setting.why


@parametrize_with_checks(
    [setting.model for setting in CHECKED],
    expected_failed_checks=lambda estimator: FAILS[id(estimator)],
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        if isinstance(estimator, RaceSearchCV):
            # scikit-learn's own look at an infinite y, when it chooses the splitter.
            cast = "invalid value encountered in cast"
            warnings.filterwarnings("ignore", cast, RuntimeWarning)
        check(estimator)


@pytest.mark.parametrize("kind", exported().values(), ids=exported())
def test_every_estimator_has_an_example(kind):
    assert "Examples\n--------\n>>> " in inspect.getdoc(kind)


def frame_and_target(model):
    frame, labels, numbers = example_frame()
    return frame, numbers if is_regressor(model) else labels


def shares(model, X):
    """Probabilities, or numbers where there are no classes."""
    return getattr(model, "predict_proba", model.predict)(X)


@every_keeper
def test_all_kinds_of_frames_give_the_same_answers(setting):
    frame, y = frame_and_target(setting.model)
    model = clone(setting.model).fit(frame, y)
    expected = shares(model, frame[:30])
    assert model.feature_names_in_.tolist() == list(frame.columns)
    if not is_regressor(model):
        assert model.classes_.tolist() == ["no", "perhaps", "yes"]
    polars = pl.DataFrame(
        {
            "color": [c if isinstance(c, str) else None for c in frame["color"]],
            "size": pl.Series(frame["size"].tolist(), nan_to_null=True),
            "kind": pl.Series(frame["kind"].tolist(), dtype=pl.Enum(["a", "b", "c"])),
            "new": frame["new"].tolist(),
        }
    )
    assert np.array_equal(shares(model, polars[:30]), expected)
    as_polars = clone(model).fit(polars, pl.Series(y.tolist()))
    assert np.array_equal(shares(as_polars, frame[:30]), expected)
    as_table = clone(model).fit(Table.from_any(frame), pd.Series(y))
    assert np.array_equal(shares(as_table, Table.from_any(frame[:30])), expected)


@one_keeper_of_each
def test_numpy_arrays_of_numbers_and_of_objects(setting):
    X, y = load_iris(return_X_y=True)
    model = clone(setting.model)
    numbers = shares(clone(model).fit(X, y), X[::9])
    objects = shares(clone(model).fit(X.astype(object), y), X[::9])
    assert np.array_equal(numbers, objects)
    coded = clone(model).set_params(categorical_features=[0, 1])
    rounded = np.round(X)
    assert coded.fit(rounded, y).cases_.schema.positions("nominal") == [0, 1]
    assert coded.predict(rounded[:3]).shape == (3,)


@every_keeper
def test_it_comes_back_from_a_file(setting, tmp_path):
    frame, y = frame_and_target(setting.model)
    model = clone(setting.model)
    model.fit(frame[:60], y[:60], ids=[f"row {i}" for i in range(60)])
    model.save(tmp_path / "model")
    back = load(tmp_path / "model")
    assert back.digest() == model.digest()
    assert np.array_equal(shares(back, frame[60:]), shares(model, frame[60:]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "cuts='frozen'", DataWarning)
        for each in (model, back):
            each.forget(["row 3", "row 59"])
    assert np.array_equal(back.predict(frame[60:]), model.predict(frame[60:]))


def explains_predictions(setting):
    """Whether receipts are of rows; those of `LazyImputer` are of cells."""
    return hasattr(setting.model, "explain") and hasattr(setting.model, "predict")


def test_explain_gives_the_same_list_everywhere():
    kinds = set()
    for param in settings_of(explains_predictions, most=1):
        frame, y = frame_and_target(param.values[0].model)
        model = clone(param.values[0].model).fit(frame, y)
        kinds.add(type(model.explain(frame[:2], reasons=False)))
    assert len(kinds) == 1
