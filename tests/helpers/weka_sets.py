"""Weka's data sets and outputs, read without the library."""

import csv
import json

import numpy as np
import pandas as pd

from golden_files import read_golden

SETS = [
    "breast-cancer",
    "contact-lenses",
    "credit-g",
    "diabetes",
    "glass",
    "ionosphere",
    "iris",
    "labor",
    "soybean",
    "vote",
    "weather.nominal",
    "weather.numeric",
]


def read_columns(name):
    """Schema and columns (floats with NaN, or labels with None) of one set."""
    schema = json.loads(read_golden(f"weka/inputs_csv/{name}.schema.json"))
    lines = read_golden(f"weka/inputs_csv/{name}.csv").splitlines()
    rows = list(csv.reader(lines))[1:]
    columns = []
    for field, cells in zip(schema, zip(*rows, strict=True), strict=True):
        if field["type"] == "numeric":
            numbers = [np.nan if cell == "?" else float(cell) for cell in cells]
            columns.append(np.array(numbers))
        else:
            columns.append([None if cell == "?" else cell for cell in cells])
    return schema, columns


def read_outputs(name):
    """The outputs of Weka 3.9.7 and 3.6.14 for one set."""
    new = json.loads(read_golden(f"weka/outputs/{name}.json"))
    return new, json.loads(read_golden(f"weka/outputs_36/{name}.json"))


def train_rows(n_rows):
    """The rows that Weka's outputs call train."""
    return np.flatnonzero(np.arange(n_rows) % 3 != 2)


def label_codes(labels, values):
    """Codes of labels in the order of the values, -1 for None."""
    index = {value: code for code, value in enumerate(values)}
    return np.array([-1 if v is None else index[v] for v in labels], dtype=np.int32)


def bin_codes(numbers, cuts):
    """Bins of numbers, a value equal to a cut in the lower one, -1 for NaN."""
    codes = np.searchsorted(np.asarray(cuts, dtype=float), numbers, side="left")
    return np.where(np.isnan(numbers), -1, codes).astype(np.int32)


def coded_by_cuts(schema, columns, cuts, rows):
    """Codes (n_attributes, n_rows), offsets, classes, number of classes."""
    codes, sizes = [], []
    for field, column in zip(schema[:-1], columns[:-1], strict=True):
        if field["type"] == "numeric":
            codes.append(bin_codes(column[rows], cuts[field["name"]]))
            sizes.append(len(cuts[field["name"]]) + 1)
        else:
            codes.append(label_codes([column[i] for i in rows], field["values"]))
            sizes.append(len(field["values"]))
    labels = [columns[-1][i] for i in rows]
    classes = label_codes(labels, schema[-1]["values"])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.array(codes), offsets, classes, len(schema[-1]["values"])


def weka_frame(name, rows=None):
    """A set of Weka's as a pandas frame with declared categories, and its labels."""
    schema, columns = read_columns(name)
    rows = np.arange(len(columns[-1])) if rows is None else rows
    frame = {}
    for field, column in zip(schema[:-1], columns[:-1], strict=True):
        if field["type"] == "numeric":
            frame[field["name"]] = column[rows]
        else:
            labels = [column[i] for i in rows]
            frame[field["name"]] = pd.Categorical(labels, categories=field["values"])
    return pd.DataFrame(frame), np.array([columns[-1][i] for i in rows])


def weka_part(name, part):
    """All rows of a set or, for the part "train", those of Weka's training rows."""
    X, y = weka_frame(name)
    rows = train_rows(len(X)) if part == "train" else np.arange(len(X))
    return X.iloc[rows], y[rows]
