"""Law 6: a seed gives the same result however many workers there are."""

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

from discovery import keeps_cases, settings_of
from lawful import quiet, smallest_slices

pytestmark = quiet

SAY = ("predict", "predict_proba", "transform")


def parameters(setting, name):
    """A parameter: the estimator's own, and those of estimators of ours in it."""
    found = setting.model.get_params()
    ours = [k for k, v in found.items() if type(v).__module__.startswith("sklazy.")]
    return [p for p in (name, *(f"{part}__{name}" for part in ours)) if p in found]


def has(name):
    return lambda setting: bool(parameters(setting, name))


def table(setting):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    return X, y if is_regressor(setting.model) else (y > 0).astype(int)


def result(setting, **values):
    """All that a fitted estimator says, by the same seed."""
    X, y = table(setting)
    model = clone(setting.model)
    for name, value in values.items():
        model.set_params(**dict.fromkeys(parameters(setting, name), value))
    model.fit(X, y)
    said = {m: getattr(model, m)(X[:8]) for m in SAY if hasattr(model, m)}
    return {m: np.asarray(found).tolist() for m, found in said.items()}


@pytest.mark.parametrize("setting", settings_of(has("n_jobs")))
def test_the_number_of_workers_does_not_matter(setting):
    alone = result(setting, n_jobs=1)
    # Searches start processes, which is slow.
    n_jobs = 4 if keeps_cases(setting) else 2
    with smallest_slices():
        assert result(setting, n_jobs=n_jobs) == alone


@pytest.mark.parametrize("setting", settings_of(has("random_state")))
def test_a_seed_gives_the_same_again(setting):
    one = result(setting, random_state=7)
    assert result(setting, random_state=7) == one
    generators = (np.random.RandomState(7) for _ in range(2))
    first, second = (result(setting, random_state=g) for g in generators)
    assert first == second
