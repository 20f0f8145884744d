"""What advice compares: the lazy methods of this library, and two eager models."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklazy.estimators.association import LazyAssociativeClassifier
from sklazy.estimators.bayes_rules import LazyBayesRulesClassifier
from sklazy.estimators.blends.blend import LazyBlendClassifier, LazyBlendRegressor
from sklazy.estimators.encoded import EncodedModel
from sklazy.estimators.ensembles.bagging import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
)
from sklazy.estimators.ensembles.stacking import (
    LazyStackingClassifier,
    LazyStackingRegressor,
)
from sklazy.estimators.kernel_models import LazyKernelClassifier, LazyKernelRegressor
from sklazy.estimators.local_models.classifier import LazyLearningClassifier
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.pls import LazyPLSRegressor
from sklazy.estimators.selection.bayes import LazyNBClassifier
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.estimators.selection.number_neighbors import LazyKNeighborsRegressor
from sklazy.estimators.trees import LazyDecisionTreeClassifier
from sklazy.tables import Kind

Task = Literal["classification", "regression"]
Family = Literal[
    "lazy selection",
    "eager selection",
    "no selection",
    "local models",
    "kernel and blend",
    "ensembles",
    "trees and rules",
    "eager model",
]

SELECTIONS: tuple[tuple[Family, str], ...] = (
    ("lazy selection", "lazy"),
    ("eager selection", "eager"),
    ("no selection", "none"),
)

_SPECTRUM = 30  # numeric columns from which on local PLS is tried


class Candidate(NamedTuple):
    """A method to compare.

    Attributes
    ----------
    name : str
        The expression that makes it.
    family : str
        Whether and how attributes are selected, or what kind of method it is.
    host : str
        The method, in a word or two.
    make : function
        Returns a new model, which is fitted to a `Table`.
    """

    name: str
    family: Family
    host: str
    make: Callable[[], Any]

    @property
    def is_quick(self) -> bool:
        """Whether it is measured even if time is up: there is nothing to say else."""
        return self.family not in ("kernel and blend", "ensembles", "trees and rules")


def list_candidates(
    kinds: Sequence[Kind],
    n_neighbors: int,
    n_attributes: int | float | str,
    random_state: int,
    task: Task = "classification",
) -> list[Candidate]:
    """All methods for a task, the quick ones first.

    Parameters
    ----------
    kinds : sequence of "numeric" or "nominal"
        Those of the columns.
    n_neighbors, n_attributes, random_state
        As for `advise`.
    task : {"classification", "regression"}
    """
    seeded = {"random_state": random_state}
    if task == "regression":
        return [
            _lazy(LazyLearningRegressor, "local models", "local lines"),
            *_components(kinds),
            *_number_selections(n_neighbors, n_attributes),
            *_eager_models(kinds, random_state, task),
            _lazy(LazyKernelRegressor, "kernel and blend", "kernel"),
            _lazy(LazyBlendRegressor, "kernel and blend", "blend"),
            _lazy(LazyStackingRegressor, "ensembles", "stacking", seeded),
            _lazy(LazyBaggingRegressor, "ensembles", "bagging", seeded),
        ]
    return [
        *_selections(n_neighbors, n_attributes),
        _lazy(LazyLearningClassifier, "local models", "local lines"),
        *_eager_models(kinds, random_state, task),
        _lazy(LazyKernelClassifier, "kernel and blend", "kernel"),
        _lazy(LazyBlendClassifier, "kernel and blend", "blend"),
        _lazy(LazyDecisionTreeClassifier, "trees and rules", "lazy tree"),
        _lazy(LazyAssociativeClassifier, "trees and rules", "association rules"),
        _lazy(LazyBayesRulesClassifier, "trees and rules", "Bayesian rules"),
        _lazy(LazyStackingClassifier, "ensembles", "stacking", seeded),
        _lazy(LazyBaggingClassifier, "ensembles", "bagging", seeded),
    ]


def _components(kinds: Sequence[Kind]) -> list[Candidate]:
    """Local PLS, where there are numbers enough to be a spectrum, or many sensors."""
    if list(kinds).count("numeric") < _SPECTRUM:
        return []
    given = {"scale": True}
    return [_lazy(LazyPLSRegressor, "local models", "local PLS", given)]


def _selections(n_neighbors: int, n_attributes: int | float | str) -> list[Candidate]:
    """k-NN and naive Bayes with three kinds of selection."""
    found = []
    for family, given in _choices(n_attributes):
        near = {"n_neighbors": n_neighbors, **given}
        found += [
            _lazy(LazyKNeighborsClassifier, family, "k-NN", near),
            _lazy(LazyNBClassifier, family, "naive Bayes", given),
        ]
    return found


def _number_selections(
    n_neighbors: int, n_attributes: int | float | str
) -> list[Candidate]:
    """k-NN of numbers with three kinds of selection."""
    return [
        _lazy(
            LazyKNeighborsRegressor,
            family,
            "k-NN",
            {"n_neighbors": n_neighbors, **given},
        )
        for family, given in _choices(n_attributes)
    ]


def _choices(
    n_attributes: int | float | str,
) -> Iterator[tuple[Family, dict[str, Any]]]:
    """Every kind of selection, as parameters."""
    for family, selection in SELECTIONS:
        # Without selection the number of attributes does not matter.
        number = {} if selection == "none" else {"n_attributes": n_attributes}
        yield family, {**number, "selection": selection}


def _lazy(
    kind: Any,  # noqa: ANN401 - a class of estimators
    family: Family,
    host: str,
    given: dict[str, Any] | None = None,
) -> Candidate:
    parameters = given or {}
    written = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    make = partial(kind, **parameters)
    return Candidate(f"{kind.__name__}({written})", family, host, make)


def _eager_models(
    kinds: Sequence[Kind], random_state: int, task: Task
) -> list[Candidate]:
    if task == "regression":
        forest, linear = RandomForestRegressor, RidgeCV()
        names = ("RandomForestRegressor()", "RidgeCV()")
        hosts = ("random forest", "ridge regression")
    else:
        forest, linear = RandomForestClassifier, LogisticRegression(max_iter=200)
        names = ("RandomForestClassifier()", "LogisticRegression()")
        hosts = ("random forest", "logistic regression")

    def make_forest() -> EncodedModel:
        return EncodedModel(forest(random_state=random_state), categories=True)

    def make_linear() -> EncodedModel:
        return EncodedModel(_with_indicators(linear, kinds), categories=True)

    makers = (make_forest, make_linear)
    rows = zip(names, hosts, makers, strict=True)
    return [Candidate(name, "eager model", host, make) for name, host, make in rows]


def _with_indicators(linear: Any, kinds: Sequence[Kind]) -> Pipeline:  # noqa: ANN401
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
    return make_pipeline(encoder, linear)
