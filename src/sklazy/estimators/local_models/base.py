"""What the regressor and the classifier of local models share: memory and answers."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.local_models.learner import (
    LocalMemory,
    LocalSettings,
    LocalValues,
    ask,
    ask_values,
    plan_without,
    remember,
)
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import GivenIds
from sklazy.errors import BadInputError
from sklazy.estimators.base import Remembering
from sklazy.estimators.settings import to_settings
from sklazy.flow import Queries
from sklazy.local.local_models.plans import NBest, Spans
from sklazy.receipts.local_receipt import (
    RegressionReceipt,
    make_receipts,
    verify_receipt,
)
from sklazy.tables import Table

_SCALES: dict[object, Literal["std", "range", "none"]] = {
    True: "std",
    "std": "std",
    "range": "range",
    False: "none",
}


class LocalLearner(Remembering):
    """Keeps cases and answers queries by local models; see the subclasses."""

    def __init__(
        self,
        degrees: str | int | Sequence[int] = "auto",
        n_neighbors: Spans = "auto",
        n_best: NBest = "auto",
        metric: str = "euclidean",
        ridge: float = 0.1,
        scale: bool | str = True,
        attribute_weights: ArrayLike | None = None,
        max_categories: int = 10,
        categorical_features: object = "from_dtype",
        parity: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.degrees = degrees
        self.n_neighbors = n_neighbors
        self.n_best = n_best
        self.metric = metric
        self.ridge = ridge
        self.scale = scale
        self.attribute_weights = attribute_weights
        self.max_categories = max_categories
        self.categorical_features = categorical_features
        self.parity = parity
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.parity is None
        tags.input_tags.categorical = self.parity is None
        tags.input_tags.string = self.parity is None
        return tags

    # --- state ------------------------------------------------------------------------

    def _keep(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None,
        ids: GivenIds,
        classes: ArrayLike | None,
    ) -> Self:
        super()._keep(X, y, sample_weight, ids, classes)
        self._is_flat = np.asarray(y).ndim == 1
        return self

    def _prepare(self, cases: CaseBase) -> dict[str, Any]:
        return {"memory": remember(cases, self._settings())}

    def _state(self) -> dict[str, Any]:
        return {"is_flat": self._is_flat}

    def _restore(self, cases: CaseBase, state: dict[str, Any]) -> None:
        super()._restore(cases, state)
        self._is_flat = bool(state["is_flat"])

    # --- answers ----------------------------------------------------------------------

    def explain(self, X: object) -> list[RegressionReceipt]:
        """Say for each query what it is answered and why.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        receipts : list of RegressionReceipt, one a query
            Models chosen and their scores against k, coefficients in the units of X,
            neighbors with influence, leverage and leave-one-out residual, and
            columns in which the query lies outside its neighbors.
        """
        return self._explain(self._asked(X))

    def verify(self, receipt: RegressionReceipt | Mapping[str, Any]) -> bool:
        """Replay a receipt against these cases; refuse one that does not agree.

        Parameters
        ----------
        receipt : RegressionReceipt, or what its `to_dict` gave

        Returns
        -------
        True
        """
        check_is_fitted(self)
        return verify_receipt(receipt, self._explain, self.digest())

    def _explain(self, table: Table) -> list[RegressionReceipt]:
        queries = self.cases_.encode(table)
        answer = ask(self._memory, queries, curves=True, n_jobs=self.n_jobs)
        return make_receipts(
            self.cases_,
            self._memory,
            table,
            answer,
            self._answers(answer.models.coefficients[:, :, 0]),
            {"estimator": type(self).__name__, "settings": to_settings(self)},
        )

    def _ask(self, X: object) -> LocalValues:
        check_is_fitted(self)
        return ask_values(self._memory, self._queries(X), n_jobs=self.n_jobs)

    def _ask_cases(
        self, groups: ArrayLike | None, rows: ArrayLike | None = None
    ) -> LocalValues:
        """Ask for cases in order of arrival, all or some, their own group hidden."""
        check_is_fitted(self)
        memory, by_arrival = self._memory, np.argsort(self.cases_.arrival)
        labels = np.arange(len(by_arrival)) if groups is None else _codes(groups)
        if labels.shape != by_arrival.shape:
            raise BadInputError(
                f"groups has shape {labels.shape}; expected one label for each of the "
                f"{len(by_arrival)} cases."
            )
        of_slot = np.empty_like(labels)
        of_slot[by_arrival] = labels
        of_row = of_slot[memory.slots]
        plan = plan_without(memory, int(np.bincount(of_row).max()))
        queries = self._case_queries(by_arrival)
        if rows is not None:
            asked = np.asarray(rows, np.int64)
            labels = labels[asked]
            queries = Queries(queries.codes[asked], queries.values[asked])
        hidden = of_row, labels
        return ask_values(memory, queries, plan=plan, groups=hidden, n_jobs=self.n_jobs)

    def _case_queries(self, by_arrival: NDArray[np.intp]) -> Queries:
        """The cases as queries, in order of arrival; coded once for each change."""
        return self._derived(
            "queries",
            lambda: self.cases_.encode(self.cases_.to_table().take(by_arrival)),
        )

    @property
    def _memory(self) -> LocalMemory:
        """The cases made ready, again after a change."""
        return self._derived("memory", lambda: remember(self.cases_, self._settings()))

    # --- the door ---------------------------------------------------------------------

    def _settings(self) -> LocalSettings:
        """The parameters, once they are known to make sense."""
        if self.parity not in (None, "r"):
            raise BadInputError(f"parity={self.parity!r}; expected None or 'r'.")
        if isinstance(self.scale, list) or self.scale not in _SCALES:
            raise BadInputError(
                f"scale={self.scale!r}; expected True, False, 'std' or 'range'."
            )
        return LocalSettings(
            self.degrees,
            self.n_neighbors,
            self.n_best,
            self.metric,
            self.ridge,
            _SCALES[self.scale],
            self.attribute_weights,
            self.max_categories,
            self.parity == "r",
        )

    def _answers(self, values: NDArray[np.float64]) -> list[Any]:
        """What the queries are answered, as plain data."""
        raise NotImplementedError

    def _queries(self, X: object) -> Queries:
        if self.parity is None:
            return super()._queries(X)
        table = self._asked(X)  # every cell must be looked at
        return self.cases_.encode(table)

    def _table(self, X: object) -> Table:
        table = super()._table(X)
        if self.parity == "r":
            _check_plain(table)
        return table


def _codes(groups: ArrayLike) -> NDArray[np.int64]:
    """Labels of any kind as numbers."""
    return np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.int64)


def _check_plain(table: Table) -> None:
    """Refuse what R's lazy cannot take."""
    for column in table:
        if column.kind == "nominal" or column.missing.any():
            raise BadInputError(
                f"column {column.name!r} is not all numbers (Input X contains NaN or "
                "words), which R's lazy cannot take; use LazyLearningRegressor() "
                "without parity."
            )
