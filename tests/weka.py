"""Weka's inputs and outputs as coded tables."""

import csv
import json

import numpy as np

from coded import Coded

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


def load_discretised(golden_folder, name):
    """The coded training rows, with the test rows as queries, and Weka's results.

    Numeric columns are cut where Weka cut them on the training rows.
    """
    folder = golden_folder / "weka"
    golden = json.loads((folder / "outputs" / f"{name}.json").read_text())
    schema = json.loads((folder / "inputs_csv" / f"{name}.schema.json").read_text())
    with (folder / "inputs_csv" / f"{name}.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    columns = [list(column) for column in zip(*rows, strict=True)]
    coded, sizes = [], []
    for field, cells in zip(schema[:-1], columns[:-1], strict=True):
        cuts = golden["mdl_cuts_train"].get(field["name"])
        codes, size = code_column(cells, field["values"], cuts)
        coded.append(codes)
        sizes.append(size)
    classes, n_classes = code_column(columns[-1], golden["class_labels"], None)
    codes = np.array(coded, np.int32)
    is_test = np.arange(codes.shape[1]) % 3 == 2
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    table = Coded(
        np.ascontiguousarray(codes[:, ~is_test]),
        offsets,
        classes[~is_test],
        n_classes,
        np.ascontiguousarray(codes[:, is_test].T),
    )
    return table, golden


def code_column(cells, values, cuts):
    """Codes of one column (-1 for ?) and how many there can be."""
    if values:
        places = {value: place for place, value in enumerate(values)}
        return np.array([places.get(cell, -1) for cell in cells], np.int32), len(values)
    cuts = np.array(cuts or [], float)
    numbers = np.array([np.nan if cell == "?" else float(cell) for cell in cells])
    bins = np.searchsorted(cuts, numbers, side="left")
    return np.where(np.isnan(numbers), -1, bins).astype(np.int32), cuts.size + 1
