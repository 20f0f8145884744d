"""Weights of rows by their class: those of a dict, or "balanced" ones.

Weights of a dict multiply those of rows as they arrive. Balanced weights depend on all
rows, so the case base finds them anew after each change (`casebase/balance.py`).
"""

from collections.abc import Collection, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sklazy.casebase.incoming import Target
from sklazy.errors import BadInputError
from sklazy.estimators.inputs import class_column
from sklazy.tables import Column, Label

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator

BALANCED = "balanced"


def is_balanced(model: "LazyEstimator") -> bool:
    """Whether all classes count alike."""
    given = getattr(model, "class_weight", None)
    return isinstance(given, str) and given == BALANCED


def weigh_by_class(
    model: "LazyEstimator", target: Target, sample_weight: ArrayLike | None
) -> ArrayLike | None:
    """The weights of rows, times those that a dict gives to their classes."""
    if isinstance(sample_weight, str):
        raise BadInputError(
            f"sample_weight={sample_weight!r} is text; give a number for each row, "
            f"such as sample_weight=X[{sample_weight!r}]."
        )
    given = getattr(model, "class_weight", None)
    check_class_weight(given)
    if not isinstance(given, Mapping) or not isinstance(target, Column):
        return sample_weight
    weights = np.array([float(given.get(label, 1.0)) for label in target.categories])
    factors = weights[target.data] if len(weights) else np.ones(len(target))
    if sample_weight is None:
        return factors
    rows = np.asarray(sample_weight, float)
    return rows * factors if rows.shape == factors.shape else rows  # refused later


def check_class_weight(given: object) -> None:
    """Refuse what gives no class a weight."""
    if given is None or (isinstance(given, str) and given == BALANCED):
        return
    if not isinstance(given, Mapping):
        raise BadInputError(
            f"class_weight={given!r}; expected None, 'balanced', or a dict of weights "
            "by class such as {'yes': 5.0}."
        )
    for label, weight in given.items():
        if not _is_weight(weight):
            raise BadInputError(
                f"class_weight has {weight!r} for the class {label!r}; expected a "
                "finite number of at least 0."
            )


def _is_weight(weight: Any) -> bool:  # noqa: ANN401 - whatever is given
    is_number = isinstance(weight, Real) and not isinstance(weight, bool)
    return is_number and 0.0 <= float(weight) < np.inf


def check_weighed_classes(
    model: "LazyEstimator", target: Target, classes: ArrayLike | None
) -> None:
    """Refuse weights of classes that neither the first rows have nor `classes`."""
    given = getattr(model, "class_weight", None)
    if not isinstance(given, Mapping) or not isinstance(target, Column):
        return
    known: Collection[Label] = target.categories
    if classes is not None:
        known = class_column(classes, declared=True).categories
    strange = [label for label in given if label not in known]
    if strange:
        raise BadInputError(
            f"class_weight names the classes {strange}, but the rows have "
            f"{list(known)}; leave them out, or list all classes in "
            "partial_fit(classes=...)."
        )
