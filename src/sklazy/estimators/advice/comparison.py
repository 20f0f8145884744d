"""Lazy, eager and no selection, and two eager models, compared on the same rows."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklazy.estimators.blends.blend import LazyBlendClassifier
from sklazy.estimators.encoded import EncodedModel
from sklazy.estimators.folds import stratified_sample
from sklazy.estimators.kernel_models import LazyKernelClassifier
from sklazy.estimators.selection.bayes import LazyNBClassifier
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.report.progress import Progress
from sklazy.tables import Kind, Table

Family = Literal[
    "lazy selection",
    "eager selection",
    "no selection",
    "kernel and blend",
    "eager model",
]

_SELECTIONS: tuple[tuple[Family, str], ...] = (
    ("lazy selection", "lazy"),
    ("eager selection", "eager"),
    ("no selection", "none"),
)
_MOST_CELLS = 4_000_000  # of a table that costs are measured on
_TIMED = 200  # queries


class Candidate(NamedTuple):
    """A method to compare.

    Attributes
    ----------
    name : str
        The expression that makes it.
    family : str
        Whether and how attributes are selected, or "kernel and blend", or "eager
        model".
    host : str
        The kind of classifier.
    make : function
        Returns a new model, which is fitted to a `Table`.
    """

    name: str
    family: Family
    host: str
    make: Callable[[], Any]


class Outcome(NamedTuple):
    """The results of a comparison.

    Attributes
    ----------
    rows : int64 array of shape (n_tested,)
        The rows that were predicted.
    correct : bool array of shape (n_candidates, n_tested)
    seconds : float64 array of shape (n_candidates,)
        Time to predict a row in a batch.
    n_folds : int
        How many folds were run.
    """

    rows: NDArray[np.int64]
    correct: NDArray[np.bool_]
    seconds: NDArray[np.float64]
    n_folds: int


@dataclass(frozen=True)
class QueryCost:
    """The cost of one query, k-NN with lazy selection.

    Attributes
    ----------
    in_batch, alone : float
        Seconds for a row in a batch of 200, and for a single row.
    n_rows : int
        The number of cases it holds for.
    n_measured : int
        The number of cases it was measured with; if these are fewer, the time is
        scaled up in proportion.
    """

    in_batch: float
    alone: float
    n_rows: int
    n_measured: int


def list_candidates(
    kinds: Sequence[Kind],
    n_neighbors: int,
    n_attributes: int | float | str,
    random_state: int,
) -> list[Candidate]:
    """Two hosts with three kinds of selection, kernel and blend, two eager models.

    Parameters
    ----------
    kinds : sequence of "numeric" or "nominal"
        Those of the columns.
    n_neighbors, n_attributes, random_state
        As for `advise`.
    """
    found = []
    for family, selection in _SELECTIONS:
        # Without selection the number of attributes does not matter.
        number = {} if selection == "none" else {"n_attributes": n_attributes}
        given = {**number, "selection": selection}
        found += [
            _lazy(
                LazyKNeighborsClassifier, {"n_neighbors": n_neighbors, **given}, family
            ),
            _lazy(LazyNBClassifier, given, family),
        ]
    return [*found, *_ACCURATE, *_eager_models(kinds, random_state)]


_ACCURATE = [
    Candidate(
        "LazyKernelClassifier()", "kernel and blend", "kernel", LazyKernelClassifier
    ),
    Candidate(
        "LazyBlendClassifier()", "kernel and blend", "blend", LazyBlendClassifier
    ),
]


def _lazy(kind: Any, given: dict[str, Any], family: Family) -> Candidate:  # noqa: ANN401
    parameters = ", ".join(f"{name}={value!r}" for name, value in given.items())
    host = "k-NN" if "n_neighbors" in given else "naive Bayes"
    return Candidate(
        f"{kind.__name__}({parameters})", family, host, lambda: kind(**given)
    )


def _eager_models(kinds: Sequence[Kind], random_state: int) -> list[Candidate]:
    def forest() -> EncodedModel:
        model = RandomForestClassifier(random_state=random_state)
        return EncodedModel(model, categories=True)

    def logistic() -> EncodedModel:
        return EncodedModel(_logistic_regression(kinds), categories=True)

    return [
        Candidate("RandomForestClassifier()", "eager model", "random forest", forest),
        Candidate(
            "LogisticRegression()", "eager model", "logistic regression", logistic
        ),
    ]


def _logistic_regression(kinds: Sequence[Kind]) -> Pipeline:
    """On scaled numbers and indicators; a missing label is a category of its own."""
    numeric = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    nominal = OneHotEncoder(handle_unknown="ignore")
    is_numeric = np.array(kinds) == "numeric"
    encoder = ColumnTransformer(
        [
            ("numeric", numeric, np.flatnonzero(is_numeric)),
            ("nominal", nominal, np.flatnonzero(~is_numeric)),
        ]
    )
    return make_pipeline(encoder, LogisticRegression(max_iter=200))


def cross_validate(
    candidates: Sequence[Candidate],
    table: Table,
    classes: NDArray[np.int32],
    folds: NDArray[np.int64],
    max_seconds: float,
    progress: Progress,
) -> Outcome:
    """Predict each fold from the others, fold after fold, until time is up.

    All candidates are run on the same folds; the first fold is always run.

    Parameters
    ----------
    candidates : sequence of Candidate
    table : Table of n_rows rows
    classes : int32 array of shape (n_rows,)
    folds : int64 array of shape (n_rows,)
    max_seconds : float
    progress : Progress
    """
    started = time.perf_counter()
    runs: list[tuple[NDArray[np.int64], list[tuple[NDArray[Any], float]]]] = []
    for fold in range(int(folds.max()) + 1):
        if runs and time.perf_counter() - started > max_seconds:
            break
        test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        found = []
        for candidate in candidates:
            found.append(_predict_fold(candidate, table, classes, train, test))
            progress.advance(note=candidate.host)
        runs.append((test, found))
    rows = np.concatenate([test for test, _ in runs])
    places = range(len(candidates))
    predicted = [np.concatenate([found[i][0] for _, found in runs]) for i in places]
    seconds = [min(found[i][1] for _, found in runs) for i in places]
    return Outcome(
        rows, np.array(predicted) == classes[rows], np.array(seconds), len(runs)
    )


def _predict_fold(
    candidate: Candidate,
    table: Table,
    classes: NDArray[np.int32],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> tuple[NDArray[Any], float]:
    """Predictions of the test rows, and seconds per row."""
    if (classes[train] == classes[train[0]]).all():
        return np.full(len(test), classes[train[0]]), 0.0  # some models need two
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = candidate.make().fit(table.take(train), classes[train])
    queries = table.take(test)
    started = time.perf_counter()
    predicted = model.predict(queries)
    return predicted, (time.perf_counter() - started) / len(test)


def measure_cost(
    candidate: Candidate,
    table: Table,
    classes: NDArray[np.int32],
    shuffled: NDArray[np.int64],
) -> QueryCost:
    """Time queries against all cases, or against as many as can be fitted quickly."""
    n_rows, n_columns = table.shape
    n_measured = min(n_rows, max(1000, _MOST_CELLS // n_columns))
    rows = stratified_sample(classes, n_measured, shuffled)
    model = candidate.make().fit(table.take(rows), classes[rows])
    many, single = table.take(rows[:_TIMED]), table.take(rows[:1])
    in_batch = _best_time(model, many) / len(many)
    alone = _best_time(model, single)
    longer = in_batch * (n_rows / len(rows) - 1.0)
    return QueryCost(in_batch + longer, alone + longer, n_rows, len(rows))


def _best_time(model: Any, queries: Table) -> float:  # noqa: ANN401 - any estimator
    """Seconds to predict, the best of three."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        model.predict(queries)
        times.append(time.perf_counter() - started)
    return min(times)
