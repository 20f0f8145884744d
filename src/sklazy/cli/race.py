"""`sklazy race`: the best of several methods on a file, by racing them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from sklazy import RaceResult, RaceStep
from sklazy import race as run_race
from sklazy.cli.console import Console, Terminal
from sklazy.cli.cross_validation import task_folds
from sklazy.cli.methods import CLASSIFIERS, REGRESSORS
from sklazy.cli.models import make_model
from sklazy.cli.options import MethodChoice, TrainingFile
from sklazy.cli.tasks import FileTask, check_folds, read_task
from sklazy.errors import BadInputError, suggest
from sklazy.report.progress import Progress
from sklazy.report.words import format_number

FIRST_TEST = 5
"""Folds that a decision needs."""

Block = tuple[int, int]
"""A repetition, and one of its folds."""


def race(
    console: Console,
    source: TrainingFile,
    candidates: str | None,
    folds: int,
    repeats: int,
    alpha: float,
    min_effect: float,
    max_seconds: float | None,
    seed: int,
) -> None:
    """Race methods on a file."""
    task = read_task(console, source, needs_ids=False)
    console.note(f"{task.kind} ({task.why})")
    names = _parse_candidates(task, candidates)
    folds = check_folds(task, folds)
    plans = [task_folds(task, folds, seed + again) for again in range(repeats)]
    blocks = [(again, fold) for again in range(repeats) for fold in range(folds)]

    def measure(name: str, block: Block) -> float:
        return _measure_loss(task, name, plans[block[0]] == block[1], seed)

    with Progress("racing", total=len(blocks), noun="folds") as progress:
        # Methods compile on the first fold, which is not part of --max-seconds.
        first = {name: _attempt(measure, name, blocks[0]) for name in names}

        def evaluate(alive: list[Any], block: Block) -> list[Any]:
            if block == blocks[0]:
                return [first[name] for name in alive]
            return [measure(name, block) for name in alive]

        def show(step: RaceStep) -> None:
            progress.advance(note=f"{step.n_alive} left, best {names[step.best]}")

        result = run_race(
            evaluate,
            names,
            blocks,
            alpha=alpha,
            min_effect=min_effect,
            first_test=FIRST_TEST,
            max_seconds=max_seconds,
            on_step=show,
        )
    plain = _to_plain(task, names, result)
    console.result(plain, lambda terminal: _show_race(terminal, task, names, result))
    if result.stopped == "interrupted":
        console.end_interrupted("These are the results so far.")
    if result.stopped == "seconds" and max_seconds is not None:
        console.note(_report_time(result, max_seconds))


def _attempt(
    measure: Callable[[str, Block], float], name: str, block: Block
) -> float | Exception:
    """A loss, or the error that it ends in, which drops the method."""
    try:
        return measure(name, block)
    except Exception as error:
        return error


def _report_time(result: RaceResult, max_seconds: float) -> str:
    """A sentence on a race that ended for want of time."""
    n_run = len(result.losses)
    if n_run >= FIRST_TEST:
        return f"Time was up after {max_seconds:g} seconds (--max-seconds)."
    seconds = 1.2 * max(max_seconds, 1.0) * FIRST_TEST / n_run
    return (
        f"Not enough time: {n_run} of at least {FIRST_TEST} folds were run, so nothing "
        f"is decided; about {seconds:.0f} seconds would do (--max-seconds "
        f"{seconds:.0f})."
    )


def _parse_candidates(task: FileTask, text: str | None) -> list[str]:
    known = CLASSIFIERS if task.classifies else REGRESSORS
    if text is None:
        return list(known)
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name))
    for name in names:
        if name not in known:
            raise BadInputError(
                f"--candidates: there is no method {name!r} for {task.kind}."
                f"{suggest(name, known)}"
            )
    if len(names) < 2:
        raise BadInputError(f"--candidates {text!r}; expected two methods or more.")
    return names


def _measure_loss(
    task: FileTask, name: str, testing: NDArray[np.bool_], seed: int
) -> float:
    """The error rate, or the mean absolute error."""
    known, test = task.take(~testing), task.take(testing)
    model = make_model(task, MethodChoice(name, seed=seed))
    predictions = model.fit(known.table, known.target).predict(test.table)
    if task.classifies:
        return float((predictions != test.target).mean())
    return float(np.abs(predictions - test.target).mean())


def _to_plain(
    task: FileTask, names: Sequence[str], result: RaceResult
) -> dict[str, object]:
    return {
        "task": task.kind,
        "winners": [names[i] for i in result.winners],
        "stopped": result.stopped,
        "evaluations": result.n_evaluations,
        "candidates": [
            {
                "name": name,
                "mean_loss": result.mean_losses[i],
                "blocks": int(np.isfinite(result.losses[:, i]).sum()),
                "out_after": int(result.eliminated_at[i]) or None,
                "failure": result.reasons.get(i),
            }
            for i, name in enumerate(names)
        ],
    }


def _show_race(
    terminal: Terminal, task: FileTask, names: Sequence[str], result: RaceResult
) -> None:
    loss = "mean error rate" if task.classifies else "mean absolute error"
    grid = Grid("method", box=None, header_style="bold", padding=(0, 2))
    for title in (loss, "folds run", ""):
        grid.add_column(title, justify="right" if title else "left", overflow="fold")
    left = list(result.winners)
    out = [i for i in range(len(names)) if i not in left]
    for i in left + sorted(out, key=lambda i: -result.eliminated_at[i]):
        run = int(np.isfinite(result.losses[:, i]).sum())
        state = "left" if i in left else f"out after {result.eliminated_at[i]}"
        state = result.reasons.get(i, state)
        style = "bold" if i == left[0] else "dim" if i not in left else ""
        figures = (names[i], format_number(result.mean_losses[i]), str(run), state)
        grid.add_row(*figures, style=style)
    terminal.print(grid)
    whole = result.losses.size
    end = "" if len(left) == 1 else "; the methods left do not differ significantly"
    terminal.print(f"[dim]{result.n_evaluations} fits instead of {whole}{end}.[/]")
