"""What every estimator that keeps a case base shares: add, erase, fingerprint, file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sklazy.casebase import CaseBase
from sklazy.casebase.files import write_file
from sklazy.casebase.incoming import GivenIds, Target
from sklazy.casebase.matrix import encode_matrix
from sklazy.casebase.plain import to_plain
from sklazy.casebase.schema import Attribute, Schema
from sklazy.errors import BadInputError
from sklazy.estimators.inputs import check_columns, class_column
from sklazy.estimators.settings import to_settings
from sklazy.flow import Queries
from sklazy.tables import Column, Table, as_table, as_target, label_array

Found = TypeVar("Found")


class Remembering(BaseEstimator):
    """An estimator whose fit keeps a case base, `cases_`.

    A subclass says what its target is, and may use the parameters
    `categorical_features`, `criterion` and `cuts` if it has them.
    """

    target_kind: ClassVar[Literal["nominal", "numeric"]]
    cases_: CaseBase
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _found: dict[str, Any]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(
        self,
        X: object,
        y: object,
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
            "settings": self._saved_settings(),
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
        X: object,
        y: object,
        sample_weight: ArrayLike | None,
        ids: GivenIds,
        classes: ArrayLike | None,
    ) -> Self:
        """Build the case base; nothing is changed before all of it has gone well."""
        self._check_parameters()
        table, target = self._table(X), self._target(y)
        self._check_table(table)
        _check_weights(sample_weight)
        schema = Schema.of(table, target)
        if classes is not None:
            declared = Attribute.of(class_column(classes, declared=True)).declared
            schema = Schema(schema.attributes, schema.named, declared)
        cases = CaseBase(
            table,
            target,
            weights=sample_weight,
            ids=ids,
            criterion=getattr(self, "criterion", "fayyad"),
            cuts=getattr(self, "cuts", "exact"),
            schema=schema,
        )
        found = self._prepare(cases)
        check_columns(self, X, reset=True)
        self.cases_, self._found = cases, {"version": cases.version, **found}
        return self

    def _add(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None,
        ids: GivenIds,
        classes: ArrayLike | None,
    ) -> Self:
        """Add rows, or keep the first."""
        if not hasattr(self, "cases_"):
            return self._keep(X, y, sample_weight, ids, classes)
        table, target = self._table(X), self._target(y)
        self._check_columns(X)
        self.cases_.add(table, target, weights=sample_weight, ids=ids)
        return self

    def _prepare(self, cases: CaseBase) -> dict[str, Any]:
        """What a fit derives at once; a good place to refuse what does not fit."""
        return {}

    def _saved_settings(self) -> dict[str, Any]:
        """The parameters as JSON."""
        return to_settings(self)

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

    def _check_table(self, table: Table) -> None:
        """Refuse parameters that do not fit the rows."""

    def _table(self, X: object) -> Table:
        """X as a table, with the nominal columns that the parameters name."""
        categorical = getattr(self, "categorical_features", "from_dtype")
        return as_table(X, categorical_features=categorical)

    def _check_columns(self, X: object) -> None:
        """Let scikit-learn compare names and numbers of columns; a table knows how."""
        if not isinstance(X, Table):
            validate_data(self, X, skip_check_array=True, reset=False)

    def _target(self, y: object) -> Target:
        if self.target_kind == "nominal":
            return class_column(y)
        return as_target(y, "numeric")

    def _asked(self, X: object) -> Table:
        """Rows that ask, as a table."""
        check_is_fitted(self)
        table = self._table(X)
        self._check_columns(X)
        return table

    def _places(self, rows: ArrayLike | None) -> NDArray[np.int64]:
        """Where rows lie that are named by their order of arrival; None for all."""
        check_is_fitted(self)
        places = np.argsort(self.cases_.arrival)
        return places if rows is None else places[_check_rows(rows, len(places))]

    def _queries(self, X: object) -> Queries:
        """Rows that ask, coded like the cases."""
        if type(X) is np.ndarray and hasattr(self, "cases_"):
            found = encode_matrix(self.cases_, X)
            if found is not None:
                if hasattr(self, "feature_names_in_"):
                    self._check_columns(X)
                return found
        table = self._asked(X)
        return self.cases_.encode(table)


class Regressing(Remembering):
    """A remembering regressor."""

    target_kind = "numeric"

    def partial_fit(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
    ) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters
        ----------
        X, y, sample_weight, ids
            As for `fit`.
        """
        return self._add(X, y, sample_weight, ids, None)


class Classifying(Remembering):
    """A remembering classifier: its classes are those of its cases."""

    target_kind = "nominal"

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels, in order."""
        if not hasattr(self, "cases_"):
            check_is_fitted(self)
        return label_array(self.cases_.class_labels)

    def partial_fit(
        self,
        X: object,
        y: object,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
    ) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters
        ----------
        X, y, sample_weight, ids
            As for `fit`.
        classes : array-like, optional
            In the first call: classes that count even where no row has them. Not
            needed: a new class may come at any time. A label of y that is not
            among them is refused.
        """
        if classes is not None:
            _check_labels(class_column(y), class_column(classes))
        return self._add(X, y, sample_weight, ids, classes)


def _check_weights(sample_weight: ArrayLike | None) -> None:
    """Refuse rows none of which counts."""
    if sample_weight is not None and not np.asarray(sample_weight).any():
        raise BadInputError(
            "sample_weight is zero everywhere; give at least one row a weight above 0."
        )


def _check_rows(rows: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    asked = np.asarray(rows)
    if asked.ndim != 1 or (asked.size and asked.dtype.kind not in "iu"):
        raise BadInputError(f"rows={rows!r}; expected a list of whole numbers.")
    if asked.size and not -n_rows <= asked.min() <= asked.max() < n_rows:
        raise BadInputError(
            f"rows={rows!r} names a row that is not there; expected places of "
            f"0 to {n_rows - 1}, in order of arrival."
        )
    return asked.astype(np.int64)


def _check_labels(target: Column, classes: Column) -> None:
    strange = [l for l in target.categories if l not in classes.categories]
    if strange:
        raise BadInputError(
            f"y holds the labels {strange}, which are not among "
            f"classes={list(classes.categories)}; name all classes, or none."
        )


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
