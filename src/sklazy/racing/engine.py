"""The race: block by block, significantly worse candidates are eliminated."""

import time
from collections.abc import Callable, Iterable
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import AllFailedError, BadInputError, warn_once
from sklazy.racing.criteria import Criterion
from sklazy.racing.field import Evaluated, Field, Losses, Mask, read_losses
from sklazy.racing.outcome import RaceResult, RaceStep
from sklazy.racing.rules import RaceRules

Candidates = Any
"""A list of candidates, or an array of them."""

Evaluate = Callable[[Candidates, Any], Evaluated]


def race(  # noqa: PLR0913 - each argument is an option
    evaluate: Evaluate,
    candidates: Iterable[Any],
    blocks: Iterable[Any],
    *,
    test: str | Criterion = "friedman",
    alpha: float = 0.05,
    first_test: int = 5,
    min_effect: float = 0.0,
    n_winners: int = 1,
    max_blocks: int | None = None,
    max_evaluations: int | None = None,
    max_seconds: float | None = None,
    loss_range: float | None = None,
    on_error: str = "drop",
    on_step: Callable[[RaceStep], object] | None = None,
) -> RaceResult:
    """Race candidates over blocks and eliminate losers early.

    A block is anything on which all candidates can be evaluated alike: a test row, a
    fold, an instance of a problem. All candidates alive are evaluated on the same
    block before any is evaluated on the next. An interrupt (Ctrl-C) ends the race
    with the results so far.

    Parameters
    ----------
    evaluate : callable ``evaluate(candidates, block) -> losses``
        Returns one loss, lower is better, for each of the candidates alive. A loss
        that is NaN or infinite, or an exception in place of a loss, eliminates the
        candidate. If the call itself raises, the candidates are evaluated one by one
        and those that raise again are eliminated; the reasons are kept.
    candidates : iterable
        Candidates to race; the result refers to them by position. `evaluate` receives
        lists of them, or arrays if this is an array.
    blocks : iterable
        Used in their order. Shuffle them before if they are sorted in any way.
    test : str or Criterion, default="friedman"
        "friedman": Friedman's test, then all that are significantly worse than the
        best by Conover's comparison are eliminated, as in the R packages race and
        irace (Wilcoxon's test when two are left). "friedman-paper": after each
        rejection the candidate with the largest mean loss is eliminated and the test
        is repeated.
        "hoeffding", "brace": the races of Maron and Moore, and of Moore and Lee.
        "t", "t-holm", "t-bonferroni": paired t-tests against the best. Or any
        `sklazy.racing.criteria.Criterion`.
    alpha : float, default=0.05
        Level of each test. A race makes many tests, so the probability that the best
        candidate is eliminated differs from it and depends on the test.
    first_test : int, default=5
        Blocks before the first test.
    min_effect : float, default=0
        The indifference zone: a candidate whose mean loss is within it of the best
        counts as equal, and the race ends when all that are left are equal.
    n_winners : int, default=1
        The race ends when no more than these are left.
    max_blocks, max_evaluations, max_seconds : optional
        Budgets; no limit by default. A block is started only if it fits into them;
        the first block is always run, so that there is a result.
    loss_range : float, optional
        Largest minus smallest possible loss, for the Hoeffding race; estimated from
        the losses seen by default.
    on_error : {"drop", "raise"}, default="drop"
        Whether an exception raised by `evaluate` eliminates candidates or ends the
        race.
    on_step : callable, optional
        Called with each `RaceStep`.

    Returns
    -------
    RaceResult
        The survivors, best first, all losses and the history.

    References
    ----------
    Bontempi, Birattari, Meyer (2005). Combining lazy learning, racing and
    subsampling for effective feature selection. ICANNGA.

    Birattari, Stuetzle, Paquete, Varrentrapp (2002). A racing algorithm for
    configuring metaheuristics. GECCO.

    Maron, Moore (1994). Hoeffding races. NIPS 6.

    Moore, Lee (1994). Efficient algorithms for minimizing cross validation error.
    ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import race
    >>> noise = np.random.default_rng(0).normal(size=(50, 4))
    >>> def evaluate(alive, block):
    ...     return [shift + noise[block, i] for i, shift in alive]
    >>> result = race(evaluate, list(enumerate([2.0, 0.0, 1.0, 3.0])), range(50))
    >>> result.best, result.stopped, result.n_evaluations < 200
    (1, 'winners', True)
    """
    rules = RaceRules(
        test=test,
        alpha=alpha,
        first_test=first_test,
        min_effect=min_effect,
        n_winners=n_winners,
        max_blocks=max_blocks,
        max_evaluations=max_evaluations,
        max_seconds=max_seconds,
        loss_range=loss_range,
        on_error=on_error,
    )
    is_array = isinstance(candidates, np.ndarray)
    raced = candidates if is_array else list(candidates)
    return _Race(evaluate, raced, rules, on_step).run(blocks)


