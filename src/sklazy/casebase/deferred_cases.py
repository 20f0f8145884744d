"""Arrays of a case base some of which are found only when a kernel reads them."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklazy.casebase.rows import CLASSES
from sklazy.flow import Cases, Narrow

if TYPE_CHECKING:
    from sklazy.casebase.base import CaseBase
    from sklazy.casebase.parted import PartedBase


class _DeferredCases(Cases):
    """Arrays that are known, and the base that finds the others."""

    _base: "CaseBase"

    @classmethod
    def _of_known(cls, base: "CaseBase", known: dict[str, Any]) -> Self:
        cases = tuple.__new__(cls, [known.get(name) for name in Cases._fields])
        cases._base = base
        return cases


class WaitingCases(_DeferredCases):
    """The memory as kernels see it; codes and counts are found when asked for.

    Who measures distances on numbers reads none of them, so a stream of rows that are
    asked for and learned in turn costs no cuts and no counts.
    """

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
        return cls._of_known(base, known)

    def _replace(self, **arrays: Any) -> Cases:  # type: ignore[override]  # noqa: ANN401
        """The same cases with some other arrays, none of them waiting any more."""
        known = {n: getattr(self, n) for n in Cases._fields if n not in arrays}
        return Cases(**known, **arrays)


class PartedCases(_DeferredCases):
    """The memory as kernels see it, of which the rows are joined when asked for."""

    @classmethod
    def of(cls, base: "PartedBase") -> "PartedCases":
        """The head's arrays; the others wait."""
        tallies = base.tallies
        known = {
            "n_rows": base.n_rows,
            "offsets": tallies.offsets,
            "counts": tallies.counts,
            "class_counts": tallies.class_counts,
            "numeric": base.numeric_places(),
            "ranges": base.ranges.edges,
        }
        return cls._of_known(base, known)


def _counted_field(name: str) -> property:
    return property(lambda cases: getattr(cases._base.counted, name))


def _joined_field(name: str) -> property:
    return property(lambda cases: getattr(cases._base.joined().cases, name))


for _name in ("codes", "starts", "value_bits", "class_bits"):
    setattr(WaitingCases, _name, _counted_field(_name))
    setattr(PartedCases, _name, _joined_field(_name))
for _name in ("offsets", "counts"):
    setattr(WaitingCases, _name, _counted_field(_name))
for _name in ("classes", "numbers", "weights", "targets"):
    setattr(PartedCases, _name, _joined_field(_name))
