"""How rows get into the case base of an estimator, the first and further ones."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from sklazy.answer import Target
from sklazy.casebase import CaseBase
from sklazy.casebase.cuts import CRITERIA
from sklazy.casebase.incoming import GivenIds
from sklazy.casebase.incoming import Target as GivenTarget
from sklazy.casebase.moments import (
    NO_TIMES,
    Times,
    add_within,
    as_length,
    as_times,
    keep_within,
)
from sklazy.casebase.rows import Ids
from sklazy.casebase.schema import Attribute, Schema
from sklazy.casebase.streaming import add_numbers, plain_numbers
from sklazy.errors import BadInputError
from sklazy.estimators.inputs import class_column
from sklazy.estimators.parameters import check_choice, check_columns
from sklazy.estimators.reference import Referenced
from sklazy.tables import Table, as_table, as_target
from sklazy.tables.convert import plain_table
from sklazy.tables.dicts import are_dicts
from sklazy.tables.frames import index_ids, target_names
from sklazy.tables.origins import expand, follow, origins_of


class KeepingEstimator(Referenced, BaseEstimator):
    """An estimator that keeps the rows it is given, in `cases_`.

    The parameters `categorical_features`, `discretization`, `cuts`, `window` and
    `half_life` are used if a subclass has them.
    """

    target: ClassVar[Target]
    cases_: CaseBase
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense; subclasses have their own."""

    def _check_table(self, table: Table) -> None:
        """Refuse parameters that do not fit the rows."""

    def _check_width(self, n_attributes: int) -> None:
        """Refuse parameters that do not fit the number of attributes."""

    def _check_count(self, n_rows: int) -> None:
        """Refuse parameters that do not fit the number of rows."""

    def _check_weights(self, sample_weight: ArrayLike | None) -> None:
        """Refuse rows none of which counts."""
        if sample_weight is not None and not np.asarray(sample_weight).any():
            raise BadInputError(
                "sample_weight is zero everywhere; give at least one row a weight "
                "above 0."
            )

    def _check_cases(self, cases: CaseBase) -> None:
        """Refuse cases that cannot be learned from."""

    def _kept_beside(self, y: object) -> dict[str, Any]:
        """What a subclass keeps of the first rows beside the cases, by attribute."""
        return {}

    def _keep(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None,
        ids: GivenIds,
        classes: ArrayLike | None = None,
        times: object = None,
    ) -> Self:
        """Build the case base; nothing is changed before all of it has gone well."""
        self._check_parameters()
        criterion = getattr(self, "discretization", "fayyad")
        check_choice("discretization", criterion, tuple(CRITERIA))
        given, target = self._table(X, mixed=False), self._target(y)
        table = expand(given)
        self._check_table(table)
        self._check_count(len(table))
        self._check_width(len(table.columns))
        self._check_weights(sample_weight)
        schema = replace(Schema.of(table, target), targets=target_names(y))
        index = index_ids(X) if ids is None else None
        schema = replace(schema, origins=origins_of(given), indexed=index is not None)
        if classes is not None:
            declared = Attribute.of(class_column(classes, declared=True)).declared
            schema = replace(schema, classes=declared)
        cases = CaseBase(
            table,
            target,
            weights=sample_weight,
            times=self._times(times),
            ids=ids if index is None else index,
            criterion=criterion,
            cuts=getattr(self, "cuts", "exact"),
            schema=schema,
        )
        self._slide(cases)
        self._check_cases(cases)
        beside = self._kept_beside(y)
        check_columns(self, given if are_dicts(X) else X, reset=True)
        self.__dict__.update(beside, cases_=cases)
        return self

    def _add(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None,
        ids: GivenIds,
        classes: ArrayLike | None = None,
        times: object = None,
    ) -> Self:
        """Add rows, or keep the first."""
        if not hasattr(self, "cases_"):
            return self._keep(X, y, sample_weight, ids, classes, times)
        add = self._adding(X)
        target = self._target(y)
        self._check_columns(X)
        if ids is None and self.cases_.schema.indexed:
            ids = index_ids(X)
        add = partial(
            add, target, weights=sample_weight, times=self._times(times), ids=ids
        )
        add_within(self.cases_, getattr(self, "window", None), add)
        return self

    def _adding(self, X: object) -> Callable[..., Ids]:
        """What adds rows, whose target is not known yet."""
        judges = self._judges_cells()
        numbers = plain_numbers(self.cases_, X) if judges else None
        if numbers is not None:
            return partial(add_numbers, self.cases_, numbers)
        table = self._later_table(X, mixed=False)
        return partial(self.cases_.add, table, mixed=not judges)

    def _times(self, given: object) -> Times:
        """When rows happened, and how their weights fade."""
        times = NO_TIMES if given is None else as_times(given)
        half_life = getattr(self, "half_life", None)
        if half_life is None:
            return times
        length = as_length(half_life, times.clock, "half_life")
        return replace(times, half_life=length)

    def _slide(self, cases: CaseBase) -> None:
        """Forget the first rows that a window leaves out, and frozen cuts of them."""
        window = getattr(self, "window", None)
        if window is not None:
            keep_within(cases, window)
            cases.refresh()

    def _table(self, X: object, *, mixed: bool = True) -> Table:
        """The first rows, with the nominal columns that the parameters name."""
        categorical = getattr(self, "categorical_features", "from_dtype")
        return as_table(X, categorical_features=categorical, mixed=mixed)

    def _judges_cells(self) -> bool:
        """Whether no parameter says which columns are nominal."""
        named = getattr(self, "categorical_features", "from_dtype")
        return isinstance(named, str) and named == "from_dtype"

    def _later_table(self, X: object, *, mixed: bool = True) -> Table:
        """Queries or added rows, read as the first were."""
        categorical = getattr(self, "categorical_features", "from_dtype")
        table = plain_table(X, categorical_features=categorical, mixed=mixed)
        return follow(table, self.cases_.schema.origins)

    def _target(self, y: object) -> GivenTarget:
        if self.target.kind == "nominal":
            return class_column(y)
        return as_target(y, "numeric")

    def _check_columns(self, X: object) -> None:
        """Let scikit-learn compare names and numbers of columns; a table knows how."""
        as_wide = type(X) is np.ndarray and X.shape[1:] == (self.n_features_in_,)
        if as_wide and not hasattr(self, "feature_names_in_"):
            return  # as scikit-learn finds, which takes it a tenth of a millisecond
        if not isinstance(X, Table) and not are_dicts(X):
            validate_data(self, X, skip_check_array=True, reset=False)
