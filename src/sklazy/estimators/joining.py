"""Several fitted models as one."""

from collections.abc import Sequence
from typing import TypeVar

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from sklazy.casebase.joining import join_bases
from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.state import describe_choices, describe_state, restore_state

Model = TypeVar("Model", bound=LazyEstimator)


def join(models: Sequence[Model], *, renumber: bool = False) -> Model:
    """Join several fitted models, each with a part of the cases, into one.

    It answers like one model fitted to all rows, those of the first model first: the
    same attributes, votes, probabilities, receipts and digest, digit for digit. The
    rows stay in parts, which neighbors, naive Bayes and local models search one by one.
    Ensembles, trees, kernel models, blends and leave-one-out need all rows in one place
    and join them once. `partial_fit` adds rows to the last part; `forget` erases them
    wherever they are.

    Parameters
    ----------
    models : sequence of fitted models
        Models of one class with the same parameters, fitted to the same columns. They
        stay as they are.
    renumber : bool, default=False
        Whether to give rows new ids, 0, 1, ... model by model. Otherwise rows keep
        their ids, which must differ.

    Returns
    -------
    model : fitted model of the same class

    Examples
    --------
    >>> import sklazy
    >>> X, y = [[0.0], [0.1], [5.0], [5.1], [0.2], [5.2]], list("aabbab")
    >>> parts = [
    ...     sklazy.LazyKNeighborsClassifier(3).fit(X[first:last], y[first:last])
    ...     for first, last in [(0, 4), (4, 6)]
    ... ]
    >>> model = sklazy.join(parts, renumber=True)
    >>> model.predict([[4.0]]).tolist()
    ['b']
    >>> model.digest() == sklazy.LazyKNeighborsClassifier(3).fit(X, y).digest()
    True
    """
    models = list(models)
    if not models:
        raise BadInputError("models=[]; give at least one fitted model.")
    for model in models:
        _check_joinable(model, models[0])
    joined = clone(models[0])
    cases = join_bases([model.cases_ for model in models], renumber=renumber)
    restore_state(joined, cases, describe_state(models[0]))
    joined._check_cases(cases)
    return joined


def _check_joinable(model: object, first: LazyEstimator) -> None:
    """Refuse a model that is not fitted, or that differs from the first."""
    if not isinstance(model, LazyEstimator):
        raise BadTypeError(
            f"{model!r} keeps no cases; give fitted lazy estimators of sklazy."
        )
    check_is_fitted(model)
    if type(model) is not type(first):
        raise BadInputError(
            f"a {type(model).__name__} cannot be joined with a "
            f"{type(first).__name__}; give models of one class."
        )
    settings, expected = describe_choices(model), describe_choices(first)
    different = [name for name in settings if settings[name] != expected[name]]
    if different:
        raise BadInputError(
            f"the models differ in {different}; give models of the same parameters."
        )
