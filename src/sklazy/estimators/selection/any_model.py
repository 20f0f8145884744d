"""Any scikit-learn classifier on the attributes that matter for the query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.metaestimators import available_if

from sklazy.casebase.base import Cuts
from sklazy.casebase.moments import Length
from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.parameters import Discretization, Measure, Selection, check_count
from sklazy.estimators.selection.base import SelectingClassifier
from sklazy.estimators.selection.model_host import ModelHost


def _estimator_has(method: str) -> Callable[[LazySelectionClassifier], bool]:
    return lambda self: hasattr(self._estimator(), method)


class LazySelectionClassifier(SelectingClassifier):
    """Any classifier, fitted on the attributes chosen for each query.

    Queries that use the same attributes share a model, so a batch costs one fit for
    each distinct set. Models are kept for later batches until rows are added or
    forgotten.

    Parameters
    ----------
    estimator : classifier, default=DecisionTreeClassifier()
        It is cloned, never fitted itself. A `random_state` of None means 0, so that the
        same query gets the same answer in every batch.
    n_attributes : int, float or "vote", default=0.8
        How many attributes a query uses: a count or a fraction, or "vote" to let every
        number vote with its answer.
    selection : {"lazy", "eager", "none", "lazy-cfs", "lazy-consistency"}
        How attributes are chosen; see `LazyKNeighborsClassifier`.
    measure : str, default="entropy"
        Measure of how informative a value is.
    discount_rare_values : bool, default=True
        Whether one case of each value is counted as if spread over the classes like all
        cases, which makes a value seen once uninformative. The paper counts values as
        they are, which makes a row's serial number the best attribute.
    discretization : {"fayyad", "kononenko"}
        Stopping rule of the cuts that numeric attributes are selected by.
    cuts : {"exact", "frozen"}
        Whether cuts are updated with every row added or forgotten, or stay as first
        computed until `refresh`.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal. Default: those of categories, text and bools. A
        mapping sets the kind of single columns, for example ``{"day": "day-first"}``.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times.
    class_weight : {None, "balanced"} or dict, optional
        Weight of each class, times that of the row: a dict by label, 1 for classes that
        it does not name, or such that all classes weigh alike, which follows rows that
        are added and forgotten. Counts from `fit` on.
    min_support : int, default=1
        With "lazy-consistency", least number of rows that share the chosen values.
    cache_size : int, default=256
        How many models are kept; the least recently used goes first.
    n_jobs : int, optional
        Number of models fitted in parallel, in threads.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Notes
    -----
    A classifier of this library gets the table: labels, numbers and missing cells as
    they are. Other models see numbers as they are. A missing number stays NaN if the
    estimator's tags allow it, else it becomes the median of the column. A nominal
    column becomes one column of 0 and 1 per category; a missing or unseen category is 0
    in all of them.
    The order of rows depends only on their content.

    `loo_predict` fits a model for every row.

    `paper` has the published settings. The defaults were chosen with decision trees
    (``docs/defaults.md``).

    References
    ----------
    R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Lazy
    attribute selection: choosing attributes at classification time. Intelligent Data
    Analysis 15(5), 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklazy import LazySelectionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LazySelectionClassifier(LogisticRegression(), n_attributes=2)
    >>> model.fit(X[::2], y[::2]).predict(X[1:100:20])
    array([0, 0, 0, 1, 1])
    """

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        n_attributes: int | float | str = 0.8,
        selection: Selection = "lazy",
        measure: Measure = "entropy",
        *,
        discount_rare_values: bool = True,
        discretization: Discretization = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        half_life: Length | None = None,
        class_weight: object = None,
        min_support: int = 1,
        cache_size: int = 256,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_attributes = n_attributes
        self.selection = selection
        self.measure = measure
        self.discount_rare_values = discount_rare_values
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.window = window
        self.half_life = half_life
        self.class_weight = class_weight
        self.min_support = min_support
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the published settings: 30 %, plain counts.

        The paper tries 10 to 90 percent of the attributes; 30 percent is our choice.

        Parameters
        ----------
        **settings
            Other parameters, such as `estimator`.

        Examples
        --------
        >>> LazySelectionClassifier.paper().n_attributes
        0.3
        """
        published: dict[str, Any] = {"n_attributes": 0.3, "discount_rare_values": False}
        return cls(**{**published, **settings})

    @available_if(_estimator_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        probabilities : float64 array of shape (n_queries, n_classes)
        """
        return super().predict_proba(X)

    def _estimator(self) -> BaseEstimator:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _host(self) -> ModelHost:
        return ModelHost(self._estimator(), int(self.cache_size), self.n_jobs)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("cache_size", self.cache_size)
        if self.n_attributes in ("auto", "local"):
            raise BadInputError(
                f"n_attributes={self.n_attributes!r} would fit a model for every "
                "number of attributes and every row left out; give a number or "
                "'vote', or search for the number with GridSearchCV."
            )
        host = self._estimator()
        answers = hasattr(host, "predict") or hasattr(host, "predict_proba")
        for method, is_there in (("fit", hasattr(host, "fit")), ("predict", answers)):
            if not is_there:
                raise BadTypeError(
                    f"estimator={self.estimator!r} has no {method}; give a classifier."
                )
