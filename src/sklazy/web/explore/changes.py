"""Changes that a person decided on: a list that can be undone, applied to a copy."""

import copy
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import Target
from sklazy.casebase.kinds import times_of
from sklazy.errors import BadInputError, DataWarning, UnknownIdError
from sklazy.tables.labels import encode
from sklazy.web.explore.state import State, Value

Kind = Literal["accept", "relabel", "forget"]


@dataclass(frozen=True)
class Change:
    """One decision about one case.

    Attributes
    ----------
    number : int
        From 1, never given twice.
    kind : {"accept", "relabel", "forget"}
        It was looked at and is right; its target is another; it goes.
    id : int or str
    before, after : label, number or None
        Its target as it came, and as it is to be.
    reason : str
        What it was found by.
    """

    number: int
    kind: Kind
    id: int | str
    before: Value
    after: Value
    reason: str


class Changes:
    """The list of changes to the cases as they came.

    Parameters
    ----------
    original : State
        The cases as they came; they stay as they are.
    """

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
        """Note a change; it takes the place of one of the same case before it."""
        if kind not in get_args(Kind):
            raise BadInputError(f"{kind!r} is no change; expected {get_args(Kind)}.")
        row = self.original.number_of(case)
        before = self.original.truth(row)
        target = _read_target(self.original, after) if kind == "relabel" else None
        given = self.original.ids[row]
        own = given if isinstance(given, str) else int(given)
        found: Any = kind
        change = Change(self._next, found, own, before, target, reason[:200])
        made = [one for one in self._made if one.id != own]
        _check_some_left(self.original, [*made, change])
        self._made, self._next = [*made, change], self._next + 1
        return change

    def undo(self, number: int) -> None:
        """Take a change back."""
        left = [one for one in self._made if one.number != number]
        if len(left) == len(self._made):
            raise UnknownIdError(f"there is no change {number}.")
        self._made = left

    def apply(self) -> Any:  # noqa: ANN401 - an estimator
        """A model of the cases with all changes."""
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
        raise BadInputError("all cases but one would be gone; keep some.")


def _read_target(state: State, after: object) -> Value:
    """The new target of a case: a class that is known, or a number."""
    if state.classifies:
        known = {str(label): label for label in state.base.class_labels}
        if str(after) not in known:
            raise BadInputError(f"there is no class {str(after)[:80]!r}.")
        return known[str(after)]
    if isinstance(after, bool) or not isinstance(after, int | float):
        raise BadInputError(f"{str(after)[:80]!r} is no number.")
    if not np.isfinite(after):
        raise BadInputError(f"{after} is no target.")
    return float(after)


def _relabel(base: CaseBase, changes: Sequence[Change]) -> None:
    """Forget cases and add them again with other targets, under their own ids."""
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
