"""Parts take in rows, and labels as all parts number them, wholly or not at all."""

import numpy as np
import pytest

from sklazy.casebase import CaseBase
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Part
from sklazy.casebase.rows import Rows
from sklazy.tables import as_table, as_target

ROWS = [["m", "x", 1.0], ["n", "y", 2.0], ["m", "y", 3.0], ["o", "x", 4.0]]
FIRST = [["a", "b", 1.5]]  # labels that sort before all others


@pytest.fixture
def bases():
    one = CaseBase(as_table(ROWS), as_target(list("cdcd"), "nominal"))
    return one, PartedBase.cut(one, [0, 0, 1, 1], 2)


def fails_once(monkeypatch, owner, name, error, after=0):
    """Have a method fail, once, when it was called so many times."""
    method, calls = getattr(owner, name), iter(range(after))

    def failing(*given):
        if next(calls, None) is not None:
            return method(*given)
        monkeypatch.setattr(owner, name, method)
        raise error

    monkeypatch.setattr(owner, name, failing)


def same(one, other):
    assert other.digest() == one.digest()
    assert rows_of(other._join()) == rows_of(one)


def rows_of(base):
    return sorted(base.to_table().to_pandas().to_numpy().tolist())


def test_rows_that_do_not_get_in_leave_the_labels_as_they_were(bases, monkeypatch):
    one, other = bases
    same(one, other)
    fails_once(monkeypatch, Part, "_enter", MemoryError)
    with pytest.raises(MemoryError):
        other.add(as_table(FIRST), as_target(["b"], "nominal"))
    same(one, other)
    for base in bases:
        base.add(as_table(FIRST), as_target(["b"], "nominal"))
    assert other.digest() == one.digest()


@pytest.mark.parametrize("after", range(3))  # two columns and the classes
def test_labels_that_are_numbered_halfway_are_numbered_again(bases, monkeypatch, after):
    one, other = bases
    same(one, other)
    for base in bases:
        base.add(as_table(FIRST), as_target(["b"], "nominal"))
    fails_once(monkeypatch, Rows, "relabel", KeyboardInterrupt, after)
    with pytest.raises(KeyboardInterrupt):
        other.digest()
    assert other.digest() == one.digest()
    for base in bases:
        base.forget([1])
    assert other.digest() == one.digest()
    assert np.array_equal(np.sort(other.ids), [0, 2, 3, 4])
