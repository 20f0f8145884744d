"""Journal of the parts' changes, to make a lost part anew from its source.

A part has states, each with a name that no other ever has. A step leads from one state
to the next. Each request names the state it expects, which detects a change whose
acknowledgement was lost.
"""

import itertools
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from sklazy.casebase.holding import leave_all
from sklazy.casebase.parts import (
    Labels,
    adopt_frame,
    adopt_labels,
    check_fingerprint,
    enter_rows,
    renumber_codes,
)
from sklazy.casebase.rows import CLASSES, CodedRows, Ids
from sklazy.flow import MISSING, UNSEEN

ADOPTIONS = adopt_labels, adopt_frame
"""Steps that all parts take after a change: one more replaces the last."""


class Version(NamedTuple):
    """The name of one state of a part."""

    front: str  # who made the part what it is; empty for its source
    number: int


START = Version("", 0)
"""A part as its source has it."""


class Step(NamedTuple):
    """A change of a part: the state that it leads to, and what makes it."""

    version: Version
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Steps = tuple[Step, ...]


class PartsJournal:
    """The steps of all parts since their sources; a front and its states share it.

    `steps`, a tuple for each part, is replaced as a whole: several parts take a step at
    once, or none does. The first step is to check that the source has given the rows
    that it gave before.
    """

    def __init__(self, n_parts: int) -> None:
        self.front = uuid4().hex
        self._numbers = itertools.count(1)
        self.steps: list[Steps] = [
            (self.new_step(check_fingerprint, (None,)),) for _ in range(n_parts)
        ]
        self._read: list[list[Version]] = []
        self._lock = threading.Lock()

    def new_step(
        self, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Step:
        """A step that leads to a new state."""
        return Step(Version(self.front, next(self._numbers)), function, arguments)

    def versions(self) -> list[Version]:
        """The newest state of each part."""
        return [steps[-1].version for steps in self.steps]

    def take(self, steps: Mapping[int, Step]) -> None:
        """Write down a step of some parts, by number."""
        written = list(self.steps)
        for number, step in steps.items():
            written[number] = _append_step(written[number], step)
        self.steps = written

    def missing(self, number: int, held: Version) -> Steps | None:
        """The steps behind a state; None if no step written down leads to it."""
        steps = self.steps[number]
        known = [step.version for step in steps]
        return steps[known.index(held) + 1 :] if held in known else None

    # --- what the sources gave --------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether it is known what rows all sources have given."""
        return all(steps[0].arguments != (None,) for steps in self.steps)

    def learn(self, prints: Mapping[int, str]) -> None:
        """Note the fingerprints of the rows that the sources have given."""
        self.steps = [
            (steps[0]._replace(arguments=(prints[number],)), *steps[1:])
            for number, steps in enumerate(self.steps)
        ]

    # --- states that are past ---------------------------------------------------------

    def read(self) -> list[set[Version]]:
        """The states in use, by part."""
        with self._lock:
            return [
                {versions[n] for versions in self._read} for n in range(len(self.steps))
            ]

    def begin_reading(self, versions: list[Version]) -> None:
        """Register a reader of a state that all parts keep."""
        with self._lock:
            self._read.append(versions)

    def end_reading(self, versions: list[Version]) -> dict[int, Version]:
        """Remove a reader of a state; return the states that can go, by part."""
        with self._lock:
            if versions not in self._read:
                return {}
            self._read.remove(versions)
            others = {version for reader in self._read for version in reader}
        return {n: reader for n, reader in enumerate(versions) if reader not in others}


def _append_step(steps: Steps, step: Step) -> Steps:
    """Steps and one more, which may leave less of those before."""
    if step.function in ADOPTIONS:
        # Rows that came between bring their labels with them, so it is missed nowhere.
        steps = tuple(
            earlier for earlier in steps if earlier.function is not step.function
        )
    if step.function is leave_all:
        steps = tuple(_without_rows(earlier, *step.arguments) for earlier in steps)
    return *steps, step


def _without_rows(step: Step, ids: Ids) -> Step:
    """The step without the content of erased rows."""
    if step.function is not enter_rows:
        return step
    labels, batch = step.arguments
    return step._replace(arguments=narrow_labels(labels, _blanked(batch, ids)))


def narrow_labels(labels: Labels, batch: CodedRows) -> tuple[Labels, CodedRows]:
    """The labels that rows have, and the rows coded by these alone."""
    used_labels, batch = {}, replace(batch, codes=batch.codes.copy())
    for j, known in labels.items():
        codes = batch.classes if j == CLASSES else batch.codes[j]
        used = np.unique(codes[codes >= 0])
        moved = np.full(len(known), UNSEEN, np.int32)
        moved[used] = np.arange(len(used))
        renumber_codes(batch, j, moved)
        used_labels[j] = [known[code] for code in used]
    return used_labels, batch


def _blanked(batch: CodedRows, ids: Ids) -> CodedRows:
    """Rows, of some of which no more is left than the id.

    They still come and go when the part is made anew: so the others lie where they lay,
    and a question that is half answered goes on.
    """
    left = ~np.isin(batch.ids, ids)
    return replace(
        batch,
        numbers=np.where(left, batch.numbers, np.nan),
        codes=np.where(left, batch.codes, -1),
        classes=np.where(left, batch.classes, MISSING),
        targets=np.where(left, batch.targets, 0.0),
        weights=np.where(left, batch.weights, 1.0),
        times=np.where(left, batch.times, 0.0),
        hashes=np.zeros((0, len(batch)), np.uint64),
    )
