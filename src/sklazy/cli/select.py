"""`sklazy select`: a small set of features that predicts well (RACSAM)."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table as Grid

from sklazy import LazyLearningClassifier, RaceFeatureSelector
from sklazy.cli.console import Console, Terminal
from sklazy.cli.options import TrainingFile
from sklazy.cli.tasks import FileTask, read_task
from sklazy.cli.writing import check_out, check_table, write_columns
from sklazy.report.words import format_number, pluralize
from sklazy.tables import Table

N_NEEDED = 30
"""Rows that the sets of the last race must have predicted for a choice."""


def select(
    console: Console,
    source: TrainingFile,
    max_candidates: int,
    max_seconds: float | None,
    winners: int,
    seed: int,
    out: str | None,
) -> None:
    """Find a small set of features that predicts well."""
    check_out(out, source.train)
    check_table(out)
    task = read_task(console, source, needs_ids=False)
    console.note(f"{task.kind} ({task.why})")
    selector = RaceFeatureSelector(
        LazyLearningClassifier() if task.classifies else None,
        n_winners=winners,
        max_candidates=max_candidates,
        max_seconds=max_seconds,
        random_state=seed,
    ).fit(task.table, task.target)
    names = _selected_names(task.table, selector.support_)
    interrupted = selector.search_.stopped == "interrupted"
    lacking = _seconds_lacking(selector)
    if out is not None and not interrupted and not lacking:
        _write_columns(task, names, out)
        console.note(f"{len(names)} columns and {task.name!r} in {out}")
    plain = _to_plain(task.table, names, selector)
    console.result(plain, lambda terminal: _show_sets(terminal, task, names, selector))
    if interrupted:
        console.end_interrupted("This is the best set so far; nothing was written.")
    if lacking:
        console.note(_lack_time(selector, lacking, out))
    elif selector.search_.stopped == "seconds":
        console.note(f"Time was up after {max_seconds:g} seconds (--max-seconds).")


def _seconds_lacking(selector: RaceFeatureSelector) -> float:
    """About how many seconds would do for a choice; 0 if there was time enough."""
    n_tested = len(selector.search_.losses)
    if selector.search_.stopped != "seconds" or n_tested >= N_NEEDED:
        return 0.0
    return max(selector.max_seconds or 0.0, 1.0) * 1.2 * N_NEEDED / n_tested


def _lack_time(selector: RaceFeatureSelector, seconds: float, out: str | None) -> str:
    n_tested = len(selector.search_.losses)
    unwritten = "" if out is None else f" {out} was not written."
    return (
        f"Not enough time for a choice: the sets above were compared on "
        f"{pluralize(n_tested, 'row')}, of at least {N_NEEDED}; about {seconds:.0f} "
        f"seconds would do (--max-seconds {seconds:.0f}).{unwritten}"
    )


def _selected_names(table: Table, mask: Iterable[bool]) -> list[str]:
    return [name for name, kept in zip(table.names, mask, strict=True) if kept]


def _write_columns(task: FileTask, names: Sequence[str], path: str) -> None:
    chosen = task.table.select(names)
    columns: dict[str, Any] = {column.name: column.cells() for column in chosen}
    write_columns(path, {**columns, task.name: task.target.tolist()})


def _to_plain(
    table: Table, names: Sequence[str], selector: RaceFeatureSelector
) -> dict[str, object]:
    winners = zip(selector.winners_, selector.winner_losses_.tolist(), strict=True)
    return {
        "selected": list(names),
        "winners": [
            {"attributes": _selected_names(table, mask), "loss": loss}
            for mask, loss in winners
        ],
        "candidates": selector.n_candidates_,
        "predictions": selector.n_predictions_,
        "stopped": selector.search_.stopped,
        "rows_compared": len(selector.search_.losses),
        "enough": not _seconds_lacking(selector),
    }


def _show_sets(
    terminal: Terminal,
    task: FileTask,
    names: Sequence[str],
    selector: RaceFeatureSelector,
) -> None:
    chosen = "Selected" if not _seconds_lacking(selector) else "So far"
    terminal.print(
        f"{chosen} {len(names)} of {len(task.table.columns)} features: "
        f"[bold]{escape(', '.join(names))}[/]\n"
    )
    grid = Grid("winning sets", box=None, header_style="bold", padding=(0, 2))
    loss = "error rate" if task.classifies else "mean absolute error"
    grid.add_column(loss, justify="right", no_wrap=True)
    for mask, value in zip(selector.winners_, selector.winner_losses_, strict=True):
        features = ", ".join(_selected_names(task.table, mask))
        grid.add_row(escape(features), format_number(value))
    terminal.print(grid)
    terminal.print(
        f"[dim]{selector.n_candidates_} sets were tried with "
        f"{selector.n_predictions_} predictions; the errors above are of "
        f"{pluralize(len(selector.search_.losses), 'row')}. The smallest set that is "
        "not significantly worse than the best is selected.[/]"
    )
