"""Receipts of lazy estimators wherever they stand: in pipelines and searches."""

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sklazy.errors import BadTypeError
from sklazy.estimators.base import LazyEstimator
from sklazy.receipts import Receipts


def explain(model: Any, X: object) -> Receipts:  # noqa: ANN401 - any estimator
    """Answer each query with a receipt, also through a pipeline or a search.

    Parameters
    ----------
    model : fitted estimator
        A lazy estimator; a pipeline that ends in one; a search (`GridSearchCV`,
        `RaceSearchCV`) whose `best_estimator_` is one of these.
    X : queries as the model takes them
        A pipeline transforms them first; receipts describe what its last step sees.

    Returns
    -------
    receipts : Receipts

    Examples
    --------
    >>> import sklazy
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> model = make_pipeline(StandardScaler(), sklazy.LazyKNeighborsClassifier(1))
    >>> model = model.fit([[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"])
    >>> sklazy.explain(model, [[4.0]])[0].answer
    'b'
    """
    if isinstance(model, LazyEstimator):
        return model.explain(X)  # type: ignore[arg-type]
    check_is_fitted(model)
    if isinstance(model, Pipeline):
        before = model[:-1]
        return explain(model[-1], before.transform(X) if len(before) else X)
    if hasattr(model, "best_estimator_"):
        return explain(model.best_estimator_, X)
    raise BadTypeError(
        f"{type(model).__name__} has no receipts; give a lazy estimator of sklazy, or "
        "a pipeline or search around one."
    )
