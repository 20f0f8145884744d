"""What lazy bagging and lazy stacking of classes share."""

from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import Left
from sklazy.answer.ensembles.bagged import tell_in_slabs
from sklazy.answer.ensembles.data import Crowd, gather
from sklazy.answer.ensembles.learner import COMBINATIONS, answer_by_ensemble
from sklazy.casebase import CaseBase
from sklazy.estimators.ensembles.base import LazyEnsemble
from sklazy.estimators.unweighted import UnweightedClassifier
from sklazy.flow import Queries
from sklazy.local.paths import PathRules
from sklazy.receipts.ensemble_kind import EnsembleReceipt
from sklazy.receipts.ensembles import build_ensemble_receipts
from sklazy.receipts.plain import PlainReceipt, ReceiptList
from sklazy.tables import Table


class EnsembleClassifier(LazyEnsemble, UnweightedClassifier):
    """A classifier that makes an ensemble for each query; see the subclasses."""

    combinations: ClassVar[tuple[str, ...]] = COMBINATIONS
    receipt_kind: ClassVar[type[PlainReceipt]] = EnsembleReceipt

    min_share: bool
    correct: bool
    at_values: bool

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each query.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        labels : array of shape (n_queries,)
        """
        decisions = self._tell(X, "decisions")
        return self.classes_[decisions]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the share of each class, in the order of `classes_`.

        With ``combine="probability"`` the mean of the members' probabilities, else
        the share of their votes.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        shares : float64 array of shape (n_queries, n_classes)
        """
        return self._tell(X, "shares")

    def member_votes(self, X: ArrayLike) -> NDArray[Any]:
        """Tell what each member votes for, as `diversity_measures` takes it.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        labels : array of shape (n_queries, n_estimators)
        """
        votes = self._tell(X, "votes")
        return self.classes_[votes]

    def _tell(self, X: object, what: str) -> NDArray[Any]:
        check_is_fitted(self)
        queries, recipe = self._queries(X), self._recipe()
        tell = attrgetter(what)
        return tell_in_slabs(self._crowd(), queries, recipe, answer_by_ensemble, tell)

    def _receipts(self, table: Table) -> ReceiptList[EnsembleReceipt]:
        queries = self.cases_.encode(table)
        found = answer_by_ensemble(self._crowd(), queries, self._recipe())
        return build_ensemble_receipts(
            found, table, type(self).__name__, self._told_settings()
        )

    def _decide(self, cases: CaseBase, queries: Queries) -> Left:
        found = answer_by_ensemble(gather(cases), queries, self._recipe())
        return Left(found.decisions, found.shares)

    def _crowd(self) -> Crowd:
        return gather(self.cases_)

    def _rules(self) -> PathRules:
        """How trees split."""
        return PathRules(
            min_weight=float(self.min_weight),
            min_share=bool(self.min_share),
            correct=bool(self.correct),
            at_values=bool(self.at_values),
            inspect=self._inspected(),
        )
