"""Iterated races: each has the survivors of the one before, and new candidates."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.racing.criteria import Criterion
from sklazy.racing.engine import race
from sklazy.racing.field import Evaluated, Field, Losses, Mask
from sklazy.racing.outcome import RaceResult, RaceStep
from sklazy.racing.rules import RaceRules

Draw = Callable[[int, Sequence[int]], int]
"""Makes new candidates, given the number of the race and the survivors, best first;
returns how many there are. They are numbered from the last one on."""


def count_elites(n_parameters: int, n_winners: int) -> int:
    """The number of survivors that enter the next race, as in irace.

    Examples
    --------
    >>> count_elites(1, 1), count_elites(4, 1), count_elites(2, 5)
    (2, 4, 5)
    """
    return max(n_winners, 2 + int(np.log2(max(n_parameters, 1))))


class Spared:
    """A test that spares elites until the race has reached their evaluations.

    An elite has losses on blocks that others have yet to be run on; it is not
    eliminated by a part of them.

    Parameters
    ----------
    criterion : Criterion
    n_known : int64 array of shape (n_candidates,)
        Blocks on which each candidate of this race was run before.
    """

    def __init__(self, criterion: Criterion, n_known: NDArray[np.int64]) -> None:
        self.criterion, self.n_known = criterion, n_known

    def losers(self, field: Field) -> Mask:
        """Mark those that the test finds worse and that are not spared."""
        reached = self.n_known[field.alive] <= field.n_blocks
        return self.criterion.losers(field) & reached

    def standing(self, field: Field) -> Losses:
        """Figures of the test."""
        return self.criterion.standing(field)

    def reset(self) -> None:
        """Drop what the test kept."""
        self.criterion.reset()


class _Heat(NamedTuple):
    """One of the races: its candidates by number, and its result."""

    members: list[int]
    result: RaceResult


class IteratedRace:
    """Races over the same blocks, one after the other, without repeated evaluations.

    Parameters
    ----------
    evaluate : callable ``evaluate(candidates, block) -> losses``
        As for `race`; candidates are numbers.
    n_blocks : int
    rules : RaceRules
        Of the last race. The others end when `n_elites` are left.
    n_elites : int
        How many survivors enter the next race, at most.
    on_step : callable, optional
        Called with each `RaceStep`.
    """

    def __init__(
        self,
        evaluate: Callable[[list[int], int], Evaluated],
        n_blocks: int,
        rules: RaceRules,
        n_elites: int,
        on_step: Callable[[RaceStep], object] | None = None,
    ) -> None:
        self.evaluate, self.n_blocks = evaluate, n_blocks
        self.rules, self.n_elites, self.on_step = rules, n_elites, on_step
        self.known: dict[tuple[int, int], Any] = {}
        self.heats: list[_Heat] = []
        self.n_candidates = 0
        self._is_short = False  # of evaluations
        self._started = time.monotonic()

    def run(self, n_first: int, draw: Draw, n_races: int) -> RaceResult:
        """Race the first candidates, then survivors and new ones, again and again.

        Returns
        -------
        RaceResult
            Of all candidates of all races. The blocks of its history begin anew with
            each race.
        """
        members = list(range(n_first))
        self.n_candidates = self._n_first = n_first
        stopped = ""
        for number in range(n_races):
            try:
                self._race(members, is_last=number == n_races - 1)
                self._complete()
            except KeyboardInterrupt:
                if not self.heats:
                    raise
                stopped = "interrupted"
            stopped = stopped or self._spent()
            if stopped or number == n_races - 1:
                break
            elites = self._best_first()[: self.n_elites]
            n_new = draw(number + 1, elites)
            if not n_new:
                break
            members = [*elites, *range(self.n_candidates, self.n_candidates + n_new)]
            self.n_candidates += n_new
        return self._join(stopped)

    def _race(self, members: list[int], is_last: bool) -> None:
        n_left = self.rules.n_winners if is_last else self.n_elites
        rules = replace(self.rules, n_winners=min(n_left, len(members)))
        n_known = np.array([self._n_known(member) for member in members])
        result = race(
            self._evaluate_once,
            members,
            self._affordable(len(members)),
            **{
                **rules.options,
                "test": Spared(rules.criterion(), n_known),
                # What was run before costs nothing, which `race` does not know.
                "max_evaluations": None if self.heats else rules.max_evaluations,
                "max_seconds": self._seconds_left(),
                "on_step": self._show,
            },
        )
        self.heats.append(_Heat(members, result))

    def _evaluate_once(self, alive: list[int], block: int) -> list[Any]:
        fresh = [one for one in alive if (one, block) not in self.known]
        losses = self.evaluate(fresh, block) if fresh else []
        self.known |= {(c, block): x for c, x in zip(fresh, losses, strict=True)}
        return [self.known[one, block] for one in alive]

    def _affordable(self, n_members: int) -> Iterator[int]:
        """Blocks, as long as there is room for all that are left."""
        self._n_alive = n_members
        most = self.rules.max_evaluations
        for block in range(self.n_blocks):
            if block and most is not None and len(self.known) + self._n_alive > most:
                self._is_short = True
                return
            yield block

    def _show(self, step: RaceStep) -> None:
        self._n_alive = step.n_alive
        if self.on_step is not None:
            self.on_step(step)

    def _complete(self) -> None:
        """Run the survivors on all blocks that one of them has, within the budget."""
        survivors = self._survivors()
        known = [self._n_known(one) for one in survivors]
        n_missing = max(known) * len(known) - sum(known)
        most = self.rules.max_evaluations
        if most is None or len(self.known) + n_missing <= most:
            for block in range(max(known)):
                self._evaluate_once(survivors, block)

    def _survivors(self) -> list[int]:
        members, result = self.heats[-1]
        return [members[place] for place in result.winners]

    def _best_first(self) -> list[int]:
        """The survivors by their mean loss over the blocks that all of them have."""
        survivors = self._survivors()
        blocks = range(min(self._n_known(one) for one in survivors))

        def mean(one: int) -> float:
            loss = float(np.mean([_as_loss(self.known[one, b]) for b in blocks]))
            return loss if np.isfinite(loss) else np.inf

        return sorted(survivors, key=lambda one: (mean(one), one))

    def _n_known(self, candidate: int) -> int:
        blocks = range(self.n_blocks)
        return next(
            (b for b in blocks if (candidate, b) not in self.known), len(blocks)
        )

    def _spent(self) -> str:
        """The budget that has no room for another race; empty if none."""
        most = self.rules.max_evaluations
        # Up to the first test all new candidates are run.
        least = (self._n_first - 1) * min(self.rules.first_test, self.n_blocks)
        if self._is_short or (most is not None and len(self.known) + least > most):
            return "evaluations"
        left = self._seconds_left()
        if left is not None and left <= 0:
            return "seconds"
        return "interrupted" if self.heats[-1].result.stopped == "interrupted" else ""

    def _seconds_left(self) -> float | None:
        if self.rules.max_seconds is None:
            return None
        return max(0.0, self.rules.max_seconds - (time.monotonic() - self._started))

    def _join(self, stopped: str) -> RaceResult:
        """The races as one, of all candidates."""
        winners = self._best_first()
        eliminated_at = np.zeros(self.n_candidates, np.int64)
        reasons: dict[int, str] = {}
        history: list[RaceStep] = []
        for members, result in self.heats:
            for place, member in enumerate(members):
                # Survivors that are not among the next elites are out, too.
                n_out = int(result.eliminated_at[place]) or len(result.losses)
                eliminated_at[member] = 0 if member in winners else n_out
            reasons |= {members[place]: why for place, why in result.reasons.items()}
            history += [_renumbered(step, members) for step in result.history]
        return RaceResult(
            winners=tuple(winners),
            losses=self._losses(),
            eliminated_at=eliminated_at,
            reasons=reasons,
            history=tuple(history),
            stopped=stopped or self.heats[-1].result.stopped,
        )

    def _losses(self) -> Losses:
        n_run = 1 + max(block for _, block in self.known)
        losses = np.full((n_run, self.n_candidates), np.nan)
        for (candidate, block), loss in self.known.items():
            losses[block, candidate] = _as_loss(loss)
        return losses


def _as_loss(loss: object) -> float:
    return np.nan if isinstance(loss, BaseException) else float(loss)  # type: ignore[arg-type]


def _renumbered(step: RaceStep, members: list[int]) -> RaceStep:
    return step._replace(
        best=members[step.best],
        dropped=tuple(members[place] for place in step.dropped),
        failed=tuple(members[place] for place in step.failed),
    )
