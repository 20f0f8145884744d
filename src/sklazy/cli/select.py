"""`sklazy select`: a small set of attributes that predicts well (RACSAM)."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table as Grid

from sklazy import LazyLearningClassifier, RaceFeatureSelector
from sklazy.cli.console import Console, Terminal
from sklazy.cli.csv_files import to_csv
from sklazy.cli.tasks import Task, check_out, read_task
from sklazy.experiments.harness.writing import write_text
from sklazy.tables import Table


def select(
    console: Console,
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
    """Find a small set of attributes that predicts well."""
    check_out(out, train)
    task = read_task(console, train, target, kind, ignore)
    console.note(f"{task.kind} ({task.why})")
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
        console.note(f"{len(names)} columns and {task.name!r} in {out}")
    plain = _plain(task.table, names, selector)
    console.result(plain, lambda terminal: _show(terminal, task, names, selector))
    if interrupted:
        console.end_interrupted("This is the best set so far; nothing was written.")


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
    terminal: Terminal, task: Task, names: Sequence[str], selector: RaceFeatureSelector
) -> None:
    terminal.print(
        f"Selected {len(names)} of {len(task.table.columns)}: "
        f"[bold]{escape(', '.join(names))}[/]\n"
    )
    grid = Grid("winning sets", box=None, header_style="bold", padding=(0, 2))
    loss = "error rate" if task.classifies else "mean absolute error"
    grid.add_column(loss, justify="right", no_wrap=True)
    for mask, value in zip(selector.winners_, selector.winner_losses_, strict=True):
        grid.add_row(escape(", ".join(_named(task.table, mask))), f"{value:.4g}")
    terminal.print(grid)
    terminal.print(
        f"[dim]{selector.n_candidates_} sets tried with {selector.n_predictions_} "
        "predictions; the smallest winner that is not significantly worse is "
        "selected.[/]"
    )
