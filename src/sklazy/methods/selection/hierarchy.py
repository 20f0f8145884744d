"""The hierarchy of attributes of a case base, and which of a query's are present."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.flow import Queries
from sklazy.measures import find_ancestors
from sklazy.methods.selection.recipe import Recipe

_PRESENT = ("1", "1.0", "true", "yes", "present", "y", "t")
_ABSENT = ("0", "0.0", "false", "no", "absent", "n", "f")


def find_hierarchy(base: CaseBase, recipe: Recipe) -> NDArray[np.bool_]:
    """The ancestors of each attribute, (n_attributes, n_attributes)."""
    key = find_hierarchy, recipe.hierarchy
    names = list(base.names)
    return base.derive(key, lambda: find_ancestors(dict(recipe.hierarchy), names))


def check_hierarchy(base: CaseBase, recipe: Recipe) -> None:
    """Raise an error if columns, or labels, do not fit the hierarchy."""
    nothing = np.empty((0, len(base.names)))
    find_states(base, Queries(nothing.astype(np.int32), nothing), recipe)


def find_states(base: CaseBase, queries: Queries, recipe: Recipe) -> NDArray[np.int8]:
    """Whether attributes are present (1) or absent (0); -1 if not known or not in it.

    Numbers above 0 are present, 0 is absent; labels are known words for both.
    """
    ancestors = find_hierarchy(base, recipe)
    inside = np.flatnonzero(ancestors.any(axis=0) | ancestors.any(axis=1))
    nominal = set(base.coder.nominal)
    states = np.full(queries.codes.shape, -1, np.int8)
    for j in inside:
        if j in nominal:
            labels = base.categories(int(j))
            table = np.array([*(_state(base.names[j], x) for x in labels), -1], np.int8)
            states[:, j] = table[np.maximum(queries.codes[:, j], -1)]
        else:
            numbers = queries.values[:, j]
            known = ~np.isnan(numbers)
            states[known, j] = (numbers[known] > 0).astype(np.int8)
    return states


def _state(name: str, label: Any) -> int:  # noqa: ANN401 - any label
    word = str(label).lower()
    if word in _PRESENT or word in _ABSENT:
        return int(word in _PRESENT)
    raise BadInputError(
        f"hierarchy has the column {name!r} with the label {label!r}; expected labels "
        "for present and absent: 1 and 0, True and False, 'yes' and 'no'."
    )
