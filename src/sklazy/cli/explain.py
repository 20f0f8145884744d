"""`sklazy explain` and `sklazy advise`: why, and whether."""

from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from sklazy import Receipt, Receipts
from sklazy import advise as ask_advice
from sklazy.cli.console import Speaker, speaks
from sklazy.cli.methods import choose_method, make_model, method_options
from sklazy.cli.tasks import (
    OUT_FILE,
    Task,
    check_out,
    match_columns,
    read_rows,
    read_task,
    task_options,
)
from sklazy.errors import BadInputError
from sklazy.experiments.harness.writing import write_text
from sklazy.report.html import render
from sklazy.tables import Table


@click.command()
@task_options
@click.option("--row", "rows", type=int, multiple=True, help="Counted from 0.")
@click.option(
    "--test",
    type=click.Path(exists=True, dir_okay=False),
    help="The file whose rows are meant; TRAIN if not said.",
)
@method_options
@click.option("--html", type=OUT_FILE, help="Write a page to this file.")
@speaks
def explain(
    speaker: Speaker,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    rows: Sequence[int],
    test: str | None,
    method: str | None,
    settings: Sequence[str],
    seed: int,
    html: str | None,
) -> None:
    """Say for a row what is predicted and why: a receipt.

    A row of TRAIN is predicted from all others: it is left out itself.

    \b
    Examples:
      sklazy explain wine.csv --target class --row 12
      sklazy explain wine.csv -t class --row 12 --row 60 --html why.html
      sklazy explain train.csv -t price --test new.csv --row 0 --json
    """
    check_out(html, train, test)
    task = read_task(speaker, train, target, kind, ignore)
    name = choose_method(task, method)
    receipts = []
    for row in rows or (0,):
        learned, asked = _parted(speaker, task, row, test)
        model = make_model(task, name, settings, seed)
        if not hasattr(model, "explain"):
            raise BadInputError(
                f"--method {name} gives no receipts; take one of the lazy ones, such "
                "as lazy-knn or lazy-learning."
            )
        model.fit(learned.table, learned.target, ids=learned.rows)
        receipts.append(model.explain(asked)[0])
    if html is not None:
        _write_page(speaker, receipts, html)
    plain = [receipt.to_dict() for receipt in receipts]
    text = "\n\n\n".join(receipt.to_text() for receipt in receipts)
    speaker.tell(plain, lambda console: click.echo(text))


def _parted(
    speaker: Speaker, task: Task, row: int, test: str | None
) -> tuple[Task, Table]:
    """The rows to learn from, and the one that asks."""
    if test is not None:
        table = match_columns(speaker, read_rows(test), task, test)
        _check_row(row, np.arange(len(table)))
        return task, table.take([row])
    _check_row(row, task.rows)
    own = task.rows == row
    if own.all():
        raise BadInputError("one row alone cannot be explained by others.")
    return task.take(~own), task.table.take(own)


def _check_row(row: int, known: NDArray[np.int64]) -> None:
    if row in known:
        return
    last = int(known.max())
    if 0 <= row <= last:
        raise BadInputError(
            f"--row {row} has no target and is left out; put it into a file of its own "
            "and name that with --test."
        )
    raise BadInputError(f"--row {row}: there are rows 0 to {last}.")


def _write_page(speaker: Speaker, receipts: Sequence[Any], path: str) -> None:
    if isinstance(receipts[0], Receipt):
        page = Receipts(receipts).to_html()
    else:
        pieces = [receipt._repr_html_() for receipt in receipts]
        page = render("pieces_page", title="Receipts", pieces=pieces)
    write_text(path, page)
    speaker.note(f"page written: {path}")


@click.command()
@task_options
@click.option(
    "--max-seconds", default=10.0, show_default=True, help="When to begin no more."
)
@click.option("--seed", default=0, show_default=True, help="For the rows sampled.")
@click.option("--html", type=OUT_FILE, help="Write a page to this file.")
@speaks
def advise(
    speaker: Speaker,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    max_seconds: float,
    seed: int,
    html: str | None,
) -> None:
    """Say in seconds whether lazy selection will pay, or an eager model is better.

    \b
    Example:
      sklazy advise wine.csv --target class
    """
    check_out(html, train)
    task = read_task(speaker, train, target, kind, ignore)
    if not task.classifies:
        raise BadInputError(
            f"advice is about classes, but {task.why}; if its numbers are classes, "
            "say --task classification."
        )
    found = ask_advice(
        task.table, task.target, max_seconds=max_seconds, random_state=seed
    )
    if html is not None:
        write_text(html, found.to_html())
        speaker.note(f"page written: {html}")
    speaker.tell(found.to_dict(), lambda console: click.echo(found.to_text()))
