"""`sklazy race`: the best of several methods on a file, without running all."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from sklazy import RaceResult, RaceStep
from sklazy import race as run_race
from sklazy.cli.console import Console, Terminal
from sklazy.cli.methods import CLASSIFIERS, REGRESSORS, make_model
from sklazy.cli.predict import make_folds
from sklazy.cli.tasks import Task, check_folds, read_task
from sklazy.errors import BadInputError, suggest
from sklazy.report.progress import Progress

Block = tuple[int, int]
"""Which repetition, and which of its folds."""


def race(
    console: Console,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    candidates: str | None,
    folds: int,
    repeats: int,
    alpha: float,
    min_effect: float,
    seed: int,
) -> None:
    """Race methods on a file."""
    task = read_task(console, train, target, kind, ignore)
    console.note(f"{task.kind} ({task.why})")
    names = _candidates(task, candidates)
    folds = check_folds(task, folds)
    plans = [make_folds(task, folds, seed + again) for again in range(repeats)]
    blocks = [(again, fold) for again in range(repeats) for fold in range(folds)]

    def evaluate(alive: list[Any], block: Block) -> list[float]:
        again, fold = block
        return [_loss(task, name, plans[again] == fold, seed) for name in alive]

    with Progress("racing", total=len(blocks)) as progress:

        def show(step: RaceStep) -> None:
            progress.advance(note=f"{step.n_alive} left, best {names[step.best]}")

        result = run_race(
            evaluate,
            names,
            blocks,
            alpha=alpha,
            min_effect=min_effect,
            on_step=show,
        )
    plain = _plain(task, names, result)
    console.result(plain, lambda terminal: _show(terminal, task, names, result))
    if result.stopped == "interrupted":
        console.end_interrupted("These are the results so far.")


def _candidates(task: Task, given: str | None) -> list[str]:
    known = CLASSIFIERS if task.classifies else REGRESSORS
    if given is None:
        return list(known)
    names = list(dict.fromkeys(name.strip() for name in given.split(",") if name))
    for name in names:
        if name not in known:
            raise BadInputError(
                f"--candidates: there is no method {name!r} for {task.kind}."
                f"{suggest(name, known)}"
            )
    if len(names) < 2:
        raise BadInputError(f"--candidates {given!r}; expected two methods or more.")
    return names


def _loss(task: Task, name: str, testing: NDArray[np.bool_], seed: int) -> float:
    """The share of rows classified wrongly, or the mean absolute error."""
    known, test = task.take(~testing), task.take(testing)
    model = make_model(task, name, seed=seed).fit(known.table, known.target)
    found = model.predict(test.table)
    if task.classifies:
        return float((found != test.target).mean())
    return float(np.abs(found - test.target).mean())


def _plain(task: Task, names: Sequence[str], result: RaceResult) -> dict[str, object]:
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


def _show(
    terminal: Terminal, task: Task, names: Sequence[str], result: RaceResult
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
        figures = (names[i], f"{result.mean_losses[i]:.4g}", str(run), state)
        grid.add_row(*figures, style=style)
    terminal.print(grid)
    whole = result.losses.size
    end = "" if len(left) == 1 else "; those left cannot be told apart by these folds"
    terminal.print(f"[dim]{result.n_evaluations} fits instead of {whole}{end}.[/]")
