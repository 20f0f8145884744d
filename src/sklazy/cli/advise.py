"""`sklazy advise`: whether lazy selection pays."""

from collections.abc import Sequence

import click

from sklazy import advise as measure
from sklazy.cli.console import Console
from sklazy.cli.tasks import check_out, read_task
from sklazy.errors import BadInputError
from sklazy.experiments.harness.writing import write_text


def advise(
    console: Console,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    max_seconds: float,
    max_rows: int,
    seed: int,
    html: str | None,
) -> None:
    """Measure which method suits a file."""
    check_out(html, train)
    task = read_task(console, train, target, kind, ignore)
    if not task.classifies:
        raise BadInputError(
            f"advice needs classes, but {task.why}; if its numbers are classes, use "
            "--task classification."
        )
    found = measure(
        task.table,
        task.target,
        max_rows=max_rows,
        max_seconds=max_seconds,
        random_state=seed,
    )
    if html is not None:
        write_text(html, found.to_html())
        console.note(f"page written: {html}")
    console.result(found.to_dict(), lambda _: click.echo(found.to_text()))
