"""Who holds the parts of a case base, and puts questions to them."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from sklazy.casebase.parts import Labels, Part, enter_rows, find_places
from sklazy.casebase.rows import CodedRows, Ids, Places

Result = TypeVar("Result")


class Parts(Protocol):
    """Who holds the parts, and asks them; see `PartsHere`."""

    are_here: ClassVar[bool]
    """Whether the parts are in this process."""

    def __len__(self) -> int: ...

    def ask(self, function: Callable[..., Result], *arguments: object) -> list[Result]:
        """Call a function on each part, with the given arguments."""

    def ask_each(
        self, function: Callable[..., Result], arguments: Sequence[Any]
    ) -> list[Result]:
        """The same, with something else given to each."""

    def ask_in_turn(
        self, function: Callable[..., list[Result]], *arguments: object
    ) -> list[Result]:
        """Call a function part by part, each with the results so far if it can.

        The function takes the part, what was found so far, and what is given; it
        returns what is found with the part.
        """

    def states(self) -> "Parts":
        """The parts as they are now, which no later change reaches."""

    def enter(self, number: int, labels: Labels, batch: CodedRows) -> None:
        """Have a part take in rows, all or none."""

    def leave(self, places: Sequence[Places], ids: Sequence[Ids]) -> None:
        """Have parts erase rows, by place and id, all or none."""

    def own_arrays(self) -> None:
        """Leave the arrays to the states that use them."""

    def release(self) -> None:
        """Mark these states as no longer used."""

    def keep_hashes(self, states: Any) -> None:  # noqa: ANN401 - of the same kind
        """Keep the hashes of rows that were found for states of these parts."""


class PartsHere:
    """Parts in this process, asked one after the other."""

    are_here: ClassVar[bool] = True

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = list(parts)

    def __len__(self) -> int:
        return len(self.parts)

    def ask(self, function: Callable[..., Result], *arguments: object) -> list[Result]:
        """Call a function on each part."""
        return [function(part, *arguments) for part in self.parts]

    def ask_each(
        self, function: Callable[..., Result], arguments: Sequence[Any]
    ) -> list[Result]:
        """Call a function on each part, with an argument of its own."""
        pairs = zip(self.parts, arguments, strict=True)
        return [function(part, argument) for part, argument in pairs]

    def ask_in_turn(
        self, function: Callable[..., list[Result]], *arguments: object
    ) -> list[Result]:
        """Call a function part by part, each with the results so far."""
        results: list[Result] = []
        for part in self.parts:
            results = function(part, results, *arguments)
        return results

    def states(self) -> "PartsHere":
        """The parts as they are now."""
        return PartsHere([part._make_state() for part in self.parts])

    def enter(self, number: int, labels: Labels, batch: CodedRows) -> None:
        """Have a part take in rows."""
        enter_rows(self.parts[number], labels, batch)

    def leave(self, places: Sequence[Places], ids: Sequence[Ids]) -> None:
        """Have parts erase rows."""
        with ExitStack() as stack:
            for part, gone in zip(self.parts, places, strict=True):
                if len(gone):
                    touched = np.concatenate([gone, part.rows.moves(gone)[0]])
                    stack.enter_context(part._all_or_nothing(touched))
                    part._leave(gone)

    def keep_hashes(self, states: "PartsHere") -> None:
        """Keep the hashes of rows that were found for states."""
        for part, state in zip(self.parts, states.parts, strict=True):
            if not len(part.rows.hashes):
                part.rows.hashes = state.rows.hashes

    def own_arrays(self) -> None:
        """Copy the arrays of all parts."""
        for part in self.parts:
            part._own_arrays()

    def release(self) -> None:
        """The arrays of states go with these."""


def leave_all(part: Part, ids: Ids) -> None:
    """Have one part erase those of some rows that it has."""
    places, _ = find_places(part, ids)
    if len(places):
        part._leave(places)


def concatenate_rows(batches: Sequence[CodedRows]) -> CodedRows:
    """Rows of several batches, one after the other."""
    filled = [batch for batch in batches if len(batch)] or batches[:1]
    names = vars(filled[0])
    return CodedRows(
        **{
            name: np.concatenate([getattr(b, name) for b in filled], axis=-1)
            for name in names
            if name != "hashes"
        },
        hashes=np.zeros((0, sum(map(len, filled))), np.uint64),
    )


def concatenate_ids(ids: Sequence[Ids]) -> Ids:
    """Ids of several parts; those of a part without rows have no kind."""
    filled = [part for part in ids if len(part)]
    return np.concatenate(filled) if filled else np.zeros(0, np.int64)  # type: ignore[return-value]
