"""The lazy decision tree: a path of tests that the query itself chooses."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import Left
from sklazy.answer.trees import LazyTreeAnswer, answer_by_lazy_tree
from sklazy.casebase import CaseBase
from sklazy.casebase.base import Cuts
from sklazy.estimators.unweighted import UnweightedClassifier
from sklazy.flow import Queries
from sklazy.receipts.plain import ReceiptList, verify_plain
from sklazy.receipts.trees import TreeReceipt, build_tree_receipts
from sklazy.tables import Table


class LazyDecisionTreeClassifier(UnweightedClassifier):
    """A tree that grows the branch of the query alone, by the best test for it.

    At each step the query tests one of its own values: that which tells most about
    the class of the cases that still agree with it, with the classes weighed alike.
    The cases that agree remain; when they are of one class, or no test tells
    anything, the majority is the answer. A value that is missing in the query is
    never tested.

    Parameters
    ----------
    criterion : {"fayyad", "kononenko"}
        The stop rule of the cuts: numbers are tested by their bins.
    cuts : {"exact", "frozen"}
        Whether cuts follow every row that comes and goes, or stay as first found
        until `refresh`.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal; by default those of categories, text and bools.
    n_jobs : int, optional
        Threads; by default all cores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyBaggingClassifier : Paths through ordinary trees, one a bag.

    Notes
    -----
    Tests that gain alike are settled by the number of cases that agree, then by the
    order of columns. A tie of classes goes to the larger one, then to the first.

    References
    ----------
    J. H. Friedman, R. Kohavi, Y. Yun: Lazy decision trees. Proceedings of the
    Thirteenth National Conference on Artificial Intelligence (AAAI), 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklazy import LazyDecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LazyDecisionTreeClassifier().fit(X[::2], y[::2])
    >>> model.predict(X[1:150:40])
    array([0, 0, 1, 1])
    >>> len(model.explain(X[1:2])[0].steps)
    2
    """

    def __init__(
        self,
        *,
        criterion: str = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Numbers that the cuts leave whole tell nothing.
        tags.classifier_tags.poor_score = True
        return tags

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each query.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        labels : array of shape (n_queries,)
        """
        decisions = self._ask(X).decisions
        return self.classes_[decisions]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict each class's share of the cases left, in the order of `classes_`.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        shares : float64 array of shape (n_queries, n_classes)
        """
        return self._ask(X).shares

    def explain(self, X: ArrayLike) -> ReceiptList[TreeReceipt]:
        """Answer each query with a receipt: the tests, and who was left after each.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        receipts : ReceiptList of TreeReceipt, one a query
        """
        check_is_fitted(self)
        return self._receipts(self._asked(X))

    def verify(self, receipt: TreeReceipt | Mapping[str, Any]) -> bool:
        """Ask again what a receipt answers, and tell that it is genuine.

        A receipt that was edited, that is of other cases or that says anything else
        than the cases do is refused with a `ReceiptError`.

        Parameters
        ----------
        receipt : TreeReceipt, or what its `to_dict` gave
        """
        check_is_fitted(self)
        return verify_plain(TreeReceipt, receipt, self._receipts, self.digest())

    def _ask(self, X: object) -> LazyTreeAnswer:
        check_is_fitted(self)
        return answer_by_lazy_tree(self.cases_, self._queries(X), self.n_jobs)

    def _decide(self, cases: CaseBase, queries: Queries) -> Left:
        found = answer_by_lazy_tree(cases, queries, self.n_jobs)
        return Left(found.decisions, found.shares)

    def _receipts(self, table: Table) -> ReceiptList[TreeReceipt]:
        queries = self.cases_.encode(table)
        found = answer_by_lazy_tree(self.cases_, queries, self.n_jobs)
        settings = self._told_settings()
        return build_tree_receipts(found, table, type(self).__name__, settings)
