"""Methods by name: those of this library, and others to compare with."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from sklazy import (
    LazyAssociativeClassifier,
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyBayesRulesClassifier,
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyDecisionTreeClassifier,
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyKNeighborsRegressor,
    LazyLearningClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    LazyPLSRegressor,
    LazyStackingClassifier,
    LazyStackingRegressor,
    RacedRegressor,
    RaceFeatureSelector,
)
from sklazy.cli.options import MOST_BLENDED
from sklazy.cli.tasks import Aim, Task
from sklazy.errors import BadInputError, suggest
from sklazy.estimators.encoded import EncodedModel
from sklazy.experiments.harness import peers

Make = Callable[[int], Any]
"""From a seed to a new model."""

LAZY_CLASSIFIERS: dict[str, Make] = {
    "lazy-knn": lambda seed: LazyKNeighborsClassifier(),
    "lazy-nb": lambda seed: LazyNBClassifier(),
    "lazy-learning": lambda seed: LazyLearningClassifier(),
    "lazy-bagging": lambda seed: LazyBaggingClassifier(random_state=seed),
    "lazy-stacking": lambda seed: LazyStackingClassifier(random_state=seed),
    "kernel": lambda seed: LazyKernelClassifier(),
    "lazy-tree": lambda seed: LazyDecisionTreeClassifier(),
    "blend": lambda seed: LazyBlendClassifier(),
    "lazy-bayes-rules": lambda seed: LazyBayesRulesClassifier(),
    "lazy-rules": lambda seed: LazyAssociativeClassifier(),
}
LAZY_REGRESSORS: dict[str, Make] = {
    "lazy-knn": lambda seed: LazyKNeighborsRegressor(),
    "lazy-learning": lambda seed: LazyLearningRegressor(),
    "lazy-pls": lambda seed: LazyPLSRegressor(),
    "lazy-bagging": lambda seed: LazyBaggingRegressor(random_state=seed),
    "lazy-stacking": lambda seed: LazyStackingRegressor(random_state=seed),
    "blend": lambda seed: LazyBlendRegressor(),
    "kernel": lambda seed: LazyKernelRegressor(),
    "racsam": lambda seed: RacedRegressor(RaceFeatureSelector(random_state=seed)),
}
CLASSIFIERS = LAZY_CLASSIFIERS | peers.CLASSIFIERS
REGRESSORS = LAZY_REGRESSORS | peers.REGRESSORS

NAMES = list(dict.fromkeys([*CLASSIFIERS, *REGRESSORS]))


def choose_method(task: Task, method: str | None) -> str:
    """The name of the method; by default the most accurate that does not take long."""
    if method is None:
        return "blend" if len(task.table) <= MOST_BLENDED else "kernel"
    return method


def make_model(
    task: Task | Aim, method: str, settings: Sequence[str] = (), seed: int = 0
) -> Any:  # noqa: ANN401 - an estimator
    """A new model with its parameters set."""
    known = CLASSIFIERS if task.classifies else REGRESSORS
    if method not in known:
        raise BadInputError(
            f"--method {method} is not for {task.kind} ({task.why}); choose one of "
            f"{', '.join(known)}, or set --task."
        )
    model = known[method](seed)
    inner = model.model if isinstance(model, EncodedModel) else model
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign:
            raise BadInputError(f"--set {setting!r}; expected NAME=VALUE.")
        if name not in inner.get_params():
            hint = suggest(name, inner.get_params())
            raise BadInputError(f"{method} has no parameter {name!r}.{hint}")
        inner.set_params(**{name: _value(value)})
    return model


def _value(text: str) -> object:
    """A Python literal, or else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
