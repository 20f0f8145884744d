"""EntropyDiscretizer: numeric columns into bins, cut where the class changes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags, check_array, check_consistent_length
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.threads import check_jobs
from sklazy.casebase.cuts import (
    bin_codes,
    criterion_code,
    interval_labels,
    intervals,
    sorted_cuts,
)
from sklazy.errors import BadInputError
from sklazy.estimators.inputs import class_codes, numeric_matrix
from sklazy.estimators.parameters import Discretization, check_choice, check_columns
from sklazy.estimators.reference import Referenced
from sklazy.flow import MISSING
from sklazy.kernels.sorting import sort_pairs


class EntropyDiscretizer(
    Referenced, OneToOneFeatureMixin, TransformerMixin, BaseEstimator
):
    """Cut numeric columns into bins where the class changes.

    Each column is cut at the point with the least class entropy, then each side again,
    as long as a cut pays for its own description (minimum description length). The
    number of bins follows from the data; a column that is not informative by itself
    keeps one bin. The cuts equal those of Weka's supervised ``Discretize`` and do not
    depend on the order of rows.

    Missing cells (NaN) are ignored when cuts are computed, and stay missing. Numbers
    are converted to float64; infinite ones raise an error.

    Parameters
    ----------
    criterion : {"fayyad", "kononenko"}, default="fayyad"
        The MDL criterion that a cut must meet: that of Fayyad and Irani [1]_ or of
        Kononenko [2]_.
    better_encoding : bool, default=False
        Whether a cut costs log2 of the number of possible cuts, instead of the number
        of rows minus one. This gives more cuts on columns with few distinct values.
    encode : {"codes", "intervals"}, default="codes"
        Output of `transform`: the number of the bin from 0, as a float (NaN where
        missing), or its interval as text, as an object (None where missing).
    n_jobs : int, optional
        Number of threads for the columns in `fit`. None means 1 unless in a
        `joblib.parallel_config` context; -1 means all processors.

    Attributes
    ----------
    cut_points_ : list of n_features float64 arrays
        The cuts of each column, ascending. A value equal to a cut lies in the lower
        bin. Each is midway between two neighboring values of the column.
    n_bins_ : int64 array of shape (n_features,)
        Number of cuts plus one.
    data_range_ : float64 array of shape (n_features, 2)
        The smallest and largest value of each column, NaN where all are missing.
    classes_ : array of shape (n_classes,)
        The labels found in y.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has names for all columns.

    See Also
    --------
    sklearn.preprocessing.KBinsDiscretizer : A given number of bins, without y.

    References
    ----------
    .. [1] U. Fayyad, K. Irani. Multi-interval discretization of continuous-valued
       attributes for classification learning. IJCAI 1993, 1022-1027.
    .. [2] I. Kononenko. On biases in estimating multi-valued attributes. IJCAI 1995,
       1034-1040.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklazy import EntropyDiscretizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> discretizer = EntropyDiscretizer().fit(X, y)
    >>> discretizer.cut_points_[3]
    array([0.8 , 1.75])
    >>> discretizer.set_output(transform="pandas").transform(X).iloc[[0, 50, 100], 2:]
         petal length (cm)  petal width (cm)
    0                  0.0               0.0
    50                 1.0               1.0
    100                2.0               2.0
    >>> discretizer.bounds("petal width (cm)", 1)
    (0.8, 1.75)

    Naive Bayes on the bins; values outside the range seen fall into the outer bins:

    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import CategoricalNB
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(EntropyDiscretizer(), CategoricalNB(min_categories=9))
    >>> cross_val_score(model, X, y).mean() > 0.9
    np.True_
    """

    cut_points_: list[NDArray[np.float64]]
    n_bins_: NDArray[np.int64]
    data_range_: NDArray[np.float64]
    classes_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        criterion: Discretization = "fayyad",
        *,
        better_encoding: bool = False,
        encode: Literal["codes", "intervals"] = "codes",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.better_encoding = better_encoding
        self.encode = encode
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the cuts of each column.

        Parameters
        ----------
        X : array-like, frame or table of shape (n_rows, n_columns)
            Numbers; NaN or null where missing.
        y : array-like of shape (n_rows,)
            The class of each row.

        Returns
        -------
        self : EntropyDiscretizer
        """
        self._check_parameters()
        numbers = numeric_matrix(X, self)
        classes, labels = class_codes(y)
        check_consistent_length(numbers, labels)
        task = delayed(_cut_column)
        cuts_and_ranges = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            task(column, labels, len(classes), self.criterion, self.better_encoding)
            for column in np.asfortranarray(numbers).T
        )
        # Nothing is stored before all steps have succeeded.
        check_columns(self, X, reset=True)
        self.cut_points_ = [cuts for cuts, _ in cuts_and_ranges]
        self.data_range_ = np.array([span for _, span in cuts_and_ranges])
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.cut_points_])
        self.classes_ = classes
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Replace each cell by its bin.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        array (or frame, see `set_output`) of shape (n_rows, n_columns)
            Codes as floats, NaN where missing; or, if ``encode="intervals"``, labels
            as objects, None where missing.
        """
        check_is_fitted(self)
        self._check_parameters()
        numbers = numeric_matrix(X, self)
        check_columns(self, X, reset=False)
        coded = np.empty(
            numbers.shape, dtype=object if self.encode == "intervals" else np.float64
        )
        for j, cuts in enumerate(self.cut_points_):
            # The code of a missing cell, -1, takes the last entry.
            labels = np.array(self._labels(cuts), dtype=coded.dtype)
            coded[:, j] = labels[bin_codes(numbers[:, j], cuts)]
        return coded

    def inverse(self, X: ArrayLike) -> NDArray[np.float64]:
        """Bounds of the bins that `transform` returned, for display.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            Output of `transform`.

        Returns
        -------
        float64 array of shape (n_rows, n_columns, 2)
            Lower bound (not in the bin) and upper bound (in the bin), infinite at
            the ends; NaN where missing.
        """
        return self._look_up(X, [intervals(cuts) for cuts in self._cuts()])

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Replace each bin that `transform` returned by the middle of its values.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            Output of `transform`.

        Returns
        -------
        float64 array of shape (n_rows, n_columns)
            Midpoints of the bins; the outer bins end at the smallest and largest value
            seen in `fit`. NaN where missing.
        """
        middles = [
            (np.clip(intervals(cuts), *span) / 2).sum(axis=1, keepdims=True)
            for cuts, span in zip(self._cuts(), self.data_range_, strict=True)
        ]
        return self._look_up(X, middles)[:, :, 0]

    def bounds(self, column: int | str, code: int) -> tuple[float, float]:
        """Bounds (low, high] of one bin.

        Parameters
        ----------
        column : int or str
            The column's position, or its name if X had names.
        code : int
            The number of the bin, from 0.

        Returns
        -------
        low, high : float
        """
        pairs = intervals(self._cuts()[self._position(column)])
        if not isinstance(code, Real) or code not in range(len(pairs)):
            raise BadInputError(
                f"code={code!r}; expected a bin of column {column!r}, 0 to "
                f"{len(pairs) - 1}."
            )
        low, high = pairs[int(code)].tolist()
        return low, high

    def _check_parameters(self) -> None:
        criterion_code(self.criterion)
        check_choice("encode", self.encode, ("codes", "intervals"))
        check_jobs(self.n_jobs)

    def _cuts(self) -> list[NDArray[np.float64]]:
        check_is_fitted(self)
        return self.cut_points_

    def _labels(self, cuts: NDArray[np.float64]) -> list[Any]:
        """The output for each bin of a column, then for a missing cell."""
        if self.encode == "intervals":
            return [*interval_labels(cuts), None]
        return [*range(len(cuts) + 1), np.nan]

    def _look_up(
        self, X: ArrayLike, entries: list[NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Entries of the bins in X, NaN where missing; all of equal width."""
        coded = check_array(
            X, dtype=None, ensure_all_finite=False, estimator=self, input_name="X"
        )
        if coded.shape[1] != len(entries):
            raise BadInputError(
                f"X has {coded.shape[1]} columns; expected {len(entries)}, as "
                "transform returns them."
            )
        values = np.full((*coded.shape, entries[0].shape[1]), np.nan)
        for j, cuts in enumerate(self.cut_points_):
            codes = _codes_of(coded[:, j], self._labels(cuts)[:-1], j)
            present = codes != MISSING
            values[present, j] = entries[j][codes[present]]
        return values

    def _position(self, column: int | str) -> int:
        names = list(getattr(self, "feature_names_in_", []))
        if isinstance(column, str) and column in names:
            return names.index(column)
        if isinstance(column, Integral) and 0 <= int(column) < self.n_features_in_:
            return int(column)
        raise BadInputError(
            f"column={column!r} is unknown; give 0 to {self.n_features_in_ - 1}"
            + (f" or one of {names}." if names else ".")
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.one_d_labels = True
        tags.input_tags.allow_nan = True
        if self.encode == "intervals":
            tags.transformer_tags.preserves_dtype = []
        return tags


def _cut_column(
    column: NDArray[np.float64],
    labels: NDArray[np.int32],
    n_classes: int,
    criterion: str,
    better_encoding: bool,
) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Cuts of a column, and its smallest and largest value."""
    values, classes = sort_pairs(np.ascontiguousarray(column), labels)
    cuts = sorted_cuts(values, classes, n_classes, criterion, better_encoding)
    return cuts, (values[0], values[-1]) if len(values) else (np.nan, np.nan)


def _codes_of(cells: NDArray[Any], labels: list[Any], column: int) -> NDArray[np.int64]:
    """Numbers of the bins with these labels; `MISSING` for None and NaN."""
    numbers = {label: code for code, label in enumerate(labels)}
    try:
        return np.array(
            [
                MISSING if cell is None or cell != cell else numbers[cell]
                for cell in cells.tolist()
            ]
        )
    except KeyError as error:
        raise BadInputError(
            f"X has {error.args[0]!r} in column {column}; expected one of its bins "
            f"{labels}, as transform returns them."
        ) from None
