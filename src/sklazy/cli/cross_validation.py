"""Cross-validation of a method on a file, beside a guess without features."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from sklazy.cli.console import Console, Terminal
from sklazy.cli.folds import class_folds, plain_folds
from sklazy.cli.models import make_model
from sklazy.cli.options import MethodChoice
from sklazy.cli.tasks import FileTask, check_folds
from sklazy.cli.waiting import (
    STOPS,
    TimeUpError,
    partial_name,
    refuse_too_short,
    report_stop,
    time_limit,
)
from sklazy.cli.writing import to_csv, write_text
from sklazy.report.progress import track
from sklazy.report.words import pluralize

Folds = NDArray[np.int64]


def cross_validate(
    console: Console,
    task: FileTask,
    choice: MethodChoice,
    n_folds: int,
    out: str | None,
    max_seconds: float | None,
) -> None:
    """Predict each fold from the others, write the predictions and their quality."""
    n_folds = check_folds(task, n_folds)
    folds = task_folds(task, n_folds, choice.seed)
    try:
        with time_limit(max_seconds):
            answers, stop = _predict_folds(task, choice, folds, n_folds)
    except TimeUpError:
        refuse_too_short(max_seconds)
    guess = MethodChoice("guess", (), choice.seed)
    guesses, late = _predict_folds(task, guess, folds, len(answers))
    n_done, stop = len(guesses), stop or late
    if stop is not None:  # the folds that are done are folds of a smaller task
        task, folds = task.take(folds < n_done), folds[folds < n_done]
        out = partial_name(out)
    predictions = _order_by_row(task, folds, answers[:n_done])
    quality = {
        choice.method: _measure_quality(task, predictions, folds),
        "guess": _measure_quality(task, _order_by_row(task, folds, guesses), folds),
    }
    if out is not None:
        columns = {
            "row": task.names,  # in the file: some may have no target
            "prediction": predictions.tolist(),
            task.name: task.target.tolist(),
        }
        write_text(out, to_csv(columns))
        console.note(f"{len(task.target)} predictions in {out}")
    plain = {"task": task.kind, "method": choice.method, "folds": n_folds}
    plain["quality"] = quality
    if stop is not None:
        plain["partial"], plain["folds"], plain["of"] = True, n_done, n_folds
    console.result(plain, lambda terminal: _show_quality(terminal, quality, n_done))
    if stop is not None:
        done = f"This is the quality on {n_done} of {pluralize(n_folds, 'fold')}."
        report_stop(console, stop, done, max_seconds)


def task_folds(task: FileTask, n_folds: int, seed: int) -> Folds:
    """The fold of each row; classes are spread evenly."""
    if not task.classifies:
        return plain_folds(len(task.target), n_folds, seed)
    texts = np.array([*map(str, task.target.tolist())], object)
    _, codes = np.unique(texts, return_inverse=True)
    return class_folds(codes, n_folds, seed)


def _predict_folds(
    task: FileTask, choice: MethodChoice, folds: Folds, n_folds: int
) -> tuple[list[NDArray[Any]], BaseException | None]:
    """Predict the first folds, each from all others; return what ended it early."""
    answers: list[NDArray[Any]] = []
    try:
        for fold in track(range(n_folds), choice.method):
            testing = folds == fold
            known = task.take(~testing)
            model = make_model(task, choice)
            model.fit(known.table, known.target)
            answers.append(model.predict(task.table.take(testing)))
    except STOPS as stop:
        if not answers:
            raise
        return answers, stop
    return answers, None


def _order_by_row(
    task: FileTask, folds: Folds, answers: list[NDArray[Any]]
) -> NDArray[Any]:
    predictions = np.empty_like(task.target)
    for fold, answer in enumerate(answers):
        predictions[folds == fold] = answer
    return predictions


def _measure_quality(
    task: FileTask, predictions: NDArray[Any], folds: Folds
) -> dict[str, float]:
    """The quality of predictions, and its standard deviation over several folds."""
    if task.classifies:
        right = (predictions == task.target).astype(float)
        return {"accuracy": float(right.mean()), **_spread(right, folds)}
    errors = np.abs(predictions - task.target)
    total = float(((task.target - task.target.mean()) ** 2).sum())
    explained = 1 - float((errors**2).sum()) / total if total else float("nan")
    return {
        "mean_absolute_error": float(errors.mean()),
        **_spread(errors, folds),
        "root_mean_squared_error": float(np.sqrt((errors**2).mean())),
        "r2": explained,
    }


def _spread(figures: NDArray[np.float64], folds: Folds) -> dict[str, float]:
    """The standard deviation of the folds' means; one fold has none."""
    means = [figures[folds == fold].mean() for fold in np.unique(folds)]
    return {"spread": float(np.std(means))} if len(means) > 1 else {}


_TITLES = {
    "mean_absolute_error": "mean absolute error",
    "root_mean_squared_error": "RMSE",
    "r2": "R\N{SUPERSCRIPT TWO}",
    "spread": "± over folds",
}


def _show_quality(
    terminal: Terminal, quality: dict[str, dict[str, float]], n_folds: int
) -> None:
    grid = Grid("method", box=None, header_style="bold", padding=(0, 2))
    for name in next(iter(quality.values())):
        grid.add_column(_TITLES.get(name, name), justify="right", no_wrap=True)
    for method, figures in quality.items():
        label = "guess (no features)" if method == "guess" else method
        grid.add_row(label, *(f"{figure:.4g}" for figure in figures.values()))
    terminal.print(grid)
    text = f"{pluralize(n_folds, 'fold')}; each row is predicted from the other folds."
    terminal.print(f"[dim]{text}[/]")
