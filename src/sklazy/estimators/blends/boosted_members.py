"""Boosted trees of scikit-learn as a member of a blend, with categories as they are."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from threadpoolctl import ThreadpoolController

from sklazy.answer import Batch, Effort
from sklazy.answer.batch import Floats, Ints
from sklazy.casebase import CaseBase
from sklazy.casebase.draws import describe_labels
from sklazy.estimators.blends.sklearn_members import (
    Ask,
    ModelMember,
    describe_estimator,
)
from sklazy.estimators.selection.model_host import Model, ModelHost, seeded
from sklazy.flow import Queries
from sklazy.methods.blends.members import MemberAnswer

BOOSTED = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)

N_TREES, LEARNING_RATE = 200, 0.05
"""Of boosted trees by default: more, smaller steps than scikit-learn's."""

_MOST_CATEGORIES = 255  # that scikit-learn takes
_MOST_QUERIES = 8192
_NANOSECONDS = 3e4  # of a query in a batch


def on_one_thread() -> Any:  # noqa: ANN401 - a context of threadpoolctl
    """A context without threads of OpenMP, which wait for each other on busy cores."""
    return _find_pools().limit(limits=1, user_api="openmp")


@functools.cache
def _find_pools() -> ThreadpoolController:
    return ThreadpoolController()


def make_boosted(
    kind: type[HistGradientBoostingClassifier | HistGradientBoostingRegressor],
) -> HistGradientBoostingClassifier | HistGradientBoostingRegressor:
    """Boosted trees as a blend of many rows has them; nothing is drawn at random."""
    return kind(
        max_iter=N_TREES,
        learning_rate=LEARNING_RATE,
        early_stopping=False,
        random_state=0,
    )


@dataclass(frozen=True, eq=False)
class BoostedMember(ModelMember):
    """Boosted trees that see a column for each attribute.

    Of an attribute with more categories than they take, the most frequent ones are
    kept, and the others count as one.
    """

    def prepare(self, base: CaseBase) -> Effort:
        """Fit the trees to all cases, in canonical order."""
        effort = super().prepare(base)
        return effort._replace(nanoseconds=_NANOSECONDS, most=_MOST_QUERIES)

    def answer(self, batch: Batch) -> MemberAnswer:
        """Ask the trees."""
        with on_one_thread():
            return super().answer(batch)

    def _find_model(self, base: CaseBase) -> Ask:
        """The trees of all cases, or of earlier ones where choices may be old."""
        places = np.arange(base.n_rows)
        key = "trees", *self._describe(base)
        return base.choose(key, lambda: self._fit(base, places), holds_rows=True)

    def _describe(self, base: CaseBase) -> tuple[object, ...]:
        """What trees, and what they see of cells, are kept by: labels have codes."""
        described = describe_estimator(self.name, self.estimator)
        return type(self), described, describe_labels(base)

    def _rank_categories(self, base: CaseBase) -> dict[int, Floats]:
        """The categories of nominal attributes, which trees are fitted to."""
        return base.choose(
            ("categories", *self._describe(base)),
            lambda: {j: _categories(base, j) for j in _nominal(base)},
            holds_rows=True,
        )

    def _encode(self, base: CaseBase, queries: Queries) -> Floats:
        ranks = self._rank_categories(base)
        host = ModelHost(self.estimator, 1, None)
        columns = np.empty(queries.codes.shape)
        for j, is_number in enumerate(base.cases.numeric >= 0):
            if is_number:
                numbers = queries.values[:, j]
                cells = host.encode(base, j, queries.codes[:, j], numbers)
                columns[:, j] = cells[:, 0]
            else:
                columns[:, j] = _place(ranks[j], queries.codes[:, j])
        return columns

    def _make_model(self, base: CaseBase) -> Model:
        nominal = base.cases.numeric < 0
        return seeded(self.estimator).set_params(
            categorical_features=nominal if nominal.any() else None
        )

    def fit_model(
        self,
        model: Model,
        inputs: Floats,
        targets: NDArray[np.generic],
        weights: Mapping[str, Floats],
    ) -> Model:
        """Fit; a column without any value counts as constant."""
        empty = np.isnan(inputs).all(axis=0)
        with on_one_thread(), np.errstate(all="ignore"):  # NaN answers are refused
            return model.fit(np.where(empty, 0.0, inputs), targets, **weights)


def _nominal(base: CaseBase) -> list[int]:
    return np.flatnonzero(base.cases.numeric < 0).tolist()


def _categories(base: CaseBase, attribute: int) -> Floats:
    """The category of every code, by how many cases have it; equal ones by label.

    One more for what no case has, which is missing.
    """
    labels, cases = base.categories(attribute), base.cases
    codes = cases.codes[attribute, : cases.n_rows].astype(np.int64)
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    names = [f"{type(label).__name__} {label}" for label in labels]
    order: Ints = np.lexsort((np.unique(names, return_inverse=True)[1], -counts))
    places = np.empty(len(labels) + 1)
    places[order] = np.minimum(np.arange(len(labels)), _MOST_CATEGORIES - 1)
    places[-1] = np.nan
    return places


def _place(categories: Floats, codes: NDArray[np.int32]) -> Floats:
    """Codes as categories; NaN where a cell is missing, or its label is unknown."""
    known = (codes >= 0) & (codes < len(categories) - 1)
    return categories[np.where(known, codes, -1)]
