"""The worth of each case: by Shapley values of k-NN votes, or by its influence."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.batch import batch_of_cases
from sklazy.answer.novelty import measure_all
from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CLASSES
from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.inputs import places_of
from sklazy.estimators.parameters import check_count
from sklazy.flow import Queries
from sklazy.measures.case_values import value_means, value_votes
from sklazy.report.listings import list_pairs
from sklazy.report.plots import draw_curves
from sklazy.report.progress import track
from sklazy.tables import as_target

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NOBODY = -1


@dataclass(frozen=True, eq=False)
class CaseValues:
    """Values of cases, made by `case_values`.

    Attributes
    ----------
    values : float64 array of shape (n_rows,)
        Of each case, in order of arrival. Below 0: the case does harm.
    ids : array of shape (n_rows,)
        The rows' ids.
    worth : float
        The sum of the values. By votes: what all cases are worth together.
    n_neighbors : int or None
        Of the votes; None if cases are valued by their influence.
    n_queries : int
        The rows whose answers were judged.
    """

    values: Floats
    ids: NDArray[Any]
    worth: float
    n_neighbors: int | None
    n_queries: int

    def worst(self, n: int = 10) -> list[Any]:
        """List the ids of the cases with the lowest values, the lowest first.

        Parameters
        ----------
        n : int, default=10
        """
        return self.ids[np.argsort(self.values, kind="stable")[:n]].tolist()

    def to_frame(self) -> pandas.DataFrame:
        """Make a pandas frame of the values, indexed by id, the lowest first."""
        import pandas  # noqa: PLC0415 (an optional dependency)

        order = np.argsort(self.values, kind="stable")
        index = pandas.Index(self.ids[order], name="case")
        return pandas.DataFrame({"value": self.values[order]}, index=index)

    def removal_curve(
        self,
        model: LazyEstimator,
        X: ArrayLike,
        y: ArrayLike,
        shares: ArrayLike = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
    ) -> dict[str, list[float]]:
        """Score a model without its best, or its worst, cases.

        Parameters
        ----------
        model : fitted lazy estimator
            Whose cases these are; it is not changed.
        X, y : as for ``score``
        shares : array-like of float in [0, 1)
            How many of the cases are removed.

        Returns
        -------
        curve : dict of lists
            ``share`` removed, ``without_worst`` and ``without_best``: the scores.
        """
        removed = [float(share) for share in np.asarray(shares, float).ravel()]
        if not all(0 <= share < 1 for share in removed):
            raise BadInputError(f"shares={shares!r}; give numbers from 0 to below 1.")
        order = self.ids[np.argsort(self.values, kind="stable")]
        curve: dict[str, list[float]] = {"share": removed}
        for name, ids in (("without_worst", order), ("without_best", order[::-1])):
            curve[name] = [_score_without(model, ids, s, X, y) for s in removed]
        return curve

    def plot_removal(
        self,
        model: LazyEstimator,
        X: ArrayLike,
        y: ArrayLike,
        shares: ArrayLike = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
    ) -> str:
        """Draw the `removal_curve` as a file of SVG.

        Parameters
        ----------
        model, X, y, shares
            As for `removal_curve`.
        """
        curve = self.removal_curve(model, X, y, shares)
        names = {"without_worst": "lowest values", "without_best": "highest values"}
        points = {
            text: list(zip(curve["share"], curve[name], strict=True))
            for name, text in names.items()
        }
        label = "Score of the model once cases are removed, those named at the right"
        drawn = draw_curves(points, label, "share of cases removed", "score")
        return drawn.alone()

    def __repr__(self) -> str:
        n_harmful = int((self.values < 0).sum())
        return (
            f"CaseValues({len(self.values)} cases, {n_harmful} do harm, "
            f"worth={self.worth:.3g})"
        )

    def __str__(self) -> str:
        order = np.argsort(self.values, kind="stable")
        pairs = [(self.ids[i], float(self.values[i])) for i in order.tolist()]
        title = f"{self!r}, the least worth first"
        return list_pairs(title, ["case", "value"], pairs)


def _score_without(
    model: LazyEstimator, ids: NDArray[Any], share: float, X: ArrayLike, y: ArrayLike
) -> float:
    n_gone = min(int(share * len(ids)), len(ids) - 1)
    left = copy.deepcopy(model).forget(ids[:n_gone]) if n_gone else model
    return float(left.score(X, y))


def case_values(
    model: LazyEstimator,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    n_neighbors: int | None = None,
) -> CaseValues:
    """Find how much each case adds to the answers, exactly.

    By the votes of k-NN, the value of a case is what it adds to a set of cases,
    averaged over all sets (its Shapley value). A set is worth the share of right votes
    among its k nearest cases, or, where numbers are predicted, minus the squared error
    of their mean. Values of all cases add up to what all are worth more than none.

    By influence, the value of a case is what the answers lose without it: probability
    of the right class, or squared error, averaged over the rows of `X`.

    Parameters
    ----------
    model : fitted lazy estimator
    X, y : rows to judge by, and their targets, optional
        By default the votes on each case are judged, itself left out. Influence needs
        rows that the model has not seen.
    n_neighbors : int, optional
        How many cases vote. Default: that of the model, or 5 if it chooses it. Models
        other than k-NN have none: their cases are valued by influence, or, if this is
        given, by k-NN with the same cases.

    Returns
    -------
    values : CaseValues

    Notes
    -----
    Cases are compared by the HEOM distance on all attributes, as ``similar`` does. A
    case of weight w has w votes. Numbers are predicted as differences from their mean,
    which a set without cases predicts. Cases at the same distance are taken in both
    orders of their votes, and their values averaged, so the order of rows plays no
    part. Each query costs O(n log n) [1]_; there is no approximation.

    The influence of all cases of a kernel model costs one product a query; other models
    are asked again without each case.

    References
    ----------
    .. [1] Jia et al., "Efficient task-specific data valuation for nearest neighbor
       algorithms", VLDB 2019.

    Examples
    --------
    >>> import sklazy
    >>> X, y = [[1.0], [1.1], [1.2], [5.0], [5.1], [5.2]], list("aabbbb")
    >>> model = sklazy.LazyKNeighborsClassifier(1).fit(X, y)
    >>> values = sklazy.case_values(model, [[1.15], [1.05], [5.05]], list("aab"))
    >>> values.worst(1)  # the row at 1.2, whose label is wrong
    [2]
    """
    if not isinstance(model, LazyEstimator):
        raise BadTypeError(
            f"model is of type {type(model).__name__}; expected a fitted lazy "
            "estimator, as in case_values(LazyKNeighborsClassifier().fit(X, y))."
        )
    check_is_fitted(model)
    if (X is None) != (y is None):
        raise BadInputError("give both X and y, or neither.")
    if n_neighbors is None and not model._votes:
        return _value_by_influence(model, X, y)
    return _value_by_votes(model, X, y, count_voters(model, n_neighbors))


def _value_by_influence(
    model: LazyEstimator, X: ArrayLike | None, y: ArrayLike | None
) -> CaseValues:
    """Average what the answers to some rows lose without each case."""
    if X is None:
        raise BadInputError(
            f"{type(model).__name__} does not vote with its nearest cases; give X and "
            "y, rows that it has not seen, to value cases by their influence, or "
            "n_neighbors=5 to value them by k-NN."
        )
    with model.cases_.snapshot() as state:
        base = state.joined()
        targets = _judge_rows(model, base, X, y).targets
        ids, labels = base.ids[places_of(base, None)], base.class_labels
    if not labels:
        influence = model.influence(X)
        gains = (influence.without - targets[:, None]) ** 2
        gains -= (influence.answer - targets)[:, None] ** 2
    else:
        table, gains = model._query_table(X), np.zeros((len(targets), len(ids)))
        for code in np.unique(targets[targets >= 0]).tolist():
            rows = np.flatnonzero(targets == code)
            gains[rows] = model.influence(table.take(rows), of=labels[code]).values
    values = gains.mean(axis=0)
    return CaseValues(values, ids, float(values.sum()), None, len(targets))


def _value_by_votes(
    model: LazyEstimator, X: ArrayLike | None, y: ArrayLike | None, k: int
) -> CaseValues:
    """Sum the Shapley values of all cases over the rows that are judged."""
    with model.cases_.snapshot() as state:
        base = state.joined()
        if X is None:
            judged = _judge_cases(base, np.arange(base.n_rows))
        else:
            judged = _judge_rows(model, base, X, y)
        queries = track(range(len(judged.targets)), "valuing cases")
        totals = _sum_values(base, judged, queries, k)
        values = (totals / len(judged.targets))[places_of(base, None)]
        ids = base.ids[places_of(base, None)]
    return CaseValues(values, ids, float(values.sum()), k, len(judged.targets))


def sum_values_on_cases(base: CaseBase, rows: Ints, n_neighbors: int) -> Floats:
    """Sum the Shapley values of all cases over votes on some of them, each left out.

    Parameters
    ----------
    base : CaseBase
    rows : int64 array of shape (n,)
        Whose answers are judged.
    n_neighbors : int
        How many cases vote.

    Returns
    -------
    sums : float64 array of shape (n_rows,)
    """
    judged = _judge_cases(base, rows)
    return _sum_values(base, judged, range(len(rows)), n_neighbors)


def _sum_values(
    base: CaseBase, judged: _Judged, queries: Iterable[int], k: int
) -> Floats:
    totals = np.zeros(base.n_rows)
    for query in queries:
        totals += _value_one(base, judged, query, k)
    return totals


def count_voters(model: LazyEstimator, n_neighbors: int | None = None) -> int:
    """How many cases vote: as many as given, or as the k-NN model has, or 5."""
    if n_neighbors is not None:
        check_count("n_neighbors", n_neighbors)
        return int(n_neighbors)
    k = getattr(model, "n_neighbors", "auto") if model._votes else "auto"
    return int(k) if isinstance(k, int | np.integer) else 5


@dataclass(frozen=True)
class _Judged:
    """Rows whose answers are judged.

    Attributes
    ----------
    queries : Queries
    targets : array of shape (n,), codes of classes (below 0: no case has it) or numbers
    left_out : int64 array of shape (n,), the case that each is, or -1
    of_cases : array of shape (n_rows,), the targets of all cases
    """

    queries: Queries
    targets: NDArray[Any]
    left_out: Ints
    of_cases: NDArray[Any]


def _judge_cases(base: CaseBase, rows: Ints) -> _Judged:
    if base.n_rows < 2:
        raise BadInputError("there is only one case; give X and y to evaluate it on.")
    targets = _targets(base)
    return _Judged(batch_of_cases(base, rows).queries, targets[rows], rows, targets)


def _judge_rows(
    model: LazyEstimator, base: CaseBase, X: ArrayLike, y: ArrayLike | None
) -> _Judged:
    queries = base.encode(model._query_table(X))
    n_rows = len(queries.codes)
    targets: NDArray[Any]
    if is_regressor(model):
        targets = np.asarray(y, np.float64).ravel()
    else:
        column = as_target(y, "nominal")
        known = base.coder.vocabularies[CLASSES].lookup(column.categories)
        targets = np.append(known, _NOBODY)[column.data]
    if len(targets) != n_rows or not n_rows:
        raise BadInputError(
            f"X has {n_rows} rows and y has {len(targets)} entries; give one entry for "
            "each row, at least one."
        )
    return _Judged(queries, targets, np.full(n_rows, _NOBODY), _targets(base))


def _targets(base: CaseBase) -> NDArray[Any]:
    """The classes of all cases by code, or their numbers."""
    if base.coder.has_classes:
        return base.cases.classes[: base.n_rows].astype(np.int64)
    if base.count_targets() > 1:
        raise BadInputError(
            f"the cases have {base.count_targets()} targets; expected 1. Fit a model "
            "for each target."
        )
    return base.rows.targets[0, : base.n_rows].copy()


def _value_one(base: CaseBase, judged: _Judged, query: int, k: int) -> Floats:
    """Value all cases by the answer to one query; 0 for the one left out."""
    squares = measure_all(base, judged.queries, query)
    here = np.flatnonzero(np.arange(base.n_rows) != judged.left_out[query])
    weights, targets = base.weights[here], judged.of_cases[here]
    wanted = judged.targets[query]
    if base.coder.has_classes:
        shares = weights * (targets == wanted)
        find = partial(value_votes, n_neighbors=k)
    else:
        middle = np.average(targets, weights=weights if weights.any() else None)
        shares = weights * (targets - middle)
        find = partial(value_means, target=float(wanted - middle), n_neighbors=k)
    values, orders = np.zeros(base.n_rows), _orders(squares[here], shares)
    for order in orders:
        values[here[order]] += find(shares[order]) / len(orders)
    return values


def _orders(squares: Floats, shares: Floats) -> list[Ints]:
    """Order cases by distance: once, or in both orders of shares where some tie."""
    order = np.argsort(squares, kind="stable")
    ordered = squares[order]
    if (ordered[1:] > ordered[:-1]).all():
        return [order]
    return [np.lexsort((shares, squares)), np.lexsort((-shares, squares))]
