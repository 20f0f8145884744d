"""`sklazy advise` and `sklazy audit`: reports about a file."""

import click

import sklazy
from sklazy.cli.console import Console
from sklazy.cli.hints import for_a_shell
from sklazy.cli.options import TrainingFile
from sklazy.cli.tasks import ignored_columns, read_task
from sklazy.cli.writing import check_out, check_table, write_columns, write_text


def advise(
    console: Console,
    source: TrainingFile,
    max_seconds: float,
    max_rows: int,
    seed: int,
    html: str | None,
) -> None:
    """Measure which method suits a file."""
    check_out(html, source.train)
    task = read_task(console, source, needs_ids=False)
    console.note(f"{task.kind} ({task.why})")
    advice = sklazy.advise(
        task.table,
        task.target,
        task=task.kind,
        max_rows=max_rows,
        max_seconds=max_seconds,
        random_state=seed,
    )
    _write_page(console, html, advice)
    text = for_a_shell(advice.to_text())
    console.result(advice.to_dict(), lambda _: click.echo(text))
    if advice.stopped == "interrupted":
        console.end_interrupted("This advice is based on what was measured so far.")


def audit(
    console: Console, source: TrainingFile, out: str | None, html: str | None
) -> None:
    """Find rows and columns that are worth a second look."""
    check_out(out, source.train)
    check_table(out)
    check_out(html, source.train)
    task = read_task(console, source, ids_may_repeat=True)
    # Columns that were set aside are audited, too.
    table = task.like.drop([task.name, *ignored_columns(source)])
    report = sklazy.audit(table, task.target_column(), task=task.kind, ids=task.names)
    if out is not None:
        columns = report.to_columns()
        write_columns(out, columns)
        console.note(f"{len(columns['kind'])} lines written: {out}")
    _write_page(console, html, report)
    console.result(report.to_dict(), lambda _: click.echo(report.to_text()))


def _write_page(
    console: Console, html: str | None, report: sklazy.Advice | sklazy.Audit
) -> None:
    if html is not None:
        write_text(html, report.to_html())
        console.note(f"page written: {html}")
