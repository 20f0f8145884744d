"""Some of the rows, as a device is given them: views, nothing is copied on the host."""

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Columns, Narrow
from sklazy.kernels.bits import WORD_BITS
from sklazy.neighbors.mixed import ScaledColumns

Ints = NDArray[np.int64]


def cut_cases(cases: Cases, first: int, last: int) -> Cases:
    """The rows ``first..last - 1``; the first one begins a word of the bit sets.

    Counts and ranges stay those of all rows.
    """
    words = slice(first // WORD_BITS, -(-last // WORD_BITS))
    whole = {name: getattr(cases, name) for name in Cases._fields}
    cut = {
        "n_rows": last - first,
        "codes": Narrow(cases.codes.kept[:, first:last]),
        "classes": Narrow(cases.classes.kept[first:last]),
        "value_bits": cases.value_bits[:, words],
        "class_bits": cases.class_bits[:, words],
        "numbers": cases.numbers[:, first:last],
        "targets": cases.targets[:, first:last],
        "weights": cases.weights[first:last],
    }
    return Cases(**whole | cut)


def cut_scaled(columns: ScaledColumns, first: int, last: int) -> ScaledColumns:
    """The rows ``first..last - 1`` of scaled columns."""
    scaled, labels = columns.scaled[:, first:last], columns.labels[:, first:last]
    return columns._replace(scaled=scaled, labels=labels)


def cut_columns(columns: Columns, first: int, last: int) -> Columns:
    """The rows ``first..last - 1`` of columns."""
    return columns._replace(values=columns.values[:, first:last])


def cut_excluded(excluded: Ints | None, first: int, last: int) -> Ints | None:
    """The rows that queries are, as numbered among ``first..last - 1``; else -1."""
    if excluded is None:
        return None
    inside = (excluded >= first) & (excluded < last)
    return np.where(inside, excluded - first, -1)
