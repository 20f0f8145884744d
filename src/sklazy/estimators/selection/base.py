"""The base of the classifiers that choose attributes for each query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from sklazy.answer import answer_queries
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.estimators.classifiers import WeightedClassifier
from sklazy.estimators.parameters import check_choice, check_count
from sklazy.measures import find_measure, how_many
from sklazy.methods.selection.hierarchy import check_hierarchy
from sklazy.methods.selection.host import Host
from sklazy.methods.selection.learner import ChoiceLearner, SelectionLearner
from sklazy.methods.selection.recipe import STRATEGIES, Hierarchy, Recipe

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator
    from sklazy.methods.number_selection.learner import NumberChoiceLearner

BY_CASES = ("auto", "local", "vote")
"""Values of `n_attributes` that are not numbers."""


class SelectingClassifier(WeightedClassifier):
    """A classifier that chooses attributes for each query; see the subclasses."""

    _can_approximate = True
    _warns_of_names = True

    n_attributes: int | float | str
    selection: str
    measure: str
    discount_rare_values: bool

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
        return find_mask(self, X, ChoiceLearner)

    def loo_predict(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> NDArray[Any]:
        """Predict the class of training rows, each from all other rows.

        Parameters
        ----------
        rows : array-like of int, optional
            Rows to predict, by position in order of arrival. Default: all.
        approximate : bool, default=True
            Whether to keep the numbers of attributes and neighbors that "auto" found
            from all rows. If False, and always without "auto", the result equals
            forgetting the row and predicting it; "auto" then runs again for every row.

        Returns
        -------
        labels : array of shape (n_rows,)
            In order of arrival, like `ids_`, or in the order of `rows`.
        """
        (labels,) = self._left_out(rows, "decisions", approximate=approximate)
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
        (probabilities,) = self._left_out(
            rows, "probabilities", approximate=approximate
        )
        return probabilities

    def _learner(self) -> SelectionLearner:
        return SelectionLearner(self._recipe(), self._host())

    def _host(self) -> Host:
        """Make the classifier that sees the attributes chosen."""
        raise NotImplementedError

    def _recipe(self) -> Recipe:
        """How attributes are chosen."""
        self._check_parameters()
        settings = {name: vars(self)[name] for name in _RECIPE if name in vars(self)}
        settings["discount_rare_values"] = bool(self.discount_rare_values)
        settings["hierarchy"] = read_hierarchy(vars(self).get("hierarchy"))
        return Recipe(**settings)

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
        parameters = vars(self)
        if self.selection == "lazy-hip" and not parameters.get("hierarchy"):
            raise BadInputError(
                "selection='lazy-hip' needs a hierarchy; give hierarchy={column: [its "
                "parents]} to LazyNBClassifier or LazyKNeighborsClassifier, or use "
                "selection='lazy'."
            )
        for name in _COUNTS:
            if name in parameters:
                check_count(name, parameters[name])

    def _check_cases(self, cases: CaseBase) -> None:
        if self.selection == "lazy-hip":
            check_hierarchy(cases, self._recipe())

    def _check_size(self, n_attributes: int, n_rows: int | None) -> None:
        if not isinstance(self.n_attributes, str):
            how_many(self.n_attributes, n_attributes)


def read_hierarchy(hierarchy: object) -> Hierarchy:
    """Parents by attribute as plain data, in an order of its own."""
    if hierarchy is None:
        return ()
    if not isinstance(hierarchy, Mapping):
        raise BadInputError(
            f"hierarchy={hierarchy!r}; expected a mapping of columns to their parents, "
            "for example {'dog': ['mammal']}."
        )
    pairs = [
        (child, (parents,) if isinstance(parents, str | int) else tuple(parents))
        for child, parents in hierarchy.items()
    ]
    return tuple(sorted(pairs, key=repr))


def find_mask(
    model: LazyEstimator,
    X: object,
    kind: type[ChoiceLearner] | type[NumberChoiceLearner],
) -> NDArray[np.bool_]:
    """Find which attributes each query uses; see `select_attributes`."""
    table = model._query_table(X)
    with model.cases_.snapshot() as cases:
        learner: Any = model._current_learner(cases)
        chooser = kind(learner.recipe, learner.host)
        queries, n_jobs = cases.encode(table), model.n_jobs
        (mask,) = answer_queries(chooser, cases, queries, ["mask"], n_jobs=n_jobs)
    return mask


_RECIPE = tuple(Recipe.__dataclass_fields__)
_COUNTS = ("min_support", "max_loo_rows", "n_local_neighbors")
