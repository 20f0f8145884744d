"""`sklazy explain`: receipts of rows."""

from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from sklazy import Receipt, Receipts
from sklazy.cli.console import Console, with_console
from sklazy.cli.methods import choose_method, make_model, method_options
from sklazy.cli.tasks import (
    IN_FILE,
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
from sklazy.tables import Column, Table
from sklazy.tables.labels import encode


@click.command()
@task_options
@click.option(
    "--row",
    "rows",
    type=int,
    multiple=True,
    help="Row to explain, counted from 0; repeat for several. Default: 0.",
)
@click.option(
    "--test",
    type=IN_FILE,
    help="File whose rows to explain; default: TRAIN.",
)
@method_options
@click.option("--html", type=OUT_FILE, help="Write the receipts to this HTML page.")
@with_console
def explain(
    console: Console,
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
    """Explain the prediction of a row by a receipt: what, why, from which cases.

    A row of TRAIN is left out itself and predicted from all others. Where cells of a
    row are missing, the receipt says which to measure next.

    \b
    Examples:
      sklazy explain wine.csv --target class --row 12
      sklazy explain wine.csv -t class --row 12 --row 60 --html why.html
      sklazy explain train.csv -t price --test new.csv --row 0 --json
    """
    check_out(html, train, test)
    task = read_task(console, train, target, kind, ignore)
    name = choose_method(task, method)
    found = []
    for row in rows or (0,):
        known, query = _split(console, task, row, test)
        model = make_model(task, name, settings, seed)
        if not hasattr(model, "explain"):
            raise BadInputError(
                f"--method {name} has no receipts; choose a lazy method, such as "
                "lazy-knn or lazy-learning."
            )
        model.fit(known.table, named_target(known), ids=known.rows)
        found.append(_explain(model, query))
    receipts = Receipts(found)
    if html is not None:
        write_text(html, receipts.to_html())
        console.note(f"page written: {html}")
    text = receipts.to_text()
    console.result(receipts.to_dict(), lambda _: click.echo(text))


def named_target(task: Task) -> Column:
    """The target under its own name, which receipts show."""
    if task.classifies:
        return encode(task.name, task.target.tolist())
    return Column(task.name, "numeric", task.target)


def _explain(model: Any, query: Table) -> Receipt:  # noqa: ANN401 - an estimator
    """The receipt of a row, with what to measure next where cells are missing."""
    is_incomplete = any(column.missing.any() for column in query)
    if is_incomplete and hasattr(model, "suggest_attribute"):
        return model.explain(query, suggest=True)[0]
    return model.explain(query)[0]


def _split(
    console: Console, task: Task, row: int, test: str | None
) -> tuple[Task, Table]:
    """The task without the row, and the row."""
    if test is not None:
        table = match_columns(console, read_rows(test, task.like), task, test)
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
            f"--row {row} has no target and is left out; put it into another file and "
            "give that with --test."
        )
    raise BadInputError(f"--row {row}; expected one of the rows 0 to {last}.")
