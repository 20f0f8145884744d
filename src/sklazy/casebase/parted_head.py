"""What the parts of a case base have in common, and how it adds up."""

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

import numpy as np

from sklazy.casebase.base import CaseBase
from sklazy.casebase.buckets import Buckets
from sklazy.casebase.cuts import sorted_cuts
from sklazy.casebase.holding import Parts, concatenate_ids
from sklazy.casebase.parts import (
    Floats,
    Labels,
    Shared,
    Survey,
    adopt,
    adopt_labels,
    check_sizes,
    names_and_arrivals,
    sorted_column,
    survey,
)
from sklazy.casebase.states import SHARING, shallow
from sklazy.casebase.states import Shared as Sharing
from sklazy.casebase.tallies import Tallies
from sklazy.casebase.vocabulary import Vocabulary
from sklazy.kernels.sorting import sort_pairs

Found = TypeVar("Found")


class PartedHead(CaseBase):
    """The head of a case base of parts: labels, cuts, ranges and counts of all rows.

    Attributes
    ----------
    parts : Parts
        Who holds the parts.
    sizes : list of int
        The rows of each.
    n_targets : int
    _is_fresh : bool, whether the head and the parts are up to date
    _is_counted : bool, whether `sizes` are known to be those of the parts
    """

    is_parted = True
    parts: Parts
    sizes: list[int]
    n_targets: int
    _is_fresh: bool
    _is_counted: bool = True

    def __init__(self, head: CaseBase, parts: Parts, sizes: Sequence[int]) -> None:
        """Take parts that are coded as a head says, which may have rows or none."""
        names = ("schema", "half_life", "next_id")
        self.__dict__.update({name: getattr(head, name) for name in names})
        self.coder, self.bins = head.coder.twin(), shallow(head.bins)
        self.bins.cuts, self.bins.orders = list(head.bins.cuts), None
        self.ranges, self.buckets = shallow(head.ranges), Buckets()
        self.tallies = Tallies(len(head.schema.attributes))
        self.n_targets = len(head.rows.targets)
        self.parts, self.sizes, self._is_fresh = parts, list(sizes), False
        self._start_sharing()

    def ask(self, function: Callable[..., Found], *given: object) -> list[Found]:
        """What each part answers to a function of it and of what is given."""
        with self._lock:
            self._sync()
        return self.parts.ask(function, *given)

    def ask_each(
        self, function: Callable[..., Found], given: Sequence[Any]
    ) -> list[Found]:
        """The same, with something else given to each part."""
        with self._lock:
            self._sync()
        return self.parts.ask_each(function, given)

    def ask_in_turn(
        self, function: Callable[..., list[Found]], *given: object
    ) -> list[Found]:
        """What is found part by part, each going on from those before; see `Parts`."""
        with self._lock:
            self._sync()
        return self.parts.ask_in_turn(function, *given)

    # --- the head ---------------------------------------------------------------------

    def _sync(self) -> None:
        """Bring the head and the parts up to date."""
        with self._lock:
            if self._is_fresh or self._is_state:
                return
            found = self.parts.ask(survey)
            if not self._is_counted:
                self._count_anew(found)
            check_sizes(self.sizes, found)
            self._merge(found)
            labels = self._labels()
            self.parts.ask(adopt_labels, labels)
            if self.coder.n_classes and not self.bins.current:
                self.bins.cuts = [self._find_cuts(i) for i in range(len(self._numeric))]
                self.bins.current = True
            widths = self.coder.widths(self.bins.cuts)
            starts = np.cumsum([0, *self.sizes])[:-1]
            shared = Shared(
                labels, self.bins.cuts, self.ranges.edges, self._newest(found), starts
            )
            counted = self.parts.ask(adopt, shared)
            tallies = Tallies(len(widths))
            tallies.offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
            tallies.counts = np.sum([counts for _, counts, _ in counted], axis=0)
            tallies.class_counts = np.sum([own for *_, own in counted], axis=0)
            tallies.stale[:] = False
            self.tallies, self._is_fresh = tallies, True

    def _begin_change(self) -> None:
        """Rely on nothing until a change of the parts is known to have been made."""
        self._drop_state()
        self._is_fresh = self._is_counted = False
        self._touch()

    def _recount(self) -> None:
        """See whether a change that was stopped has been made."""
        if not self._is_counted:
            self._sync()

    def _count_anew(self, found: Sequence[Survey]) -> None:
        """Learn from the parts what a change that was stopped has come to."""
        self.sizes = [own.n_rows for own in found]
        ids = concatenate_ids([own for own, _ in self.parts.ask(names_and_arrivals)])
        if ids.dtype != object:
            self.next_id = max(self.next_id, int(ids.max()) + 1)
        self.buckets.touch(None)
        self._is_counted = True

    def _merge(self, found: Sequence[Survey]) -> None:
        """Add up what the parts have: labels, their rows, ranges."""
        for j, vocabulary in self.coder.vocabularies.items():
            merged = Vocabulary(vocabulary.labels[: vocabulary.declared])
            for own in found:
                merged.admit(own.labels[j])
            for own in found:
                merged.counts[merged.lookup(own.labels[j])] += own.counts[j]
            self.coder.vocabularies[j] = merged
        edges = np.stack([own.edges for own in found])
        low, high = np.fmin.reduce(edges[:, :, 0]), np.fmax.reduce(edges[:, :, 1])
        self.ranges.edges = np.stack([low, high], axis=1)

    def _labels(self) -> Labels:
        return {j: v.labels for j, v in self.coder.vocabularies.items()}

    def _newest(self, found: Sequence[Survey]) -> float:
        """When the last row happened."""
        if not self.schema.clock:
            return float(self.n_rows - 1)
        return max(own.newest for own in found)

    def _find_cuts(self, numeric: int) -> Floats:
        """The cuts of an attribute, from its numbers in all parts."""
        columns = self.parts.ask(sorted_column, numeric)
        values, classes = (np.concatenate(own) for own in zip(*columns, strict=True))
        values, classes = sort_pairs(values, classes)
        return sorted_cuts(values, classes, self.coder.n_classes, self.bins.criterion)

    def _recode(self, numeric: int, cuts: Floats) -> None:
        """The parts code their numbers themselves."""

    # --- states -----------------------------------------------------------------------

    def _make_state(self) -> Self:
        self._sync()
        state = shallow(self)
        for name in ("tallies", "bins", "ranges", "buckets"):
            setattr(state, name, shallow(getattr(self, name)))
        state.coder, state.sizes = self.coder.twin(), list(self.sizes)
        state.parts = self.parts.states()
        state._start_sharing()
        return state

    def _drop_state(self) -> None:
        if self._state is not None:
            self.parts.keep_hashes(self._state.parts)
        Sharing._drop_state(self)

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
