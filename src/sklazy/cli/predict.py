"""`sklazy predict`: classify or regress a file, or cross-validate."""

import os
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from sklazy.cli.console import Console, Terminal, with_console
from sklazy.cli.csv_files import csv_options, to_csv
from sklazy.cli.methods import choose_method, make_model, method_options
from sklazy.cli.tasks import (
    IN_FILE,
    Task,
    check_folds,
    check_out,
    match_columns,
    read_rows,
    read_task,
    task_options,
)
from sklazy.cli.waiting import (
    STOPS,
    TimeUpError,
    announced,
    ask_in_parts,
    limit_options,
    partial_name,
    refuse_too_short,
    sample_rows,
    say_stopped,
    time_limit,
)
from sklazy.experiments.harness.folds import class_folds, plain_folds
from sklazy.experiments.harness.writing import write_text
from sklazy.report.progress import track
from sklazy.tables import Table

Both = tuple[NDArray[Any], NDArray[np.float64] | None]
"""Predictions, and probabilities of classes."""


@click.command()
@task_options
@click.argument("test", type=IN_FILE, required=False)
@method_options
@click.option(
    "--folds",
    default=10,
    show_default=True,
    help="Folds of the cross-validation, without TEST.",
)
@csv_options("Write the predictions to this CSV file.")
@limit_options(
    "Predict the first rows of TEST alone, or cross-validate a random sample."
)
@with_console
def predict(
    console: Console,
    train: str,
    test: str | None,
    target: str,
    kind: str,
    ignore: Sequence[str],
    method: str | None,
    settings: Sequence[str],
    seed: int,
    folds: int,
    out: str | None,
    max_rows: int | None,
    max_seconds: float | None,
) -> None:
    """Predict the rows of TEST from those of TRAIN.

    Files are CSV, Excel, JSON lines, ARFF, Parquet or Feather, - is standard input;
    labels, dates, amounts and missing cells need no preparation. Without TEST the rows
    of TRAIN are cross-validated and the quality is reported. Predictions go to standard
    output as CSV, or to the file of -o. After Ctrl-C, or --max-seconds, the rows done
    by then are written, to a file named .partial.

    \b
    Examples:
      sklazy predict wine.csv --target class
      sklazy predict train.csv new.csv -t price -o prices.csv
      sklazy predict train.csv new.csv -t class -m lazy-nb -s n_attributes=5
    """
    check_out(out, train, test)
    task = read_task(console, train, target, kind, ignore)
    name = choose_method(task, method)
    console.note(f"{task.kind} ({task.why}), method {name}")
    with announced(console, name):
        if test is None:
            task = task.take(sample_rows(len(task.table), max_rows, seed))
            _cross_validate(
                console, task, name, settings, seed, folds, out, max_seconds
            )
        else:
            limits = max_rows, max_seconds
            _predict(console, task, test, name, settings, seed, out, *limits)


def _predict(
    console: Console,
    task: Task,
    path: str,
    name: str,
    settings: Sequence[str],
    seed: int,
    out: str | None,
    max_rows: int | None,
    max_seconds: float | None,
) -> None:
    """Predict the rows of a test file."""
    test = read_rows(path, task.like)
    if max_rows is not None:
        test = test.take(range(min(max_rows, len(test))))
    rows = match_columns(console, test, task, path)
    found: list[Both] = []
    stop = None
    try:
        with time_limit(max_seconds):
            model = make_model(task, name, settings, seed).fit(task.table, task.target)
            stop = ask_in_parts(
                lambda first, last: predict_both(model, rows.take(range(first, last))),
                len(rows),
                "predicting",
                found,
            )
    except TimeUpError:
        refuse_too_short(max_seconds)
    columns = _columns(found)
    facts: dict[str, object] = {"task": task.kind, "method": name}
    if task.name in test:
        columns[task.name] = test[task.name].cells()[: len(columns["prediction"])]
        _note_quality(console, task, columns)
    if stop is None:
        _write(console, columns, facts, out)
    else:
        where = None if out is None or _is_special(out) else partial_name(out)
        done = len(columns["prediction"])
        _write(console, columns, {**facts, "partial": True, "of": len(rows)}, where)
        place = "above" if where is None else f"in {where}"
        text = f"The first {done} of {len(rows)} rows were predicted, {place}."
        say_stopped(console, stop, text, max_seconds)


def _is_special(out: str) -> bool:
    """Whether an output is a device or a pipe: there is nothing beside it."""
    return os.path.exists(out) and not os.path.isfile(out)


def _columns(found: list[Both]) -> dict[str, Sequence[object]]:
    """The columns of the output, of the parts of the rows."""
    labels = [label for part, _ in found for label in part.tolist()]
    columns: dict[str, Sequence[object]] = {"prediction": labels}
    shares = [share for _, share in found if share is not None]
    if shares:
        columns["probability"] = np.concatenate(shares).max(axis=1).tolist()
    return columns


def predict_both(
    model: Any,  # noqa: ANN401 - an estimator
    X: Table,
) -> Both:
    """Predictions of the rows, and probabilities or None if the model has none."""
    if hasattr(model, "predict_both"):
        return model.predict_both(X)
    return model.predict(X), None


def _note_quality(
    console: Console, task: Task, columns: dict[str, Sequence[object]]
) -> None:
    """Report how good the predictions are, where the test file has the target."""
    pairs = zip(columns["prediction"], columns[task.name], strict=True)
    known = [(found, true) for found, true in pairs if true is not None]
    if not known:
        return
    if task.classifies:
        right = sum(str(found) == str(true) for found, true in known)
        text = f"accuracy {right / len(known):.4f}"
    else:
        errors = [abs(float(str(a)) - float(str(b))) for a, b in known]
        text = f"mean absolute error {np.mean(errors):.4g}"
    console.note(f"{text} on {len(known)} rows with a known {task.name!r}")


