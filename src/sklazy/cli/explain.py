"""`sklazy explain`: receipts of rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from sklazy import Receipt, Receipts
from sklazy.cli.console import Console
from sklazy.cli.methods import choose_method
from sklazy.cli.models import Fitted, fit_task, is_model, load_model
from sklazy.cli.tasks import Task, check_out, read_task
from sklazy.errors import BadInputError, suggest
from sklazy.experiments.harness.writing import write_text


def explain(
    console: Console,
    train: str,
    test: str | None,
    target: str | None,
    kind: str,
    ignore: Sequence[str],
    id_column: str | None,
    rows: Sequence[str],
    method: str | None,
    settings: Sequence[str],
    seed: int,
    key: Path | None,
    html: str | None,
    out: str | None,
) -> None:
    """Explain predictions of rows."""
    check_out(html, train, test)
    check_out(out, train, test)
    wanted = rows or ("0",)
    if is_model(train):
        fitted = load_model(
            train, method=method, set=settings, ignore=ignore, task=kind
        )
        found = _explain_test(console, fitted, test, id_column, wanted)
    else:
        task = read_task(console, train, target, kind, ignore, id_column)
        name = choose_method(task, method)
        if test is None:
            found = list(_explain_each(task, name, settings, seed, wanted))
        else:
            fitted = fit_task(task, name, settings, seed)
            found = _explain_test(console, fitted, test, id_column, wanted)
    where = test or train
    receipts = Receipts(found, names=[_title(row, where, id_column) for row in wanted])
    if key is not None:
        receipts = receipts.signed(key.read_bytes())
    _write(console, receipts, html, out)


def _write(
    console: Console, receipts: Receipts, html: str | None, out: str | None
) -> None:
    """Write receipts to files and to standard output."""
    if html is not None:
        write_text(html, receipts.to_html())
        console.note(f"page written: {html}")
    if out is not None:
        write_text(out, f"{receipts.to_json()}\n")
        console.note(f"receipts written: {out}")
    text = receipts.to_text()
    console.result(receipts.to_dict(), lambda _: click.echo(text))


def _title(row: str, path: str, id_column: str | None) -> str:
    where = "standard input" if path == "-" else Path(path).name
    return f"Row {row} of {where}" if id_column is None else f"{row} of {where}"


def _explain_test(
    console: Console,
    fitted: Fitted,
    path: str | None,
    id_column: str | None,
    wanted: Sequence[str],
) -> list[Receipt]:
    """The receipts of rows of a test file."""
    if path is None:
        raise BadInputError("give the file of the rows to explain behind the model.")
    _check_lazy(fitted.model, fitted.method)
    asked = fitted.read(console, path, id_column)
    places = [_place(row, asked.names) for row in wanted]
    return list(fitted.model.explain(asked.rows.take(places)))


def _explain_each(
    task: Task,
    name: str,
    settings: Sequence[str],
    seed: int,
    wanted: Sequence[str],
) -> Iterator[Receipt]:
    """The receipts of rows of the training file, each left out itself."""
    if len(task.target) == 1:
        raise BadInputError("one row alone cannot be explained by others.")
    for row in wanted:
        own = task.rows == task.rows[_place(row, task.names)]
        model = fit_task(task.take(~own), name, settings, seed).model
        _check_lazy(model, name)
        yield model.explain(task.table.take(own))[0]


def _check_lazy(model: object, name: str) -> None:
    if not hasattr(model, "explain"):
        raise BadInputError(
            f"--method {name} has no receipts; choose a lazy method, such as "
            "lazy-knn or lazy-learning."
        )


def _place(row: str, names: Sequence[Any]) -> int:
    """Where a row lies that is named by its place in the file or by its name."""
    texts = [str(name) for name in names]
    if row in texts:
        return texts.index(row)
    if any(isinstance(name, str) for name in names):
        raise BadInputError(f"--row {row}: no row has that name.{suggest(row, texts)}")
    last = int(texts[-1])
    if row.isdigit() and int(row) < last:
        raise BadInputError(
            f"--row {row} has no target and is left out; put it into another file and "
            "give that as TEST."
        )
    raise BadInputError(f"--row {row}; expected one of the rows 0 to {last}.")
