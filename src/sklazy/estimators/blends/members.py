"""The members of a blend: the default ones, and those that a user gives."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from sklazy.answer.blends import LearnerMember, Member
from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.blends.sklearn_members import ModelMember
from sklazy.estimators.ensembles.bagging import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
)
from sklazy.estimators.kernel_models import LazyKernelClassifier, LazyKernelRegressor
from sklazy.estimators.linear_models import LazyLogisticClassifier, LazyRidgeRegressor
from sklazy.estimators.local_models.regressor import LazyLearningRegressor

Named = tuple[str, BaseEstimator]

DEFAULT_CLASSIFIERS: tuple[Named, ...] = (
    ("paths", LazyBaggingClassifier(splits="random")),
    ("kernel", LazyKernelClassifier()),
    ("logistic", LazyLogisticClassifier()),
)
"""Members of a blend of classes, before those that are given."""

DEFAULT_REGRESSORS: tuple[Named, ...] = (
    ("paths", LazyBaggingRegressor(100, splits="random")),
    ("kernel", LazyKernelRegressor()),
    ("line", LazyRidgeRegressor()),
    ("local", LazyLearningRegressor()),
)
"""Members of a blend of numbers, before those that are given."""

_OF_THE_CASES = ("categorical_features", "discretization", "cuts")


def name_members(
    estimators: Sequence[Any] | None, default: Sequence[Named]
) -> list[Named]:
    """Names and estimators of all members.

    Parameters
    ----------
    estimators : list of estimators, or of pairs of a name and one, or None
        What the user gave.
    default : sequence of pairs
        The members that come first.
    """
    if not isinstance(estimators, list | tuple | None):
        raise BadTypeError(
            f"estimators={estimators!r}; expected a list of estimators, or of pairs of "
            "a name and an estimator, or None."
        )
    named = [*default, *[_named(item) for item in estimators or ()]]
    if not named:
        raise BadInputError(
            "default_members=False leaves no member; give some in estimators."
        )
    twice = [name for name, n in Counter(name for name, _ in named).items() if n > 1]
    if twice:
        raise BadInputError(
            f"estimators has several members of the name {twice[0]!r}; give pairs of "
            "a name and an estimator, each name once."
        )
    return named


def place(member: BaseEstimator, device: str | None) -> BaseEstimator:
    """The same member, on a device if it can be there and is on none yet."""
    parameters = member.get_params(deep=False)
    if device is None or parameters.get("device", device) is not None:
        return member
    return clone(member).set_params(device=device)


def check_members(named: Sequence[Named], expected: str) -> None:
    """Refuse estimators that cannot be members.

    Parameters
    ----------
    named : list of pairs of a name and an estimator
    expected : {"classifier", "regressor"}
    """
    for name, estimator in named:
        found = get_tags(estimator).estimator_type
        if found not in (None, expected):
            raise BadTypeError(
                f"estimators holds {name!r}, which is a {found}; give a {expected}."
            )
        if isinstance(estimator, LazyEstimator):
            _check_own(name, estimator)


def make_members(named: Sequence[Named], n_features: int) -> tuple[Member, ...]:
    """Members of estimators.

    Parameters
    ----------
    named : list of pairs of a name and an estimator
    n_features : int
        The columns of the cases that they will see.
    """
    return tuple(
        _lazy_member(name, estimator._as_member(n_features), explain=False)
        if isinstance(estimator, LazyEstimator)
        else ModelMember(name, clone(estimator))
        for name, estimator in named
    )


def explain_members(
    members: Sequence[Member], named: Sequence[Named], n_features: int
) -> tuple[Member, ...]:
    """The same members, such that their answers can become receipts."""
    return tuple(
        _lazy_member(name, estimator._as_member(n_features), explain=True)
        if isinstance(estimator, LazyEstimator)
        else member
        for member, (name, estimator) in zip(members, named, strict=True)
    )


def _lazy_member(name: str, twin: LazyEstimator, *, explain: bool) -> LearnerMember:
    learner = twin._explaining_learner() if explain else twin._learner()
    origin = {
        "estimator": type(twin).__name__,
        "settings": twin._reported_settings() if explain else {},
    }
    return LearnerMember(name, learner, origin)


def _named(item: Any) -> Named:  # noqa: ANN401 - checked here
    pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
    name, estimator = item if pair else ("", item)
    able = hasattr(estimator, "fit") and hasattr(estimator, "predict")
    if isinstance(estimator, type) or not able:
        raise BadTypeError(
            f"estimators holds {item!r}; expected an estimator that can fit and "
            "predict, or a pair of a name and one."
        )
    return name or type(estimator).__name__.lower(), estimator


def _check_own(name: str, estimator: LazyEstimator) -> None:
    """Refuse an estimator of ours that cannot share the cases of a blend."""
    if not estimator._can_be_member:
        raise BadTypeError(
            f"estimators holds {name!r}, a {type(estimator).__name__}, which cannot be "
            "a member of a blend; give its own members instead."
        )
    own, plain = estimator.get_params(deep=False), type(estimator)().get_params()
    for parameter in _OF_THE_CASES:
        if str(own.get(parameter)) != str(plain.get(parameter)):
            raise BadInputError(
                f"estimators holds {name!r} with {parameter}={own[parameter]!r}; "
                "members see the cases as the blend keeps them. Leave it at "
                f"{plain[parameter]!r}, and set it for the blend if it is a parameter "
                "of it."
            )
    if not isinstance(own.get("random_state"), int | None):
        raise BadTypeError(
            f"estimators holds {name!r} with random_state={own['random_state']!r}; "
            "expected a whole number or None: the same query must get the same answer."
        )
