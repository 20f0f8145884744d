"""`sklazy explain`: receipts for predictions."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from sklazy import Receipt, Receipts
from sklazy.cli.console import Console
from sklazy.cli.models import (
    FittedModel,
    check_lazy,
    choose_method,
    fit_task,
    is_model,
    load_model,
)
from sklazy.cli.options import Confidence, MethodChoice, TrainingFile
from sklazy.cli.tasks import FileTask, read_task
from sklazy.cli.uncertainty import check_confidence, choose_way
from sklazy.cli.waiting import (
    STOPS,
    TimeUpError,
    announced,
    refuse_too_short,
    report_stop,
    time_limit,
)
from sklazy.cli.writing import check_out, write_text
from sklazy.errors import BadInputError, suggest
from sklazy.report.progress import track
from sklazy.tables import Table

Ask = Callable[[str], Receipt]
"""From a row, by its position or its id, to its receipt."""


def explain(
    console: Console,
    source: TrainingFile,
    test: str | None,
    rows: Sequence[str],
    choice: MethodChoice,
    key: Path | None,
    html: str | None,
    out: str | None,
    max_rows: int | None,
    max_seconds: float | None,
    confidence: Confidence,
) -> None:
    """Explain predictions of rows."""
    check_out(html, source.train, test)
    check_out(out, source.train, test)
    if is_model(source.train):
        fitted = load_model(source, choice)
        method = fitted.method
        names, ask = _ask_test(console, fitted, test, source.id_column, confidence)
    else:
        task = read_task(console, source)
        choice = choose_method(choice)
        method = choice.method
        if test is None:
            names, ask = _ask_left_out(task, choice, confidence)
        else:
            fitted = fit_task(task, choice)
            names, ask = _ask_test(console, fitted, test, source.id_column, confidence)
    wanted = rows or [str(one) for one in names[: max_rows or 1]]
    with announced(console, method):
        explained, stop = _explain_rows(ask, wanted, max_seconds)
    n_done, path = len(explained), test or source.train
    receipts = _name_rows(explained, wanted[:n_done], path, source.id_column)
    if key is not None:
        receipts = receipts.signed(key.read_bytes())
    _write_receipts(console, receipts, html, out)
    if stop is not None:
        done = f"The first {n_done} of {len(wanted)} rows were explained, above."
        report_stop(console, stop, done, max_seconds)


def _explain_rows(
    ask: Ask, wanted: Sequence[str], max_seconds: float | None
) -> tuple[list[Receipt], BaseException | None]:
    """Explain rows one by one; also return what ended it early."""
    receipts: list[Receipt] = []
    try:
        with time_limit(max_seconds):
            for row in track(wanted, "explaining"):
                receipts.append(ask(row))
    except STOPS as stop:
        if receipts:
            return receipts, stop
        if isinstance(stop, TimeUpError):
            refuse_too_short(max_seconds)
        raise
    return receipts, None


def _write_receipts(
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


def _name_rows(
    receipts: Sequence[Receipt], rows: Sequence[str], path: str, id_column: str | None
) -> Receipts:
    """Receipts headed by their rows; ids are a part of them, positions are not."""
    where = "standard input" if path == "-" else Path(path).name
    if id_column is None:
        return Receipts(receipts, [f"Row {row} of {where}" for row in rows])
    named = [one.of_row(row) for one, row in zip(receipts, rows, strict=True)]
    return Receipts(named, [f"{row} of {where}" for row in rows])


def _ask_test(
    console: Console,
    fitted: FittedModel,
    path: str | None,
    id_column: str | None,
    confidence: Confidence,
) -> tuple[Sequence[Any], Ask]:
    """The rows of a test file, and a function that explains one of them."""
    if path is None:
        raise BadInputError("give the file of the rows to explain after the model.")
    check_lazy(fitted, "explain", "receipts")
    queries = fitted.read(console, path, id_column)

    def ask(row: str) -> Receipt:
        query = queries.rows.take([_find_row(row, queries.names)])
        return _explain_row(fitted, query, confidence)

    return queries.names, ask


def _ask_left_out(
    task: FileTask, choice: MethodChoice, confidence: Confidence
) -> tuple[Sequence[Any], Ask]:
    """The rows of the training file, and a function that explains one by the others."""
    if len(task.target) == 1:
        raise BadInputError(
            "the file has 1 row, so there are no others to explain it by; expected 2 "
            "rows or more."
        )

    def ask(row: str) -> Receipt:
        is_row = task.rows == task.rows[_find_row(row, task.names)]
        fitted = fit_task(task.take(~is_row), choice)
        check_lazy(fitted, "explain", "receipts")
        return _explain_row(fitted, task.table.take(is_row), confidence)

    return task.names, ask


def _explain_row(fitted: FittedModel, query: Table, confidence: Confidence) -> Receipt:
    """The receipt of a row, with a feature to measure next if cells are missing."""
    coverage, accuracy = confidence.coverage or None, confidence.abstain
    if coverage or accuracy or confidence.by:
        check_confidence(fitted, confidence)
    receipts: Receipts = fitted.model.explain(
        query,
        suggest=any(column.missing.any() for column in query),
        coverage=coverage,
        accuracy=accuracy,
        **choose_way(confidence),
    )
    return receipts[0]


def _find_row(row: str, names: Sequence[Any]) -> int:
    """The index of a row that is named by its position in the file or by its id."""
    texts = [str(name) for name in names]
    if row in texts:
        return texts.index(row)
    if any(isinstance(name, str) for name in names):
        raise BadInputError(f"--row {row}: no row has that id.{suggest(row, texts)}")
    last = int(texts[-1])
    if row.isdigit() and int(row) < last:
        raise BadInputError(
            f"--row {row} has no target and is left out; put it in another file and "
            "give that as TEST."
        )
    raise BadInputError(f"--row {row}; expected a row from 0 to {last}.")
