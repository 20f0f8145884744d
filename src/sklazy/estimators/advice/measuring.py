"""Measurements of advice: folds, leave-one-out and the cost of a query."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from sklazy.errors import BadInputError
from sklazy.estimators.advice.candidates import SELECTIONS, Candidate, Task
from sklazy.estimators.advice.comparison import (
    Clock,
    CommonRows,
    Comparison,
    QueryCost,
    cross_validate,
    measure_cost,
)
from sklazy.estimators.folds import stratified_folds
from sklazy.estimators.inputs import are_numbers, class_column
from sklazy.estimators.parameters import check_choice
from sklazy.report.progress import Progress
from sklazy.tables import Table, as_target

_WARMED_UP = 20  # rows

Ints = NDArray[np.int64]
Sample = tuple[Table, NDArray[Any], Ints]
"""Some rows, their targets and folds."""
Whole = tuple[Callable[[Ints], Table], NDArray[Any], Ints]
"""A function that reads some rows, all targets, and all rows in random order."""


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
        raise BadInputError(
            f"y has {n_different} {what} in {n_rows} rows; expected at least 2 "
            f"{what} and 4 rows."
        )


def shuffle_rows(n_rows: int, random_state: int) -> Ints:
    """The rows in random order."""
    return np.argsort(np.random.default_rng(random_state).random(n_rows), kind="stable")


def assign_folds(target: NDArray[Any], n_folds: int, random_state: int) -> Ints:
    """The fold of each row; numbers are dealt as they come."""
    alike = np.zeros(len(target), int) if target.dtype.kind == "f" else target
    shuffled = shuffle_rows(len(target), random_state)
    return stratified_folds(alike, min(n_folds, len(target)), shuffled)


def baseline_losses(target: NDArray[Any]) -> NDArray[np.float64]:
    """The losses of the most frequent class, or of the median."""
    if target.dtype.kind == "f":
        return np.abs(target - np.median(target))
    return (target != np.bincount(target).argmax()).astype(np.float64)


def measure_candidates(
    candidates: Sequence[Candidate], sample: Sample, whole: Whole, clock: Clock
) -> tuple[Comparison, dict[str, float], QueryCost | None]:
    """Compare candidates on a sample with folds; leave one out; time queries."""
    table, target, folds = sample
    loo: dict[str, float] = {}
    cost = None
    steps = len(candidates) * (int(folds.max()) + 1)
    with Progress("advising", total=steps) as progress:
        _warm_up(candidates, table, target, clock)
        outcome = cross_validate(candidates, table, target, folds, clock, progress)
        if outcome.stopped == "interrupted":
            return outcome, loo, cost
        try:
            cost = measure_cost(candidates[0], *whole, len(table.columns))
            if outcome.classifies:
                _leave_one_out(candidates, CommonRows(table, target), clock, loo)
        except KeyboardInterrupt:
            outcome = outcome._replace(stopped="interrupted")
    return outcome, loo, cost


def _warm_up(
    candidates: Sequence[Candidate], table: Table, target: NDArray[Any], clock: Clock
) -> None:
    """Compile what is compiled at first use before anything is timed."""
    some = table.take(range(min(_WARMED_UP, len(table))))
    known = CommonRows(some, target[: len(some)])
    if len(np.unique(known.target)) < 2:
        return
    for one in candidates:
        if one.family != "eager model" and (one.is_quick or not clock.is_up()):
            known.fit(one).predict(some)


def _make_frozen(candidate: Candidate) -> Any:  # noqa: ANN401 - an estimator
    """A model whose cuts are those of all rows."""
    return candidate.make().set_params(cuts="frozen")


def _leave_one_out(
    candidates: Sequence[Candidate],
    known: CommonRows,
    clock: Clock,
    accuracies: dict[str, float],
) -> None:
    """Accuracies of the methods that select, with cuts from all rows, by name."""
    for one in candidates:
        if one.family in dict(SELECTIONS) and not clock.is_up():
            predicted = known.fit(
                one._replace(make=partial(_make_frozen, one))
            ).loo_predict()
            accuracies[one.name] = float((predicted == known.target).mean())
