"""`sklazy advise`: whether lazy selection pays."""

from collections.abc import Sequence

import click

from sklazy import advise as measure
from sklazy.cli.console import Console, with_console
from sklazy.cli.tasks import OUT_FILE, check_out, read_task, task_options
from sklazy.errors import BadInputError
from sklazy.experiments.harness.writing import write_text


@click.command()
@task_options
@click.option(
    "--max-seconds",
    default=30.0,
    show_default=True,
    help="Start no new fold after this many seconds.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the sampled rows and folds."
)
@click.option("--html", type=OUT_FILE, help="Write the advice to this HTML page.")
@with_console
def advise(
    console: Console,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    max_seconds: float,
    seed: int,
    html: str | None,
) -> None:
    """Measure in seconds whether lazy selection pays, or an eager model is better.

    \b
    Example:
      sklazy advise wine.csv --target class
    """
    check_out(html, train)
    task = read_task(console, train, target, kind, ignore)
    if not task.classifies:
        raise BadInputError(
            f"advice needs classes, but {task.why}; if its numbers are classes, use "
            "--task classification."
        )
    found = measure(task.table, task.target, max_seconds=max_seconds, random_state=seed)
    if html is not None:
        write_text(html, found.to_html())
        console.note(f"page written: {html}")
    console.result(found.to_dict(), lambda _: click.echo(found.to_text()))
