"""What made the parts what they are, to make a lost one anew from its source.

A part has states, each with a name that no other ever has. A step leads from one state
to the next. Whoever asks a part names the state that it means, so a change that was
made, but that nobody heard of, is noticed.
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
    adopt,
    adopt_labels,
    check_rows,
    enter,
    recode,
)
from sklazy.casebase.rows import CLASSES, CodedRows, Ids
from sklazy.flow import MISSING, UNSEEN

ADOPTIONS = adopt_labels, adopt
"""What all parts are told after a change: one more takes the place of the last."""


class Version(NamedTuple):
    """The name of one state of a part.

    Attributes
    ----------
    front : str
        Who made the part what it is; empty for its source.
    number : int
    """

    front: str
    number: int


START = Version("", 0)
"""A part as its source has it."""


class Step(NamedTuple):
    """A change of a part: the state that it leads to, and what makes it."""

    version: Version
    function: Callable[..., Any]
    given: tuple[Any, ...]


Steps = tuple[Step, ...]


class Journal:
    """The steps of all parts since their sources; a front and its states share it.

    Attributes
    ----------
    front : str
    steps : list of tuples of Step, one for each part
        Replaced as a whole: several parts take a step at once, or none does. The first
        is to check that the source has given the rows that it gave before.
    """

    def __init__(self, n_parts: int) -> None:
        self.front = uuid4().hex
        self._numbers = itertools.count(1)
        self.steps: list[Steps] = [
            (self.new_step(check_rows, (None,)),) for _ in range(n_parts)
        ]
        self._read: list[list[Version]] = []
        self._lock = threading.Lock()

    def new_step(self, function: Callable[..., Any], given: tuple[Any, ...]) -> Step:
        """A step that leads to a new state."""
        return Step(Version(self.front, next(self._numbers)), function, given)

    def versions(self) -> list[Version]:
        """The newest state of each part."""
        return [own[-1].version for own in self.steps]

    def take(self, steps: Mapping[int, Step]) -> None:
        """Write down a step of some parts, by number."""
        found = list(self.steps)
        for number, step in steps.items():
            found[number] = _with(found[number], step)
        self.steps = found

    def missing(self, number: int, held: Version) -> Steps | None:
        """The steps behind a state; None if no step written down leads to it."""
        steps = self.steps[number]
        known = [step.version for step in steps]
        return steps[known.index(held) + 1 :] if held in known else None

    # --- what the sources gave --------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether it is known what rows all sources have given."""
        return all(own[0].given != (None,) for own in self.steps)

    def learn(self, prints: Mapping[int, str]) -> None:
        """Note the fingerprints of the rows that the sources have given."""
        self.steps = [
            (own[0]._replace(given=(prints[number],)), *own[1:])
            for number, own in enumerate(self.steps)
        ]

    # --- states that are past ---------------------------------------------------------

    def read(self) -> list[set[Version]]:
        """The states that somebody reads, by part."""
        with self._lock:
            return [{own[n] for own in self._read} for n in range(len(self.steps))]

    def begin_reading(self, versions: list[Version]) -> None:
        """Note that somebody reads a state that all parts keep."""
        with self._lock:
            self._read.append(versions)

    def end_reading(self, versions: list[Version]) -> dict[int, Version]:
        """Note that nobody reads a state any more; what can go of it, by part."""
        with self._lock:
            if versions not in self._read:
                return {}
            self._read.remove(versions)
            others = {version for own in self._read for version in own}
        return {n: own for n, own in enumerate(versions) if own not in others}


def _with(steps: Steps, step: Step) -> Steps:
    """Steps and one more, which may leave less of those before."""
    if step.function in ADOPTIONS:
        # Rows that came between bring their labels with them, so it is missed nowhere.
        steps = tuple(own for own in steps if own.function is not step.function)
    if step.function is leave_all:
        steps = tuple(_without(own, *step.given) for own in steps)
    return *steps, step


def _without(step: Step, ids: Ids) -> Step:
    """A step that says nothing of rows that are erased."""
    if step.function is not enter:
        return step
    labels, batch = step.given
    return step._replace(given=narrowed(labels, _blanked(batch, ids)))


def narrowed(labels: Labels, batch: CodedRows) -> tuple[Labels, CodedRows]:
    """The labels that rows have, and the rows coded by these alone."""
    found, batch = {}, replace(batch, codes=batch.codes.copy())
    for j, own in labels.items():
        codes = batch.classes if j == CLASSES else batch.codes[j]
        used = np.unique(codes[codes >= 0])
        moved = np.full(len(own), UNSEEN, np.int32)
        moved[used] = np.arange(len(used))
        recode(batch, j, moved)
        found[j] = [own[code] for code in used]
    return found, batch


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
