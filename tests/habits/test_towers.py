"""How many classes of ours a reader climbs through to understand an estimator."""

import pytest
from sklearn.base import BaseEstimator

import sklazy
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.settings import import_estimators

MOST_CLASSES = 5
MOST_HOOKS = 15

ESTIMATORS = [
    kind
    for kind in dict.fromkeys(getattr(sklazy, name) for name in sklazy.__all__)
    if isinstance(kind, type) and issubclass(kind, BaseEstimator)
]


def classes_of_ours(kind):
    return [base for base in kind.__mro__ if base.__module__.startswith("sklazy.")]


def subclasses_of(kind):
    return [kind, *(n for below in kind.__subclasses__() for n in subclasses_of(below))]


def test_every_estimator_is_looked_at():
    assert len(ESTIMATORS) >= 26


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_tower_has_few_classes(kind):
    names = [base.__name__ for base in classes_of_ours(kind)]
    assert len(names) <= MOST_CLASSES, " < ".join(names)


def test_few_private_methods_have_several_bodies():
    import_estimators()
    bodies = dict[str, set[type]]()
    for kind in subclasses_of(LazyEstimator):
        if kind.__module__.startswith("sklazy."):
            for name, value in vars(kind).items():
                hidden = name.startswith("_") and not name.startswith("__")
                if hidden and (callable(value) or isinstance(value, property)):
                    bodies.setdefault(name, set()).add(kind)
    hooks = sorted(name for name, kinds in bodies.items() if len(kinds) > 1)
    assert len(hooks) <= MOST_HOOKS, hooks
