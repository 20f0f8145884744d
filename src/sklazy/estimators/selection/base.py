"""What the three hosts of lazy attribute selection share: ask, and tell."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import (
    STRATEGIES,
    Answer,
    Host,
    Left,
    Question,
    Recipe,
    answer,
    choose,
    estimate_cost,
    leave_one_out,
)
from sklazy.backends import run_chunks
from sklazy.casebase.matrix import encode_matrix
from sklazy.errors import BadInputError
from sklazy.estimators.base import Classifying
from sklazy.estimators.filters.coding import check_choice
from sklazy.estimators.settings import to_settings
from sklazy.flow import Queries
from sklazy.measures import find_measure, how_many
from sklazy.receipts import Receipt, Receipts, build_receipts, verify
from sklazy.selection import to_mask
from sklazy.tables import Table

BY_CASES = ("auto", "local", "vote")
"""What `n_attributes` can be beside a number."""


class LazyClassifier(ClassifierMixin, Classifying):
    """A classifier that chooses attributes for each query; see the subclasses."""

    n_attributes: int | float | str
    selection: str
    measure: str
    n_jobs: int | None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A fraction of two or three columns is a single one, and may not be enough.
        tags.classifier_tags.poor_score = self.selection != "none"
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
        decisions = self._told(X, attrgetter("decisions"))
        return self.classes_[decisions]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        probabilities : float64 array of shape (n_queries, n_classes)
        """
        return self._told(X, attrgetter("probabilities"))

    def explain(self, X: ArrayLike) -> Receipts:
        """Answer each query with a receipt: the attributes, the cases, the votes.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        receipts : Receipts
            One a query, each with `to_dict`, `to_json`, `to_html` and a text.
        """
        check_is_fitted(self)
        return self._receipts(self._asked(X))

    def verify(self, receipt: Receipt | Mapping[str, Any]) -> bool:
        """Ask again what a receipt answers, and tell that it is genuine.

        A receipt that was edited, that is of other cases or that says anything else
        than the cases do is refused with a `ReceiptError`.

        Parameters
        ----------
        receipt : Receipt, or what its `to_dict` gave
        """
        check_is_fitted(self)
        return verify(receipt, self._receipts, self.digest())

    def select_attributes(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Tell which attributes each query uses.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        mask : bool array of shape (n_queries, n_attributes)
        """
        queries = self._queries(X)
        question = Question(self.cases_, self.cases_.cases, queries)
        selected = choose(question, self._recipe(), self._host())
        return to_mask(selected, self.n_features_in_)

    def loo_predict(self, rows: ArrayLike | None = None) -> NDArray[Any]:
        """Predict the class of training rows, each from all other rows.

        Equal to forgetting the row and asking for it; the row itself counts nowhere,
        not in cuts, ranges or counts either.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; all by default.

        Returns
        -------
        labels : array of shape (n_rows,)
            In order of arrival, as `ids_`, or of `rows`.

        Notes
        -----
        Nominal columns and frozen cuts make it as cheap as so many queries. With
        exact cuts every row's removal is tried on every numeric column, and rows that
        hold a cut are forgotten and added again, one at a time. So are all rows
        with ``n_attributes="auto"`` or ``"local"``, ``selection="lazy-cfs"`` and
        sample weights.
        """
        return self.classes_[self._left_out(rows).decisions]

    def loo_predict_proba(self, rows: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predict the class probabilities of training rows, each from all others.

        Parameters
        ----------
        rows : array-like of int, optional
            As for `loo_predict`.

        Returns
        -------
        probabilities : float64 array of shape (n_rows, n_classes)
        """
        return self._left_out(rows).probabilities

    def _left_out(self, rows: ArrayLike | None) -> Left:
        asked = self._places(rows)
        return leave_one_out(self.cases_, self._recipe(), self._host(), asked)

    def _receipts(self, table: Table) -> Receipts:
        found = self._answer(self.cases_.encode(table))
        settings = to_settings(self)
        told = {name: settings[name] for name in settings if name not in _UNTOLD}
        return build_receipts(found, table, type(self).__name__, told)

    def _told(self, X: object, tell: Callable[[Answer], NDArray[Any]]) -> NDArray[Any]:
        """What the answers to queries tell, a row a query."""
        if type(X) is np.ndarray and X.ndim == 2 and X.shape[0] >= _LEAST_QUERIES:
            told = self._told_in_parts(X, tell)
            if told is not None:
                return told
        return tell(self._answer(self._queries(X)))

    def _told_in_parts(
        self, X: NDArray[Any], tell: Callable[[Answer], NDArray[Any]]
    ) -> NDArray[Any] | None:
        """Code and answer a matrix in parts that fit the cache, and in threads.

        None if there are cells that a table must look at.
        """
        told: list[tuple[slice, NDArray[Any]]] = []
        strange = []
        step = max(_LEAST_QUERIES, _MOST_CELLS // X.shape[1])
        host, recipe = self._host(), replace(self._recipe(), n_jobs=1)
        cost = len(X) * estimate_cost(self.cases_, recipe, host)
        if cost > _WORTH_WARMING:  # what the parts share is ready before any of them
            answer(self.cases_, self._queries(X[:1]), recipe, host)

        def work(first: int, last: int) -> None:
            for begin in range(first, last, step):
                part = slice(begin, min(last, begin + step))
                queries = encode_matrix(self.cases_, X[part])
                if queries is None:
                    strange.append(part)
                    return
                found = answer(self.cases_, queries, recipe, host)
                told.append((part, tell(found)))

        run_chunks(work, len(X), self.n_jobs, cost)
        told.sort(key=lambda pair: pair[0].start)
        return None if strange else np.concatenate([rows for _, rows in told])

    def _answer(self, queries: Queries) -> Answer:
        return answer(self.cases_, queries, self._recipe(), self._host())

    def _host(self) -> Host:
        raise NotImplementedError

    def _recipe(self) -> Recipe:
        """How attributes are chosen, as the flow takes it."""
        self._check_parameters()
        own = vars(self)
        return Recipe(**{name: own[name] for name in _RECIPE if name in own})

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
        own = vars(self)
        for name in _COUNTS:
            if name in own:
                check_count(name, own[name])

    def _check_table(self, table: Table) -> None:
        if not isinstance(self.n_attributes, str):
            how_many(self.n_attributes, len(table.columns))


# Cells of a matrix, and queries, that are answered at once: memory used again and
# again is faster than new memory.
_MOST_CELLS, _LEAST_QUERIES = 500_000, 256
_WORTH_WARMING = 500_000.0  # nanoseconds

_RECIPE = tuple(Recipe.__dataclass_fields__)
_COUNTS = ("n_neighbors", "min_support", "n_auto", "n_local")
_UNTOLD = ("n_jobs", "cache_size")  # answers do not depend on them


def check_count(name: str, value: object) -> None:
    """Refuse what is no whole number of at least 1."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < 1:  # type: ignore[operator]
        raise BadInputError(f"{name}={value!r}; expected a whole number of at least 1.")
