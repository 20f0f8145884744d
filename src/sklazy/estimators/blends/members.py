"""The members of a blend: the default ones, and those that a user gives.

Any lazy estimator can be a member. Its left-out answers are quick if its learner has a
flag `approximate`, or a method `settle` that fixes the settings that take long to find.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.utils import get_tags

from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.blends.boosted_members import (
    BOOSTED,
    BoostedMember,
    make_boosted,
)
from sklazy.estimators.blends.grown_members import GrownMember
from sklazy.estimators.blends.sklearn_members import ModelMember
from sklazy.estimators.ensembles.bagging import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
)
from sklazy.estimators.kernel_models import LazyKernelClassifier, LazyKernelRegressor
from sklazy.estimators.linear_models import LazyLogisticClassifier, LazyRidgeRegressor
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.state import as_member, describe_choices
from sklazy.methods.blends.draws import DrawnMember
from sklazy.methods.blends.members import LearnerMember, Member

Named = tuple[str, BaseEstimator]

DEFAULT_CLASSIFIERS: tuple[Named, ...] = (
    ("paths", LazyBaggingClassifier(30, splits="random", max_samples=640)),
    ("kernel", LazyKernelClassifier()),
    ("logistic", LazyLogisticClassifier()),
)
"""Members of a blend of classes, before those that are given."""

DEFAULT_REGRESSORS: tuple[Named, ...] = (
    ("paths", LazyBaggingRegressor(30, splits="random", max_samples=640)),
    ("kernel", LazyKernelRegressor()),
    ("line", LazyRidgeRegressor()),
    ("local", LazyLearningRegressor()),
)
"""Members of a blend of numbers, before those that are given."""

FOR_FEW = ("paths", "local")
"""Default members whose queries would take milliseconds with many rows."""

FITTED_AS_A_WHOLE = ("logistic", "line", "trees")
"""Default members that learn from a draw of very many rows."""

FOR_MANY: dict[str, Named] = {
    "nominal": ("trees", make_boosted(HistGradientBoostingClassifier)),
    "numeric": ("trees", make_boosted(HistGradientBoostingRegressor)),
}
"""A default member beyond that, by the kind of the target."""

_OF_THE_CASES = (
    "categorical_features",
    "discretization",
    "cuts",
    "window",
    "refresh_every",
    "half_life",
    "class_weight",
)


def name_members(
    estimators: Sequence[Any] | None, default: Sequence[Named]
) -> list[Named]:
    """Name all members: the default ones first, then the user's."""
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


def set_member_parameters(
    named: Sequence[Named], parameters: Mapping[str, Any] | None
) -> list[Named]:
    """The same members, with parameters named ``member__parameter`` set."""
    if not isinstance(parameters, Mapping | None):
        raise BadTypeError(
            f"member_parameters={parameters!r}; expected a dict such as "
            "{'paths__n_estimators': 50}, or None."
        )
    members = dict(named)
    for key, value in (parameters or {}).items():
        name, _, parameter = str(key).partition("__")
        if name not in members or parameter not in members[name].get_params():
            raise BadInputError(
                f"member_parameters has {key!r}; expected the name of a member "
                f"({', '.join(members)}), two underscores and one of its parameters."
            )
        members[name] = clone(members[name]).set_params(**{parameter: value})
    return list(members.items())


def put_on_device(member: BaseEstimator, device: str | None) -> BaseEstimator:
    """The same member, on a device if it can be there and is on none yet."""
    parameters = member.get_params(deep=False)
    if device is None or parameters.get("device", device) is not None:
        return member
    return clone(member).set_params(device=device)


def check_members(named: Sequence[Named], expected: str) -> None:
    """Refuse estimators that cannot be members, or are not of the expected type."""
    for name, estimator in named:
        kind = get_tags(estimator).estimator_type
        if kind not in (None, expected):
            raise BadTypeError(
                f"estimators holds {name!r}, which is a {kind}; give a {expected}."
            )
        if isinstance(estimator, LazyEstimator):
            _check_shares_cases(name, estimator)


def make_members(
    named: Sequence[Named], n_features: int, grown: str = "", n_judged: int = 0
) -> tuple[Member, ...]:
    """Make members of estimators, which will see `n_features` columns.

    `grown` is the name of boosted trees whose number follows from the left-out
    predictions of `n_judged` rows.
    """
    return tuple(
        _lazy_member(name, as_member(estimator, n_features), explain=False)
        if isinstance(estimator, LazyEstimator)
        else _model_member(name, clone(estimator), n_judged if name == grown else 0)
        for name, estimator in named
    )


def draw_for(members: Sequence[Member], names: Sequence[str]) -> tuple[Member, ...]:
    """The same members, those of some names learning from a draw of very many rows."""
    return tuple(DrawnMember(one) if one.name in names else one for one in members)


def _model_member(name: str, estimator: BaseEstimator, n_judged: int) -> Member:
    if n_judged:
        return GrownMember(name, estimator, n_judged)
    kind = BoostedMember if isinstance(estimator, BOOSTED) else ModelMember
    return kind(name, estimator)


def explain_members(
    members: Sequence[Member], named: Sequence[Named], n_features: int
) -> tuple[Member, ...]:
    """The same members, such that their answers can become receipts."""
    return tuple(
        _explain_member(member, as_member(estimator, n_features))
        if isinstance(estimator, LazyEstimator)
        else member
        for member, (_, estimator) in zip(members, named, strict=True)
    )


def _explain_member(member: Member, twin: LazyEstimator) -> Member:
    explained = _lazy_member(member.name, twin, explain=True)
    return DrawnMember(explained) if isinstance(member, DrawnMember) else explained


def _lazy_member(name: str, twin: LazyEstimator, *, explain: bool) -> LearnerMember:
    learner = twin._learner()
    if explain:
        learner = twin._explaining(learner)
    origin = {
        "estimator": type(twin).__name__,
        "settings": describe_choices(twin) if explain else {},
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


def _check_shares_cases(name: str, estimator: LazyEstimator) -> None:
    """Refuse an estimator of ours that cannot share the cases of a blend."""
    if not estimator._can_be_member:
        raise BadTypeError(
            f"estimators holds {name!r}, a {type(estimator).__name__}, which cannot be "
            "a member of a blend; give its own members instead."
        )
    settings = estimator.get_params(deep=False)
    defaults = type(estimator)().get_params(deep=False)
    for parameter in _OF_THE_CASES:
        if str(settings.get(parameter)) != str(defaults.get(parameter)):
            raise BadInputError(
                f"estimators holds {name!r} with {parameter}={settings[parameter]!r}; "
                "members share the cases of the blend. Leave it at "
                f"{defaults[parameter]!r}, or set it for the blend if the blend has it."
            )
    seed = settings.get("random_state")
    if not isinstance(seed, int | None):
        raise BadTypeError(
            f"estimators holds {name!r} with random_state={seed!r}; expected a whole "
            "number or None, so that the same query gets the same answer."
        )
