"""Inputs of estimators: numeric matrices and targets of classes."""

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import column_or_1d

from sklazy.errors import BadInputError
from sklazy.tables import Column, Table, as_target, label_array
from sklazy.tables.frames import as_frame

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
    cells = np.asarray(y, object) if isinstance(y, list | tuple) else y
    is_flat = cells is None or (type(cells) is np.ndarray and cells.ndim == 1)
    flat = cells if is_flat else column_or_1d(cells, warn=True)
    target = as_target(flat, "nominal")
    _check_whole(target)
    return Column("target", "nominal", target.data, target.categories, declared)


def _check_whole(target: Column) -> None:
    """Refuse numbers that are measured rather than counted."""
    for label in target.categories:
        if isinstance(label, float) and not label.is_integer():
            raise BadInputError(
                f"Unknown label type: continuous. y has {label}, and a number with a "
                "fraction is no class; use a regressor, or give classes as whole "
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
