"""LazyImputer: fill the missing cells of a mixed table, each with a reason."""

import datetime
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from sklazy.casebase.incoming import IdsLike, as_ids
from sklazy.errors import BadInputError, UnknownIdError, warn_once
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.imputing.column_models import ColumnModel, features_of
from sklazy.estimators.imputing.output import put_cells, reading_of
from sklazy.estimators.linear_models import LazyRidgeRegressor
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.parameters import check_columns, check_count
from sklazy.estimators.reference import Referenced
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.estimators.selection.number_neighbors import LazyKNeighborsRegressor
from sklazy.measures.conformal import rows_needed
from sklazy.receipts import Receipt
from sklazy.tables import Column, Table, as_table
from sklazy.tables.convert import plain_table
from sklazy.tables.frames import index_ids
from sklazy.tables.origins import describe_columns, is_aside, read_as
from sklazy.tables.reading import CALENDAR
from sklazy.tables.writing import write_like

_DAY = datetime.datetime(1970, 1, 1)  # how explained cells write dates

Models = LazyEstimator | Sequence[LazyEstimator] | None


class FilledCell(NamedTuple):
    """A cell that was filled, and why.

    Attributes
    ----------
    row : int
        Counted from 0.
    column : str
    value : label, float or datetime
    interval : pair as the value, or None for labels and where few cells are known
    probabilities : dict from label to float, or None for numbers
    receipt : Receipt
    """

    row: int
    column: str
    value: Any
    interval: tuple[float, float] | None
    probabilities: Mapping[Any, float] | None
    receipt: Receipt


