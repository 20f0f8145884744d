"""The head of a parted case base: what its parts share, and how it adds up."""

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

import numpy as np

from sklazy.casebase.base import CaseBase
from sklazy.casebase.cuts import column_cuts
from sklazy.casebase.fingerprint import Buckets
from sklazy.casebase.holding import Parts, concatenate_ids
from sklazy.casebase.parts import (
    CommonFrame,
    Floats,
    Labels,
    Survey,
    adopt_frame,
    adopt_labels,
    check_sizes,
    names_and_arrivals,
    sorted_column,
    survey_part,
)
from sklazy.casebase.states import SHARING, Snapshotted, shallow
from sklazy.casebase.tallies import CellTallies
from sklazy.casebase.vocabulary import Vocabulary

Result = TypeVar("Result")


class PartedHead(CaseBase):
    """The head of a case base of parts: labels, cuts, ranges and counts of all rows."""

    is_parted = True
    parts: Parts  # who holds the parts
    sizes: list[int]  # the rows of each
    n_targets: int
    _is_fresh: bool  # whether the head and the parts are up to date
    _is_counted: bool = True  # whether `sizes` are known to be those of the parts

    def __init__(self, head: CaseBase, parts: Parts, sizes: Sequence[int]) -> None:
        """Take parts that are coded like the head, which may have rows or none."""
        names = ("schema", "half_life", "next_id")
        self.__dict__.update({name: getattr(head, name) for name in names})
        self.coder, self.bins = head.coder.twin(), shallow(head.bins)
        self.bins.cuts, self.bins.sorted = list(head.bins.cuts), None
        self.ranges, self.buckets = shallow(head.ranges), Buckets()
        self.tallies = CellTallies(len(head.schema.attributes))
        self.n_targets = len(head.rows.targets)
        self.parts, self.sizes, self._is_fresh = parts, list(sizes), False
        self._start_sharing()

    def ask(self, function: Callable[..., Result], *arguments: object) -> list[Result]:
        """Call a function on each part, with the given arguments."""
        self._sync()
        return self.parts.ask(function, *arguments)

    def ask_each(
        self, function: Callable[..., Result], arguments: Sequence[Any]
    ) -> list[Result]:
        """The same, with something else given to each part."""
        self._sync()
        return self.parts.ask_each(function, arguments)

    def ask_in_turn(
        self, function: Callable[..., list[Result]], *arguments: object
    ) -> list[Result]:
        """Call a function part by part, with the results so far; see `Parts`."""
        self._sync()
        return self.parts.ask_in_turn(function, *arguments)

    # --- the head ---------------------------------------------------------------------

    def _sync(self) -> None:
        """Bring the head and the parts up to date."""
        with self._lock:
            if self._is_fresh or self._is_state:
                return
            surveys = self.parts.ask(survey_part)
            if not self._is_counted:
                self._count_anew(surveys)
            check_sizes(self.sizes, surveys)
            self._merge(surveys)
            labels = self._labels()
            self.parts.ask(adopt_labels, labels)
            if self.coder.n_classes and not self.bins.current:
                self.bins.cuts = [self._find_cuts(i) for i in range(len(self._numeric))]
                self.bins.current = True
            widths = self.coder.widths(self.bins.cuts)
            starts = np.cumsum([0, *self.sizes])[:-1]
            shared = CommonFrame(
                labels, self.bins.cuts, self.ranges.edges, self._newest(surveys), starts
            )
            counted = self.parts.ask(adopt_frame, shared)
            tallies = CellTallies(len(widths))
            tallies.offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
            tallies.counts = np.sum([counts for _, counts, _ in counted], axis=0)
            tallies.class_counts = np.sum(
                [by_class for *_, by_class in counted], axis=0
            )
            tallies.stale[:] = False
            self.tallies, self._is_fresh = tallies, True

    def _begin_change(self) -> None:
        """Rely on nothing until a change of the parts is known to have been made."""
        self._drop_state()
        self._is_fresh = self._is_counted = False
        self._touch()

    def _freeze(self) -> None:
        """Find frozen cuts, and whether a change that was stopped has been made."""
        if not self._is_counted:
            self._sync()
        super()._freeze()

    def _count_anew(self, surveys: Sequence[Survey]) -> None:
        """Learn from the parts what a change that was stopped has come to."""
        self.sizes = [part.n_rows for part in surveys]
        ids = concatenate_ids([ids for ids, _ in self.parts.ask(names_and_arrivals)])
        if ids.dtype != object:
            self.next_id = max(self.next_id, int(ids.max()) + 1)
        self.buckets.touch(None)
        self._is_counted = True

    def _merge(self, surveys: Sequence[Survey]) -> None:
        """Add up what the parts have: labels, their rows, ranges."""
        for j, vocabulary in self.coder.vocabularies.items():
            merged = Vocabulary(vocabulary.labels[: vocabulary.declared])
            for part in surveys:
                merged.admit(part.labels[j])
            for part in surveys:
                merged.counts[merged.lookup(part.labels[j])] += part.counts[j]
            self.coder.vocabularies[j] = merged
        edges = np.stack([part.edges for part in surveys])
        low, high = np.fmin.reduce(edges[:, :, 0]), np.fmax.reduce(edges[:, :, 1])
        self.ranges.edges = np.stack([low, high], axis=1)

    def _labels(self) -> Labels:
        return {j: v.labels for j, v in self.coder.vocabularies.items()}

    def _newest(self, surveys: Sequence[Survey]) -> float:
        """When the last row happened."""
        if not self.schema.clock:
            return float(self.n_rows - 1)
        return max(part.newest for part in surveys)

    def _find_cuts(self, numeric: int) -> Floats:
        """The cuts of an attribute, from its numbers in all parts."""
        columns = self.parts.ask(sorted_column, numeric)
        values, classes = (
            np.concatenate(column) for column in zip(*columns, strict=True)
        )
        return column_cuts(values, classes, self.coder.n_classes, self.bins.criterion)

    def _recode(self, numeric: int, cuts: Floats) -> None:
        """The parts code their numbers themselves."""

    # --- states -----------------------------------------------------------------------

    def _make_state(self) -> Self:
        self._sync()
        state = shallow(self)
        for name in ("tallies", "bins", "ranges", "buckets", "choices"):
            setattr(state, name, shallow(getattr(self, name)))
        state.coder, state.sizes = self.coder.twin(), list(self.sizes)
        state.parts = self.parts.states()
        state._start_sharing()
        return state

    def _drop_state(self) -> None:
        if self._state is not None:
            self.parts.keep_hashes(self._state.parts)
        Snapshotted._drop_state(self)

    def _own_arrays(self) -> None:
        self.parts.own_arrays()

    def _end(self) -> None:
        super()._end()
        self.parts.release()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._sync()
            return {n: v for n, v in vars(self).items() if n not in SHARING}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_sharing()
