"""Changes to cases: a list that can be undone, applied to a copy."""

import copy
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import Target
from sklazy.casebase.kinds import times_of
from sklazy.errors import BadInputError, DataWarning, UnknownIdError
from sklazy.tables.labels import encode
from sklazy.web.explore.state import State, Value

Kind = Literal["keep", "relabel", "forget"]


@dataclass(frozen=True)
class Change:
    """One decision about one case.

    Attributes
    ----------
    number : int
        From 1, never used twice.
    kind : {"keep", "relabel", "forget"}
        The case is right; its target changes; it is removed.
    id : int or str
    before, after : label, number or None
        The old and the new target.
    reason : str
    """

    number: int
    kind: Kind
    id: int | str
    before: Value
    after: Value
    reason: str


class Changes:
    """The list of changes to the original cases, which stay as they are."""

    def __init__(self, original: State) -> None:
        self.original = original
        self._made: list[Change] = []
        self._next = 1

    def __len__(self) -> int:
        return len(self._made)

    def describe(self) -> list[dict[str, Any]]:
        """The changes as plain data, in the order they were made."""
        return [asdict(one) for one in self._made]

    def add(self, kind: str, case: object, after: object, reason: str) -> Change:
        """Add a change; it replaces an earlier one of the same case."""
        if kind not in get_args(Kind):
            raise BadInputError(
                f"unknown change {kind!r}; expected one of {get_args(Kind)}."
            )
        row = self.original.number_of(case)
        before = self.original.truth(row)
        target = _read_target(self.original, after) if kind == "relabel" else None
        case_id = self.original.ids[row]
        case_id = case_id if isinstance(case_id, str) else int(case_id)
        known_kind = cast(Kind, kind)
        change = Change(self._next, known_kind, case_id, before, target, reason[:200])
        made = [one for one in self._made if one.id != case_id]
        _check_some_left(self.original, [*made, change])
        self._made, self._next = [*made, change], self._next + 1
        return change

    def undo(self, number: int) -> None:
        """Undo a change."""
        left = [one for one in self._made if one.number != number]
        if len(left) == len(self._made):
            raise UnknownIdError(f"there is no change {number}.")
        self._made = left

    def apply(self) -> Any:  # noqa: ANN401 - an estimator
        """A model with all changes."""
        relabeled = [one for one in self._made if one.kind == "relabel"]
        gone = [one.id for one in self._made if one.kind == "forget"]
        if not relabeled and not gone:
            return self.original.model
        model = copy.deepcopy(self.original.model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
            _relabel(model.cases_, relabeled)
            if gone:
                model.forget(gone)
        return model


def _check_some_left(state: State, changes: Sequence[Change]) -> None:
    if sum(one.kind == "forget" for one in changes) >= state.n_rows - 1:
        raise BadInputError("fewer than two cases would be left; keep more.")


def _read_target(state: State, after: object) -> Value:
    """The new target of a case: a known class, or a number."""
    if state.classifies:
        known = {str(label): label for label in state.base.class_labels}
        if str(after) not in known:
            raise BadInputError(
                f"{str(after)[:80]!r} is not a known class; expected one of "
                f"{', '.join(map(repr, [*known][:20]))}."
            )
        return known[str(after)]
    if isinstance(after, bool) or not isinstance(after, int | float):
        raise BadInputError(
            f"{str(after)[:80]!r} is not a number; expected one as target."
        )
    if not np.isfinite(after):
        raise BadInputError(f"{after}; expected a finite number as target.")
    return float(after)


def _relabel(base: CaseBase, changes: Sequence[Change]) -> None:
    """Forget cases and add them again with other targets and the same ids."""
    if not changes:
        return
    places = np.array([int(np.flatnonzero(base.ids == o.id)[0]) for o in changes])
    rows = base.rows.live().take(places)
    table, times = base.coder.table(rows), times_of(base, rows)
    target: Target
    if base.class_labels:
        target = encode("target", [one.after for one in changes])
    else:
        target = np.ascontiguousarray(rows.targets.T)
        target[:, 0] = [float(one.after or 0.0) for one in changes]
    base.forget(rows.ids)
    base.add(table, target, weights=rows.weights, times=times, ids=rows.ids)
