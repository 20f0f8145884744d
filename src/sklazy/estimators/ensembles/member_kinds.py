"""The kinds of members that the parameter `estimators` lists."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from sklazy.errors import BadInputError, BadTypeError, suggest
from sklazy.estimators.ensembles.sklearn_members import (
    ClassifierMember,
    RegressorMember,
)
from sklazy.estimators.parameters import check_count, check_positive
from sklazy.methods.ensembles.members import (
    BagMember,
    BayesMember,
    LinearMember,
    NeighborsMember,
    RandomTreeMember,
    RuleMember,
    TreeMember,
)
from sklazy.methods.local_models.plans import check_ridge

Named = tuple[str, str | BaseEstimator]


class Kinds(NamedTuple):
    """The kinds of members that an ensemble may have.

    Attributes
    ----------
    all, default : tuple of str
        Our own kinds, and those taken where `estimators` is None.
    others : class
        Wraps an estimator of scikit-learn.
    """

    all: tuple[str, ...]
    default: tuple[str, ...]
    others: type[ClassifierMember | RegressorMember]


def named_kinds(
    estimators: Sequence[Any] | None, ours: Sequence[str], default: Sequence[str]
) -> list[Named]:
    """Names and kinds of members: strings that stand for ours, or estimators.

    Examples
    --------
    >>> named_kinds(["tree", ("mine", "rule")], ["tree", "rule"], ["tree"])
    [('tree', 'tree'), ('mine', 'rule')]
    """
    if estimators is None:
        return [(kind, kind) for kind in default]
    if not isinstance(estimators, list | tuple) or not estimators:
        raise BadTypeError(
            f"estimators={estimators!r}; expected a list of member names "
            f"{tuple(ours)} or estimators, at least one, or None for the default."
        )
    return [_named(item, ours) for item in estimators]


def _named(item: Any, ours: Sequence[str]) -> Named:  # noqa: ANN401 - checked here
    pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
    name, kind = item if pair else (None, item)
    if isinstance(kind, str):
        if kind not in ours:
            raise BadInputError(
                f"estimators names {kind!r}, which is not the name of a member."
                + suggest(kind, ours)
            )
        return name or kind, kind
    able = hasattr(kind, "fit") and hasattr(kind, "predict")
    if isinstance(kind, type) or not able:
        raise BadTypeError(
            f"estimators holds {kind!r}, which cannot fit and predict; give a name of "
            f"{tuple(ours)}, an estimator, or a pair of a name and one of these."
        )
    return name or type(kind).__name__.lower(), kind


def _kinds_of(model: Any) -> list[Named]:  # noqa: ANN401 - a stacking estimator
    return named_kinds(model.estimators, model._kinds.all, model._kinds.default)


def describe_kinds(model: Any) -> list[str]:  # noqa: ANN401
    """Describe the members that the parameter `estimators` lists as plain data."""
    return [
        kind if isinstance(kind, str) else f"{name}: {' '.join(repr(kind).split())}"
        for name, kind in _kinds_of(model)
    ]


def make_kinds(model: Any) -> tuple[BagMember, ...]:  # noqa: ANN401
    """Make the members that the parameter `estimators` lists."""
    share = bool(model.share_bags)
    makers: dict[str, Callable[[str], BagMember]] = {
        "tree": lambda name: TreeMember(model._rules(), share, name),
        "random_tree": lambda name: RandomTreeMember(model._tried(), name),
        "bayes": lambda name: BayesMember(float(model.alpha), name),
        "neighbors": lambda name: NeighborsMember(int(model.member_neighbors), name),
        "linear": lambda name: LinearMember(float(model.ridge), name),
        "rule": RuleMember,
    }
    return tuple(
        makers[kind](name) if isinstance(kind, str) else model._kinds.others(kind, name)
        for name, kind in _kinds_of(model)
    )


def check_kinds(model: Any) -> None:  # noqa: ANN401
    """Refuse kinds, or parameters of members, that make no sense."""
    check_count("member_neighbors", model.member_neighbors)
    check_positive("ridge", model.ridge, "the penalty of the linear member")
    check_ridge(model.ridge)
    expected = str(get_tags(model).estimator_type)
    for _, kind in _kinds_of(model):
        actual = expected if isinstance(kind, str) else get_tags(kind).estimator_type
        if actual not in (None, expected):
            raise BadTypeError(
                f"estimators holds {kind!r}, which is a {actual}; give a {expected}."
            )
    if "bayes" in model._kinds.all:
        check_positive("alpha", model.alpha, "what naive Bayes adds to every count")
