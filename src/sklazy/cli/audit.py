"""`sklazy audit`: rows and columns of a file that are worth a second look."""

from collections.abc import Sequence

import click

from sklazy import audit as find
from sklazy.cli.console import Console, with_console
from sklazy.cli.csv_files import csv_options, to_csv
from sklazy.cli.explain import named_target
from sklazy.cli.tasks import OUT_FILE, check_out, read_task, task_options
from sklazy.experiments.harness.writing import write_text


@click.command()
@task_options
@csv_options("Write the findings to this CSV file, a line for each row concerned.")
@click.option("--html", type=OUT_FILE, help="Write the report to this HTML page.")
@with_console
def audit(
    console: Console,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    out: str | None,
    html: str | None,
) -> None:
    """Find labels that other rows contradict, duplicates, novel rows, leaks.

    Rows are counted from 0, without the header. The file itself is never written to.

    \b
    Examples:
      sklazy audit wine.csv --target class
      sklazy audit wine.csv -t class -o findings.csv --html report.html
    """
    check_out(out, train)
    check_out(html, train)
    task = read_task(console, train, target, kind, ignore)
    table = task.like.drop([target, *ignore])  # with what is set aside: it is judged
    found = find(table, named_target(task), task=task.kind, ids=task.rows)
    if out is not None:
        columns = found.to_columns()
        write_text(out, to_csv(columns))
        console.note(f"{len(columns['kind'])} lines in {out}")
    if html is not None:
        write_text(html, found.to_html())
        console.note(f"page written: {html}")
    console.result(found.to_dict(), lambda _: click.echo(found.to_text()))
