"""A fair draw of the rows of a base, kept while rows that are not in it come and go.

What costs seconds to find anew may follow from a draw: the first rows in canonical
order. Most changes of many rows leave these as they are, and all that was derived from
them. A row of the draw that is forgotten takes the draw with it.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.bins import Bins
from sklazy.casebase.parts import pin_labels
from sklazy.casebase.rows import CodedRows, Ids, are_among


class DrawnBase(CaseBase):
    """The first rows of another base in its canonical order, in that order.

    Labels have the codes that they have there, and numbers have no cuts. It must not be
    changed.
    """

    def _order(self) -> NDArray[np.int64]:
        # Copies were numbered among all rows: numbered here, few of many would come
        # first more often than others do.
        return np.argsort(self.arrival)


@dataclass
class FollowedDraw:
    """A draw that stays as long as its rows do.

    Attributes
    ----------
    ids : array of shape (n_drawn,)
        Of its rows in the base that they were drawn from.
    drawn : DrawnBase
    """

    ids: Ids
    drawn: DrawnBase

    def follow(self, rows: Any, step: int) -> bool:  # noqa: ANN401 - of the base's kind
        """Stay, unless one of its rows goes; others that come are seen when asked."""
        return step > 0 or not bool(are_among(self.ids, rows.ids).any())


def find_draw(base: CaseBase, n_rows: int) -> CaseBase:
    """The first rows in canonical order as a base, or the base where it has no more.

    It is the same object until a change reaches one of these rows or a label, so that
    what was derived from it is kept. With choices that may be older than the rows it is
    one of these.
    """
    if base.n_rows <= n_rows:
        return base
    if base.choices.may_be_old and not base.is_parted:
        key = _name_choice(base, n_rows)
        return base.choose(key, lambda: make_drawn_base(base, n_rows), holds_rows=True)
    return base.derive((DrawnBase, n_rows), lambda: _find(base, n_rows))


def renew_draw(base: CaseBase, n_rows: int) -> None:
    """Have a draw that may be older than the rows be that of those that are there.

    What is found by its rows and by others must know which rows these are.
    """
    if base.choices.may_be_old and not base.is_parted:
        base.choices.drop_one(_name_choice(base, n_rows))


def _name_choice(base: CaseBase, n_rows: int) -> tuple[object, ...]:
    labels = base.derive(describe_labels, lambda: describe_labels(base))
    return DrawnBase, n_rows, labels


def _find(base: CaseBase, n_rows: int) -> DrawnBase:
    if base.is_parted:
        return make_drawn_base(base, n_rows)
    ids = base.rows.ids_at(base.order[:n_rows])
    before = base.find_follower((DrawnBase, n_rows))
    if isinstance(before, FollowedDraw) and np.array_equal(before.ids, ids):
        return before.drawn
    drawn = make_drawn_base(base, n_rows)
    base.let_follow((DrawnBase, n_rows), FollowedDraw(ids, drawn))
    return drawn


def describe_labels(base: CaseBase) -> str:
    """The classes and the labels of nominal attributes, by code."""
    nominal = np.flatnonzero(base.cases.numeric < 0).tolist()
    known = [str(base.class_labels), *(base.categories(j) for j in nominal)]
    return str(known)


def make_drawn_base(base: CaseBase, n_rows: int) -> DrawnBase:
    """A base of the first rows in canonical order; all rows weigh 1."""
    drawn = object.__new__(DrawnBase)
    numeric = base.coder.numeric
    bins = Bins(len(numeric), base.bins.criterion, frozen=True)
    bins.restore([np.zeros(0)] * len(numeric))
    schema = replace(base.schema, balanced=False)
    drawn._start_empty(schema, bins, base.count_targets(), None)
    take = base.take if base.is_parted else base.rows.take  # which needs no cuts
    batch = _number(take(base.order[:n_rows]), numeric)
    drawn.coder = pin_labels(base.coder, batch)
    drawn.rows.append(batch)
    drawn.ranges.widen(batch.numbers)
    return drawn


def _number(batch: CodedRows, numeric: list[int]) -> CodedRows:
    """Rows without bins, named by their places."""
    places, codes = np.arange(len(batch)), batch.codes.copy()
    codes[numeric] = np.where(np.isnan(batch.numbers), -1, 0)
    hashes = np.zeros((0, len(batch)), np.uint64)
    named = replace(batch, codes=codes, arrival=places, ids=places, hashes=hashes)
    return replace(named, weights=np.ones(len(batch)))
