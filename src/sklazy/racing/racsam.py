"""RACSAM: attribute sets raced on growing sub-samples; then the winners' neighbors.

The losses of sets of attributes on test rows, given training rows, come from a
function; here it is decided which sets, which rows, and how many.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.racing.criteria import Parsimony
from sklazy.racing.engine import race
from sklazy.racing.field import Evaluated, read_losses
from sklazy.racing.masks import SetNeighborhood
from sklazy.racing.outcome import RaceResult
from sklazy.racing.ranks import student_above
from sklazy.racing.rules import RaceRules
from sklazy.racing.schemata import Schemata

# A race over all rows makes a thousand tests, and a set that is eliminated by chance
# in the last race does not come back.
_STRICTER = 0.1

_COUNTS = ("n_winners", "max_blocks", "max_confirm", "max_new", "max_candidates")

_FEW = 30  # sets in a race, above which the best may be so by chance

Rows = NDArray[np.int64]
Block = tuple[Rows, Rows]
"""The test rows, and the rows that training rows are drawn from."""

SetLosses = Callable[[list[int], Rows, Rows], Evaluated]
"""Losses of sets (bit masks), for test rows, given training rows."""


@dataclass(frozen=True)
class SearchRules:
    """The parameters of a search of attribute sets; see `RaceFeatureSelector`."""

    n_winners: int = 5
    test: str = "friedman"
    alpha: float = 0.05
    first_test: int = 5
    min_effect: float = 0.0
    sampling: tuple[float, int] = (0.3, 30)
    max_blocks: int | None = 60
    max_confirm: int = 2000
    max_new: int = 200
    last_race: bool = True
    max_candidates: int = 1000
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        is_pair = isinstance(self.sampling, Sequence) and len(self.sampling) == 2
        if not is_pair or not 0 < self.sampling[0] <= 1 or self.sampling[1] < 0:
            raise BadInputError(
                f"sampling={self.sampling!r}; expected (share, steps): the share of "
                "the rows to begin with, in (0, 1], and the number of steps until all "
                "are used."
            )
        for name in _COUNTS:
            number = getattr(self, name)
            if (number is not None or name != "max_blocks") and number < 1:
                raise BadInputError(f"{name}={number!r} is too small; give 1 or more.")
        if self.max_seconds is not None and self.max_seconds < 0:
            raise BadInputError(
                f"max_seconds={self.max_seconds!r} is too small; give 0 or more, or "
                "None for no limit."
            )

    def n_training(self, step: int, n_rows: int) -> int:
        """Return the size of the sub-sample at a step: it grows linearly to all."""
        share, steps = self.sampling
        grown = 1.0 if step >= steps else share + (1 - share) * step / steps
        # A local model needs two rows.
        return min(n_rows, max(2, round(grown * n_rows)))


class SearchStep(NamedTuple):
    """One race of a search.

    Attributes
    ----------
    phase : str
        "explore", on sub-samples and few blocks, "confirm", on all rows, or
        "schemata".
    n_candidates : int
        Sets in this race.
    n_blocks : int
        Blocks it took.
    n_predictions : int
        Losses computed in it.
    n_learned : int
        Training rows used for them, in total.
    n_assessed : int
        Different sets assessed so far.
    best : int
        The winner, as a bit mask.
    best_loss : float
        Its mean loss in this race.
    """

    phase: str
    n_candidates: int
    n_blocks: int
    n_predictions: int
    n_learned: int
    n_assessed: int
    best: int
    best_loss: float


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of a search.

    Attributes
    ----------
    winners : tuple of int
        Bit masks, the lowest mean loss first.
    losses : float64 array of shape (n_blocks, n_winners)
        Losses of the winners in the last race.
    smallest : int
        The smallest winner that is not significantly worse than the best.
    history : tuple of SearchStep
    n_predictions : int
    n_candidates : int
        Different sets that were assessed.
    stopped : str
        "candidates", "seconds", "interrupted", or "no improvement".
    last_race : RaceResult
    last_candidates : tuple of int
        The sets of the last race.
    """

    winners: tuple[int, ...]
    losses: NDArray[np.float64]
    smallest: int
    history: tuple[SearchStep, ...]
    n_predictions: int
    n_candidates: int
    stopped: str
    last_race: RaceResult
    last_candidates: tuple[int, ...]


