"""What the three hosts of lazy attribute selection share."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import answer_queries
from sklazy.answer.number_selection.learner import NumberChoiceLearner
from sklazy.answer.selection.host import Host
from sklazy.answer.selection.learner import ChoiceLearner, SelectionLearner
from sklazy.answer.selection.recipe import STRATEGIES, Recipe
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, DataWarning
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.parameters import check_choice, check_count
from sklazy.estimators.targets import WeightedClassifier
from sklazy.measures import find_measure, how_many
from sklazy.tables.naming import mostly_differ

BY_CASES = ("auto", "local", "vote")
"""What `n_attributes` can be beside a number."""


class SelectingEstimator(LazyEstimator):
    """What classes and numbers have in common where attributes are chosen."""

    n_jobs: int | None
    _choice_learner: type[ChoiceLearner] | type[NumberChoiceLearner]

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
            learner = self._choice_learner(own.recipe, own.host)
            (mask,) = answer_queries(
                learner, cases, cases.encode(table), ["mask"], n_jobs=self.n_jobs
            )
        return mask

    def _keep(self, *given: Any, **options: Any) -> Self:  # noqa: ANN401 - as in `fit`
        super()._keep(*given, **options)
        warn_of_names(self.cases_)
        return self


class SelectingClassifier(SelectingEstimator, WeightedClassifier):
    """A classifier that chooses attributes for each query; see the subclasses."""

    _choice_learner = ChoiceLearner

    n_attributes: int | float | str
    selection: str
    measure: str
    discount_rare_values: bool

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A fraction of two or three columns is a single one, and may not be enough.
        tags.classifier_tags.poor_score = self.selection != "none"
        return tags

    def loo_predict(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> NDArray[Any]:
        """Predict the class of training rows, each from all other rows.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; all by default.
        approximate : bool, default=True
            Whether the numbers of attributes and neighbors that "auto" found with all
            rows stay. Otherwise, and without "auto", equal to forgetting the row and
            predicting it; "auto" then leaves rows out for every row left out.

        Returns
        -------
        labels : array of shape (n_rows,)
            In order of arrival, as `ids_`, or of `rows`.
        """
        (labels,) = self._left_out_with(approximate, rows, "decisions")
        return labels

    def loo_predict_proba(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> NDArray[np.float64]:
        """Predict the class probabilities of training rows, each from all others.

        Parameters
        ----------
        rows, approximate
            As for `loo_predict`.

        Returns
        -------
        probabilities : float64 array of shape (n_rows, n_classes)
        """
        (probabilities,) = self._left_out_with(approximate, rows, "probabilities")
        return probabilities

    def _left_out_with(
        self, approximate: bool, rows: ArrayLike | None, *outputs: str
    ) -> tuple[NDArray[Any], ...]:
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            learner: Any = self._current_learner(cases)
            settled = learner.settle(cases) if approximate else learner
            return self._left_out_by(cases, settled, rows, *outputs)

    def _learner(self) -> SelectionLearner:
        return SelectionLearner(self._recipe(), self._host())

    def _host(self) -> Host:
        """What classifies by the attributes chosen."""
        raise NotImplementedError

    def _recipe(self) -> Recipe:
        """How attributes are chosen."""
        self._check_parameters()
        own = {name: vars(self)[name] for name in _RECIPE if name in vars(self)}
        rare = bool(self.discount_rare_values)
        return Recipe(**{**own, "discount_rare_values": rare})

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


def warn_of_names(cases: CaseBase) -> None:
    """Say which nominal columns do hardly more than name the rows."""
    found = [name for j, name in enumerate(cases.names) if _names_rows(cases, j)]
    if found:
        warnings.warn(
            f"columns that name rows: {found}. Nearly every value is that of one row "
            "and says nothing about new rows; leave the columns out.",
            DataWarning,
            stacklevel=4,
        )


def _names_rows(cases: CaseBase, attribute: int) -> bool:
    memory = cases.cases
    if memory.numeric[attribute] >= 0:
        return False
    codes = memory.codes[attribute, : memory.n_rows]
    sizes = np.bincount(codes[codes >= 0])
    return mostly_differ(int((sizes > 0).sum()), int(sizes.sum()))


_RECIPE = tuple(Recipe.__dataclass_fields__)
_COUNTS = ("min_support", "max_loo_rows", "n_local_neighbors")
