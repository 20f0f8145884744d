"""The arrays of a case base of parts, as kernels see them."""

from typing import TYPE_CHECKING, Any

from sklazy.flow import Cases

if TYPE_CHECKING:
    from sklazy.casebase.parted import PartedBase


class PartedCases(Cases):
    """The memory as kernels see it, of which the rows are joined when asked for."""

    _base: "PartedBase"

    @classmethod
    def of(cls, base: "PartedBase") -> "PartedCases":
        """The head's arrays; the others wait."""
        tallies = base.tallies
        head = {
            "n_rows": base.n_rows,
            "offsets": tallies.offsets,
            "counts": tallies.counts,
            "class_counts": tallies.class_counts,
            "numeric": base.numeric_places(),
            "ranges": base.ranges.edges,
        }
        cases = tuple.__new__(cls, [head.get(name) for name in Cases._fields])
        cases._base = base
        return cases


def _joined_field(name: str) -> property:
    def read(cases: PartedCases) -> Any:  # noqa: ANN401 - an array
        return getattr(cases._base.joined().cases, name)

    return property(read)


for _name in ("codes", "classes", "starts", "value_bits", "class_bits", "numbers"):
    setattr(PartedCases, _name, _joined_field(_name))
for _name in ("weights", "targets"):
    setattr(PartedCases, _name, _joined_field(_name))
