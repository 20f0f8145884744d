"""Do contributions name the features that matter? Deletion and insertion curves.

    python benchmarks/deletion_curves.py DATA [--half report] [--sets 20] [--rows 15]

Features of a row are deleted in the order of their contributions to the predicted
class, the largest first, and the probability of that class is watched; and features are
inserted in the same order into a row of which nothing is known. A cell is deleted by
putting cells of training rows in its place, the mean of five draws, for both models
alike. An order is the steeper the larger the area between both curves. Beside our blend
stands TreeSHAP on a random forest of 100 trees (needs shap, in an environment of its
own). The last columns are random orders for the blend, and how many different sets of
three leading features the rows have.

Sets of at most 800 rows: 80 % learned, the first rows of the rest asked.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from small_tables import draw, read

from sklazy import LazyClassifier
from sklazy_studies.accuracy.sets import CHOOSE, MOST_ROWS, REPORT

N_DRAWS = 5


def encode(frame, known):
    """Labels as numbers in order of the training rows, missing cells as -1."""
    columns = {}
    for name in frame:
        if pd.api.types.is_numeric_dtype(known[name]):
            columns[name] = frame[name].fillna(known[name].median())
        else:
            labels = sorted(known[name].dropna().astype(str).unique())
            codes = pd.Categorical(frame[name].astype(str), labels).codes
            columns[name] = codes.astype(float)
    return pd.DataFrame(columns).to_numpy()


def follow_orders(predict, rows, known, orders, random):
    """Probabilities with the first 0, 1, ... features deleted, and inserted alone.

    `predict` takes rows by a model; both results are (n_rows, n_features + 1).
    """
    n_rows, n_features = orders.shape
    curves = np.zeros((2, n_rows, n_features + 1))
    for query in range(n_rows):
        ranks = np.argsort(orders[query])
        for _ in range(N_DRAWS):
            other = known.iloc[[int(random.integers(len(known)))]]
            for way, compare in enumerate((np.less, np.greater_equal)):
                steps = [compare(ranks, step) for step in range(n_features + 1)]
                mixed = pd.concat([rows.iloc[[query]]] * len(steps), ignore_index=True)
                for j, name in enumerate(mixed):
                    gone = np.array([step[j] for step in steps])
                    mixed.loc[gone, name] = other[name].iloc[0]
                curves[way, query] += predict(mixed, query) / N_DRAWS
    return curves


def find_area(curves):
    """The area between insertion and deletion, a share of the width; the mean."""
    return float((curves[1].mean(axis=1) - curves[0].mean(axis=1)).mean())


def judge_set(folder, name, n_rows):
    """The areas of both models, and of random orders, for one set."""
    import shap

    frame, targets = draw(*read(folder, name), MOST_ROWS)
    kept = train_test_split(
        np.arange(len(frame)), test_size=0.2, random_state=0, stratify=_strata(targets)
    )
    known, labels = frame.iloc[kept[0]].reset_index(drop=True), targets[kept[0]]
    rows = frame.iloc[kept[1][:n_rows]].reset_index(drop=True)
    blend = LazyClassifier(n_jobs=1).fit(known, labels)
    found = blend.contributions(rows)
    classes = blend.classes_.tolist()
    output = [classes.index(label) for label in found.of]
    forest = RandomForestClassifier(100, random_state=0, n_jobs=1)
    forest.fit(encode(known, known), labels)
    said = forest.predict(encode(rows, known))
    chosen = [forest.classes_.tolist().index(label) for label in said]
    values = shap.TreeExplainer(forest).shap_values(encode(rows, known))
    by_tree = np.array([values[i, :, c] for i, c in enumerate(chosen)])

    def ask_blend(mixed, query):
        return blend.predict_proba(mixed)[:, output[query]]

    def ask_forest(mixed, query):
        return forest.predict_proba(encode(mixed, known))[:, chosen[query]]

    order = {"blend": np.argsort(-found.values, axis=1, kind="stable")}
    order["forest"] = np.argsort(-by_tree, axis=1, kind="stable")
    random = np.random.default_rng(1)
    order["random"] = np.array([random.permutation(frame.shape[1]) for _ in output])
    asked = {"blend": ask_blend, "forest": ask_forest, "random": ask_blend}
    areas = {
        who: find_area(
            follow_orders(ask, rows, known, order[who], np.random.default_rng(2))
        )
        for who, ask in asked.items()
    }
    leading = {tuple(sorted(one[:3].tolist())) for one in order["blend"]}
    return {"set": name, **areas, "leading": f"{len(leading)} of {len(rows)}"}


def _strata(targets):
    """The classes to stratify by; the only row of one goes with the largest."""
    labels, counts = np.unique(targets, return_counts=True)
    single = np.isin(targets, labels[counts == 1])
    return np.where(single, labels[counts.argmax()], targets)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=("choose", "report"), default="report")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--rows", type=int, default=15)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    names = options.only or {"choose": CHOOSE, "report": REPORT}[options.half]
    results = []
    warnings.simplefilter("ignore")
    for name in names[: options.sets]:
        results.append(judge_set(options.data, name, options.rows))
        one = results[-1]
        print(
            f"{one['set']:18} blend {one['blend']:.3f}  forest {one['forest']:.3f}  "
            f"random {one['random']:.3f}  leading {one['leading']}",
            flush=True,
        )
        if options.out:
            options.out.write_text(json.dumps(results, indent=1))
    wins = sum(one["blend"] >= one["forest"] for one in results)
    print(f"blend at least as steep on {wins} of {len(results)}")


if __name__ == "__main__":
    main()
