"""What advice measures: folds, leave-one-out and the cost of a query."""

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
    Outcome,
    QueryCost,
    Shared,
    cross_validate,
    measure_cost,
)
from sklazy.estimators.folds import stratified_folds
from sklazy.estimators.inputs import class_column
from sklazy.estimators.parameters import check_choice
from sklazy.report.progress import Progress
from sklazy.tables import Table, as_target

_WARMED_UP = 20  # rows
_MOST_CLASSES = 20  # more different whole numbers are not classes

Ints = NDArray[np.int64]
Sample = tuple[Table, NDArray[Any], Ints]
"""Some rows, their targets and folds."""
Whole = tuple[Callable[[Ints], Table], NDArray[Any], Ints]
"""A function that reads some rows, all targets, and all rows in random order."""


def understand_target(y: object, task: str) -> tuple[Task, NDArray[Any]]:
    """What y is, and the codes of its classes or its numbers."""
    check_choice("task", task, ("auto", "classification", "regression"))
    if task == "regression" or (task == "auto" and _are_numbers(y)):
        target = as_target(y, "numeric")
        if target.ndim > 1:
            raise BadInputError(
                f"y has {target.shape[1]} columns; advice is for one target. Ask for "
                "each by itself."
            )
        return "regression", target
    return "classification", class_column(y).data


def _are_numbers(y: object) -> bool:
    """Whether y holds numbers that are measured rather than names of classes."""
    target = as_target(y, "nominal").occurring()
    labels = target.categories
    if not all(isinstance(l, int | float) and not isinstance(l, bool) for l in labels):
        return False
    fractions = any(isinstance(l, float) and not l.is_integer() for l in labels)
    return fractions or len(labels) > min(_MOST_CLASSES, max(2, len(target) // 5))


def check_rows(n_rows: int, target: NDArray[Any]) -> None:
    """Refuse tables in which there is nothing to compare."""
    check_consistent_length(range(n_rows), target)
    n_different = len(np.unique(target))
    if n_rows < 4 or n_different < 2:
        what = "classes" if target.dtype.kind != "f" else "different numbers"
        raise BadInputError(
            f"y has {n_different} {what} in {n_rows} rows; expected at least 2 "
            f"{what} and 4 rows."
        )


def shuffle(n_rows: int, random_state: int) -> Ints:
    """The rows in random order."""
    return np.argsort(np.random.default_rng(random_state).random(n_rows), kind="stable")


def make_folds(target: NDArray[Any], n_folds: int, random_state: int) -> Ints:
    """The fold of each row; numbers are dealt as they come."""
    alike = np.zeros(len(target), int) if target.dtype.kind == "f" else target
    shuffled = shuffle(len(target), random_state)
    return stratified_folds(alike, min(n_folds, len(target)), shuffled)


def guess(target: NDArray[Any]) -> NDArray[np.float64]:
    """The losses of the most frequent class, or of the median."""
    if target.dtype.kind == "f":
        return np.abs(target - np.median(target))
    return (target != np.bincount(target).argmax()).astype(np.float64)


def measure(
    candidates: Sequence[Candidate], sample: Sample, whole: Whole, clock: Clock
) -> tuple[Outcome, dict[str, float], QueryCost | None]:
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
                _leave_one_out(candidates, Shared(table, target), clock, loo)
        except KeyboardInterrupt:
            outcome = outcome._replace(stopped="interrupted")
    return outcome, loo, cost


def _warm_up(
    candidates: Sequence[Candidate], table: Table, target: NDArray[Any], clock: Clock
) -> None:
    """Compile what is compiled at first use before anything is timed."""
    some = table.take(range(min(_WARMED_UP, len(table))))
    known = Shared(some, target[: len(some)])
    if len(np.unique(known.target)) < 2:
        return
    for one in candidates:
        if one.family != "eager model" and (one.is_quick or not clock.is_up()):
            known.fit(one).predict(some)


def _frozen(candidate: Candidate) -> Any:  # noqa: ANN401 - an estimator
    """A model whose cuts are those of all rows."""
    return candidate.make().set_params(cuts="frozen")


def _leave_one_out(
    candidates: Sequence[Candidate],
    known: Shared,
    clock: Clock,
    found: dict[str, float],
) -> None:
    """Accuracies of the methods that select, with cuts from all rows, by name."""
    for one in candidates:
        if one.family in dict(SELECTIONS) and not clock.is_up():
            predicted = known.fit(
                one._replace(make=partial(_frozen, one))
            ).loo_predict()
            found[one.name] = float((predicted == known.target).mean())
