"""What the three hosts of lazy attribute selection share."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import answer_queries
from sklazy.answer.selection.host import Host
from sklazy.answer.selection.learner import ChoiceLearner, SelectionLearner
from sklazy.answer.selection.recipe import STRATEGIES, Recipe
from sklazy.errors import BadInputError
from sklazy.estimators.parameters import check_choice, check_count
from sklazy.estimators.targets import WeightedClassifier
from sklazy.measures import find_measure, how_many

BY_CASES = ("auto", "local", "vote")
"""What `n_attributes` can be beside a number."""


class SelectingClassifier(WeightedClassifier):
    """A classifier that chooses attributes for each query; see the subclasses."""

    n_attributes: int | float | str
    selection: str
    measure: str
    n_jobs: int | None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A fraction of two or three columns is a single one, and may not be enough.
        tags.classifier_tags.poor_score = self.selection != "none"
        return tags

    def select_attributes(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return which attributes each query uses.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        mask : bool array of shape (n_queries, n_attributes)
        """
        check_is_fitted(self)
        table = self._query_table(X)
        with self.cases_.snapshot() as cases:
            own: Any = self._current_learner(cases)
            learner = ChoiceLearner(own.recipe, own.host)
            (mask,) = answer_queries(
                learner, cases, cases.encode(table), ["mask"], n_jobs=self.n_jobs
            )
        return mask

    def _learner(self) -> SelectionLearner:
        return SelectionLearner(self._recipe(), self._host())

    def _host(self) -> Host:
        """What classifies by the attributes chosen."""
        raise NotImplementedError

    def _recipe(self) -> Recipe:
        """How attributes are chosen."""
        self._check_parameters()
        own = vars(self)
        return Recipe(**{name: own[name] for name in _RECIPE if name in own})

    def _check_parameters(self) -> None:
        check_choice("selection", self.selection, STRATEGIES)
        find_measure(self.measure)
        if isinstance(self.n_attributes, str):
            check_choice("n_attributes", self.n_attributes, BY_CASES)
        if self.selection == "lazy-cfs" and self.measure != "entropy":
            raise BadInputError(
                f"measure={self.measure!r} has no lazy CFS, which compares entropies; "
                "give measure='entropy', or selection='lazy'."
            )
        own = vars(self)
        for name in _COUNTS:
            if name in own:
                check_count(name, own[name])

    def _check_width(self, n_attributes: int) -> None:
        if not isinstance(self.n_attributes, str):
            how_many(self.n_attributes, n_attributes)


_RECIPE = tuple(Recipe.__dataclass_fields__)
_COUNTS = ("n_neighbors", "min_support", "max_loo_rows", "n_local_neighbors")