class _Race:
    """The state of one race."""

    def __init__(
        self,
        evaluate: Evaluate,
        candidates: Candidates,
        rules: RaceRules,
        on_step: Callable[[RaceStep], object] | None,
    ) -> None:
        _check_candidates(len(candidates), rules)
        self.evaluate, self.rules, self.on_step = evaluate, rules, on_step
        self.candidates = candidates  # those alive
        self.field = Field(len(candidates))
        self.criterion = rules.criterion()
        # The candidates alive at each block, and their losses.
        self.rows: list[tuple[NDArray[np.int64], Losses]] = []
        self.eliminated_at = np.zeros(len(candidates), dtype=np.int64)
        self.reasons: dict[int, str] = {}
        self.history: list[RaceStep] = []
        self.n_evaluations = 0
        self.started = time.monotonic()

    def run(self, blocks: Iterable[Any]) -> RaceResult:
        """Run block after block until the race is decided or a budget is spent."""
        stopped = ""
        for block in blocks:
            try:
                losses = self._evaluate(block)
            except KeyboardInterrupt:
                if not self.history:
                    raise
                stopped = "interrupted"
                break
            self._step(losses)
            if stopped := self._decided() or self._spent():
                break
        return self._result(stopped or "blocks")

    def _evaluate(self, block: object) -> Evaluated:
        """Evaluate all candidates alive, one by one if together they fail."""
        try:
            return self.evaluate(self.candidates, block)
        except Exception:
            if self.rules.on_error == "raise":
                raise
            singles = (self.candidates[i : i + 1] for i in range(self.field.n_alive))
            return [self._evaluate_one(single, block) for single in singles]

    def _evaluate_one(self, candidate: Candidates, block: object) -> object:
        try:
            return self.evaluate(candidate, block)[0]
        except Exception as failure:
            return failure

    def _step(self, losses: Evaluated) -> None:
        """Enter the losses of one block, test, and record the step."""
        self.n_evaluations += self.field.n_alive
        row, reasons = read_losses(losses, self.field.n_alive)
        failed: tuple[int, ...] = ()
        if reasons:
            failed = self._eliminate_failed(row, reasons)
            row = row[np.isfinite(row)]
        # A copy: an evaluation may fill the same array again and again.
        self.rows.append((self.field.alive, row.copy()))
        self.field.enter(row)
        dropped = self._eliminate_losers()
        field = self.field
        best = int(field.sums.argmin())
        step = RaceStep(
            n_blocks=field.n_blocks,
            n_alive=field.n_alive,
            best=int(field.alive[best]),
            best_loss=float(field.sums[best]) / field.n_blocks,
            dropped=dropped,
            failed=failed,
        )
        self.history.append(step)
        if self.on_step is not None:
            self.on_step(step)

    def _eliminate_failed(self, row: Losses, reasons: list[str]) -> tuple[int, ...]:
        failed = self._eliminate(~np.isfinite(row), self.field.n_blocks + 1)
        self.reasons.update(zip(failed, reasons, strict=True))
        if not self.field.n_alive:
            raise AllFailedError(
                f"no candidate is left after block {self.field.n_blocks + 1}: the "
                f"evaluation of candidate {failed[0]} failed with {reasons[0]}; "
                "evaluate it alone to see more."
            )
        return failed

    def _eliminate_losers(self) -> tuple[int, ...]:
        field, rules = self.field, self.rules
        if field.n_blocks < rules.first_test or field.n_alive <= rules.n_winners:
            return ()
        losers = self.criterion.losers(field)
        if not losers.any():
            return ()
        if rules.min_effect > 0:
            losers &= field.means - field.means.min() > rules.min_effect
        if field.n_alive - losers.sum() < rules.n_winners:
            standing = self.criterion.standing(field)
            losers[np.argsort(standing, kind="stable")[: rules.n_winners]] = False
        return self._eliminate(losers, field.n_blocks)

    def _eliminate(self, out: Mask, n_blocks: int) -> tuple[int, ...]:
        """Remove candidates from the race; return their numbers."""
        eliminated = self.field.alive[out]
        self.eliminated_at[eliminated] = n_blocks
        kept = ~out
        if isinstance(self.candidates, np.ndarray):
            self.candidates = self.candidates[kept]
        else:
            self.candidates = list(compress(self.candidates, kept.tolist()))
        self.field.keep(kept)
        self.criterion.reset()
        return tuple(eliminated.tolist())

    def _decided(self) -> str:
        """The reason why the race is decided; empty while it is not."""
        field, rules = self.field, self.rules
        if field.n_blocks < rules.first_test:
            return ""
        if field.n_alive <= rules.n_winners:
            return "winners"
        spread = float(np.ptp(field.means)) if rules.min_effect > 0 else np.inf
        return "equal" if spread <= rules.min_effect else ""

    def _spent(self) -> str:
        """The budget that has no room for another block; empty if none."""
        rules, next_cost = self.rules, self.field.n_alive
        if rules.max_blocks and self.field.n_blocks >= rules.max_blocks:
            return "blocks"
        most = rules.max_evaluations
        if most is not None and self.n_evaluations + next_cost > most:
            return "evaluations"
        if rules.max_seconds is None:
            return ""
        elapsed = time.monotonic() - self.started
        return "seconds" if elapsed >= rules.max_seconds else ""

    def _result(self, stopped: str) -> RaceResult:
        field = self.field
        if not self.rows:
            raise BadInputError("blocks is empty; give at least one block to race on.")
        if stopped == "blocks" and not self._decided():
            _warn_if_untested(field, self.rules)
        best_first = field.alive[np.argsort(field.sums, kind="stable")]
        return RaceResult(
            winners=tuple(best_first.tolist()),
            losses=self._losses(),
            eliminated_at=self.eliminated_at,
            reasons=self.reasons,
            history=tuple(self.history),
            stopped=stopped,
        )

    def _losses(self) -> Losses:
        """All losses, of shape (n_blocks, n_candidates); NaN after elimination."""
        losses = np.full((len(self.rows), len(self.eliminated_at)), np.nan)
        for entered, (alive, row) in zip(losses, self.rows, strict=True):
            entered[alive] = row
        return losses


def _check_candidates(n_candidates: int, rules: RaceRules) -> None:
    if n_candidates == 0:
        raise BadInputError("candidates is empty; give at least one to race.")
    if rules.n_winners > n_candidates:
        raise BadInputError(
            f"n_winners={rules.n_winners} of {n_candidates} candidates; expected 1 to "
            f"{n_candidates}."
        )
    most = rules.max_evaluations
    if most is not None and most < n_candidates:
        raise BadInputError(
            f"max_evaluations={most} is less than one block of {n_candidates} "
            f"candidates; give {n_candidates} or more, or None for no limit."
        )


def _warn_if_untested(field: Field, rules: RaceRules) -> None:
    if field.n_blocks < rules.first_test and field.n_alive > rules.n_winners:
        warn_once(
            f"the race had {field.n_blocks} blocks and first_test="
            f"{rules.first_test}: no test was made and no candidate was eliminated. "
            "Give more blocks or a smaller first_test."
        )
