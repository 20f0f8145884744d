"""How good the predictions of a cross-validation are, measured and shown."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape
from rich.table import Table as Grid

from sklazy.cli.console import Terminal
from sklazy.cli.tasks import FileTask
from sklazy.measures.scores import count_confusions, score_classes, score_numbers
from sklazy.report.words import format_number, format_percent, format_value, pluralize

Floats = NDArray[np.float64]
Folds = NDArray[np.int64]
Quality = dict[str, Any]

COVERAGE = 0.9
"""Of the intervals whose coverage is measured."""

_MOST_CONFUSIONS = 10  # that are listed where the matrix is too wide
_TITLES = {
    "log_loss": "log loss",
    "auc": "AUC",
    "calibration_error": "calibration error",
    "mean_absolute_error": "mean absolute error",
    "root_mean_squared_error": "RMSE",
    "r2": "R\N{SUPERSCRIPT TWO}",
    "spread": "± over folds",
    "coverage": f"in {format_percent(COVERAGE)} intervals",
    "width": "their mean width",
}


class FoldAnswers(NamedTuple):
    """Predictions of rows, and beside them probabilities or intervals, if any."""

    predictions: NDArray[Any]
    beside: Floats | None = None


def find_classes(task: FileTask) -> list[Any]:
    """All classes of a task, in order of their texts."""
    return sorted(dict.fromkeys(task.target.tolist()), key=str)


def measure_quality(task: FileTask, answers: FoldAnswers, folds: Folds) -> Quality:
    """The quality of predictions; its spread is over folds, if there are several."""
    if task.classifies:
        return _measure_classes(task, answers, folds)
    errors = np.abs(answers.predictions - task.target)
    found = score_numbers(answers.predictions, task.target)
    quality: Quality = {
        "mean_absolute_error": found.mean_absolute_error,
        **_find_spread(errors, folds),
        "root_mean_squared_error": found.root_mean_squared_error,
        "r2": np.nan if found.r2 is None else found.r2,
    }
    if answers.beside is not None:
        low, high = answers.beside.T
        held = (low <= task.target) & (task.target <= high)
        quality["coverage"] = float(held.mean())
        quality["width"] = float((high - low).mean())
    return quality


def _measure_classes(task: FileTask, answers: FoldAnswers, folds: Folds) -> Quality:
    right = (answers.predictions == task.target).astype(float)
    quality: Quality = {"accuracy": float(right.mean()), **_find_spread(right, folds)}
    if answers.beside is None:
        return quality
    codes = {label: i for i, label in enumerate(find_classes(task))}
    truth = np.array([codes[label] for label in task.target.tolist()])
    found = score_classes(answers.beside, truth)
    return quality | {
        "log_loss": found.log_loss,
        "auc": np.nan if found.auc is None else found.auc,
        "calibration_error": found.calibration_error,
    }


def _find_spread(figures: Floats, folds: Folds) -> dict[str, float]:
    """The standard deviation of the folds' means; one fold has none."""
    means = [figures[folds == fold].mean() for fold in np.unique(folds)]
    return {"spread": float(np.std(means))} if len(means) > 1 else {}


def describe_by_class(task: FileTask, predictions: NDArray[Any]) -> list[Quality]:
    """Of each class how many rows there are, were predicted, and were right."""
    if not task.classifies:
        return []
    classes = find_classes(task)
    places = {label: i for i, label in enumerate(classes)}
    truth, predicted = (
        np.array([places[label] for label in labels.tolist()])
        for labels in (task.target, predictions)
    )
    counts = count_confusions(truth, predicted, len(classes))
    right, rows, named = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    return [
        {
            "class": label,
            "rows": int(rows[i]),
            "precision": right[i] / named[i] if named[i] else np.nan,
            "recall": right[i] / rows[i] if rows[i] else np.nan,
            "f1": 2 * right[i] / (rows[i] + named[i]),
            "predicted": dict(zip(map(str, classes), counts[i].tolist(), strict=True)),
        }
        for i, label in enumerate(classes)
    ]


def show_quality(
    terminal: Terminal,
    quality: dict[str, Quality],
    by_class: list[Quality],
    n_folds: int,
) -> None:
    """Print the figures of all methods, then those of classes."""
    grid = Grid("", box=None, header_style="bold", padding=(0, 2))
    methods = list(quality)
    for method in methods:
        label = "guess (no features)" if method == "guess" else method
        grid.add_column(label, justify="right", no_wrap=True)
    for name in quality[methods[0]]:
        figures = [quality[method].get(name) for method in methods]
        shown = ["" if f is None else _format_total(f) for f in figures]
        grid.add_row(_TITLES.get(name, name), *shown)
    terminal.print(grid)
    if by_class:
        terminal.print()
        terminal.print(_draw_classes(by_class))
        terminal.print()
        _show_confusions(terminal, by_class)
    text = f"{pluralize(n_folds, 'fold')}; each row is predicted from the other folds."
    terminal.print(f"[dim]{text}[/]")


def _format(figure: float, digits: str) -> str:
    """A figure; a dash where there is none, as of a class that is never predicted."""
    return "-" if np.isnan(figure) else format(figure, digits)


def _format_total(figure: float) -> str:
    """A figure of all rows; next to nothing beside 1 is 0, unless all are as small."""
    is_rest = 1e-18 < abs(figure) < 1e-9
    return "-" if np.isnan(figure) else format_number(0.0 if is_rest else figure)


def _draw_classes(by_class: list[Quality]) -> Grid:
    """Precision and recall of classes."""
    grid = Grid("class", box=None, header_style="bold", padding=(0, 2))
    for title in ("rows", "precision", "recall", "F1"):
        grid.add_column(title, justify="right", no_wrap=True)
    for one in by_class:
        figures = [_format(one[name], ".3f") for name in ("precision", "recall", "f1")]
        grid.add_row(escape(format_value(one["class"])), str(one["rows"]), *figures)
    return grid


def _show_confusions(terminal: Terminal, by_class: list[Quality]) -> None:
    """Print the confusion matrix if it fits; else the most frequent confusions."""
    names = [escape(format_value(one["class"])) for one in by_class]
    if sum(len(name) + 4 for name in [*names, max(names, key=len)]) > terminal.width:
        _list_confusions(terminal, by_class)
        return
    grid = Grid("true class", box=None, header_style="bold", padding=(0, 2))
    for name in names:
        grid.add_column(name, justify="right", no_wrap=True)
    for name, one in zip(names, by_class, strict=True):
        grid.add_row(name, *map(str, one["predicted"].values()))
    terminal.print("  predicted as (rows):")
    terminal.print(grid)


def _list_confusions(terminal: Terminal, by_class: list[Quality]) -> None:
    pairs = [
        (n, format_value(one["class"]), name)
        for one in by_class
        for name, n in one["predicted"].items()
        if n and name != str(one["class"])
    ]
    for n, true, taken in sorted(pairs, key=lambda pair: -pair[0])[:_MOST_CONFUSIONS]:
        terminal.print(f"  {escape(true)} taken for {escape(taken)}: {n}")
