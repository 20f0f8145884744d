"""What estimators say of themselves, compared with what they do."""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_regressor
from sklearn.utils import get_tags

from discovery import one_of_each, settings_of
from sklazy.errors import SklazyWarning

N_ROWS = 40


def numbers(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 4))
    return X, (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)


def target_of(model, X):
    return X[:, 0] * 2.0 + X[:, 1] if get_tags(model).regressor_tags else numbers()[1]


def accepts(model, X, y):
    """Whether a fit and a question go well; errors of any kind mean no."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SklazyWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            fitted = clone(model).fit(X, y)
            getattr(fitted, "predict", None) or fitted.transform
            (fitted.predict if hasattr(fitted, "predict") else fitted.transform)(X)
        except (ValueError, TypeError):
            return False
    return True


def as_given(X, **changed):
    frame = pd.DataFrame(X, columns=list("abcd"))
    return frame.assign(**changed)


def goes_on(setting):
    """Whether a race goes on without the column that its estimator refuses."""
    return "check_estimators_nan_inf" in setting.fails


every_checked = pytest.mark.parametrize(
    "setting", settings_of(lambda setting: setting.checked)
)


@every_checked
def test_missing_cells(setting):
    X, _ = numbers()
    y = target_of(setting.model, X)
    X = X.copy()
    X[::5, 1] = np.nan
    wanted = get_tags(setting.model).input_tags.allow_nan or goes_on(setting)
    assert accepts(setting.model, X, y) == wanted


@every_checked
def test_labels_among_the_attributes(setting):
    X, _ = numbers()
    y, tags = target_of(setting.model, X), get_tags(setting.model).input_tags
    words = np.where(X[:, 1] > 0, "high", "low")
    on = goes_on(setting)
    assert accepts(setting.model, as_given(X, b=words), y) == (tags.string or on)
    category = as_given(X, b=pd.Categorical(words))
    assert accepts(setting.model, category, y) == (tags.categorical or on)


@one_of_each
def test_sparse_matrices(setting):
    X, _ = numbers()
    y = target_of(setting.model, X)
    tags = get_tags(setting.model).input_tags
    assert accepts(setting.model, sparse.csr_array(X), y) == tags.sparse


@every_checked
def test_several_targets_and_labels(setting):
    X, _ = numbers()
    y, tags = target_of(setting.model, X), get_tags(setting.model)
    if not tags.target_tags.required:
        pytest.skip("ignores y, of whatever shape")
    both = np.column_stack([y, y])
    wanted = tags.target_tags.multi_output
    if tags.classifier_tags is not None:
        wanted = wanted or tags.classifier_tags.multi_label
    assert accepts(setting.model, X, both) == wanted


@one_of_each
def test_three_classes_and_no_target(setting):
    X, _ = numbers()
    tags = get_tags(setting.model)
    if tags.classifier_tags is not None:
        three = np.digitize(X[:, 0], [-0.5, 0.5])
        assert accepts(setting.model, X, three) == tags.classifier_tags.multi_class
    assert accepts(setting.model, X, None) != tags.target_tags.required


@one_of_each
def test_the_kind_of_estimator(setting):
    model, tags = setting.model, get_tags(setting.model)
    assert (tags.estimator_type == "regressor") == is_regressor(model)
    assert (tags.estimator_type == "classifier") == hasattr(model, "predict_proba")
    assert (tags.transformer_tags is not None) == hasattr(model, "transform")
    assert not tags.no_validation
    assert tags.requires_fit


@one_of_each
def test_answers_are_determined(setting):
    """No estimator claims to be non-deterministic, and none is."""
    X, _ = numbers()
    y = target_of(setting.model, X)
    assert not get_tags(setting.model).non_deterministic
    first, second = (clone(setting.model).fit(X, y) for _ in range(2))
    ask = "predict" if hasattr(first, "predict") else "transform"
    assert np.array_equal(getattr(first, ask)(X), getattr(second, ask)(X))


@pytest.mark.parametrize(
    "setting", settings_of(lambda setting: hasattr(setting.model, "loo_predict"))
)
def test_the_declared_ability_to_approximate(setting):
    parameters = inspect.signature(setting.model.loo_predict).parameters
    assert setting.model._can_approximate == ("approximate" in parameters)
