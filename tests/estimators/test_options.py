"""Types, names and messages that users meet at first."""

import inspect
from typing import get_args, get_overloads

import numpy as np
import pytest

import sklazy
from discovery import exported
from sklazy.casebase.cuts import CRITERIA
from sklazy.errors import DataWarning
from sklazy.estimators import parameters
from sklazy.kernels.columns import METRICS
from sklazy.measures.relevance import MEASURES
from sklazy.methods.ensembles.combining import COMBINATIONS
from sklazy.methods.selection.receipt import STRATEGIES
from sklazy.racing.rules import TESTS


def test_types_have_the_choices_that_are_checked():
    assert get_args(parameters.Discretization) == tuple(CRITERIA)
    assert get_args(parameters.Measure) == tuple(MEASURES)
    assert set(get_args(parameters.Selection)) == set(STRATEGIES)
    assert set(get_args(parameters.Metric)) == set(METRICS)
    assert set(get_args(parameters.Test)) == set(TESTS)
    assert set(get_args(parameters.CombineVotes)) == set(COMBINATIONS["nominal"])
    assert set(get_args(parameters.CombineNumbers)) == set(COMBINATIONS["numeric"])


@pytest.mark.parametrize(
    ("kind", "choices"),
    [
        (sklazy.AttributeRanker, MEASURES),
        (sklazy.LazyKNeighborsClassifier, MEASURES),
        (sklazy.LazyLearningRegressor, METRICS),
    ],
)
def test_docstrings_list_the_choices(kind, choices):
    assert [name for name in choices if f'"{name}"' not in kind.__doc__] == []


@pytest.mark.parametrize("kind", exported().values(), ids=exported())
def test_choices_of_parameters_have_types(kind):
    """No parameter with a default in quotes is merely a string."""
    for parameter in inspect.signature(kind).parameters.values():
        if isinstance(parameter.default, str):
            assert parameter.annotation is not str, parameter


@pytest.mark.parametrize("kind", exported().values(), ids=exported())
def test_errors_of_calls_name_the_estimator(kind):
    if not hasattr(kind, "cases_") and "LazyEstimator" not in str(kind.__mro__):
        return
    arguments = {"estimator": sklazy.LazyNBClassifier()}
    takes = inspect.signature(kind).parameters
    model = kind(**{k: v for k, v in arguments.items() if k in takes})
    with pytest.raises(TypeError, match=rf"^{kind.__name__}\.fit\(\) got an unexp"):
        model.fit([[1.0], [2.0]], [0, 1], sample_wait=[1, 1])


def test_load_says_what_it_gives(tmp_path):
    model = sklazy.LazyNBClassifier().fit([[1.0], [2.0]], [0, 1])
    model.save(tmp_path / "m")
    assert isinstance(sklazy.load(tmp_path / "m"), sklazy.LazyNBClassifier)
    again = sklazy.load(tmp_path / "m", sklazy.LazyNBClassifier)
    assert again.digest() == model.digest()
    with pytest.raises(sklazy.BadFileError, match="LazyNBClassifier, not a Laz"):
        sklazy.load(tmp_path / "m", sklazy.LazyKernelClassifier)
    assert len(get_overloads(sklazy.load)) == 2


@pytest.mark.parametrize("y", [["low", "high"], np.array(["1", "2"])])
@pytest.mark.parametrize("kind", ["LazyLearningRegressor", "LazyBlendRegressor"])
def test_strings_for_a_regressor_are_refused_with_advice(kind, y):
    with pytest.raises(TypeError, match=r"use a classifier; .*to_numeric"):
        getattr(sklazy, kind)().fit([[1.0], [2.0]], y)


def test_a_list_of_amounts_is_read_as_numbers_with_a_note():
    y, X = ["€1,002", "€ 950.50", "€12"], [[1.0], [2.0], [3.0]]
    with pytest.warns(DataWarning, match="numbers of '€'"):
        model = sklazy.LazyLearningRegressor().fit(X, y)
    numbers = sklazy.LazyLearningRegressor().fit(X, [1002.0, 950.5, 12.0])
    assert model.digest() == numbers.digest()
