"""A file of an estimator holds data: it runs nothing, reads nothing, makes sense."""

import json
import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import FeatureAgglomeration
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.discovery import all_estimators

import sklazy
from discovery import keeps_cases, settings_of
from sklazy.errors import BadFileError, BadInputError, SklazyError
from sklazy.estimators.settings import from_settings, to_settings
from sklazy.storage.files import read_file, write_file

X = np.random.default_rng(0).normal(size=(12, 3))
Y = np.arange(12) % 2

MADE_OF = {
    "estimator": LogisticRegression(),
    "base_estimator": LogisticRegression(),
    "estimators": [("a", LogisticRegression()), ("b", GaussianNB())],
    "param_grid": {"C": [0.5, 1.0]},
    "param_distributions": {"C": [0.5, 1.0]},
    "steps": [("scale", StandardScaler()), ("model", LogisticRegression())],
    "transformers": [("scale", StandardScaler(), [0, 1])],
    "transformer_list": [("scale", StandardScaler())],
}


def some(kind):
    """An estimator of a class of scikit-learn, with what it cannot do without."""
    needed = getattr(kind, "_required_parameters", None)
    names = needed or [
        name
        for name in ("estimator", "estimators", "steps", "transformers")
        if name in kind._get_param_names() and kind is not FrozenEstimator
    ]
    try:
        return kind(**{name: MADE_OF[name] for name in names})
    except TypeError:
        return kind(**{n: MADE_OF[n] for n in kind._get_param_names() if n in MADE_OF})


def shown(model):
    """The parameters in words, numbers of numpy as those of Python."""
    return re.sub(r"np\.float64\(([^)]*)\)", r"\1", str(model.get_params()))


def values_in(value):
    """All values that a parameter holds, however deep."""
    yield value
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, BaseEstimator):
        value = list(value.get_params(deep=False).values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from values_in(item)


PREDICTORS = all_estimators(type_filter=["classifier", "regressor"])


@pytest.mark.filterwarnings("ignore:Class .* is deprecated:FutureWarning")
@pytest.mark.parametrize("kind", [pytest.param(k, id=n) for n, k in PREDICTORS])
def test_every_predictor_of_scikit_learn_comes_back_as_data(kind):
    model = some(kind)
    packed = json.loads(json.dumps({"model": to_settings(Holder(model))["model"]}))
    again = from_settings(packed)["model"]
    assert type(again) is kind
    assert shown(again) == shown(model)
    for value in values_in(again):
        assert not callable(value)
        assert value is None or isinstance(
            value, bool | int | float | str | list | tuple | dict | BaseEstimator
        )


FOLDERS = [k for _, k in all_estimators() if "memory" in k._get_param_names()]


@pytest.mark.parametrize("kind", FOLDERS)
def test_no_estimator_of_scikit_learn_may_name_a_folder(kind):
    model = some(kind).set_params(memory="folder")
    if kind is FeatureAgglomeration:
        model.set_params(pooling_func=None)
    packed = to_settings(Holder(model))
    with pytest.raises(BadInputError, match=r"memory='folder' .*set memory=None"):
        from_settings(packed)


class Holder(BaseEstimator):
    """Something with a parameter."""

    def __init__(self, model=None):
        self.model = model


def pipeline(**options):
    """A small chain of steps."""
    return Pipeline([("scale", StandardScaler()), ("model", GaussianNB())], **options)


UNSAVABLE = {
    "memory": (pipeline(memory="folder"), "memory"),
    "deep": (VotingClassifier([("a", pipeline(memory="folder"))]), "memory"),
    "frozen": (FrozenEstimator(GaussianNB().fit(X, Y)), "FrozenEstimator"),
    "kernel": (GaussianProcessClassifier(RBF()), "RBF"),
    "function": (KNeighborsClassifier(weights=np.ones_like), "weights"),
    "expression": (
        GridSearchCV(
            GaussianNB(), {"var_smoothing": [1e-9]}, pre_dispatch="2*n_jobs*(1)"
        ),
        "pre_dispatch",
    ),
}


@pytest.mark.parametrize("which", UNSAVABLE)
def test_what_could_not_be_loaded_is_not_saved(which, tmp_path):
    host, named = UNSAVABLE[which]
    model = sklazy.LazySelectionClassifier(host).fit(X, Y)
    with pytest.raises(BadInputError, match=named):
        model.save(tmp_path / "model.sklazy")
    assert not list(tmp_path.iterdir())


def forge(path, change):
    """Write a file again, checksum and all, with other settings."""
    header, arrays = read_file(path)
    header.pop("arrays", None)
    change(header["settings"])
    write_file(path, header, arrays)


def test_a_forged_folder_is_refused(tmp_path):
    path = tmp_path / "model.sklazy"
    sklazy.LazySelectionClassifier(pipeline()).fit(X, Y).save(path)

    def plant(settings):
        settings["estimator"]["estimator"][1]["memory"] = str(tmp_path)

    forge(path, plant)
    with pytest.raises(BadFileError, match="memory"):
        sklazy.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda host: host.update(C="many"),
        lambda host: host.update(max_iter={"list": [1]}),
        lambda host: host.update(unknown=1),
    ],
)
def test_a_host_with_forged_settings_is_refused_by_load(change, tmp_path):
    path = tmp_path / "model.sklazy"
    sklazy.LazySelectionClassifier(LogisticRegression()).fit(X, Y).save(path)
    forge(path, lambda settings: change(settings["estimator"]["estimator"][1]))
    with pytest.raises(BadFileError):
        sklazy.load(path)


FORGED = [{"list": [{"dict": [[1, "x"]]}]}, "no such value", -7, 1e300]


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize("setting", settings_of(keeps_cases, most=1))
def test_forged_settings_fail_when_loaded_or_not_at_all(setting, tmp_path):
    path = tmp_path / "model.sklazy"
    model = clone(setting.model).fit(X, Y)
    late = []
    for parameter in model.get_params(deep=False):
        for value in FORGED:
            model.save(path)
            forge(path, lambda settings, p=parameter, v=value: settings.update({p: v}))
            try:
                loaded = sklazy.load(path)
            except SklazyError:
                continue
            try:
                loaded.predict(X[:2])
            except Exception as error:
                late.append((parameter, value, repr(error)))
    assert not late


class OwnTree(DecisionTreeClassifier):
    """A classifier that scikit-learn does not list."""


def test_an_estimator_that_cannot_be_saved_can_be_explained():
    tree = OwnTree(max_depth=2)
    model = sklazy.LazySelectionClassifier(tree, n_attributes=2).fit(X, Y)
    receipt = model.explain(X[:1], reasons=False)[0]
    name, settings = receipt.to_dict()["settings"]["estimator"]["estimator"]
    assert name.endswith("OwnTree")
    assert settings["max_depth"] == 2
    assert model.verify(receipt)
    with pytest.raises(BadInputError, match="cannot be saved"):
        model.save("model.skl")
