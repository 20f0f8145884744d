"""RacedRegressor: predictions by the winners of a race of attribute sets."""

from copy import deepcopy
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sklazy.errors import BadInputError
from sklazy.estimators.parameters import check_choice
from sklazy.estimators.reference import Referenced
from sklazy.estimators.search.race_selector import (
    RaceFeatureSelector,
    make_estimator,
)
from sklazy.estimators.search.set_evaluators import as_columns, take_columns


class RacedRegressor(Referenced, RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """Predict with the attribute sets that won a race (LL-RAC1 and LL-RAC2).

    Parameters
    ----------
    selector : RaceFeatureSelector, optional
        Finds the sets; its estimator, `LazyLearningRegressor` by default, predicts.
    combine : {"average", "best", "selected"}, default="average"
        Average the predictions of all winners (LL-RAC2), or use only the one with the
        lowest loss, or only the set that the selector selects (LL-RAC1).

    Attributes
    ----------
    selector_ : RaceFeatureSelector
        Fitted.
    estimators_ : list of estimators
        One per winner, or a single one.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has column names

    References
    ----------
    Bontempi, Birattari, Meyer (2005). Combining lazy learning, racing and
    subsampling for effective feature selection. ICANNGA.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import RacedRegressor, RaceFeatureSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 8))
    >>> y = 10 * X[:, 0] + 20 * (X[:, 1] - 0.5) ** 2 + rng.normal(0, 0.3, 200)
    >>> selector = RaceFeatureSelector(max_candidates=150, random_state=0)
    >>> model = RacedRegressor(selector).fit(X[:150], y[:150])
    >>> model.score(X[150:], y[150:]) > 0.95
    True
    """

    def __init__(
        self,
        selector: RaceFeatureSelector | None = None,
        combine: Literal["average", "best", "selected"] = "average",
    ) -> None:
        self.selector = selector
        self.combine = combine

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the regressor with the settings of the reproduced paper: LL-RAC2.

        Parameters
        ----------
        **settings
            Other parameters; ``combine="selected"`` is LL-RAC1.

        Examples
        --------
        >>> RacedRegressor.paper().combine
        'average'
        """
        published: dict[str, Any] = {
            "selector": RaceFeatureSelector.paper(),
            "combine": "average",
        }
        return cls(**{**published, **settings})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        selector = RaceFeatureSelector() if self.selector is None else self.selector
        tags.input_tags = deepcopy(get_tags(selector).input_tags)
        return tags

    def fit(self, X: object, y: object) -> Self:
        """Find sets of attributes, and fit an estimator on each winner.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_rows, n_attributes)
        y : array-like of shape (n_rows,) or (n_rows, n_targets)

        Returns
        -------
        self
        """
        check_choice("combine", self.combine, ("average", "best", "selected"))
        selector = RaceFeatureSelector() if self.selector is None else self.selector
        if not isinstance(selector, RaceFeatureSelector):
            raise BadInputError(
                f"selector={selector!r}; expected a RaceFeatureSelector."
            )
        selector = clone(selector).fit(X, y)
        data = as_columns(X)
        supports = {
            "average": selector.winners_,
            "best": selector.winners_[:1],
            "selected": selector.support_[None],
        }
        winners = supports[self.combine]
        estimators = [
            make_estimator(selector).fit(
                take_columns(data, np.flatnonzero(support).tolist()), y
            )
            for support in winners
        ]
        validate_data(self, X, y, skip_check_array=True)
        self.selector_, self.estimators_, self._supports = selector, estimators, winners
        return self

    def predict(self, X: object) -> NDArray[np.float64]:
        """Predict with the winners' estimators.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        y : float64 array of shape (n_queries,) or (n_queries, n_targets)
        """
        check_is_fitted(self)
        data = as_columns(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        predicted = [
            model.predict(take_columns(data, np.flatnonzero(support).tolist()))
            for model, support in zip(self.estimators_, self._supports, strict=True)
        ]
        return np.mean(predicted, axis=0)
