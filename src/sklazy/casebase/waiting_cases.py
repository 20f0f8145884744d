"""The arrays of a case base whose codes and counts wait until somebody reads them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from sklazy.casebase.rows import CLASSES
from sklazy.flow import Cases, Narrow

if TYPE_CHECKING:
    from sklazy.casebase.base import CaseBase


class WaitingCases(Cases):
    """The memory as kernels see it; codes and counts are found when asked for.

    Who measures distances on numbers reads none of them, so a stream of rows that are
    asked for and learned in turn costs no cuts and no counts.
    """

    _base: "CaseBase"

    @classmethod
    def of(cls, base: "CaseBase") -> "WaitingCases":
        """The arrays that are up to date; the others wait."""
        rows, vocabularies = base.rows, base.coder.vocabularies
        known = {
            "n_rows": rows.n_rows,
            "class_counts": np.zeros(0, np.int64),
            "classes": Narrow(rows.classes),
            "numeric": base.numeric_places(),
            "numbers": rows.numbers,
            "ranges": base.ranges.edges,
            "targets": rows.targets,
            "weights": base.weights,
        }
        if CLASSES in vocabularies:
            known["class_counts"] = vocabularies[CLASSES].counts
        cases = tuple.__new__(cls, [known.get(name) for name in Cases._fields])
        cases._base = base
        return cases

    def _replace(self, **given: Any) -> Cases:  # type: ignore[override]  # noqa: ANN401
        """The same arrays but for those given, none of them waiting any more."""
        known = {
            name: getattr(self, name) for name in Cases._fields if name not in given
        }
        return Cases(**known, **given)


def _found_field(name: str) -> property:
    def read(cases: WaitingCases) -> Any:  # noqa: ANN401 - an array
        return getattr(cases._base.counted, name)

    return property(read)


for _name in ("codes", "offsets", "counts", "starts", "value_bits", "class_bits"):
    setattr(WaitingCases, _name, _found_field(_name))
