"""`sklazy advise`: which method suits a file."""

from collections.abc import Sequence

import click

from sklazy import advise as measure
from sklazy.cli.console import Console
from sklazy.cli.hints import for_a_shell
from sklazy.cli.tasks import check_out, read_task
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
    console.note(f"{task.kind} ({task.why})")
    found = measure(
        task.table,
        task.target,
        task=task.kind,
        max_rows=max_rows,
        max_seconds=max_seconds,
        random_state=seed,
    )
    if html is not None:
        write_text(html, found.to_html())
        console.note(f"page written: {html}")
    text = for_a_shell(found.to_text())
    console.result(found.to_dict(), lambda _: click.echo(text))
    if found.stopped == "interrupted":
        console.end_interrupted("This is the advice of what was measured so far.")
