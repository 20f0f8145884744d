"""What would change an answer: the smallest changes to values that occur."""

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import AnyLearner, answer_queries
from sklazy.answer.batch import batch_of_cases
from sklazy.answer.reasons import FeatureMap, map_features
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.estimators.parameters import check_count
from sklazy.flow import Queries
from sklazy.methods.plain import describe_dates, describe_queries, describe_rows
from sklazy.report.words import Day, format_percent, format_value

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Within = Callable[[Floats], Floats]
"""From the known numbers of a feature, in order, to the two between which to choose."""

_MOST_VALUES = 20  # of a feature that are tried
_MOST_QUICK = 4  # numbers of a feature, for receipts
_INNER = 0.1, 0.9  # ranks of these numbers among the cases
_MOST_BETWEEN = 8  # numbers up to one that gives another class
_MOST_JOINED = 8  # features, and values of each, that are tried together
_MOST_JOINED_VALUES = 4


@dataclass(frozen=True)
class AnswerChange:
    """A change of some features of a row that changes its answer.

    Attributes
    ----------
    before, after : dict of str to value
        The values of the features that change.
    answer : label or float
        The answer to the changed row.
    probability : float or None
        Of that answer, where it is a class.
    size : float
        A label that differs has size 1, a number the share of cases in between.
    dates : tuple of str
        The features whose values are days since 1970-01-01.
    """

    before: dict[str, Any]
    after: dict[str, Any]
    answer: Any
    probability: float | None
    size: float
    dates: tuple[str, ...] = ()

    def __str__(self) -> str:
        moved = ", ".join(
            f"{name} {format_value(Day(value) if name in self.dates else value)}"
            for name, value in self.after.items()
        )
        share = self.probability
        sure = "" if share is None else f" ({format_percent(share)})"
        answer = self.answer if self.probability is not None else f"{self.answer:g}"
        return f"with {moved}: {answer}{sure}"


class AnswerChanges(Sequence[AnswerChange]):
    """Changes that change an answer, the smallest first.

    Attributes
    ----------
    answer : label or float
        The answer to the row as it is.
    n_tried : int
        How many changes were asked about.

    Examples
    --------
    >>> from sklazy import LazyKernelClassifier
    >>> X = [[float(number)] for number in range(12)]
    >>> model = LazyKernelClassifier().fit(X, ["low"] * 6 + ["high"] * 6)
    >>> found = model.changes([[5.0]])
    >>> print(found[0])
    with x0 6: high (99.8 %)
    """

    def __init__(
        self, found: Sequence[AnswerChange], answer: str | float, n_tried: int
    ) -> None:
        self._found, self.answer, self.n_tried = tuple(found), answer, n_tried

    def __getitem__(self, position: Any) -> Any:  # noqa: ANN401 - an index or a slice
        return self._found[position]

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"AnswerChanges({len(self)} of {self.n_tried} tried)"

    def __str__(self) -> str:
        if not self._found:
            return f"None of the {self.n_tried} changes tried gives another answer."
        return "\n".join(map(str, self._found))


class ChangeTask(NamedTuple):
    """The row that is changed, and the learner that is asked."""

    learner: AnyLearner
    cases: CaseBase
    features: FeatureMap
    query: Queries
    n_jobs: int | None


class TriedChanges(NamedTuple):
    """Changes that were tried: for each the case that lends a feature its value.

    `lenders` and `places` are of shape (n_changes, n_changed): the rows of the cases,
    and the features that take their values.
    """

    lenders: Ints
    places: Ints
    sizes: Floats

    def take(self, chosen: Ints) -> "TriedChanges":
        """Some of the changes."""
        return TriedChanges(
            self.lenders[chosen], self.places[chosen], self.sizes[chosen]
        )


def find_changes(
    model: "LazyEstimator",
    x: object,
    max_features: int,
    fixed: Collection[str],
    by: float | None,
) -> AnswerChanges:
    """Find the smallest changes of a row's answer; see `LazyEstimator.changes`."""
    check_is_fitted(model)
    check_count("max_features", max_features, most=2)
    table = model._query_table(x)
    if table.n_rows != 1:
        raise BadInputError(f"x has {table.n_rows} rows; give one, such as X[:1].")
    with model.cases_.snapshot() as state:
        cases = state.joined()
        features, query = map_features(cases), cases.encode(table)
        free = _find_free(features, fixed)
        task = ChangeTask(
            model._current_learner(cases), cases, features, query, model.n_jobs
        )
        before, score = ask_rows(task, query)
        tried = [list_singles(task, free)]
        answers = [ask_rows(task, change_row(task, tried[0]))]
        if max_features == 2 and len(tried[0].sizes):
            gains = _judge(cases, before, score, answers[0][1])
            tried.append(_list_pairs(tried[0], gains))
            answers.append(ask_rows(task, change_row(task, tried[1])))
        cells = describe_queries(cases, query, table)[0]
        found = list(_describe(task, tried, answers, before, cells, by))
    found.sort(key=lambda change: (len(change.after), change.size))
    n_tried = sum(len(one.sizes) for one in tried)
    return AnswerChanges(found, _name_answer(cases, before[0]), n_tried)


