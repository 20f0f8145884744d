"""What every estimator that keeps a case base shares: add, erase, fingerprint, file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from sklazy.casebase import CaseBase
from sklazy.casebase.files import write_file
from sklazy.casebase.incoming import GivenIds, Target
from sklazy.casebase.plain import to_plain
from sklazy.casebase.schema import Attribute, Schema
from sklazy.errors import BadInputError
from sklazy.estimators.inputs import class_column
from sklazy.estimators.settings import to_settings
from sklazy.flow import Queries
from sklazy.tables import Table, as_table, as_target

Found = TypeVar("Found")


class Remembering(BaseEstimator):
    """An estimator whose fit keeps a case base, `cases_`.

    A subclass says what its target is, and may use the parameters
    `categorical_features`, `criterion` and `cuts` if it has them.
    """

    target_kind: ClassVar[Literal["nominal", "numeric"]]
    cases_: CaseBase
    _found: dict[str, Any]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
    ) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
            Numbers and labels, missing cells where there are some.
        y : array-like of shape (n_rows,)
            The target, nowhere missing.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.
        ids : sequence of int or str, optional
            The rows' names, by which `forget` and receipts know them; by default
            0, 1, ... in order of arrival.
        """
        return self._keep(X, y, sample_weight, ids, None)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
    ) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters are those of `fit`; `classes`, used in a first call only, declares
        classes that count even where no row has them.
        """
        if not hasattr(self, "cases_"):
            return self._keep(X, y, sample_weight, ids, classes)
        table = self._table(X, reset=False)
        target = self._target(y)
        check_consistent_length(table, target)
        self.cases_.add(table, target, weights=sample_weight, ids=ids)
        return self

    def forget(self, ids: GivenIds) -> Self:
        """Erase rows by id: the state is the same as after a fit without them."""
        check_is_fitted(self)
        self.cases_.forget(ids)
        return self

    def refresh(self) -> Self:
        """Find frozen cuts anew from the rows that are there."""
        check_is_fitted(self)
        self.cases_.refresh()
        return self

    def digest(self) -> str:
        """The fingerprint of the cases and of all that was derived from them."""
        check_is_fitted(self)
        return self.cases_.digest()

    def save(self, path: str | Path) -> None:
        """Write parameters and cases to a file, as data only; see `sklazy.load`.

        The old file, if any, stands until the new one is complete.
        """
        check_is_fitted(self)
        header, arrays = to_plain(self.cases_)
        settings = {
            "content": "estimator",
            "estimator": type(self).__name__,
            "settings": to_settings(self),
            "state": self._state(),
            "cases": header,
        }
        write_file(path, settings, arrays)

    @property
    def ids_(self) -> NDArray[Any]:
        """The rows' ids, in order of arrival."""
        return self.cases_.ids[np.argsort(self.cases_.arrival)]

    def _keep(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        ids: GivenIds,
        classes: ArrayLike | None,
    ) -> Self:
        self._check_parameters()
        table, target = self._table(X, reset=True), self._target(y)
        check_consistent_length(table, target)
        schema = Schema.of(table, target)
        if classes is not None and self.target_kind == "nominal":
            declared = Attribute.of(class_column(classes, declared=True)).declared
            schema = Schema(schema.attributes, schema.named, declared)
        self.cases_ = CaseBase(
            table,
            target,
            weights=sample_weight,
            ids=ids,
            criterion=getattr(self, "criterion", "fayyad"),
            cuts=getattr(self, "cuts", "exact"),
            schema=schema,
        )
        self._found = {}
        return self

    def _state(self) -> dict[str, Any]:
        """What beside parameters and cases makes the fitted state, as JSON."""
        return {}

    def _restore(self, cases: CaseBase, state: dict[str, Any]) -> None:
        """Take a fitted state as `_state` and the cases gave it."""
        self.cases_, self._found = cases, {}
        self.n_features_in_ = len(cases.names)
        if cases.schema.named:
            self.feature_names_in_ = np.array(cases.names, dtype=object)

    def _derived(self, name: str, make: Callable[[], Found]) -> Found:
        """What follows from the cases, made again when they have changed."""
        if self._found.get("version") != self.cases_.version:
            self._found.clear()
            self._found["version"] = self.cases_.version
        if name not in self._found:
            self._found[name] = make()
        return self._found[name]

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense; subclasses have their own."""

    def _table(self, X: ArrayLike, *, reset: bool) -> Table:
        """X as a table; names and number of columns as scikit-learn checks them."""
        categorical = getattr(self, "categorical_features", "from_dtype")
        table = as_table(X, categorical_features=categorical)
        validate_data(self, X, skip_check_array=True, reset=reset)
        return table

    def _target(self, y: ArrayLike) -> Target:
        if self.target_kind == "nominal":
            return class_column(y)
        return as_target(y, "numeric")

    def _queries(self, X: ArrayLike) -> Queries:
        """Rows that ask, coded like the cases."""
        check_is_fitted(self)
        return self.cases_.encode(self._table(X, reset=False))


class Classifying(Remembering):
    """A remembering classifier: its classes are those of its cases."""

    target_kind = "nominal"

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels, in order."""
        return np.array(self.cases_.class_labels)


def known_estimators() -> dict[str, type[Remembering]]:
    """The estimators that can be saved, by name."""
    found: dict[str, type[Remembering]] = {}
    open_classes = [Remembering]
    while open_classes:
        current = open_classes.pop()
        found[current.__name__] = current
        open_classes += current.__subclasses__()
    return found


def check_known(name: object) -> type[Remembering]:
    """The estimator of that name, or an error."""
    known = known_estimators()
    if not isinstance(name, str) or name not in known:
        raise BadInputError(f"there is no estimator {name!r} in this sklazy.")
    return known[name]