class LazyImputer(Referenced, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fill missing cells by lazy models of each column.

    A cell is predicted from the other cells of its row, by the rows that know the
    column. Numbers, labels and gaps need no preparation. Each filled cell can be
    explained by a receipt with an interval, or the probability of each label.

    Parameters
    ----------
    classifier : lazy classifier or list of them, optional
        Model of columns of labels. Of several, the one whose left-out answers are
        right most often is taken, column by column. Default:
        ``LazyKNeighborsClassifier(10)``.
    regressor : lazy regressor or list of them, optional
        Model of columns of numbers, chosen by absolute left-out errors. Default:
        local models, the ten nearest on half of the attributes, and ridge regression.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are labels. Default: those of categories, text and bools.

    Attributes
    ----------
    models_ : dict from column to fitted estimator
        A column without any known cell has none, and stays as it is.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    sklearn.impute.KNNImputer : For numbers alone.

    Notes
    -----
    Dates, times and amounts are filled as the column writes them; text of numbers
    without a unit becomes numbers, which the next step reads alike. Columns that
    are set aside, such as ids, keep their gaps. Cells are predicted from known ones
    alone, never from filled ones. ``docs/impute.md`` compares it with other imputers.

    Examples
    --------
    >>> import sklazy
    >>> rows = [["cat", 4.0], ["cat", 4.2], ["hen", 2.0], ["hen", None], [None, 2.1]]
    >>> rows += [["cat", 4.1], ["hen", 2.1], ["hen", 1.9]]
    >>> imputer = sklazy.LazyImputer().fit(rows)
    >>> imputer.transform([[None, 4.1], [None, 2.0]]).tolist()
    [['cat', 4.1], ['hen', 2.0]]
    >>> (cell,) = imputer.explain([["hen", None]], coverage=0.5)
    >>> cell.column, 1.5 < cell.value < 2.5
    ('x1', True)
    """

    models_: dict[str, Any]
    n_features_in_: int

    def __init__(
        self,
        classifier: Models = None,
        regressor: Models = None,
        *,
        categorical_features: object = "from_dtype",
    ) -> None:
        self.classifier = classifier
        self.regressor = regressor
        self.categorical_features = categorical_features

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    # --- rows -------------------------------------------------------------------------

    def fit(self, X: object, y: object = None, *, ids: IdsLike = None) -> Self:
        """Keep the rows, as cases of a model for each column.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_columns)
            Missing cells are NaN or None.
        y : ignored
        ids : sequence of int or str, optional
            The rows' ids, for `forget`. Default: the index of a frame, or 0, 1, ...
            Frames that `partial_fit` adds have theirs from where the first had them.
        """
        table = self._read(X)
        check_columns(self, X, reset=True)
        names, n_rows = self._new_ids(X, ids, len(table), 0), len(table)
        self._columns = {column.name: column.kind for column in table}
        self._origins = describe_columns(table)
        self._ids: list[Any] = names.tolist()
        self._n_ever = n_rows
        self._models: dict[str, ColumnModel] = {}
        self._start_models(table, names)
        return self

    def partial_fit(self, X: object, y: object = None, *, ids: IdsLike = None) -> Self:
        """Add rows.

        Parameters
        ----------
        X, y, ids : as for `fit`
        """
        if not hasattr(self, "_models"):
            return self.fit(X, y, ids=ids)
        table = self._read_later(X)
        names = self._new_ids(X, ids, len(table), self._n_ever)
        present = set(self._ids)
        taken = [one for one in names.tolist() if one in present]
        if taken:
            raise BadInputError(f"ids={taken[:5]} are taken; give others.")
        for model in self._models.values():
            model.add(table, names)
        self._start_models(table, names)
        self._ids += names.tolist()
        self._n_ever += len(table)
        return self

    def forget(self, ids: IdsLike) -> Self:
        """Erase rows from the models of all columns, as if they never had been there.

        Parameters
        ----------
        ids : sequence of int or str
        """
        check_is_fitted(self)
        names = as_ids(ids)
        present, leaving = set(self._ids), set(names.tolist())
        unknown = [one for one in names.tolist() if one not in present]
        if unknown or len(leaving) >= len(self._ids):
            raise UnknownIdError(
                f"ids={unknown[:5] or 'all'} cannot be forgotten; give ids of present "
                "rows, and keep at least one row."
            )
        left = {n: model for n, model in self._models.items() if model.forget(names)}
        self._models = left
        self._ids = [one for one in self._ids if one not in leaving]
        self._publish()
        return self

    def digest(self) -> str:
        """Return the fingerprint of the cases of all columns."""
        check_is_fitted(self)
        parts = [f"{n}:{m.model.digest()}" for n, m in sorted(self._models.items())]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    # --- cells ------------------------------------------------------------------------

    def transform(self, X: object) -> Any:  # noqa: ANN401 - as X
        """Fill the missing cells.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_columns)

        Returns
        -------
        X_filled : as X
            A frame stays a frame of its library; anything else becomes an array.
        """
        table = self._read_later(X)
        cells = {m.name: (rows, m.fill(table, rows)) for m, rows in self._gaps(table)}
        self._warn_of_gaps(table)
        return put_cells(X, table, cells)

    def draw(
        self, X: object, n_draws: int = 5, random_state: object = None
    ) -> list[Any]:
        """Fill the missing cells several times, at random, for multiple imputation.

        Labels are drawn by their probabilities. Numbers are predictions with the
        left-out residual of a random known cell.

        Parameters
        ----------
        X : as for `transform`
        n_draws : int, default=5
        random_state : int, RandomState or None

        Returns
        -------
        tables : list of n_draws tables, as from `transform`
        """
        check_count("n_draws", n_draws)
        table, state = self._read_later(X), check_random_state(random_state)
        rng = np.random.default_rng(state.randint(2**31))
        gaps = list(self._gaps(table))
        return [
            put_cells(X, table, {m.name: (r, m.draw(table, r, rng)) for m, r in gaps})
            for _ in range(n_draws)
        ]

    def explain(self, X: object, *, coverage: float = 0.9) -> list[FilledCell]:
        """Fill the missing cells, each with a receipt.

        Parameters
        ----------
        X : as for `transform`
        coverage : float in (0, 1), default=0.9
            Share of numbers that their intervals should contain.

        Returns
        -------
        cells : list of FilledCell, column by column
        """
        table = self._read_later(X)
        return [
            cell
            for model, rows in self._gaps(table)
            for cell in _explain_column(model, table, rows, coverage)
        ]

    # --- how --------------------------------------------------------------------------

    def _read(self, X: object) -> Table:
        X = X.toarray() if issparse(X) else X  # type: ignore[attr-defined]
        return as_table(X, categorical_features=self.categorical_features, mixed=False)

    def _read_later(self, X: object) -> Table:
        check_is_fitted(self)
        X = X.toarray() if issparse(X) else X  # type: ignore[attr-defined]
        named = self.categorical_features
        table = plain_table(X, categorical_features=named, mixed=False)
        check_columns(self, X, reset=False)
        table = read_as(table, self._origins)
        if table.names != list(self._columns) and len(table.columns) == len(
            self._columns
        ):
            pairs = zip(table, self._columns, strict=True)
            columns = tuple(column.renamed(name) for column, name in pairs)
            table = Table(columns, table.n_rows, table.named)
        return table

    def _new_ids(
        self, X: object, ids: IdsLike, n_rows: int, first: int
    ) -> NDArray[Any]:
        if not first:
            self._indexed = ids is None and index_ids(X) is not None
        index = index_ids(X) if ids is None and self._indexed else ids
        names = np.arange(first, first + n_rows) if index is None else as_ids(index)
        if len(names) != n_rows or len(set(names.tolist())) < n_rows:
            raise BadInputError(
                f"ids has {len(names)} entries for {n_rows} rows; give each row one of "
                "its own."
            )
        return names

    def _start_models(self, table: Table, ids: NDArray[Any]) -> None:
        """Make models of the columns that have their first known cells."""
        for column in table:
            is_new = column.name not in self._models
            if is_new and not is_aside(column) and not column.missing.all():
                candidates = self._candidates(column)
                self._models[column.name] = ColumnModel(column, candidates, table, ids)
        self._publish()

    def _publish(self) -> None:
        self.models_ = {name: model.model for name, model in self._models.items()}

    def _candidates(self, column: Column) -> list[LazyEstimator]:
        is_number = column.kind == "numeric"
        models = self.regressor if is_number else self.classifier
        if models is None:
            return (
                _default_regressors() if is_number else [LazyKNeighborsClassifier(10)]
            )
        listed = list(models) if isinstance(models, Sequence) else [models]
        if not listed or not all(isinstance(one, LazyEstimator) for one in listed):
            name = "regressor" if is_number else "classifier"
            raise BadInputError(
                f"{name}={models!r}; give a lazy estimator, or a list of them."
            )
        return listed

    def _warn_of_gaps(self, table: Table) -> None:
        """Warn of columns with missing cells that stay: those that are set aside."""
        left = [c.name for c in table if c.missing.any() and is_aside(c)]
        if left:
            warn_once(
                f"columns {left} keep their missing cells: they name rows, or are free "
                "text. To fill one, name it, as in "
                f"categorical_features={{{left[0]!r}: 'nominal'}}."
            )

    def _gaps(self, table: Table) -> Iterator[tuple[ColumnModel, NDArray[np.intp]]]:
        """Find the columns with missing cells that can be filled, and their rows."""
        for column in table:
            rows = np.flatnonzero(column.missing)
            if len(rows) and column.name in self._models:
                yield self._models[column.name], rows


def _default_regressors() -> list[LazyEstimator]:
    return [
        LazyLearningRegressor(),
        LazyKNeighborsRegressor(10, 0.5),
        LazyRidgeRegressor(),
    ]


def _explain_column(
    model: ColumnModel, table: Table, rows: NDArray[np.intp], coverage: float
) -> Iterator[FilledCell]:
    features = features_of(table, model.name).take(rows)
    is_number, estimator = model.kind == "numeric", model.model
    reading = reading_of(table[model.name])
    has_ends = is_number and model.n_known >= rows_needed(coverage)
    receipts = estimator.explain(features, coverage=coverage if has_ends else None)
    ends: list[Any] = [None] * len(rows)
    shares: list[Any] = [None] * len(rows)
    if has_ends:
        ends = [
            tuple(e) for e in estimator.predict_interval(features, coverage).tolist()
        ]
    if not is_number:
        classes = estimator.classes_.tolist()
        chances = estimator.predict_proba(features).tolist()
        shares = [dict(zip(classes, row, strict=True)) for row in chances]
    for i, row in enumerate(rows.tolist()):
        receipt, end = receipts[i], ends[i]
        value = receipt.answer
        if is_number and reading is not None and reading.style in CALENDAR:
            value = write_like(value, reading, _DAY)
            end = end and tuple(write_like(v, reading, _DAY) for v in end)
        yield FilledCell(row, model.name, value, end, shares[i], receipt)
