"""`sklazy explain`: receipts of rows."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from sklazy import Receipt, Receipts
from sklazy.cli.console import Console
from sklazy.cli.methods import choose_method
from sklazy.cli.models import Fitted, fit_task, is_model, load_model
from sklazy.cli.tasks import Task, check_out, read_task
from sklazy.cli.uncertainty import Sureness, check_sureness
from sklazy.cli.waiting import (
    STOPS,
    TimeUpError,
    announced,
    refuse_too_short,
    say_stopped,
    time_limit,
)
from sklazy.errors import BadInputError, suggest
from sklazy.experiments.harness.writing import write_text
from sklazy.report.progress import track
from sklazy.tables import Table

Ask = Callable[[str], Receipt]
"""From a row, by its place or its name, to its receipt."""


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
    max_rows: int | None,
    max_seconds: float | None,
    coverage: float | None,
    abstain: float | None,
) -> None:
    """Explain predictions of rows."""
    sureness = Sureness(coverage, abstain)
    check_out(html, train, test)
    check_out(out, train, test)
    if is_model(train):
        fitted = load_model(
            train, method=method, set=settings, ignore=ignore, task=kind
        )
        asked = _ask_test(console, fitted, test, id_column, sureness)
        name, names, ask = fitted.method, *asked
    else:
        task = read_task(console, train, target, kind, ignore, id_column)
        name = choose_method(task, method)
        if test is None:
            names, ask = _ask_each(task, name, settings, seed, sureness)
        else:
            fitted = fit_task(task, name, settings, seed)
            names, ask = _ask_test(console, fitted, test, id_column, sureness)
    wanted = rows or [str(one) for one in names[: max_rows or 1]]
    with announced(console, name):
        found, stop = _explain_rows(ask, wanted, max_seconds)
    titles = [_title(row, test or train, id_column) for row in wanted[: len(found)]]
    receipts = Receipts(found, names=titles)
    if key is not None:
        receipts = receipts.signed(key.read_bytes())
    _write(console, receipts, html, out)
    if stop is not None:
        done = f"The first {len(found)} of {len(wanted)} rows were explained, above."
        say_stopped(console, stop, done, max_seconds)


def _explain_rows(
    ask: Ask, wanted: Sequence[str], max_seconds: float | None
) -> tuple[list[Receipt], BaseException | None]:
    """The receipts of rows one by one, and what ended it before all."""
    found: list[Receipt] = []
    try:
        with time_limit(max_seconds):
            for row in track(wanted, "explaining"):
                found.append(ask(row))
    except STOPS as stop:
        if found:
            return found, stop
        if isinstance(stop, TimeUpError):
            refuse_too_short(max_seconds)
        raise
    return found, None


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


def _ask_test(
    console: Console,
    fitted: Fitted,
    path: str | None,
    id_column: str | None,
    sureness: Sureness,
) -> tuple[Sequence[Any], Ask]:
    """The rows of a test file, and what explains one of them."""
    if path is None:
        raise BadInputError("give the file of the rows to explain behind the model.")
    _check_lazy(fitted.model, fitted.method)
    asked = fitted.read(console, path, id_column)

    def ask(row: str) -> Receipt:
        query = asked.rows.take([_place(row, asked.names)])
        return _explain(fitted, query, sureness)

    return asked.names, ask


def _ask_each(
    task: Task, name: str, settings: Sequence[str], seed: int, sureness: Sureness
) -> tuple[Sequence[Any], Ask]:
    """The rows of the training file, and what explains one, left out itself."""
    if len(task.target) == 1:
        raise BadInputError("one row alone cannot be explained by others.")

    def ask(row: str) -> Receipt:
        own = task.rows == task.rows[_place(row, task.names)]
        fitted = fit_task(task.take(~own), name, settings, seed)
        _check_lazy(fitted.model, name)
        return _explain(fitted, task.table.take(own), sureness)

    return task.names, ask


def _explain(fitted: Fitted, query: Table, sureness: Sureness) -> Receipt:
    """The receipt of a row, with what to measure next where cells are missing."""
    if sureness.coverage or sureness.accuracy:
        check_sureness(fitted, sureness)
    is_incomplete = any(column.missing.any() for column in query)
    coverage, accuracy = sureness.coverage or None, sureness.accuracy
    model, how = fitted.model, {"coverage": coverage, "accuracy": accuracy}
    return model.explain(query, suggest=is_incomplete, **how)[0]


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
