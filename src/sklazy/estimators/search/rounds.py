"""The races of a search: one of all candidates, or several with new ones."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from sklazy.errors import SklazyWarning, warn_user
from sklazy.estimators.search.candidates import Space
from sklazy.estimators.search.sampling import NearbySampler
from sklazy.racing import RaceResult, RaceStep, race
from sklazy.racing.field import Evaluated
from sklazy.racing.iterated import IteratedRace, count_elites
from sklazy.racing.rules import RaceRules
from sklazy.report.progress import Progress

Show = Callable[[RaceStep], None]


class Contest(Protocol):
    """Candidates that can be evaluated on splits, and more of which can be added."""

    candidates: list[dict[str, Any]]
    splits: Any

    def evaluate(self, alive: list[int], split: int) -> Evaluated:
        """Return the losses of the candidates on a split."""

    def add(self, candidates: Sequence[dict[str, Any]]) -> None:
        """Take more candidates."""


class Drawing(NamedTuple):
    """How candidates of later races are drawn.

    Attributes
    ----------
    space : dict or list of dicts
    n_rounds : int
        Number of races.
    seed : int or None
    """

    space: Space
    n_rounds: int
    seed: int | None


def watch_race(
    contest: Contest, rules: RaceRules, drawing: Drawing, block: str, verbose: int
) -> RaceResult:
    """Race with a progress bar, and lines if `verbose`."""
    n_blocks = len(contest.splits)
    total = n_blocks * drawing.n_rounds
    with Progress("racing", total=total, noun="blocks") as progress:

        def show(step: RaceStep) -> None:
            note = f"{step.n_alive} of {len(contest.candidates)} candidates left"
            progress.advance(note=note)
            if verbose > 0:
                place = f"{block} {step.n_blocks} of {n_blocks}"
                score = f"best mean score {-step.best_loss:.6g}"
                sys.stdout.write(f"{place}: {note}, {score}\n")

        if drawing.n_rounds == 1:
            outcome = _race_once(contest, rules, show)
        else:
            outcome = _race_again(contest, rules, show, drawing)
    if outcome.stopped == "interrupted":
        warn_user(
            f"interrupted after {len(outcome.losses)} of {n_blocks} {block}s; the "
            "results so far are kept.",
            SklazyWarning,
        )
    return outcome


def _race_once(contest: Contest, rules: RaceRules, show: Show) -> RaceResult:
    return race(
        contest.evaluate,
        range(len(contest.candidates)),
        range(len(contest.splits)),
        on_step=show,
        **rules.options,
    )


def _race_again(
    contest: Contest, rules: RaceRules, show: Show, drawing: Drawing
) -> RaceResult:
    """Race again and again, with new candidates around the survivors."""
    n_first = len(contest.candidates)
    rng = np.random.default_rng(drawing.seed)
    sampler = NearbySampler(drawing.space, n_first, drawing.n_rounds, rng)
    n_parameters = max(len(params) for params in contest.candidates)
    n_elites = min(count_elites(n_parameters, rules.n_winners), n_first)

    def draw(number: int, elites: Sequence[int]) -> int:
        sampler.remember(contest.candidates)
        parents = [contest.candidates[one] for one in elites]
        new = sampler.draw(parents, n_first - len(elites), number)
        contest.add(new)
        return len(new)

    races = IteratedRace(contest.evaluate, len(contest.splits), rules, n_elites, show)
    return races.run(n_first, draw, drawing.n_rounds)
