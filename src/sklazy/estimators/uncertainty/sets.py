"""Classifiers that answer with sets of classes, or abstain."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import answer_queries, leave_one_out
from sklazy.answer.leave_one_out import at_once
from sklazy.answer.uncertainty.scores import draw_rows
from sklazy.answer.uncertainty.sets import (
    Asked,
    rank_by_full,
    rank_by_jackknife,
    rank_by_left_out,
    rank_by_nearness,
)
from sklazy.casebase import CaseBase
from sklazy.combine.abstention import trace_curve
from sklazy.combine.conformal import Ranks
from sklazy.errors import BadInputError
from sklazy.estimators.next_attribute.base import SuggestingEstimator
from sklazy.estimators.parameters import check_fraction
from sklazy.estimators.uncertainty.groups import (
    Groups,
    check_coverage,
    check_enough,
    check_way,
    find_groups,
)
from sklazy.estimators.uncertainty.risk import RiskCoverage
from sklazy.receipts import Wanted
from sklazy.receipts.uncertainty import describe_abstention, describe_set
from sklazy.tables import Table

METHODS = ("jackknife", "jackknife+", "minmax", "full")


class SetPredictor(SuggestingEstimator):
    """A classifier that says what it does not know."""

    def predict_set(
        self,
        X: ArrayLike,
        coverage: float = 0.9,
        *,
        method: str = "jackknife",
        by: str | None = None,
        groups: Groups = None,
    ) -> NDArray[np.bool_]:
        """Predict the classes that are not too strange, so that the true one is there.

        Every row is scored by the others, none is set aside for it. A class is left out
        of the set of a query if it would be stranger there than a share `coverage` of
        the rows found their own class. After rows came or went the scores are found
        anew with the next question.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        coverage : float in (0, 1), default=0.9
            How often the true class is to be in the set.
        method : {"jackknife", "jackknife+", "minmax", "full"}, default="jackknife"
            What the classes are compared by; see the Notes.
        by : {None, "class", "nearness"}, default=None
            "class": the coverage holds within every class. "nearness": rows count by
            how near they are to the query.
        groups : str, or pair of array-likes, optional
            The coverage holds within every group: the name of a nominal column, or the
            groups of all rows, in order of arrival, and those of the queries.

        Returns
        -------
        sets : bool array of shape (n_queries, n_classes)
            In the order of `classes_`. An empty set: the query is unlike the cases of
            every class, as fewer than 1 - coverage of them are. A full set: nothing
            can be ruled out.

        Notes
        -----
        The plain jackknife compares with the answer of all rows. It covers as promised
        if leaving out a row changes little; nothing is proven. It costs a left-out
        answer for every row (2000 of each group at most), once for each state; settings
        that were found by all rows stay, as in `loo_predict`.

        "full" adds the query with each class and leaves out every row then: the true
        class is in the set with a probability of at least `coverage`, whatever the
        learner, if rows and query are exchangeable. It costs left-out answers of all
        rows for every query and class: well spent on k-NN and naive Bayes.

        "jackknife+" and "minmax" compare with the answers of the models that left a row
        out: at least ``2 * coverage - 1`` and `coverage` are proven. They cost a fit
        for every row, shared by all queries of the call.

        References
        ----------
        V. Vovk, A. Gammerman, G. Shafer: Algorithmic Learning in a Random World, 2005.

        Y. Romano, M. Sesia, E. J. Candès: Classification with valid and adaptive
        coverage. NeurIPS 2020.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklazy import LazyKNeighborsClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = LazyKNeighborsClassifier().fit(X[::2], y[::2])
        >>> model.predict_set(X[[1, 15, 51]], coverage=0.95, by="class")
        array([[ True, False, False],
               [ True, False, False],
               [False,  True, False]])
        """
        check_is_fitted(self)
        share = check_coverage(coverage)
        table = self._query_table(X)
        with self.cases_.snapshot() as cases:
            ranks = self._rank_classes(cases, table, share, method, by, groups)
        return ranks.cover(share)

    def risk_coverage(self) -> RiskCoverage:
        """How accurate answers are if the least sure are withheld, by leave-one-out.

        Returns
        -------
        curve : RiskCoverage

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklazy import LazyKNeighborsClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> curve = LazyKNeighborsClassifier().fit(X, y).risk_coverage()
        >>> bool(curve.accuracy[0] > curve.accuracy[-1]), float(curve.coverage[-1])
        (True, 1.0)
        """
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            return self._risk_coverage(cases)

    def predict_or_abstain(
        self,
        X: ArrayLike,
        accuracy: float | None = None,
        *,
        threshold: float | None = None,
        confidence: float | None = None,
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Predict classes, and say which of the answers are sure enough to be given.

        Labels stay labels: those of `predict`, for all queries, so that whatever takes
        predictions takes these.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        accuracy : float in (0, 1), optional
            How often answers that are given are to be right, by leave-one-out.
        threshold : float in [0, 1], optional
            Instead: the probability that an answer must have.
        confidence : float in (0, 1), optional
            As for `RiskCoverage.threshold_for`.

        Returns
        -------
        labels : array of shape (n_queries,)
        answered : bool array of shape (n_queries,)

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklazy import LazyKNeighborsClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = LazyKNeighborsClassifier().fit(X[::2], y[::2])
        >>> labels, answered = model.predict_or_abstain(X[1::2], accuracy=0.97)
        >>> labels.shape, int(answered.sum())
        ((75,), 74)
        """
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            limit = self._threshold(cases, accuracy, threshold, confidence)
            labels, shares = self._answer_by(cases, X, "decisions", "probabilities")
        return labels, shares.max(axis=1, initial=0.0) >= limit

    def _rank_classes(
        self,
        cases: CaseBase,
        table: Table,
        coverage: float,
        method: str,
        by: str | None,
        groups: Groups,
    ) -> Ranks:
        """Where every class of the queries ranks among the cases."""
        check_way(method, by, groups, METHODS)
        if by not in (None, "class", "nearness"):
            raise BadInputError(f"by={by!r}; expected None, 'class' or 'nearness'.")
        found = find_groups(groups, cases, table)
        asked = Asked(table, found.queries, found.rows, by == "class")
        counts = _count(asked, cases, found.labels)
        check_enough(counts, coverage, 4 if by == "nearness" else 1)
        learner, n_jobs = self._current_learner(cases), self._n_jobs
        if method in ("jackknife+", "minmax"):
            widest = method == "minmax"
            return rank_by_left_out(learner, cases, asked, n_jobs, widest=widest)
        if method == "full":
            return rank_by_full(learner, cases, asked, n_jobs)
        rank = rank_by_nearness if by == "nearness" else rank_by_jackknife
        return rank(learner, cases, asked, n_jobs)

    def _beside(
        self, cases: CaseBase, table: Table, wanted: Wanted
    ) -> list[dict[str, Any]]:
        told = super()._beside(cases, table, wanted)
        for parts in (
            self._told_sets(cases, table, wanted),
            self._told_abstentions(cases, table, wanted.accuracy),
        ):
            told = [{**own, **more} for own, more in zip(told, parts, strict=True)]
        return told

    def _told_sets(
        self, cases: CaseBase, table: Table, wanted: Wanted
    ) -> list[dict[str, Any]]:
        """The set of each query for its receipt, if wanted."""
        if wanted.coverage is None:
            return [{}] * len(table)
        share, way = check_coverage(wanted.coverage), (wanted.method, wanted.by, None)
        ranks = self._rank_classes(cases, table, share, *way)
        rows = zip(ranks.credibility, ranks.cover(share), strict=True)
        return [describe_set(cases, wanted, *row) for row in rows]

    def _told_abstentions(
        self, cases: CaseBase, table: Table, accuracy: float | None
    ) -> list[dict[str, Any]]:
        """Whether the answer to each query is given, for its receipt, if wanted."""
        if accuracy is None:
            return [{}] * len(table)
        curve, learner = self._risk_coverage(cases), self._current_learner(cases)
        threshold = curve.threshold_for(accuracy)
        share, queries = curve.share_answered(threshold), cases.encode(table)
        n_jobs = self._n_jobs
        (shares,) = answer_queries(
            learner, cases, queries, ["probabilities"], n_jobs=n_jobs
        )
        return [
            describe_abstention(float(accuracy), threshold, share, float(sure))
            for sure in shares.max(axis=1)
        ]

    def _risk_coverage(self, cases: CaseBase) -> RiskCoverage:
        """The curve of one state of the cases, kept with it."""
        learner = at_once(self._current_learner(cases), cases)
        n_jobs = self._n_jobs

        def find() -> RiskCoverage:
            rows = draw_rows(cases, np.zeros(cases.n_rows, np.int64))
            outputs = ["decisions", "probabilities"]
            codes, shares = leave_one_out(learner, cases, rows, outputs, n_jobs)
            right = codes == cases.cases.classes[rows]
            return RiskCoverage(*trace_curve(shares.max(axis=1), right))

        return cases.derive((RiskCoverage, learner), find)

    def _threshold(
        self,
        cases: CaseBase,
        accuracy: float | None,
        threshold: float | None,
        confidence: float | None,
    ) -> float:
        """How sure an answer must be, given or found."""
        if (accuracy is None) == (threshold is None):
            raise BadInputError(
                f"accuracy={accuracy!r} and threshold={threshold!r}; give one of them."
            )
        if threshold is None:
            assert accuracy is not None
            return self._risk_coverage(cases).threshold_for(accuracy, confidence)
        check_fraction("threshold", threshold)
        if confidence is not None:
            raise BadInputError(
                f"confidence={confidence!r} is for a threshold that is found; give "
                "accuracy in place of threshold, or leave it out."
            )
        return float(threshold)


def _count(asked: Asked, cases: CaseBase, labels: list[Any]) -> list[tuple[str, int]]:
    """How many cases each kind has that queries are of, and where that is."""
    used = cases.cases.weights[: cases.n_rows] > 0
    kinds = asked.row_kinds(cases)[used]
    n_classes = cases.cases.class_counts.size
    found = []
    for kind in np.unique(asked.kinds(cases)).tolist():
        group, own = divmod(kind, n_classes) if asked.by_class else (kind, None)
        where = f" with groups={labels[group]!r}" if len(labels) > 1 else ""
        if own is not None:
            where += f" of class {cases.class_labels[own]!r}"
        found.append((where, int((kinds == kind).sum())))
    return found
