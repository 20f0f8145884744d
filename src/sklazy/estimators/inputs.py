"""Inputs of estimators: numbers, targets, rows as codes, rows named by position."""

from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import column_or_1d

from sklazy.casebase import CaseBase
from sklazy.casebase.cuts import CRITERIA, bin_codes, column_cuts
from sklazy.errors import BadInputError
from sklazy.estimators.parameters import check_choice
from sklazy.measures import check_countable, count_known
from sklazy.tables import Column, Table, as_table, as_target, label_array
from sklazy.tables.frames import as_frame
from sklazy.tables.labels import with_labels
from sklazy.tables.origins import one_to_one

_MOST_CLASSES = 20  # more different whole numbers are not classes
_NOT_NUMBERS = (
    *(nw.String, nw.Boolean, nw.Categorical, nw.Enum),
    *(nw.Date, nw.Datetime, nw.Duration, nw.Time),
)


def numeric_matrix(X: ArrayLike, estimator: object) -> NDArray[np.float64]:
    """X as finite numbers with NaN for missing, or an error that names the columns."""
    names = _numeric_names(X)
    numbers = check_array(
        X,
        dtype=np.float64,
        ensure_all_finite=False,
        estimator=estimator,
        input_name="X",
    )
    infinite = np.isinf(numbers)
    if infinite.any():
        row, column = np.argwhere(infinite)[0].tolist()
        raise BadInputError(
            f"X contains infinity in column {names.get(column, column)!r} (first in "
            f"row {row}); expected finite numbers. Replace it by NaN where it stands "
            "for a missing value."
        )
    return numbers


def class_codes(y: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The labels of a target, and the number of each row's label."""
    target = class_column(y)
    return label_array(target.categories), target.data


def class_column(y: object, *, declared: bool = False) -> Column:
    """A target of classes, those that occur; numbers with fractions are refused."""
    if type(y) is np.ndarray and y.shape == (1,) and y.dtype.kind in "biuU":
        return Column("target", "nominal", np.zeros(1, np.int32), (y.item(),), declared)
    # As objects, labels of a list stay what they are: 1 beside "1", "a" beside "a\0".
    # Bools of pandas that may be missing would become numbers.
    is_list = isinstance(y, list | tuple)
    is_list |= str(getattr(y, "dtype", "")) in ("boolean", "bool[pyarrow]")
    cells = np.asarray(y, object) if is_list else y
    if isinstance(cells, Column):
        labels = as_target(cells, "nominal").occurring()
        target = with_labels(labels, labels.categories)
    else:
        is_flat = cells is None or (type(cells) is np.ndarray and cells.ndim == 1)
        target = as_target(cells if is_flat else _flatten(cells), "nominal")
    _check_whole(target)
    return Column("target", "nominal", target.data, target.categories, declared)


def _flatten(y: object) -> Any:  # noqa: ANN401 - an array of any type
    """A target of one column as an array without columns."""
    try:
        return column_or_1d(y, warn=True)
    except ValueError as error:
        raise BadInputError(
            f"{error} Give one label for each row; of several columns, fit a model "
            "for each."
        ) from None


def are_numbers(y: object) -> bool:
    """Whether y holds measured numbers: with fractions, or more than classes have."""
    target = as_target(y, "nominal").occurring()
    labels = target.categories
    if not all(isinstance(l, int | float) and not isinstance(l, bool) for l in labels):
        return False
    fractions = any(isinstance(l, float) and not l.is_integer() for l in labels)
    return fractions or len(labels) > min(_MOST_CLASSES, max(2, len(target) // 5))


def _check_whole(target: Column) -> None:
    """Refuse numbers that are measured rather than counted."""
    for label in target.categories:
        if isinstance(label, float) and not label.is_integer():
            raise BadInputError(
                f"Unknown label type: continuous. y has {label}, and a number with a "
                "fraction is not a class; use a regressor, or give classes as whole "
                "numbers or strings."
            )


def _numeric_names(X: ArrayLike) -> dict[int, str]:
    """Names of the columns by position, if any; a column of text is refused."""
    is_numeric = _are_numeric(X)
    wrong = [name for name, fine in is_numeric.items() if not fine]
    if wrong:
        raise BadInputError(
            f"columns {wrong} of X are not numeric; only numbers can be cut. Leave "
            "them out, or apply the discretizer to the other columns with "
            "sklearn.compose.ColumnTransformer."
        )
    return dict(enumerate(is_numeric))


def _are_numeric(X: ArrayLike) -> dict[str, bool]:
    """Whether each column of a table or a frame holds numbers, by name."""
    if isinstance(X, Table):
        return {column.name: column.kind == "numeric" for column in X}
    frame = as_frame(X)
    if frame is None:
        return {}
    return {name: dtype not in _NOT_NUMBERS for name, dtype in frame.schema.items()}


class CodedTable(NamedTuple):
    """A table and its labels as codes.

    Attributes
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    classes : int32 array of shape (n_rows,)
    """

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    classes: NDArray[np.int32]
    n_classes: int
    names: list[str]

    def counts(self, missing: str = "omit") -> NDArray[np.generic]:
        """Counts of values by class, shape (n_values_total, n_classes)."""
        check_countable(np.diff(self.offsets).tolist(), self.n_classes, self.names)
        return count_known(
            self.codes, self.offsets, self.classes, self.n_classes, missing
        )


def code_rows(
    X: object,
    y: object,
    categorical_features: object = "from_dtype",
    discretization: str = "fayyad",
    better_encoding: bool = False,
) -> CodedTable:
    """Code rows with labels; numeric columns become MDL bins."""
    check_choice("discretization", discretization, tuple(CRITERIA))
    table = one_to_one(as_table(X, categorical_features=categorical_features))
    target = class_column(y)
    check_consistent_length(table, target)
    n_classes = len(target.categories)
    codes, sizes = [], []
    for column in table:
        if column.kind == "nominal":
            codes.append(column.data)
            sizes.append(len(column.categories))
            continue
        cuts = column_cuts(
            column.data,
            target.data,
            n_classes,
            discretization,
            better_encoding=better_encoding,
        )
        codes.append(bin_codes(column.data, cuts))
        sizes.append(len(cuts) + 1)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return CodedTable(np.stack(codes), offsets, target.data, n_classes, table.names)


def places_of(cases: CaseBase, rows: ArrayLike | None) -> NDArray[np.int64]:
    """Where rows lie that are named by their order of arrival; None for all."""
    places = np.argsort(cases.arrival)
    return places if rows is None else places[_check_rows(rows, len(places))]


def _check_rows(rows: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    wanted = np.asarray(rows)
    if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
        raise BadInputError(f"rows={rows!r}; expected a list of whole numbers.")
    if wanted.size and not -n_rows <= wanted.min() <= wanted.max() < n_rows:
        raise BadInputError(
            f"rows={rows!r} is out of range; expected positions of 0 to "
            f"{n_rows - 1}, in order of arrival."
        )
    return wanted.astype(np.int64)
