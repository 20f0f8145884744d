"""The exported estimators, as tests find them; no list of them stands anywhere else.

`every_setting` runs a test on each exported estimator in each of its settings, and
`every_keeper` on those that keep cases; `one_of_each` takes the first setting alone.
"""

import inspect

import pytest
from sklearn.base import BaseEstimator

import sklazy
from model_settings import SETTINGS


def exported():
    """The estimators behind the front door, by name; each once, by its own."""
    found = {name: getattr(sklazy, name) for name in sklazy.__all__}
    return {
        name: kind
        for name, kind in found.items()
        if inspect.isclass(kind) and issubclass(kind, BaseEstimator)
        if kind.__name__ == name
    }


def settings_of(wanted=lambda setting: True, most=None):
    """The settings that are wanted, of all exported estimators, named for pytest."""
    found = [s for kind in exported().values() for s in SETTINGS.get(kind, [])[:most]]
    return [pytest.param(s, id=name_of(s.model)) for s in found if wanted(s)]


def name_of(model):
    """A short name that differs for every setting."""
    return str(model).replace(" ", "").replace("\n", "").replace("Classifier", "")


def keeps_cases(setting):
    """Whether the laws of what keeps cases are for this one."""
    return hasattr(setting.model, "forget") and not setting.exempt


def keeps_cases_with(parameter):
    """Of those that keep cases, the ones that have a parameter."""
    return lambda setting: keeps_cases(setting) and hasattr(setting.model, parameter)


every_setting = pytest.mark.parametrize("setting", settings_of())
every_keeper = pytest.mark.parametrize("setting", settings_of(keeps_cases))
one_of_each = pytest.mark.parametrize("setting", settings_of(most=1))
one_keeper_of_each = pytest.mark.parametrize("setting", settings_of(keeps_cases, 1))
