"""What estimators with a case base share: add, erase, fingerprint, file."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklazy.errors import BadFileError, BadInputError, DataWarning
from sklazy.estimators.classifiers import WeightedClassifier
from sklazy.estimators.loading import load
from sklazy.estimators.settings import from_settings, to_settings
from sklazy.methods.trees.learner import TreeLearner

X = [[1.0, "red"], [2.0, None], [float("nan"), "blue"], [4.0, "red"]]
Y = ["no", "no", "yes", "yes"]


class Keeper(WeightedClassifier):
    """The least an estimator can do."""

    def __init__(self, estimator=None, cuts="exact"):
        self.estimator = estimator
        self.cuts = cuts

    def _learner(self):
        return TreeLearner()


def test_adding_and_forgetting_equals_a_fit():
    model = Keeper().fit(X[:3], Y[:3])
    digest = model.digest()
    model.partial_fit(X[3:], Y[3:])
    assert model.digest() == Keeper().fit(X, Y).digest() != digest
    assert model.forget([3]).digest() == digest
    assert model.ids_.tolist() == [0, 1, 2]
    assert model.classes_.tolist() == ["no", "yes"]


def test_a_warning_of_frozen_cuts_names_the_line_that_forgets():
    model = Keeper(cuts="frozen").fit([[1.0], [2.0], [8.0], [9.0]] * 3, Y * 3)
    model.digest()  # which finds the cuts
    with pytest.warns(DataWarning, match="still stem from") as seen:
        model.forget([0])
    assert [warning.filename for warning in seen] == [__file__]


def test_classes_are_those_of_the_cases_unless_declared():
    model = Keeper().partial_fit(X[:2], Y[:2])
    assert model.classes_.tolist() == ["no"]
    declared = Keeper().partial_fit(X[:2], Y[:2], classes=["yes", "no"])
    assert declared.classes_.tolist() == ["no", "yes"]


def test_it_comes_back_from_a_file(tmp_path):
    model = Keeper(GaussianNB(var_smoothing=0.5), "frozen").fit(X, Y, ids=list("abcd"))
    model.save(tmp_path / "model")
    back = load(tmp_path / "model")
    assert type(back) is Keeper
    assert back.digest() == model.digest()
    assert back.n_features_in_ == 2
    assert back.ids_.tolist() == list("abcd")
    assert back.get_params() == {**model.get_params(), "estimator": back.estimator}
    assert back.estimator.var_smoothing == 0.5


def test_settings_are_data_only():
    assert (
        from_settings(to_settings(Keeper(DecisionTreeClassifier(max_depth=3))))[
            "estimator"
        ].get_params()["max_depth"]
        == 3
    )
    with pytest.raises(BadInputError, match="cannot be saved"):
        to_settings(Keeper(lambda: None))
    with pytest.raises(BadInputError, match=r"os\.system cannot be saved"):
        from_settings({"estimator": {"estimator": ["os.system", {}]}})


def test_a_file_of_something_else_is_refused(tmp_path):
    model = Keeper().fit(X, Y)
    model.cases_.digest()
    from sklazy.storage import save_cases

    save_cases(model.cases_, tmp_path / "cases")
    with pytest.raises(BadFileError, match="does not hold an estimator"):
        load(tmp_path / "cases")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["no", None, "yes", np.nan], r"row\(s\) 1, 3"),
        ([0.1, 0.2, 0.3, 0.4], "continuous"),
        (["no"], "inconsistent numbers of samples"),
    ],
)
def test_bad_targets(y, message):
    with pytest.raises(ValueError, match=message):
        Keeper().fit(X, y)