def find_quick_change(
    task: ChangeTask, features: Sequence[int], output: int
) -> dict[str, Any] | None:
    """Find the change of one of some features that changes the answer most.

    Few values of each are tried, none of them rare. A change to another class comes
    first, the smallest, also of some numbers in between; else the one that lowers the
    output most, or moves a number most.

    Parameters
    ----------
    task : ChangeTask
    features : sequence of int
    output : int
        The class whose probability is explained, or the target.
    """
    tried = list_singles(task, features, _MOST_QUICK, _find_inner)
    if not len(tried.sizes):
        return None
    before, score = ask_rows(task, task.query)
    after, scores = ask_rows(task, change_row(task, tried))
    moves = score[0, output] - scores[:, output]
    best = _choose_change(task, tried, after != before[0], moves)
    if not moves[best]:
        return None
    if task.cases.class_labels and after[best] != before[0]:
        tried = _list_between(task, tried, best)
        after, scores = ask_rows(task, change_row(task, tried))
        moves = score[0, output] - scores[:, output]
        best = _choose_change(task, tried, after != before[0], moves)
    cells = [{"value": None}] * task.query.codes.shape[1]
    ((name, value),) = _name_values(task, tried, best, cells)[1].items()
    answer = _name_answer(task.cases, after[best])
    return {
        "name": name,
        "value": value,
        "answer": answer,
        "output": float(scores[best, output]),
    }


def _choose_change(
    task: ChangeTask, tried: TriedChanges, flips: NDArray[np.bool_], moves: Floats
) -> int:
    """The smallest change to another class; else the one that moves most."""
    if not task.cases.class_labels:
        return int(np.argmax(np.abs(moves)))
    order = np.lexsort((-moves, np.where(flips, tried.sizes, 0.0), ~flips))
    return int(order[0])


def _list_between(task: ChangeTask, tried: TriedChanges, best: int) -> TriedChanges:
    """Changes of the same feature to numbers up to the one that it changes to."""
    feature = int(tried.places[best, 0])
    j = int(np.flatnonzero(task.features.of_attribute == feature)[0])
    lent = batch_of_cases(task.cases, tried.lenders[best]).queries
    ends = np.sort([task.query.values[0, j], lent.values[0, j]])
    if np.isnan(ends).any():  # a label, or missing
        return tried.take(np.array([best]))
    return list_singles(task, [feature], _MOST_BETWEEN, lambda _: ends)


def _find_free(features: FeatureMap, fixed: Collection[str]) -> list[int]:
    """The features that may change."""
    names = [fixed] if isinstance(fixed, str) else list(fixed)
    unknown = [name for name in names if name not in features.names]
    if unknown:
        raise BadInputError(
            f"fixed names {unknown[0]!r}, which is not a feature; choose from "
            f"{', '.join(map(repr, features.names[:8]))}."
        )
    return [j for j, name in enumerate(features.names) if name not in names]


def ask_rows(task: ChangeTask, queries: Queries) -> tuple[NDArray[Any], Floats]:
    """Answers by code or number, and probabilities or numbers."""
    learner, cases = task.learner, task.cases
    if cases.class_labels:
        outputs = ("decisions", "probabilities")
        found = answer_queries(learner, cases, queries, outputs, n_jobs=task.n_jobs)
        return found[0], found[1]
    (values,) = answer_queries(learner, cases, queries, ("values",), n_jobs=task.n_jobs)
    return values[:, 0], values


def list_singles(
    task: ChangeTask,
    free: Sequence[int],
    most: int = _MOST_VALUES,
    within: Within | None = None,
) -> TriedChanges:
    """Values of each feature that occur: all labels, numbers at even ranks.

    Numbers lie `within` two, which may depend on the known ones.
    """
    lenders: list[int] = []
    places: list[int] = []
    sizes: list[float] = []
    for feature in free:
        columns = np.flatnonzero(task.features.of_attribute == feature)
        if not len(columns):
            continue
        for row, size in _list_values(task, int(columns[0]), most, within):
            lenders.append(row)
            places.append(feature)
            sizes.append(size)
    shape = len(lenders), 1
    return TriedChanges(
        np.array(lenders, np.int64).reshape(shape),
        np.array(places, np.int64).reshape(shape),
        np.array(sizes),
    )


def _find_inner(known: Floats) -> Floats:
    """Two numbers between which most lie."""
    return np.quantile(known, _INNER, method="nearest")


