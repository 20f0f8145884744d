"""Measurements of advice: the target, a sample of the rows, folds, the guess."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from sklazy.errors import BadInputError
from sklazy.estimators.advice.candidates import Candidate, Task
from sklazy.estimators.advice.comparison import (
    Clock,
    Comparison,
    cross_validate,
)
from sklazy.estimators.blends.boosted_members import on_one_thread
from sklazy.estimators.folds import stratified_folds, stratified_sample
from sklazy.estimators.inputs import are_numbers, class_column
from sklazy.estimators.parameters import check_choice
from sklazy.report.progress import Progress
from sklazy.tables import Table, as_target

_SHARE_AT_FIRST = 3  # at most a third of the rows are in the first fold

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def understand_target(y: object, task: str) -> tuple[Task, NDArray[Any]]:
    """The task of y, and the codes of its classes or its numbers."""
    check_choice("task", task, ("auto", "classification", "regression"))
    if task == "regression" or (task == "auto" and are_numbers(y)):
        target = as_target(y, "numeric")
        if target.ndim > 1:
            raise BadInputError(
                f"y has {target.shape[1]} columns; advice is for one target. Pass "
                "one column at a time."
            )
        return "regression", target
    return "classification", class_column(y).data


def check_comparable(n_rows: int, target: NDArray[Any]) -> None:
    """Refuse tables in which there is nothing to compare."""
    check_consistent_length(range(n_rows), target)
    n_different = len(np.unique(target))
    if n_rows < 4 or n_different < 2:
        what = "classes" if target.dtype.kind != "f" else "different numbers"
        one = "class" if target.dtype.kind != "f" else "number"
        found = f"1 {one}" if n_different == 1 else f"{n_different} {what}"
        raise BadInputError(
            f"y has {found} in {n_rows} rows; expected at least 2 {what} and 4 rows."
        )


def draw_sample(target: NDArray[Any], n_rows: int, random_state: int) -> Ints:
    """Some rows, ascending, with all classes in proportion; of numbers any."""
    shuffled = _shuffle_rows(len(target), random_state)
    if target.dtype.kind == "f":
        return np.sort(shuffled[:n_rows])
    return stratified_sample(target, n_rows, shuffled)


def assign_folds(
    target: NDArray[Any], n_folds: int, random_state: int, n_first: int = 0
) -> Ints:
    """The fold of each row; numbers are dealt as they come.

    The first fold has at least `n_first` rows where two thirds are left to learn from:
    one fold is then enough for a verdict, which takes half the time of two.
    """
    alike = np.zeros(len(target), int) if target.dtype.kind == "f" else target
    shuffled = _shuffle_rows(len(target), random_state)
    folds = stratified_folds(alike, min(n_folds, len(target)), shuffled)
    n_more = n_first - int((folds == 0).sum())
    if n_more <= 0 or n_first > len(target) / _SHARE_AT_FIRST:
        return folds
    others, grown = np.flatnonzero(folds), folds.copy()
    order = _shuffle_rows(len(others), random_state)
    grown[others[stratified_sample(alike[others], n_more, order)]] = 0
    return grown if len(np.unique(grown)) == len(np.unique(folds)) else folds


def _shuffle_rows(n_rows: int, random_state: int) -> Ints:
    return np.argsort(np.random.default_rng(random_state).random(n_rows), kind="stable")


def baseline_losses(target: NDArray[Any]) -> Floats:
    """The losses of the shares of the classes, or of the median."""
    if target.dtype.kind == "f":
        return np.abs(target - np.median(target))
    shares = np.bincount(target) / len(target)
    return -np.log(shares[target])


def compare(
    candidates: Sequence[Candidate],
    table: Table,
    target: NDArray[Any],
    folds: Ints,
    max_seconds: float,
    n_needed: int,
) -> Comparison:
    """Compare candidates on folds of a sample, with a bar where it takes long.

    On samples of this size threads of boosted trees gain nothing, and on a busy machine
    they wait for each other ten times as long as they work.
    """
    steps = len(candidates) * (int(folds.max()) + 1)
    with on_one_thread(), Progress("advising", steps, noun="fits") as progress:
        return cross_validate(
            candidates, table, target, folds, Clock(max_seconds), progress, n_needed
        )
