"""Candidates of advice: the lazy methods of this library, and two eager models."""

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
from sklazy.estimators.blends.blend import LazyClassifier, LazyRegressor
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
        How attributes are selected, or the kind of method.
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
        """Whether it is measured even if time is up: advice needs some figures."""
        return self.family not in ("kernel and blend", "ensembles", "trees and rules")


def list_candidates(
    kinds: Sequence[Kind],
    n_neighbors: int,
    n_attributes: int | float | str,
    random_state: int,
    task: Task = "classification",
) -> list[Candidate]:
    """List all methods for a task, the quick ones first."""
    seeded = {"random_state": random_state}
    if task == "regression":
        return [
            _lazy_candidate(LazyLearningRegressor, "local models", "local lines"),
            *_pls_candidates(kinds),
            *_number_candidates(n_neighbors, n_attributes),
            *_eager_models(kinds, random_state, task),
            _lazy_candidate(LazyKernelRegressor, "kernel and blend", "kernel"),
            _lazy_candidate(LazyRegressor, "kernel and blend", "blend"),
            _lazy_candidate(LazyStackingRegressor, "ensembles", "stacking", seeded),
            _lazy_candidate(LazyBaggingRegressor, "ensembles", "bagging", seeded),
        ]
    return [
        *_selection_candidates(n_neighbors, n_attributes),
        _lazy_candidate(LazyLearningClassifier, "local models", "local lines"),
        *_eager_models(kinds, random_state, task),
        _lazy_candidate(LazyKernelClassifier, "kernel and blend", "kernel"),
        _lazy_candidate(LazyClassifier, "kernel and blend", "blend"),
        _lazy_candidate(LazyDecisionTreeClassifier, "trees and rules", "lazy tree"),
        _lazy_candidate(
            LazyAssociativeClassifier, "trees and rules", "association rules"
        ),
        _lazy_candidate(LazyBayesRulesClassifier, "trees and rules", "Bayesian rules"),
        _lazy_candidate(LazyStackingClassifier, "ensembles", "stacking", seeded),
        _lazy_candidate(LazyBaggingClassifier, "ensembles", "bagging", seeded),
    ]


def _pls_candidates(kinds: Sequence[Kind]) -> list[Candidate]:
    """Local PLS, where there are numbers enough to be a spectrum, or many sensors."""
    if list(kinds).count("numeric") < _SPECTRUM:
        return []
    settings = {"scale": True}
    return [_lazy_candidate(LazyPLSRegressor, "local models", "local PLS", settings)]


def _selection_candidates(
    n_neighbors: int, n_attributes: int | float | str
) -> list[Candidate]:
    """k-NN and naive Bayes with three kinds of selection."""
    candidates = []
    for family, settings in _selection_settings(n_attributes):
        near = {"n_neighbors": n_neighbors, **settings}
        candidates += [
            _lazy_candidate(LazyKNeighborsClassifier, family, "k-NN", near),
            _lazy_candidate(LazyNBClassifier, family, "naive Bayes", settings),
        ]
    return candidates


def _number_candidates(
    n_neighbors: int, n_attributes: int | float | str
) -> list[Candidate]:
    """k-NN of numbers with three kinds of selection."""
    return [
        _lazy_candidate(
            LazyKNeighborsRegressor,
            family,
            "k-NN",
            {"n_neighbors": n_neighbors, **settings},
        )
        for family, settings in _selection_settings(n_attributes)
    ]


def _selection_settings(
    n_attributes: int | float | str,
) -> Iterator[tuple[Family, dict[str, Any]]]:
    """Every kind of selection, as parameters."""
    for family, selection in SELECTIONS:
        # Without selection the number of attributes does not matter.
        number = {} if selection == "none" else {"n_attributes": n_attributes}
        yield family, {**number, "selection": selection}


def _lazy_candidate(
    kind: Any,  # noqa: ANN401 - a class of estimators
    family: Family,
    host: str,
    settings: dict[str, Any] | None = None,
) -> Candidate:
    parameters = settings or {}
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
