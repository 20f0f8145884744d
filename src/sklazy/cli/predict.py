"""`sklazy predict`: classify or regress a file, or cross-validate."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as Grid

from sklazy.cli.console import Speaker, speaks
from sklazy.cli.methods import choose_method, make_model, method_options
from sklazy.cli.tasks import (
    OUT_FILE,
    Task,
    check_folds,
    check_out,
    match_columns,
    read_rows,
    read_task,
    task_options,
)
from sklazy.experiments.harness.folds import plain_folds, stratified_folds
from sklazy.experiments.harness.writing import write_text
from sklazy.report.progress import track


@click.command()
@task_options
@click.argument("test", type=click.Path(exists=True, dir_okay=False), required=False)
@method_options
@click.option("--folds", default=10, show_default=True, help="Without TEST.")
@click.option("--out", "-o", type=OUT_FILE, help="Write predictions to this file.")
@speaks
def predict(
    speaker: Speaker,
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
) -> None:
    """Predict the rows of TEST from those of TRAIN.

    Files are CSV, ARFF, Parquet or Feather, with labels and missing cells as they
    are. Without TEST the rows of TRAIN are predicted from each other
    (cross-validation) and the quality is reported. Predictions go to standard output
    as CSV, or to the file that -o names.

    \b
    Examples:
      sklazy predict wine.csv --target class
      sklazy predict train.csv new.csv -t price -o prices.csv
      sklazy predict train.csv new.csv -t class -m lazy-nb -s n_attributes=5
    """
    check_out(out, train, test)
    task = read_task(speaker, train, target, kind, ignore)
    name = choose_method(task, method)
    speaker.note(f"{task.kind} ({task.why}), method {name}")
    if test is None:
        _cross_validate(speaker, task, name, settings, seed, folds, out)
    else:
        _predict(speaker, task, test, name, settings, seed, out)


def _predict(
    speaker: Speaker,
    task: Task,
    path: str,
    name: str,
    settings: Sequence[str],
    seed: int,
    out: str | None,
) -> None:
    """Learn from all rows, predict the test file's."""
    test = read_rows(path)
    rows = match_columns(speaker, test, task, path)
    model = make_model(task, name, settings, seed).fit(task.table, task.target)
    columns: dict[str, Sequence[object]] = {"prediction": model.predict(rows).tolist()}
    if task.classifies and hasattr(model, "predict_proba"):
        columns["probability"] = model.predict_proba(rows).max(axis=1).tolist()
    if task.name in test:
        columns[task.name] = test[task.name].cells()
        _note_quality(speaker, task, columns)
    _give(speaker, columns, {"task": task.kind, "method": name}, out)


def _note_quality(
    speaker: Speaker, task: Task, columns: dict[str, Sequence[object]]
) -> None:
    """Say how good the predictions are, where the test file has the truth."""
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
    speaker.note(f"{text} on {len(known)} rows whose {task.name!r} is known")


def _cross_validate(
    speaker: Speaker,
    task: Task,
    name: str,
    settings: Sequence[str],
    seed: int,
    n_folds: int,
    out: str | None,
) -> None:
    n_folds = check_folds(task, n_folds)
    folds = make_folds(task, n_folds, seed)
    quality: dict[str, dict[str, float]] = {}
    found: dict[str, NDArray[Any]] = {}
    for method, chosen in ((name, settings), ("guess", ())):
        found[method] = _predict_folds(task, method, chosen, seed, folds)
        quality[method] = measure(task, found[method], folds)
    if out is not None:
        columns = {
            "row": task.rows.tolist(),  # in the file: some may have no target
            "prediction": found[name].tolist(),
            task.name: task.target.tolist(),
        }
        write_text(out, to_csv(columns))
        speaker.note(f"{len(task.target)} predictions in {out}")
    plain = {"task": task.kind, "method": name, "folds": n_folds, "quality": quality}
    speaker.tell(plain, lambda console: _show(console, quality, n_folds))


def make_folds(task: Task, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row."""
    if not task.classifies:
        return plain_folds(len(task.target), n_folds, seed)
    _, codes = np.unique(task.target.astype(str), return_inverse=True)
    return stratified_folds(codes, n_folds, seed)


def _predict_folds(
    task: Task,
    method: str,
    settings: Sequence[str],
    seed: int,
    folds: NDArray[np.int64],
) -> NDArray[Any]:
    """Each fold's rows predicted from all others."""
    found = np.empty_like(task.target)
    for fold in track(range(int(folds.max()) + 1), method):
        testing = folds == fold
        learned = task.take(~testing)
        model = make_model(task, method, settings, seed)
        model.fit(learned.table, learned.target)
        found[testing] = model.predict(task.table.take(testing))
    return found


def measure(
    task: Task, found: NDArray[Any], folds: NDArray[np.int64]
) -> dict[str, float]:
    """How good predictions are, and how much folds differ."""
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


def _show(console: Console, quality: dict[str, dict[str, float]], n: int) -> None:
    grid = Grid("method", box=None, header_style="bold", padding=(0, 2))
    for name in next(iter(quality.values())):
        grid.add_column(_NAMES.get(name, name), justify="right", no_wrap=True)
    for method, figures in quality.items():
        label = "guess (no attributes)" if method == "guess" else method
        grid.add_row(label, *(f"{figure:.4g}" for figure in figures.values()))
    console.print(grid)
    console.print(f"[dim]{n} folds; each row predicted from the other folds.[/]")


def _give(
    speaker: Speaker,
    columns: dict[str, Sequence[object]],
    facts: dict[str, object],
    out: str | None,
) -> None:
    """Write predictions where they are wanted."""
    n_rows = len(columns["prediction"])
    text = to_csv({"row": range(n_rows), **columns})
    if out is not None:
        write_text(out, text)
        plain = {**facts, "rows": n_rows, "file": out}
        speaker.tell(plain, lambda console: console.print(f"{n_rows} rows in {out}"))
        return
    speaker.tell({**facts, **columns}, lambda console: click.echo(text, nl=False))


def to_csv(columns: dict[str, Sequence[object]]) -> str:
    """Columns as CSV.

    Examples
    --------
    >>> print(to_csv({"row": [0, 1], "prediction": ["a, b", None]}), end="")
    row,prediction
    0,"a, b"
    1,
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()
