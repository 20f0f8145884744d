"""Contingency counts: how often each value of each attribute goes with each class."""

import numpy as np

from sklazy.kernels.compiling import entry


@entry
def count_values(codes, offsets, classes, n_classes):
    """Count rows by (attribute, value) and class; missing cells are skipped.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    classes : int32 array of shape (n_rows,)
    n_classes : int

    Returns
    -------
    int64 array of shape (offsets[-1], n_classes)
        Row ``offsets[j] + v`` equals
        ``bincount(classes[codes[j] == v], minlength=n_classes)``.
    """
    n_attributes, n_rows = codes.shape
    counts = np.zeros((offsets[n_attributes], n_classes), np.int64)
    for attribute in range(n_attributes):
        first = offsets[attribute]
        for row in range(n_rows):
            code = codes[attribute, row]
            if code >= 0:
                counts[first + code, classes[row]] += 1
    return counts
