"""`sklazy audit`: rows and columns of a file that are worth a second look."""

from collections.abc import Sequence

import click

from sklazy import audit as find
from sklazy.cli.console import Console
from sklazy.cli.csv_files import to_csv
from sklazy.cli.tasks import check_out, read_task
from sklazy.experiments.harness.writing import write_text


def audit(
    console: Console,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    id_column: str | None,
    out: str | None,
    html: str | None,
) -> None:
    """Find what is worth a second look."""
    check_out(out, train)
    check_out(html, train)
    task = read_task(console, train, target, kind, ignore, id_column)
    others = [target, *ignore, *([] if id_column is None else [id_column])]
    table = task.like.drop(others)  # with what is set aside: it is judged
    found = find(table, task.named_target(), task=task.kind, ids=task.names)
    if out is not None:
        columns = found.to_columns()
        write_text(out, to_csv(columns))
        console.note(f"{len(columns['kind'])} lines in {out}")
    if html is not None:
        write_text(html, found.to_html())
        console.note(f"page written: {html}")
    console.result(found.to_dict(), lambda _: click.echo(found.to_text()))
