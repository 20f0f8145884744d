"""A race that is watched: a bar, lines if asked for, a word when interrupted."""

import sys
import warnings
from collections.abc import Callable
from typing import Any

from sklazy.errors import SklazyWarning
from sklazy.racing import RaceResult, RaceStep, race
from sklazy.report.progress import Progress


def watched_race(
    evaluate: Callable[[list[int], int], Any],
    n_candidates: int,
    n_blocks: int,
    block: str,
    verbose: int,
    **rules: Any,  # noqa: ANN401 - those of `race`
) -> RaceResult:
    """Race candidates 0, 1, ... over blocks 0, 1, ... while showing how it goes."""
    with Progress("racing", total=n_blocks) as progress:

        def tell(step: RaceStep) -> None:
            note = f"{step.n_alive} of {n_candidates} candidates left"
            progress.advance(note=note)
            if verbose > 0:
                place = f"{block} {step.n_blocks} of {n_blocks}"
                score = f"best mean score {-step.best_loss:.6g}"
                sys.stdout.write(f"{place}: {note}, {score}\n")

        outcome = race(
            evaluate,
            range(n_candidates),
            range(n_blocks),
            on_error="raise",
            on_step=tell,
            **rules,
        )
    if outcome.stopped == "interrupted":
        warnings.warn(
            f"interrupted after {len(outcome.losses)} of {n_blocks} {block}s; the "
            "results so far are kept.",
            SklazyWarning,
            stacklevel=4,
        )
    return outcome
