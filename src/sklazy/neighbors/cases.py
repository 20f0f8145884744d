"""What the neighbour searches need of a case base."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class NominalCases(Protocol):
    """Coded columns, classes and their bit sets."""

    @property
    def codes(self) -> NDArray[np.int32]:
        """Values of shape (n_attributes, n_rows), below zero where missing."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Shape (n_attributes + 1,): value v of attribute j is ``offsets[j] + v``."""

    @property
    def classes(self) -> NDArray[np.int32]:
        """The class of each row, shape (n_rows,)."""

    @property
    def class_bits(self) -> NDArray[np.uint64]:
        """The rows of each class, shape (n_classes, n_words)."""

    @property
    def value_bits(self) -> NDArray[np.uint64] | None:
        """The rows of each value, shape (n_values + 1, n_words), the last one empty.

        None if they would be too many to keep.
        """


class MixedCases(Protocol):
    """Columns of numbers and of codes, and the classes."""

    @property
    def codes(self) -> NDArray[np.int32]:
        """Values of shape (n_attributes, n_rows), below zero where missing."""

    @property
    def values(self) -> NDArray[np.float64]:
        """Numbers of shape (n_attributes, n_rows), NaN where missing."""

    @property
    def classes(self) -> NDArray[np.int32]:
        """The class of each row, shape (n_rows,)."""