def _list_values(
    task: ChangeTask, j: int, most: int, within: Within | None
) -> Iterator[tuple[int, float]]:
    """Cases that have other values of an attribute, and how far these are."""
    cases = task.cases.cases
    order = task.cases.order
    if cases.numeric[j] < 0:
        codes = cases.codes[j, : cases.n_rows][order]
        values, first = np.unique(codes, return_index=True)
        for value, at in zip(values.tolist(), first.tolist(), strict=True):
            if value >= 0 and value != task.query.codes[0, j]:
                yield int(order[at]), 1.0
        return
    numbers, present = cases.numbers[cases.numeric[j]][order], task.query.values[0, j]
    known = np.sort(numbers[~np.isnan(numbers)])
    values, first = np.unique(numbers, return_index=True)
    keep = ~np.isnan(values) & (values != present)
    if within is not None and len(known):
        low, high = within(known)
        keep &= (values >= low) & (values <= high)
    values, first = values[keep], first[keep]
    some = np.unique(np.linspace(0, len(values) - 1, most).round().astype(int))
    for at in some.tolist() if len(values) else []:
        first_end, last_end = sorted((values[at], present))
        share = np.mean((known > first_end) & (known <= last_end))
        yield int(order[first[at]]), 1.0 if np.isnan(present) else float(share)


def change_row(task: ChangeTask, tried: TriedChanges) -> Queries:
    """The row with each of the changes."""
    n_changes = len(tried.sizes)
    codes = np.repeat(task.query.codes, n_changes, axis=0)
    values = np.repeat(task.query.values, n_changes, axis=0)
    for lenders, places in zip(tried.lenders.T, tried.places.T, strict=True):
        lent = batch_of_cases(task.cases, lenders).queries
        taken = task.features.of_attribute[None, :] == places[:, None]
        codes = np.where(taken, lent.codes, codes)
        values = np.where(taken, lent.values, values)
    return Queries(codes, values)


def _judge(
    cases: CaseBase, before: NDArray[Any], score: Floats, scores: Floats
) -> Floats:
    """How far each change moves the answer; away from the class, or either way."""
    if cases.class_labels:
        code = int(before[0])
        return np.asarray(score[0, code] - scores[:, code])
    return np.abs(scores[:, 0] - score[0, 0])


def _list_pairs(singles: TriedChanges, gains: Floats) -> TriedChanges:
    """Pairs of the changes that move most, of different features."""
    features = singles.places[:, 0]
    best = {f: gains[features == f].max() for f in np.unique(features).tolist()}
    chosen = sorted(best, key=lambda f: (-best[f], f))[:_MOST_JOINED]
    top = {
        f: sorted(np.flatnonzero(features == f).tolist(), key=lambda i: (-gains[i], i))[
            :_MOST_JOINED_VALUES
        ]
        for f in chosen
    }
    pairs = [
        (a, b)
        for one, other in itertools.combinations(chosen, 2)
        for a, b in itertools.product(top[one], top[other])
    ]
    at = np.array(pairs, np.int64).reshape(-1, 2)
    sizes = singles.sizes[at].sum(axis=1)
    return TriedChanges(singles.lenders[:, 0][at], singles.places[:, 0][at], sizes)


def _describe(
    task: ChangeTask,
    tried: Sequence[TriedChanges],
    answers: Sequence[tuple[NDArray[Any], Floats]],
    before: NDArray[Any],
    cells: Sequence[dict[str, Any]],
    by: float | None,
) -> Iterator[AnswerChange]:
    """The smallest change of each set of features that gives another answer."""
    cases = task.cases
    least = _find_least(cases, by)
    done: set[tuple[int, ...]] = set()
    for one, (answers_after, scores) in zip(tried, answers, strict=True):
        if cases.class_labels:
            moves = answers_after != before[0]
        else:
            moves = np.abs(answers_after - before[0]) >= least
        passing = np.flatnonzero(moves)
        for i in passing[np.argsort(one.sizes[passing], kind="stable")].tolist():
            features = tuple(sorted(one.places[i].tolist()))
            if any(set(earlier) <= set(features) for earlier in done):
                continue
            done.add(features)
            share = float(scores[i, answers_after[i]]) if cases.class_labels else None
            moved = _name_values(task, one, i, cells)
            answer = _name_answer(cases, answers_after[i])
            dates = tuple(describe_dates(cases).get("dates", ()))
            yield AnswerChange(*moved, answer, share, float(one.sizes[i]), dates)


def _name_values(
    task: ChangeTask, tried: TriedChanges, i: int, cells: Sequence[dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values before and after a change, by the names of features."""
    before, after = {}, {}
    for lender, feature in zip(tried.lenders[i], tried.places[i], strict=True):
        j = int(np.flatnonzero(task.features.of_attribute == feature)[0])
        name = task.features.names[int(feature)]
        before[name] = cells[j]["value"]
        (lent,) = describe_rows(task.cases, np.array([lender]), [j])
        after[name] = next(iter(lent.values()))
    return before, after


def _find_least(cases: CaseBase, by: float | None) -> float:
    """By how much a number must move: as stated, or the deviation of the target."""
    if by is not None or cases.class_labels:
        return float(by or 0.0)
    return float(cases.cases.targets[0, : cases.n_rows].std())


def _name_answer(cases: CaseBase, answer: Any) -> Any:  # noqa: ANN401 - label or number
    return cases.class_labels[int(answer)] if cases.class_labels else float(answer)
