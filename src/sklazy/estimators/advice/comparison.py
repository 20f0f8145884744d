"""Lazy, eager and no selection, and two eager models, on the same rows."""

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklazy.estimators.selection.bayes import LazyNBClassifier
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.report.progress import Progress
from sklazy.tables import Table

Family = Literal["lazy selection", "eager selection", "no selection", "eager model"]

_SELECTIONS: tuple[tuple[Family, str], ...] = (
    ("lazy selection", "lazy"),
    ("eager selection", "eager"),
    ("no selection", "none"),
)


class Contestant(NamedTuple):
    """One way to learn.

    Attributes
    ----------
    name : str
        How one would write it.
    family : str
        Whether and how attributes are selected, or "eager model".
    host : str
        What classifies.
    make : function
        Gives a new model, which is fitted to a `Table`.
    """

    name: str
    family: Family
    host: str
    make: Callable[[], Any]


class Outcome(NamedTuple):
    """What came out.

    Attributes
    ----------
    rows : int64 array of shape (n_tested,)
        The rows that were predicted.
    correct : bool array of shape (n_contestants, n_tested)
    seconds : float64 array of shape (n_contestants,)
        Time to predict a row in a batch.
    n_folds : int
        How many folds were run.
    """

    rows: NDArray[np.int64]
    correct: NDArray[np.bool_]
    seconds: NDArray[np.float64]
    n_folds: int


class EncodedModel:
    """A scikit-learn classifier that is given tables, encoded as it needs them.

    Parameters
    ----------
    model : classifier
    scaled : bool
        Whether it needs numbers on one scale, nowhere missing, and indicators of
        categories. Else categories are numbered and missing cells are NaN.
    """

    def __init__(self, model: Any, *, scaled: bool) -> None:  # noqa: ANN401
        self.model, self.scaled = model, scaled

    def fit(self, table: Table, classes: NDArray[np.int32]) -> "EncodedModel":
        """Fit the classifier."""
        self.pipeline = self._pipeline(table) if self.scaled else self.model
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.pipeline.fit(_matrix(table), classes)
        return self

    def predict(self, table: Table) -> NDArray[Any]:
        """Predict classes."""
        return self.pipeline.predict(_matrix(table))

    def _pipeline(self, table: Table) -> Any:  # noqa: ANN401 - scikit-learn's own
        kinds = np.array(table.kinds)
        numeric = make_pipeline(
            SimpleImputer(keep_empty_features=True), StandardScaler()
        )
        nominal = OneHotEncoder(handle_unknown="ignore")
        encoder = ColumnTransformer(
            [
                ("numeric", numeric, np.flatnonzero(kinds == "numeric")),
                ("nominal", nominal, np.flatnonzero(kinds == "nominal")),
            ]
        )
        return make_pipeline(encoder, self.model)


def _matrix(table: Table) -> NDArray[np.float64]:
    """Numbers and codes, NaN where missing."""
    columns = [np.where(c.missing, np.nan, c.data.astype(np.float64)) for c in table]
    return np.column_stack(columns)


def list_contestants(
    n_neighbors: int, n_attributes: int | float | str, random_state: int
) -> list[Contestant]:
    """Two hosts under three kinds of selection, and two eager models."""
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
    return [*found, *_eager_models(random_state)]


def _lazy(kind: Any, given: dict[str, Any], family: Family) -> Contestant:  # noqa: ANN401
    written = ", ".join(f"{name}={value!r}" for name, value in given.items())
    host = "k-NN" if "n_neighbors" in given else "naive Bayes"
    return Contestant(
        f"{kind.__name__}({written})", family, host, lambda: kind(**given)
    )


def _eager_models(random_state: int) -> list[Contestant]:
    def forest() -> EncodedModel:
        model = RandomForestClassifier(random_state=random_state)
        return EncodedModel(model, scaled=False)

    def logistic() -> EncodedModel:
        return EncodedModel(LogisticRegression(max_iter=200), scaled=True)

    return [
        Contestant("RandomForestClassifier()", "eager model", "random forest", forest),
        Contestant(
            "LogisticRegression()", "eager model", "logistic regression", logistic
        ),
    ]


def hold(
    contestants: Sequence[Contestant],
    table: Table,
    classes: NDArray[np.int32],
    folds: NDArray[np.int64],
    max_seconds: float,
    progress: Progress,
) -> Outcome:
    """Predict each fold from the others, fold after fold, until time is up.

    All contestants are run on the same folds; the first fold is always run.

    Parameters
    ----------
    contestants : sequence of Contestant
    table : Table of n_rows rows
    classes : int32 array of shape (n_rows,)
    folds : int64 array of shape (n_rows,)
    max_seconds : float
    progress : Progress
    """
    begin = time.perf_counter()
    runs: list[tuple[NDArray[np.int64], list[tuple[NDArray[Any], float]]]] = []
    for fold in range(int(folds.max()) + 1):
        if runs and time.perf_counter() - begin > max_seconds:
            break
        test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        found = []
        for one in contestants:
            found.append(_run(one, table, classes, train, test))
            progress.advance(note=one.host)
        runs.append((test, found))
    rows = np.concatenate([test for test, _ in runs])
    predicted = [
        np.concatenate([found[i][0] for _, found in runs])
        for i in range(len(contestants))
    ]
    seconds = [min(found[i][1] for _, found in runs) for i in range(len(contestants))]
    return Outcome(
        rows, np.array(predicted) == classes[rows], np.array(seconds), len(runs)
    )


def _run(
    one: Contestant,
    table: Table,
    classes: NDArray[np.int32],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> tuple[NDArray[Any], float]:
    """Predictions of the test rows, and seconds a row."""
    if (classes[train] == classes[train[0]]).all():
        return np.full(len(test), classes[train[0]]), 0.0  # some models need two
    model = one.make().fit(table.take(train), classes[train])
    asked = table.take(test)
    begin = time.perf_counter()
    predicted = model.predict(asked)
    return predicted, (time.perf_counter() - begin) / len(test)


def stratified_folds(
    classes: NDArray[np.int32], n_folds: int, random_state: int
) -> NDArray[np.int64]:
    """The fold of each row; classes are spread evenly over the folds."""
    folds = np.empty(len(classes), np.int64)
    folds[_by_class(classes, random_state)] = np.arange(len(classes)) % n_folds
    return folds


def stratified_sample(
    classes: NDArray[np.int32], n_rows: int, random_state: int
) -> NDArray[np.int64]:
    """So many rows, of each class its share."""
    order = _by_class(classes, random_state)
    if n_rows >= len(order):
        return np.arange(len(order))
    picked = np.linspace(0, len(order) - 1, n_rows).round().astype(np.int64)
    return np.sort(order[picked])


def _by_class(classes: NDArray[np.int32], random_state: int) -> NDArray[np.int64]:
    """Rows in random order within each class."""
    chance = np.random.default_rng(random_state).random(len(classes))
    return np.lexsort((chance, classes))