def _cross_validate(
    console: Console,
    task: Task,
    name: str,
    settings: Sequence[str],
    seed: int,
    n_folds: int,
    out: str | None,
    max_seconds: float | None,
) -> None:
    n_folds = check_folds(task, n_folds)
    folds = make_folds(task, n_folds, seed)
    quality: dict[str, dict[str, float]] = {}
    found: dict[str, NDArray[Any]] = {}
    try:
        with time_limit(max_seconds):
            answers, stop = _predict_folds(task, name, settings, seed, folds)
    except TimeUpError:
        refuse_too_short(max_seconds)
    n_done = len(answers)
    if stop is not None:  # the folds that are done are folds of a smaller task
        task, folds = task.take(folds < n_done), folds[folds < n_done]
        out = None if out is None or _is_special(out) else partial_name(out)
    found[name] = _by_row(task, folds, answers)
    found["guess"] = _by_row(
        task, folds, _predict_folds(task, "guess", (), seed, folds)[0]
    )
    quality = {method: measure(task, rows, folds) for method, rows in found.items()}
    if out is not None:
        columns = {
            "row": task.rows.tolist(),  # in the file: some may have no target
            "prediction": found[name].tolist(),
            task.name: task.target.tolist(),
        }
        write_text(out, to_csv(columns))
        console.note(f"{len(task.target)} predictions in {out}")
    plain = {"task": task.kind, "method": name, "folds": n_folds, "quality": quality}
    if stop is not None:
        plain["partial"], plain["folds"], plain["of"] = True, n_done, n_folds
    console.result(plain, lambda terminal: _show(terminal, quality, n_done))
    if stop is not None:
        text = f"The quality is that of {n_done} of {n_folds} folds."
        say_stopped(console, stop, text, max_seconds)


def make_folds(task: Task, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row."""
    if not task.classifies:
        return plain_folds(len(task.target), n_folds, seed)
    texts = np.array([*map(str, task.target.tolist())], object)
    _, codes = np.unique(texts, return_inverse=True)
    return class_folds(codes, n_folds, seed)


def _predict_folds(
    task: Task,
    method: str,
    settings: Sequence[str],
    seed: int,
    folds: NDArray[np.int64],
) -> tuple[list[NDArray[Any]], BaseException | None]:
    """The rows of each fold predicted from all others, and what ended it before all."""
    found: list[NDArray[Any]] = []
    try:
        for fold in track(range(int(folds.max()) + 1), method):
            testing = folds == fold
            known = task.take(~testing)
            model = make_model(task, method, settings, seed)
            model.fit(known.table, known.target)
            found.append(model.predict(task.table.take(testing)))
    except STOPS as stop:
        if not found:
            raise
        return found, stop
    return found, None


def _by_row(
    task: Task, folds: NDArray[np.int64], answers: list[NDArray[Any]]
) -> NDArray[Any]:
    """The answers of folds in the order of the rows."""
    found = np.empty_like(task.target)
    for fold, answer in enumerate(answers):
        found[folds == fold] = answer
    return found


def measure(
    task: Task, found: NDArray[Any], folds: NDArray[np.int64]
) -> dict[str, float]:
    """The quality of predictions, and its standard deviation over folds."""
    n_folds = int(folds.max()) + 1
    if task.classifies:
        right = (found == task.target).astype(float)
        means = [right[folds == fold].mean() for fold in range(n_folds)]
        return {"accuracy": float(right.mean()), "spread": float(np.std(means))}
    errors = np.abs(found - task.target)
    means = [errors[folds == fold].mean() for fold in range(n_folds)]
    total = float(((task.target - task.target.mean()) ** 2).sum())
    explained = 1 - float((errors**2).sum()) / total if total else float("nan")
    return {
        "mean_absolute_error": float(errors.mean()),
        "spread": float(np.std(means)),
        "root_mean_squared_error": float(np.sqrt((errors**2).mean())),
        "r2": explained,
    }


_NAMES = {
    "mean_absolute_error": "mean absolute error",
    "root_mean_squared_error": "RMSE",
    "r2": "R\N{SUPERSCRIPT TWO}",
    "spread": "± over folds",
}


def _show(terminal: Terminal, quality: dict[str, dict[str, float]], n: int) -> None:
    grid = Grid("method", box=None, header_style="bold", padding=(0, 2))
    for name in next(iter(quality.values())):
        grid.add_column(_NAMES.get(name, name), justify="right", no_wrap=True)
    for method, figures in quality.items():
        label = "guess (no attributes)" if method == "guess" else method
        grid.add_row(label, *(f"{figure:.4g}" for figure in figures.values()))
    terminal.print(grid)
    terminal.print(f"[dim]{n} folds; each row predicted from the other folds.[/]")


def _write(
    console: Console,
    columns: dict[str, Sequence[object]],
    facts: dict[str, object],
    out: str | None,
) -> None:
    """Write predictions to a file or to standard output."""
    n_rows = len(columns["prediction"])
    text = to_csv({"row": range(n_rows), **columns})
    if out is not None:
        write_text(out, text)
        plain = {**facts, "rows": n_rows, "file": out}
        console.result(
            plain, lambda terminal: terminal.print(f"{n_rows} rows in {out}")
        )
        return
    console.result({**facts, **columns}, lambda _: click.echo(text, nl=False))
