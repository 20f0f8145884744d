"""Weka's inputs and outputs as coded tables."""

import numpy as np

from coded import Coded
from weka_sets import SETS, coded_by_cuts, read_columns, read_outputs, train_rows

__all__ = ["SETS", "load_discretized"]


def load_discretized(name):
    """The coded training rows, with the test rows as queries, and Weka's results.

    Numeric columns are cut where Weka cut them on the training rows.
    """
    golden, _ = read_outputs(name)
    schema, columns = read_columns(name)
    rows = np.arange(len(columns[-1]))
    codes, offsets, classes, n_classes = coded_by_cuts(
        schema, columns, golden["mdl_cuts_train"], rows
    )
    train = train_rows(len(rows))
    queries = np.ascontiguousarray(np.delete(codes, train, axis=1).T)
    codes = np.ascontiguousarray(codes[:, train])
    return Coded(codes, offsets, classes[train], n_classes, queries), golden
