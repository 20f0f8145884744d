"""`sklazy select`: the attributes of a file that are worth keeping (RACSAM)."""

from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from sklazy import LazyLearningClassifier, RaceFeatureSelector
from sklazy.cli.console import Speaker, speaks
from sklazy.cli.predict import to_csv
from sklazy.cli.tasks import OUT_FILE, Task, check_out, read_task, task_options
from sklazy.experiments.harness.writing import write_text
from sklazy.tables import Table


@click.command()
@task_options
@click.option("--max-candidates", default=1000, show_default=True, help="Sets to try.")
@click.option("--max-seconds", type=float, help="When to come to an end.")
@click.option("--winners", default=5, show_default=True, help="Sets kept to the end.")
@click.option("--seed", default=0, show_default=True)
@click.option(
    "--out",
    "-o",
    type=OUT_FILE,
    help="Write the selected columns to this CSV file.",
)
@speaks
def select(
    speaker: Speaker,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    max_candidates: int,
    max_seconds: float | None,
    winners: int,
    seed: int,
    out: str | None,
) -> None:
    """Find a small set of attributes that predicts well, by racing sets (RACSAM).

    Sets of attributes predict row after row with a lazy learner; those that fall
    behind are out, and neighbors of the winners race next.

    \b
    Examples:
      sklazy select houses.csv --target price
      sklazy select houses.csv -t price --max-seconds 30 -o small.csv
    """
    check_out(out, train)
    task = read_task(speaker, train, target, kind, ignore)
    speaker.note(f"{task.kind} ({task.why})")
    selector = RaceFeatureSelector(
        LazyLearningClassifier() if task.classifies else None,
        n_winners=winners,
        max_candidates=max_candidates,
        max_seconds=max_seconds,
        random_state=seed,
    ).fit(task.table, task.target)
    names = _named(task.table, selector.support_)
    interrupted = selector.search_.stopped == "interrupted"
    if out is not None and not interrupted:
        _write(task, names, out)
        speaker.note(f"{len(names)} columns and {task.name!r} in {out}")
    plain = _plain(task.table, names, selector)
    speaker.tell(plain, lambda console: _show(console, task, names, selector))
    if interrupted:
        speaker.end_interrupted("This is the best found by then; nothing was written.")


def _named(table: Table, mask: Iterable[bool]) -> list[str]:
    return [name for name, kept in zip(table.names, mask, strict=True) if kept]


def _write(task: Task, names: Sequence[str], path: str) -> None:
    chosen = task.table.select(names)
    columns: dict[str, Any] = {column.name: column.cells() for column in chosen}
    write_text(path, to_csv({**columns, task.name: task.target.tolist()}))


def _plain(
    table: Table, names: Sequence[str], selector: RaceFeatureSelector
) -> dict[str, object]:
    winners = zip(selector.winners_, selector.winner_losses_.tolist(), strict=True)
    return {
        "selected": list(names),
        "winners": [
            {"attributes": _named(table, mask), "loss": loss} for mask, loss in winners
        ],
        "candidates": selector.n_candidates_,
        "predictions": selector.n_predictions_,
        "stopped": selector.search_.stopped,
    }


def _show(
    console: Console, task: Task, names: Sequence[str], selector: RaceFeatureSelector
) -> None:
    console.print(
        f"Selected {len(names)} of {len(task.table.columns)}: "
        f"[bold]{escape(', '.join(names))}[/]\n"
    )
    grid = Grid("winning sets", box=None, header_style="bold", padding=(0, 2))
    loss = "error rate" if task.classifies else "mean absolute error"
    grid.add_column(loss, justify="right", no_wrap=True)
    for mask, value in zip(selector.winners_, selector.winner_losses_, strict=True):
        grid.add_row(escape(", ".join(_named(task.table, mask))), f"{value:.4g}")
    console.print(grid)
    console.print(
        f"[dim]{selector.n_candidates_} sets tried with {selector.n_predictions_} "
        "predictions; the smallest winner that is not significantly worse is "
        "selected.[/]"
    )
