"""Abstain from the answers that are least sure, and the curve of what that gains."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import answer_queries, leave_one_out
from sklazy.answer.leave_one_out import at_once
from sklazy.answer.uncertainty.scores import draw_scored_cases
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.estimators.parameters import check_fraction, check_share
from sklazy.measures.abstention import lower_bounds, trace_curve
from sklazy.receipts.uncertainty import describe_abstention
from sklazy.report.axes import find_axes
from sklazy.tables import Table

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """Accuracy when the least sure answers are withheld, by leave-one-out.

    Attributes
    ----------
    thresholds : float64 array of shape (n_points,)
        Least probability of an answer, descending; at the last, all are given.
    n_answered, n_right : int64 arrays of shape (n_points,)
        Rows answered at each threshold, and answered correctly.
    """

    thresholds: Floats
    n_answered: Ints
    n_right: Ints

    @property
    def coverage(self) -> Floats:
        """The share of rows that are answered, by point."""
        shares: Floats = self.n_answered / self.n_answered[-1]
        return shares

    @property
    def accuracy(self) -> Floats:
        """The share of right answers among those given, by point."""
        shares: Floats = self.n_right / self.n_answered
        return shares

    @property
    def area(self) -> float:
        """The mean share of wrong answers over all shares answered; 0 is best."""
        widths = np.diff(self.coverage, prepend=0.0)
        return float(((1.0 - self.accuracy) * widths).sum())

    def threshold_for(self, accuracy: float, confidence: float | None = None) -> float:
        """The threshold that withholds the fewest answers for a wanted accuracy.

        Parameters
        ----------
        accuracy : float in (0, 1)
        confidence : float in (0, 1), optional
            Confidence in the accuracy: if given, the lower Clopper-Pearson bound must
            reach it, at each threshold separately.
        """
        check_share("accuracy", accuracy)
        reached = self.accuracy
        if confidence is not None:
            check_share("confidence", confidence)
            reached = lower_bounds(self.n_right, self.n_answered, confidence)
        good = np.flatnonzero(reached >= accuracy)
        if not len(good):
            raise BadInputError(
                f"accuracy={accuracy!r} is not reached, even with few answers: the "
                f"best is {reached.max():.3f}, on {self.n_answered[-1]} rows left out. "
                "Lower the accuracy."
            )
        return float(self.thresholds[good[-1]])

    def share_answered(self, threshold: float) -> float:
        """The share of rows that are at least so sure."""
        return float(self.coverage[np.flatnonzero(self.thresholds >= threshold)[-1]])

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain data."""
        names = ("thresholds", "coverage", "accuracy")
        return {name: getattr(self, name).tolist() for name in names}

    def plot(self, ax: Any = None) -> Any:  # noqa: ANN401 - a matplotlib Axes
        """Draw accuracy against the share of rows answered.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        """
        ax = find_axes(ax)
        ax.step(self.coverage, self.accuracy, where="post")
        ax.set(xlabel="share of rows answered", ylabel="accuracy of answers")
        return ax

    def __repr__(self) -> str:
        return (
            f"RiskCoverage({self.n_answered[-1]} rows, accuracy "
            f"{self.accuracy[-1]:.3f} of all, area {self.area:.3f})"
        )


def find_risk_coverage(model: "LazyEstimator") -> RiskCoverage:
    """Trace accuracy against the share answered, for `risk_coverage`."""
    check_is_fitted(model)
    with model.cases_.snapshot() as cases:
        return _risk_coverage(model, cases)


def predict_or_abstain(
    model: "LazyEstimator",
    X: object,
    accuracy: float | None,
    threshold: float | None,
    confidence: float | None,
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Predict classes, and mark those that are sure enough to be given."""
    check_is_fitted(model)
    with model.cases_.snapshot() as cases:
        limit = _find_threshold(model, cases, accuracy, threshold, confidence)
        labels, shares = model._answer_by(cases, X, "decisions", "probabilities")
    return labels, shares.max(axis=1, initial=0.0) >= limit


def describe_abstentions(
    model: "LazyEstimator", cases: CaseBase, table: Table, accuracy: float | None
) -> list[dict[str, Any]]:
    """Describe whether each query is answered, if an accuracy is wanted."""
    if accuracy is None:
        return [{}] * len(table)
    curve, learner = _risk_coverage(model, cases), model._current_learner(cases)
    threshold = curve.threshold_for(accuracy)
    share, queries = curve.share_answered(threshold), cases.encode(table)
    (shares,) = answer_queries(
        learner, cases, queries, ["probabilities"], n_jobs=model.n_jobs
    )
    return [
        describe_abstention(float(accuracy), threshold, share, float(sure))
        for sure in shares.max(axis=1)
    ]


def _risk_coverage(model: "LazyEstimator", cases: CaseBase) -> RiskCoverage:
    """The curve of one state of the cases, kept with it."""
    learner, n_jobs = at_once(model._current_learner(cases), cases), model.n_jobs

    def find() -> RiskCoverage:
        rows = draw_scored_cases(cases, np.zeros(cases.n_rows, np.int64))
        outputs = ["decisions", "probabilities"]
        codes, shares = leave_one_out(learner, cases, rows, outputs, n_jobs)
        right = codes == cases.cases.classes[rows]
        return RiskCoverage(*trace_curve(shares.max(axis=1), right))

    return cases.derive((RiskCoverage, learner), find)


def _find_threshold(
    model: "LazyEstimator",
    cases: CaseBase,
    accuracy: float | None,
    threshold: float | None,
    confidence: float | None,
) -> float:
    """How sure an answer must be, by a parameter or by leave-one-out."""
    if (accuracy is None) == (threshold is None):
        raise BadInputError(
            f"accuracy={accuracy!r} and threshold={threshold!r}; give one of them."
        )
    if threshold is None:
        assert accuracy is not None
        return _risk_coverage(model, cases).threshold_for(accuracy, confidence)
    check_fraction("threshold", threshold)
    if confidence is not None:
        raise BadInputError(
            f"confidence={confidence!r} needs accuracy; give accuracy instead of "
            "threshold, or leave confidence out."
        )
    return float(threshold)
