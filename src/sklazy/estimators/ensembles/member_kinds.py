"""The members that a user names or gives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from sklazy.answer.ensembles.members import Member
from sklazy.errors import BadInputError, BadTypeError, suggest

Named = tuple[str, str | BaseEstimator]


def named_kinds(
    estimators: Sequence[Any] | None, ours: Sequence[str], default: Sequence[str]
) -> list[Named]:
    """Names and kinds of members: strings that stand for ours, or estimators.

    Parameters
    ----------
    estimators : list or None
        What the user gave; None for the default.
    ours : sequence of str
        The names of our own kinds.
    default : sequence of str

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


def make_members(
    kinds: Sequence[Named],
    ours: Mapping[str, Callable[[str], Member]],
    other: Callable[[BaseEstimator, str], Member],
) -> tuple[Member, ...]:
    """The members of the kinds that were named or given.

    Parameters
    ----------
    kinds : list of pairs of a name and a kind
    ours : dict
        What makes a member of our own from its name.
    other : callable
        What makes a member of an estimator and a name.
    """
    return tuple(
        ours[kind](name) if isinstance(kind, str) else other(kind, name)
        for name, kind in kinds
    )


def check_kinds(kinds: Sequence[Named], expected: str) -> None:
    """Refuse estimators that are known to predict something else.

    Parameters
    ----------
    kinds : list of pairs of a name and a kind
    expected : {"classifier", "regressor"}
    """
    for _, kind in kinds:
        if isinstance(kind, BaseEstimator):
            found = get_tags(kind).estimator_type
            if found not in (None, expected):
                raise BadTypeError(
                    f"estimators holds {kind!r}, which is a {found}; give a {expected}."
                )


def describe_kinds(kinds: Sequence[Named]) -> list[str]:
    """Members as plain data."""
    return [
        kind if isinstance(kind, str) else f"{name}: {' '.join(repr(kind).split())}"
        for name, kind in kinds
    ]


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
