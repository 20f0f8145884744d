"""Cross-validation of a method on a file, beside a guess without features."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.cli.console import Console
from sklazy.cli.folds import class_folds, plain_folds
from sklazy.cli.models import make_model
from sklazy.cli.options import MethodChoice
from sklazy.cli.quality import (
    COVERAGE,
    FoldAnswers,
    describe_by_class,
    find_classes,
    measure_quality,
    show_quality,
)
from sklazy.cli.tasks import FileTask, check_folds, count_repeated
from sklazy.cli.waiting import (
    STOPS,
    TimeUpError,
    partial_name,
    refuse_too_short,
    report_stop,
    time_limit,
)
from sklazy.cli.writing import free_name, write_columns
from sklazy.measures.conformal import rows_needed
from sklazy.report.progress import Progress
from sklazy.report.words import pluralize
from sklazy.tables import Table

Folds = NDArray[np.int64]

_PARTS, _FEW_ROWS = 10, 50  # of a fold, after each of which progress moves
_WORTH_NOTING = 0.01  # of the rows, from which on repeated ones are noted
_MOST_FOR_INTERVALS = 2000  # rows up to which intervals are measured


def _note_repeated(console: Console, task: FileTask) -> None:
    """Note rows that are there more than once: folds learn what they are tested on."""
    n_repeated = count_repeated([*task.table, task.target_column()])
    if n_repeated < _WORTH_NOTING * len(task.target):
        return
    are = "row is" if n_repeated == 1 else "rows are"
    console.note(
        f"note: {n_repeated} {are} equal to an earlier one, the target included. "
        "Copies in training and test folds make the quality look better than it will "
        "be for new rows; if they are copies of the same cases, leave all but one of "
        "each out."
    )


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
    _note_repeated(console, task)
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
    ordered = _order_by_row(task, folds, answers[:n_done])
    quality = {
        choice.method: measure_quality(task, ordered, folds),
        "guess": measure_quality(task, _order_by_row(task, folds, guesses), folds),
    }
    if "auc" in quality["guess"]:
        quality["guess"]["auc"] = 0.5  # folds have other shares, which rank no rows
    by_class = describe_by_class(task, ordered.predictions)
    _write_answers(console, task, ordered, out)
    plain = {
        **{"task": task.kind, "method": choice.method, "folds": n_done},
        **{"quality": quality, "classes": by_class},
        **({"partial": True, "of": n_folds} if stop is not None else {}),
    }
    console.result(
        plain, lambda terminal: show_quality(terminal, quality, by_class, n_done)
    )
    if stop is not None:
        done = f"This is the quality on {n_done} of {pluralize(n_folds, 'fold')}."
        report_stop(console, stop, done, max_seconds)


def _write_answers(
    console: Console, task: FileTask, answers: FoldAnswers, out: str | None
) -> None:
    if out is None:
        return
    columns = {
        "row": task.names,  # in the file: some may have no target
        "prediction": answers.predictions.tolist(),
    }
    truth = free_name(task.name, columns, "true")
    columns[truth] = task.target.tolist()
    write_columns(out, columns)
    console.note(f"{len(task.target)} predictions in {out}")


def task_folds(task: FileTask, n_folds: int, seed: int) -> Folds:
    """The fold of each row; classes are spread evenly."""
    if not task.classifies:
        return plain_folds(len(task.target), n_folds, seed)
    texts = np.array([*map(str, task.target.tolist())], object)
    _, codes = np.unique(texts, return_inverse=True)
    return class_folds(codes, n_folds, seed)


def _predict_folds(
    task: FileTask, choice: MethodChoice, folds: Folds, n_folds: int
) -> tuple[list[FoldAnswers], BaseException | None]:
    """Predict the first folds, each from all others; return what ended it early."""
    answers: list[FoldAnswers] = []
    n_rows, begin = int((folds < n_folds).sum()), time.monotonic()
    try:
        with Progress("predicting", total=n_rows) as progress:
            for fold in range(n_folds):
                progress.advance(0, f"fold {fold + 1} of {n_folds}")
                testing = folds == fold
                known = task.take(~testing)
                model = make_model(task, choice)
                model.fit(known.table, known.target)
                answers.append(_ask(task, model, task.table.take(testing), progress))
                if fold == 0:
                    progress.expect((time.monotonic() - begin) * (n_folds - 1))
    except STOPS as stop:
        if not answers:
            raise
        return answers, stop
    return answers, None


def _ask(
    task: FileTask,
    model: Any,  # noqa: ANN401 - an estimator
    rows: Table,
    progress: Progress,
) -> FoldAnswers:
    """FoldAnswers to the rows of a fold, some at a time, so that progress moves."""
    n_parts = min(_PARTS, 1 + len(rows) // _FEW_ROWS)
    places = np.array_split(np.arange(len(rows)), n_parts)
    parts = []
    for some in places:
        parts.append(_ask_part(task, model, rows.take(some)))
        progress.advance(len(some), progress.note)
    predictions = np.concatenate([part.predictions for part in parts])
    beside = [part.beside for part in parts if part.beside is not None]
    return FoldAnswers(predictions, np.concatenate(beside) if beside else None)


def _ask_part(task: FileTask, model: Any, rows: Table) -> FoldAnswers:  # noqa: ANN401
    """Predictions with probabilities of all classes, or intervals, where there are."""
    predictions = np.asarray(model.predict(rows))
    if not task.classifies:
        return FoldAnswers(predictions, _find_intervals(task, model, rows))
    try:
        shares = model.predict_proba(rows)
    except AttributeError:  # some methods have none
        return FoldAnswers(predictions)
    codes = {label: i for i, label in enumerate(find_classes(task))}
    every = np.zeros((len(rows), len(codes)))
    every[:, [codes[label] for label in model.classes_.tolist()]] = shares
    return FoldAnswers(predictions, every)


def _find_intervals(
    task: FileTask,
    model: Any,  # noqa: ANN401 - an estimator
    rows: Table,
) -> NDArray[np.float64] | None:
    """Intervals of numbers, if the model has them and the table is not large."""
    is_small = len(task.target) <= _MOST_FOR_INTERVALS
    if not (is_small and hasattr(model, "predict_interval")):
        return None
    if model.cases_.n_rows < rows_needed(COVERAGE):
        return None
    return np.asarray(model.predict_interval(rows, coverage=COVERAGE), np.float64)


def _order_by_row(
    task: FileTask, folds: Folds, answers: list[FoldAnswers]
) -> FoldAnswers:
    predictions = np.empty_like(task.target)
    some = answers[0].beside
    beside = None if some is None else np.empty((len(folds), some.shape[1]))
    for fold, answer in enumerate(answers):
        predictions[folds == fold] = answer.predictions
        if beside is not None and answer.beside is not None:
            beside[folds == fold] = answer.beside
    return FoldAnswers(predictions, beside)
