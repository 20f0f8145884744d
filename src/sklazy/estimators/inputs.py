"""What transformers of numbers take: a numeric matrix and a target of classes."""

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from sklazy.errors import BadInputError
from sklazy.tables import Column, as_target
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
    return np.array(target.categories), target.data


def class_column(y: object, *, declared: bool = False) -> Column:
    """A target of classes, those that occur; numbers with fractions are refused."""
    flat = None if y is None else column_or_1d(y, warn=True)
    target = as_target(flat, "nominal")
    check_classification_targets(flat)
    return Column("target", "nominal", target.data, target.categories, declared)


def _numeric_names(X: ArrayLike) -> dict[int, str]:
    """Names of a frame's columns by position; a column of words is refused."""
    frame = as_frame(X)
    if frame is None:
        return {}
    wrong = [name for name, dtype in frame.schema.items() if dtype in _NOT_NUMBERS]
    if wrong:
        raise BadInputError(
            f"columns {wrong} of X are not numeric; only numbers can be cut. Leave "
            "them out, or apply the discretizer to the other columns with "
            "sklearn.compose.ColumnTransformer."
        )
    return dict(enumerate(frame.columns))
