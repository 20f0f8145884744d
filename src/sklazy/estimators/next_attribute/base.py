"""Estimators that say which missing attribute to measure next."""

from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.next_attribute import find_missing, suggest_next
from sklazy.casebase import CaseBase
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.next_attribute.acquisition import Acquisition, Game
from sklazy.estimators.next_attribute.costs import (
    Costs,
    Floats,
    read_costs,
)
from sklazy.estimators.next_attribute.suggestion import Suggestion
from sklazy.estimators.parameters import check_positive
from sklazy.flow import Queries
from sklazy.receipts import Wanted
from sklazy.receipts.next_attribute import describe_next
from sklazy.tables import Table


class SuggestingEstimator(LazyEstimator):
    """A lazy estimator that says which missing attribute to measure next."""

    def _beside(
        self, cases: CaseBase, table: Table, wanted: Wanted
    ) -> list[dict[str, Any]]:
        told = super()._beside(cases, table, wanted)
        if not wanted.suggest:
            return told
        prices = read_costs(wanted.costs, cases)
        found = self._next_attributes(cases, cases.encode(table), prices)
        pairs = zip(told, found, strict=True)
        return [{**own, "next_attribute": one} for own, one in pairs]

    def suggest_attribute(self, X: ArrayLike, costs: Costs = None) -> list[Suggestion]:
        """Which missing attribute of each query to measure next, and why.

        Each missing attribute is judged by what it is expected to take from the doubt
        about the answer: over its values, as probable as they are among the cases that
        are still alike, per unit of cost. The answers that the best attribute may lead
        to are the estimator's own.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
            Missing cells are those that can be measured.
        costs : mapping of name to number, or array-like of shape (n_attributes,)
            What it costs to measure each attribute, above 0; 1 by default.

        Returns
        -------
        suggestions : list of Suggestion, one for each query

        See Also
        --------
        acquire : Play it on complete rows.

        Notes
        -----
        A case counts a fifth for every known attribute in which it differs from the
        query, beyond those in which the best case differs. Numbers are seen by their
        bins, or by their quartiles where numbers are predicted. Nothing depends on the
        order of rows or on other queries.

        Examples
        --------
        >>> from sklazy import LazyNBClassifier
        >>> X = [["red", "x"], ["red", "y"], ["blue", "x"], ["blue", "y"]] * 3
        >>> y = ["a", "a", "b", "c"] * 3
        >>> model = LazyNBClassifier(selection="none").fit(X, y)
        >>> (one,) = model.suggest_attribute([["blue", None]])
        >>> one.attribute, [(o["value"], o["answer"]) for o in one.outcomes]
        ('x1', [('x', 'b'), ('y', 'c')])
        """
        check_is_fitted(self)
        table = self._query_table(X)
        with self.cases_.snapshot() as cases:
            prices = read_costs(costs, cases)
            found = self._next_attributes(cases, cases.encode(table), prices)
            return [Suggestion(one) for one in found]

    def _next_attributes(
        self, cases: CaseBase, queries: Queries, prices: Floats
    ) -> list[dict[str, Any]]:
        """Suggestions as plain data."""
        learner, n_jobs = self._current_learner(cases), self._n_jobs
        missing = find_missing(queries)
        found = suggest_next(learner, cases, queries, missing, prices, n_jobs)
        return [describe_next(cases, one, prices) for one in found]

    def acquire(
        self, X: ArrayLike, budget: float | None = None, costs: Costs = None
    ) -> Acquisition:
        """Play `suggest_attribute` on complete rows: buy attributes one by one.

        Each query begins with nothing known, buys what tells most per cost, is
        answered, and so on until the budget is spent or nothing that is left tells
        anything.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
            A cell that is missing cannot be bought.
        budget : float, optional
            What each query may spend; by default no limit.
        costs : as for `suggest_attribute`

        Returns
        -------
        Acquisition
        """
        check_is_fitted(self)
        if budget is not None:
            check_positive("budget", budget, "what each query may spend")
        table = self._query_table(X)
        with self.cases_.snapshot() as cases:
            prices, learner = read_costs(costs, cases), self._current_learner(cases)
            queries, n_jobs = cases.encode(table), self._n_jobs
            return Game(learner, cases, queries, prices, budget, n_jobs).play()
