"""Candidates of advice: the lazy methods of this library, and eager models."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
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

N_FIRST = 3
"""How many of the candidates a verdict needs: the blend, a forest, boosted trees."""

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


def list_candidates(
    kinds: Sequence[Kind], random_state: int, task: Task = "classification"
) -> list[Candidate]:
    """List all methods for a task with their own defaults, the accurate ones first."""
    seeded = {"random_state": random_state}
    if task == "regression":
        return [
            _lazy_candidate(LazyRegressor, "kernel and blend", "blend"),
            *_eager_models(kinds, random_state, task),
            _lazy_candidate(LazyKernelRegressor, "kernel and blend", "kernel"),
            _lazy_candidate(LazyLearningRegressor, "local models", "local lines"),
            *_pls_candidates(kinds),
            *_selecting(LazyKNeighborsRegressor, "k-NN"),
            _lazy_candidate(LazyStackingRegressor, "ensembles", "stacking", seeded),
            _lazy_candidate(LazyBaggingRegressor, "ensembles", "bagging", seeded),
        ]
    return [
        _lazy_candidate(LazyClassifier, "kernel and blend", "blend"),
        *_eager_models(kinds, random_state, task),
        _lazy_candidate(LazyKernelClassifier, "kernel and blend", "kernel"),
        *_selecting(LazyNBClassifier, "naive Bayes"),
        *_selecting(LazyKNeighborsClassifier, "k-NN"),
        _lazy_candidate(LazyLearningClassifier, "local models", "local lines"),
        _lazy_candidate(LazyDecisionTreeClassifier, "trees and rules", "lazy tree"),
        _lazy_candidate(LazyStackingClassifier, "ensembles", "stacking", seeded),
        _lazy_candidate(LazyBaggingClassifier, "ensembles", "bagging", seeded),
        _lazy_candidate(LazyBayesRulesClassifier, "trees and rules", "Bayesian rules"),
        _lazy_candidate(
            LazyAssociativeClassifier, "trees and rules", "association rules"
        ),
    ]


def _pls_candidates(kinds: Sequence[Kind]) -> list[Candidate]:
    """Local PLS, where there are numbers enough to be a spectrum, or many sensors."""
    if list(kinds).count("numeric") < _SPECTRUM:
        return []
    settings = {"scale": True}
    return [_lazy_candidate(LazyPLSRegressor, "local models", "local PLS", settings)]


def _selecting(kind: type, host: str) -> list[Candidate]:
    """A method with three kinds of selection; lazy is its default."""
    return [
        _lazy_candidate(kind, "lazy selection", host),
        _lazy_candidate(kind, "no selection", host, {"selection": "none"}),
        _lazy_candidate(kind, "eager selection", host, {"selection": "eager"}),
    ]


def _lazy_candidate(
    kind: type,
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
    """A random forest, boosted trees and a linear model of scikit-learn."""
    classifies = task == "classification"
    forest: Any = RandomForestClassifier if classifies else RandomForestRegressor
    boosting: Any = (
        HistGradientBoostingClassifier if classifies else HistGradientBoostingRegressor
    )
    linear: Any = LogisticRegression(max_iter=200) if classifies else RidgeCV()
    linear_host = "logistic regression" if classifies else "ridge regression"

    def seeded(kind: Any) -> EncodedModel:  # noqa: ANN401 - a class of scikit-learn
        return EncodedModel(kind(random_state=random_state), categories=True)

    def make_linear() -> EncodedModel:
        return EncodedModel(_with_indicators(linear, kinds), categories=True)

    rows: list[tuple[str, str, Callable[[], EncodedModel]]] = [
        (forest.__name__, "random forest", partial(seeded, forest)),
        (boosting.__name__, "gradient boosting", partial(seeded, boosting)),
        (type(linear).__name__, linear_host, make_linear),
    ]
    return [Candidate(f"{n}()", "eager model", host, make) for n, host, make in rows]


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
