"""What measuring attributes costs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, suggest
from sklazy.estimators.parameters import check_positive

Floats = NDArray[np.float64]
Costs = Mapping[str, float] | ArrayLike | None


def read_costs(costs: Costs, cases: CaseBase) -> Floats:
    """The cost of each attribute, or an error that says what is wrong with them."""
    names = cases.names
    if costs is None:
        return np.ones(len(names))
    given = _named_costs(costs, cases) if isinstance(costs, Mapping) else costs
    values: Sequence[Any] = list(np.asarray(given, object).ravel())
    if len(values) != len(names):
        raise BadInputError(
            f"costs has {len(values)} numbers for {len(names)} attributes; give one "
            "for each, or a dict by name."
        )
    for name, value in zip(names, values, strict=True):
        check_positive(f"costs[{name!r}]", value, "what measuring it costs")
    return np.array(values, np.float64)


def _named_costs(costs: Mapping[str, float], cases: CaseBase) -> list[float]:
    """Costs by name; the parts of a date cost what it costs."""
    columns = cases.schema.given_names
    unknown = [name for name in costs if name not in columns + cases.names]
    if unknown:
        raise BadInputError(
            f"costs names {unknown[0]!r}, which is no attribute."
            f"{suggest(str(unknown[0]), cases.names)}"
        )
    owners = [_find_owner(name, columns) for name in cases.names]
    lacking = [
        name
        for name, owner in zip(cases.names, owners, strict=True)
        if name not in costs and owner not in costs
    ]
    if lacking:
        raise BadInputError(
            f"costs lacks {len(lacking)} attributes, the first of them {lacking[0]!r}; "
            "give a cost for each."
        )
    pairs = zip(cases.names, owners, strict=True)
    return [costs[name] if name in costs else costs[owner] for name, owner in pairs]


def _find_owner(name: str, columns: Sequence[str]) -> str:
    """The user's column that an attribute is of."""
    if name in columns:
        return name
    return next((own for own in columns if name.startswith(f"{own}: ")), name)