class Racsam:
    """The state of one search.

    Parameters
    ----------
    losses : callable ``losses(masks, test_rows, training_rows)``
    blocks : sequence of (test rows, training rows)
        The training rows of a block are those its sub-samples are drawn from.
    rules : SearchRules
    rng : numpy Generator
    on_step : callable, optional
        Called with each `SearchStep`.
    """

    def __init__(
        self,
        losses: SetLosses,
        blocks: Sequence[Block],
        rules: SearchRules,
        rng: np.random.Generator,
        on_step: Callable[[SearchStep], object] | None = None,
    ) -> None:
        self.losses, self.blocks, self.rules, self.rng = losses, blocks, rules, rng
        self.on_step = on_step
        self.assessed: dict[int, None] = {}
        self.history: list[SearchStep] = []
        self.stopped = ""
        self._learned = 0
        self.started = time.monotonic()

    def explore(self, start: Sequence[int], neighborhood: SetNeighborhood) -> list[int]:
        """Race the start, then winners and their neighbors, until a stop.

        Returns the winners of the last race, best first.
        """
        candidates = list(dict.fromkeys(start))
        is_all = len(candidates) == (1 << len(neighborhood.weights)) - 1
        while True:
            winners = self.race_sets("explore", candidates)[: self.rules.n_winners]
            self.stopped = self.stopped or self._spent()
            new = [] if self.stopped or is_all else neighborhood.draw(winners)
            if not new:
                self.stopped = self.stopped or "no improvement"
                return winners
            candidates = winners + new

    def search_schemata(self, n_attributes: int) -> list[int]:
        """Decide attribute by attribute; return the one set that is found.

        Ends when all are decided, or none was in as many blocks as a race takes.
        """
        rules = self.rules
        schemata = Schemata(
            n_attributes, rules.alpha, rules.first_test, rules.max_new, self.rng
        )
        n_predictions, step = 0, 0
        while len(schemata.undecided) and not self._spent():
            number = int(self.rng.integers(len(self.blocks)))
            masks = schemata.draw()
            try:
                losses = self._evaluate_grown(masks, (step, number))
            except KeyboardInterrupt:
                self.stopped = "interrupted"
                break
            schemata.enter(read_losses(losses, len(masks))[0])
            self.assessed |= dict.fromkeys(masks)
            n_predictions, step = n_predictions + len(masks), step + 1
            if schemata.blocks_since_decision >= (rules.max_blocks or len(self.blocks)):
                break
        guess = schemata.best_guess()
        self._record(
            SearchStep(
                phase="schemata",
                n_candidates=len(self.assessed),
                n_blocks=step,
                n_predictions=n_predictions,
                n_learned=self._take_learned(),
                n_assessed=len(self.assessed),
                best=guess,
                best_loss=np.nan,
            )
        )
        self.stopped = self.stopped or self._spent() or "no improvement"
        return [guess] if guess else [1 << int(self.rng.integers(n_attributes))]

    def confirm(
        self, winners: Sequence[int], neighborhood: SetNeighborhood
    ) -> list[int]:
        """Race winners and the neighbors of the best on all rows until it stays best.

        The paper has no such race. The best is the smallest that is not significantly
        worse: otherwise a larger set that is as good only by chance would be kept for
        its neighbors.
        """
        best, known, left = winners[0], set[int](), list(winners)
        while best not in known and not self._out_of_time():
            known.add(best)
            around = neighborhood.around(best)
            entering = dict.fromkeys([*left[: self.rules.n_winners], best, *around])
            left = self.race_sets("confirm", list(entering), incumbent=best)
            best = self._smallest(left)
        others = [mask for mask in left if mask != best][: self.rules.n_winners - 1]
        return [mask for mask in left if mask == best or mask in others]

    def race_sets(
        self, phase: str, candidates: list[int], incumbent: int = 0
    ) -> list[int]:
        """Race candidates; return all that are left, best first.

        Sets that have all attributes of an incumbent and more must soon be better.
        """
        rules, exploring = self.rules, phase == "explore"
        most = rules.max_blocks if exploring else rules.max_confirm
        order = self.rng.permutation(len(self.blocks))[:most]
        result = race(
            self._evaluate_grown if exploring else self._evaluate_all,
            candidates,
            list(enumerate(order)),
            test=self._parsimonious(candidates, incumbent) if incumbent else rules.test,
            alpha=rules.alpha,
            first_test=max(2, min(rules.first_test, len(order))),
            min_effect=rules.min_effect,
            n_winners=min(rules.n_winners, len(candidates)) if exploring else 1,
            max_seconds=self._seconds_left(),
        )
        self.assessed |= dict.fromkeys(candidates)
        self._record_race(phase, candidates, result)
        return [candidates[i] for i in result.winners]

    def _parsimonious(self, candidates: list[int], incumbent: int) -> Parsimony:
        inner = RaceRules(test=self.rules.test, alpha=self.rules.alpha * _STRICTER)
        larger = [m != incumbent and m & incumbent == incumbent for m in candidates]
        place = candidates.index(incumbent)
        return Parsimony(inner.criterion(), place, np.array(larger))

    def result(self, winners: Sequence[int]) -> SearchResult:
        """The result of the search."""
        places = [self.last_candidates.index(mask) for mask in winners]
        return SearchResult(
            winners=tuple(winners),
            losses=self.last_race.losses[:, places],
            smallest=self._smallest(winners),
            history=tuple(self.history),
            n_predictions=sum(step.n_predictions for step in self.history),
            n_candidates=len(self.assessed),
            stopped="seconds" if self._ran_out() else self.stopped,
            last_race=self.last_race,
            last_candidates=tuple(self.last_candidates),
        )

    def _evaluate_grown(self, masks: list[int], block: tuple[int, int]) -> Evaluated:
        """Losses given a sub-sample that grows with the step, one for all sets."""
        step, number = block
        test, pool = self.blocks[number]
        size = self.rules.n_training(step, len(pool))
        training = pool
        if size < len(pool):
            training = np.sort(self.rng.choice(pool, size, replace=False))
        return self._evaluate(masks, test, training)

    def _evaluate_all(self, masks: list[int], block: tuple[int, int]) -> Evaluated:
        return self._evaluate(masks, *self.blocks[block[1]])

    def _evaluate(self, masks: list[int], test: Rows, training: Rows) -> Evaluated:
        self._learned += len(masks) * len(training)
        return self.losses(masks, test, training)

    def _take_learned(self) -> int:
        """Training rows used since the last call."""
        learned, self._learned = self._learned, 0
        return learned

    def _record_race(
        self, phase: str, candidates: list[int], result: RaceResult
    ) -> None:
        self.last_race, self.last_candidates = result, candidates
        step = SearchStep(
            phase=phase,
            n_candidates=len(candidates),
            n_blocks=len(result.losses),
            n_predictions=result.n_evaluations,
            n_learned=self._take_learned(),
            n_assessed=len(self.assessed),
            best=candidates[result.best],
            best_loss=float(result.mean_losses[result.best]),
        )
        if result.stopped == "interrupted":
            self.stopped = "interrupted"
        self._record(step)

    def _record(self, step: SearchStep) -> None:
        self.history.append(step)
        if self.on_step is not None:
            self.on_step(step)

    def _smallest(self, winners: Sequence[int]) -> int:
        """The smallest winner of the last race that is not worse than the best.

        Worse by a one-sided paired t-test over the blocks of that race, at alpha or,
        where there were many sets, less: the best of many looks better than it is.
        """
        places = [self.last_candidates.index(mask) for mask in winners]
        losses = self.last_race.losses[:, places]
        differences = losses - losses[:, :1]
        n_blocks = len(losses)
        errors = differences.std(axis=0, ddof=1 if n_blocks > 1 else 0)
        level = self.rules.alpha * min(1.0, _FEW / len(self.last_candidates))
        limit = student_above(max(n_blocks - 1, 1), level)
        worse = differences.mean(axis=0) > limit * errors / np.sqrt(n_blocks)
        equal = [mask for mask, out in zip(winners, worse, strict=True) if not out]
        return min(equal, key=int.bit_count)

    def _spent(self) -> str:
        if len(self.assessed) >= self.rules.max_candidates:
            return "candidates"
        return "seconds" if self._out_of_time() else ""

    def _out_of_time(self) -> bool:
        left = self._seconds_left()
        return self.stopped == "interrupted" or (left is not None and left <= 0)

    def _ran_out(self) -> bool:
        return self.stopped != "interrupted" and self._out_of_time()

    def _seconds_left(self) -> float | None:
        if self.rules.max_seconds is None:
            return None
        return max(0.0, self.rules.max_seconds - (time.monotonic() - self.started))
