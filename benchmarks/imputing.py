"""LazyImputer beside KNNImputer, a forest in IterativeImputer, and means and modes.

    python benchmarks/imputing.py [out.json [folder]]

Twelve sets of the half to report on, at most 200 rows each. 10 and 30 % of the cells
are removed: at random, or not at random (a number above its median, or the commonest
label, goes three times as often as others). Removed cells are filled and compared with
what they were: the share of right labels, and the mean absolute error of numbers in
standard deviations. Downstream: accuracy of extra trees on the filled columns, learned
from 70 % of the rows. Processor time of fit and transform.

KNNImputer gets scaled numbers and indicators of labels, the forest scaled numbers and
codes of labels, which are rounded; it has 20 trees and 5 rounds, and on the
first four sets, 10 % removed at random, also the 100 trees and 10 rounds of
scikit-learn's defaults.
"""

import json
import sys
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, RandomForestRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer

from sklazy import LazyImputer
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

NAMES = (
    *("haberman", "tae", "lymph", "heart-c", "diabetes", "credit-a"),
    *("wine", "breast-w", "heart-statlog", "cmc", "flags", "vehicle"),
)
MOST_ROWS = 200


def load(name, folder):
    """A frame of plain numbers and labels, its classes, at most 200 rows."""
    data = load_set(find_known(name), folder)
    classes, frame = np.asarray(data.classes.data), data.table.to_pandas()
    rows = np.random.default_rng(0).permutation(len(classes))[:MOST_ROWS]
    frame = frame.iloc[rows].reset_index(drop=True)
    for column in frame:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].astype(object)
    return frame, classes[rows]


def hide(frame, share, at_random, rng):
    """Which known cells are removed."""
    chances = np.ones(frame.shape)
    if not at_random:
        for j, column in enumerate(frame):
            cells = frame[column]
            if cells.dtype == object:
                often = cells == cells.mode().iloc[0]
            else:
                often = cells > cells.median()
            chances[:, j] = np.where(often, 3.0, 1.0)
    chances *= share / chances.mean()
    hidden = (rng.random(frame.shape) < chances) & frame.notna().to_numpy()
    for j in range(frame.shape[1]):  # something is left of each column
        known = np.flatnonzero(frame.iloc[:, j].notna())
        hidden[known[:2], j] = False
    return hidden


class Encoded:
    """Scaled numbers, and labels as codes or indicators, for an imputer of numbers."""

    def __init__(self, imputer, indicators):
        self.imputer, self.indicators = imputer, indicators

    def encode(self, frame):
        blocks = []
        for name, kind in self.kinds.items():
            cells = frame[name]
            if kind is None:
                low, scale = self.scales[name]
                blocks.append(((cells - low) / scale).to_numpy(float)[:, None])
                continue
            codes = cells.map({label: i for i, label in enumerate(kind)}).to_numpy(
                float
            )
            if not self.indicators:
                blocks.append(codes[:, None])
                continue
            spread = (codes[:, None] == np.arange(len(kind))).astype(float)
            spread[np.isnan(codes)] = np.nan
            blocks.append(spread)
        self.ends = np.cumsum([block.shape[1] for block in blocks])
        return np.concatenate(blocks, axis=1)

    def fit(self, frame):
        self.kinds, self.scales = {}, {}
        for name in frame:
            if frame[name].dtype == object:
                self.kinds[name] = sorted(frame[name].dropna().unique(), key=str)
            else:
                self.kinds[name] = None
                self.scales[name] = frame[name].mean(), frame[name].std() or 1.0
        self.imputer.fit(self.encode(frame))
        return self

    def transform(self, frame):
        matrix, filled, first = (
            self.imputer.transform(self.encode(frame)),
            frame.copy(),
            0,
        )
        for (name, kind), last in zip(self.kinds.items(), self.ends, strict=True):
            block, missing = matrix[:, first:last], frame[name].isna()
            first = last
            if kind is None:
                low, scale = self.scales[name]
                values = block[:, 0] * scale + low
            elif self.indicators:
                values = np.array(kind, object)[block.argmax(axis=1)]
            else:
                codes = np.clip(np.rint(block[:, 0]), 0, len(kind) - 1).astype(int)
                values = np.array(kind, object)[codes]
            filled.loc[missing, name] = values[missing.to_numpy()]
        return filled


class MeanMode:
    def fit(self, frame):
        self.fills = {
            name: frame[name].mode().iloc[0]
            if frame[name].dtype == object
            else frame[name].mean()
            for name in frame
        }
        return self

    def transform(self, frame):
        return frame.fillna(self.fills)


def imputers():
    forest = RandomForestRegressor(20, random_state=0)
    return {
        "LazyImputer": LazyImputer(),
        "KNNImputer": Encoded(KNNImputer(), indicators=True),
        "forest": Encoded(
            IterativeImputer(forest, max_iter=5, random_state=0), indicators=False
        ),
        "mean and mode": MeanMode(),
    }


def quality(frame, filled, hidden):
    """The share of right labels and the error of numbers, None where there are none."""
    right, errors = [], []
    for j, name in enumerate(frame):
        rows = np.flatnonzero(hidden[:, j])
        truth, cells = frame[name].iloc[rows], filled[name].iloc[rows]
        if frame[name].dtype == object:
            right += (truth.to_numpy() == cells.to_numpy()).tolist()
        elif frame[name].std() > 0:
            away = np.abs(truth.to_numpy(float) - cells.to_numpy(float))
            errors += (away / frame[name].std()).tolist()
    return np.mean(right) if right else None, np.mean(errors) if errors else None


def downstream(filled, classes, learn):
    """The accuracy of extra trees on the filled columns."""
    matrix = pd.get_dummies(filled, dtype=float).fillna(-1.0).to_numpy()
    model = ExtraTreesClassifier(100, random_state=0).fit(matrix[learn], classes[learn])
    return float(model.score(matrix[~learn], classes[~learn]))


def default_forest():
    """The forest with the numbers of trees and rounds that scikit-learn has."""
    forest = RandomForestRegressor(random_state=0)
    return Encoded(IterativeImputer(forest, random_state=0), indicators=False)


def measure(name, share, at_random, folder):
    frame, classes = load(name, folder)
    rng = np.random.default_rng(1)
    hidden = hide(frame, share, at_random, rng)
    learn = rng.random(len(frame)) < 0.7
    holes = frame.mask(hidden)
    results = {}
    compared = imputers()
    if at_random and share == 0.1 and name in NAMES[:4]:
        compared["forest, defaults"] = default_forest()
    for label, imputer in compared.items():
        start = time.process_time()
        filled = imputer.fit(holes).transform(holes)
        took = time.process_time() - start
        labels, numbers = quality(frame, filled, hidden)
        results[label] = {
            "labels": labels,
            "numbers": numbers,
            "downstream": downstream(filled, classes, learn),
            "seconds": took,
        }
    return results


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else "imputing.json"
    folder = data_folder(sys.argv[2] if len(sys.argv) > 2 else None)
    warnings.simplefilter("ignore")
    LazyImputer().fit_transform(load("zoo", folder)[0].iloc[:40])  # compiled, untimed
    results = {}
    for share, at_random in ((0.1, True), (0.3, True), (0.1, False), (0.3, False)):
        for name in NAMES:
            how = "at random" if at_random else "not at random"
            key = f"{name}, {share:.0%} {how}"
            results[key] = measure(name, share, at_random, folder)
            print(key, json.dumps(results[key]), flush=True)
            with open(out, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
