"""Linear models of all cases: classes by logistic regression, numbers by a line."""

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import (
    Batch,
    Floats,
    Ints,
    batch_of_cases,
    left_out_places,
)
from sklazy.answer.learner import Effort
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.flow import Queries
from sklazy.forking import cached_property
from sklazy.kernels.vectors import add_terms
from sklazy.measures import argmax_with_ties
from sklazy.methods.linear_models.columns import LinearColumns, make_columns, place
from sklazy.methods.linear_models.logistic import (
    LogisticFit,
    fit_logistic,
    to_probabilities,
)
from sklazy.methods.linear_models.ridge import RidgeFit, fit_ridge
from sklazy.methods.row_weights import RowWeights, find_row_weights

_MOST_QUERIES = 8192


class LinearCases(NamedTuple):
    """A model of all cases.

    Attributes
    ----------
    base : CaseBase
    columns : LinearColumns
    fit : LogisticFit or RidgeFit
        Its left-out answers are in canonical order.
    effort : Effort
    """

    base: CaseBase
    columns: LinearColumns
    fit: LogisticFit | RidgeFit
    effort: Effort


@dataclass(frozen=True, eq=False)
class LinearAnswer:
    """A batch of queries, answered.

    Attributes
    ----------
    ready : LinearCases
    queries : Queries
    scores : float64 array of shape (n_queries, n_outputs)
        Of each class against the rest, or the number.
    priors : array of shape (n_classes,) or (n_queries, n_classes)
        Cases of each class that are seen, which settle ties.
    """

    ready: LinearCases
    queries: Queries
    scores: Floats
    priors: NDArray[np.generic]

    @property
    def base(self) -> CaseBase:
        """The cases that answered."""
        return self.ready.base

    @property
    def values(self) -> Floats:
        """Predictions of numbers, (n_queries, 1)."""
        return self.scores

    @cached_property
    def probabilities(self) -> Floats:
        """Scores as shares, (n_queries, n_classes)."""
        return to_probabilities(self.scores)

    @property
    def decisions(self) -> Ints:
        """The class of highest probability; ties by more cases, then lower code."""
        return argmax_with_ties(self.probabilities, self.priors)


@dataclass(frozen=True)
class LinearLearner:
    """Answers by one linear model.

    Attributes
    ----------
    target : Target
    approximate : bool
        Whether scales, categories and the ridge stay those of all rows when rows are
        left out; classes are then left out by one Newton step.
    in_part : bool
        Whether one of the copies that a whole weight stands for is left out, not all.
    """

    target: Target
    approximate: bool = field(default=False, compare=False)
    in_part: bool = field(default=False, compare=False)

    is_stiff: ClassVar[bool] = True
    """Its one setting hardly fits the rows that it is chosen by."""

    def prepare(self, base: CaseBase) -> LinearCases:
        """Fit the model."""
        rows, weights = batch_of_cases(base, base.order).queries, find_row_weights(base)
        columns, placed = make_columns(base.cases, rows, weights)
        fit = self._fit(base, placed, weights)
        cost = 2000.0 + 3.0 * fit.coefficients.size + 10.0 * placed.shape[1]
        return LinearCases(base, columns, fit, Effort(cost, 1, _MOST_QUERIES))

    def _fit(
        self, base: CaseBase, placed: Floats, weights: RowWeights | None
    ) -> LogisticFit | RidgeFit:
        cases, order = base.cases, base.order
        if self.target.kind == "nominal":
            n_classes = cases.class_counts.size
            return fit_logistic(placed, cases.classes[order], n_classes, weights)
        return fit_ridge(placed, cases.targets[0, order], weights)

    def answer(self, ready: LinearCases, batch: Batch) -> LinearAnswer:
        """Add up the terms of each query, or give what was found without the case."""
        priors = batch.priors() if self.target.kind == "nominal" else np.zeros(0)
        if batch.excluded is not None:
            # Products of matrices may round equal rows differently.
            places = left_out_places(batch.base, batch.excluded)
            left_out = ready.fit.in_part if self.in_part else ready.fit.left_out
            scores = left_out[places]
            return LinearAnswer(ready, batch.queries, scores, priors)
        placed = np.ascontiguousarray(place(ready.columns, batch.queries))
        scores = np.empty((len(placed), len(ready.fit.intercepts)))
        add_terms(placed, ready.fit.coefficients, ready.fit.intercepts, scores)
        return LinearAnswer(ready, batch.queries, scores, priors)

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """All rows, if all else may stay; none where the model must be fitted anew."""
        return np.full(base.n_rows, self.approximate)


def terms_of(answer: LinearAnswer, query: int) -> tuple[list[int], Floats]:
    """Contribution of each attribute to the scores of a query.

    Returns
    -------
    attributes : list of int
        Those that the model looks at.
    added : float64 array of shape (n_attributes, n_outputs)
    """
    columns, fit = answer.ready.columns, answer.ready.fit
    here = slice(query, query + 1)
    one = Queries(answer.queries.codes[here], answer.queries.values[here])
    terms = fit.coefficients * place(columns, one)
    attributes = np.unique(columns.attributes).tolist()
    added = np.zeros((len(attributes), len(terms)))
    for i, j in enumerate(attributes):
        added[i] = terms[:, columns.attributes == j].sum(axis=1)
    return attributes, added
