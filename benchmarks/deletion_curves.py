"""Do contributions name the features that matter? Deletion and insertion curves.

    python benchmarks/deletion_curves.py DATA [--half report] [--sets 20] [--rows 15]

Features of a row are deleted in the order of their contributions to the predicted
class, the largest first, and the probability of that class is watched; and features are
inserted in the same order into a row of which nothing is known. An order is the steeper
the larger the area between both curves, in probability or in log odds. Beside our blend
stands TreeSHAP on a random forest of 100 trees (needs shap, in an environment of its
own). A cell is deleted, for both models alike, by putting in its place

- others: cells of training rows, the mean of five draws;
- missing: nothing; the forest, which cannot lack cells, gets the median or the code -1;
- usual: the median or the most frequent label.

Then come random orders for the blend, and how many different sets of three leading
features the rows have.

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
WAYS = "others", "missing", "usual"
LEAST = 1e-3  # probability, where it is turned into log odds


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


def pool_rows(rows, known):
    """Rows, known rows, one of usual cells and one of missing ones, in one frame."""
    usual = {
        name: cells.median()
        if pd.api.types.is_numeric_dtype(cells)
        else cells.mode().iloc[0]
        for name, cells in known.items()
    }
    pool = pd.concat([rows, known, pd.DataFrame([usual])], ignore_index=True)
    return pool.reindex(range(len(pool) + 1)).astype(known.dtypes)


def follow_orders(predict, pool, orders, others):
    """Probabilities with the first 0, 1, ... features deleted, and inserted alone.

    `predict` takes rows, and which query each belongs to; `others` are the rows of the
    pool that lend cells, (n_rows, n_draws). The curves are (2, n_rows, n_features + 1).
    """
    n_rows, n_features = orders.shape
    ranks = np.argsort(orders, axis=1)[:, None, None]
    steps = np.arange(n_features + 1)[:, None]
    gone = np.stack([ranks < steps, ranks >= steps])
    query = np.arange(n_rows)[None, :, None, None]
    shape = (2, *others.shape, n_features + 1)
    asked = np.broadcast_to(query, shape).ravel()
    mixed = {
        name: pool[name]
        .take(np.where(gone[..., j], others[None, :, :, None], query).ravel())
        .reset_index(drop=True)
        for j, name in enumerate(pool)
    }
    return predict(pd.DataFrame(mixed), asked).reshape(shape).mean(axis=2)


def find_area(curves):
    """The area between insertion and deletion, a share of the width; the mean."""
    return float((curves[1].mean(axis=1) - curves[0].mean(axis=1)).mean())


def find_areas(curves):
    """The area in probability and in log odds."""
    shares = np.clip(curves, LEAST, 1.0 - LEAST)
    return find_area(curves), find_area(np.log(shares / (1.0 - shares)))


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
    output = np.array([classes.index(label) for label in found.of])
    forest = RandomForestClassifier(100, random_state=0, n_jobs=1)
    forest.fit(encode(known, known), labels)
    predicted = forest.predict(encode(rows, known))
    chosen = np.array([forest.classes_.tolist().index(one) for one in predicted])
    values = shap.TreeExplainer(forest).shap_values(encode(rows, known))
    by_tree = np.array([values[i, :, c] for i, c in enumerate(chosen)])

    def ask_blend(mixed, query):
        return blend.predict_proba(mixed)[np.arange(len(mixed)), output[query]]

    def ask_forest(mixed, query):
        shares = forest.predict_proba(encode(mixed, known))
        return shares[np.arange(len(mixed)), chosen[query]]

    random, pool = np.random.default_rng(1), pool_rows(rows, known)
    at_random = [random.permutation(frame.shape[1]) for _ in output]
    orders = {
        "blend": (ask_blend, np.argsort(-found.values, axis=1, kind="stable")),
        "forest": (ask_forest, np.argsort(-by_tree, axis=1, kind="stable")),
        "random": (ask_blend, np.array(at_random)),
    }
    n_rows, draws = len(rows), np.random.default_rng(2)
    lent = {
        "others": n_rows + draws.integers(len(known), size=(n_rows, N_DRAWS)),
        "missing": np.full((n_rows, 1), len(pool) - 1),
        "usual": np.full((n_rows, 1), len(pool) - 2),
    }
    areas = {
        way: {
            who: find_areas(follow_orders(ask, pool, order, lent[way]))
            for who, (ask, order) in orders.items()
        }
        for way in WAYS
    }
    leading = {tuple(sorted(one[:3].tolist())) for one in orders["blend"][1]}
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
        texts = [
            f"{way} " + " ".join(f"{areas[0]:.3f}" for areas in one[way].values())
            for way in WAYS
        ]
        print(
            f"{one['set']:18} {'  '.join(texts)}  leading {one['leading']}", flush=True
        )
        if options.out:
            options.out.write_text(json.dumps(results, indent=1))
    print("(of each: blend, forest, random)")
    for way in WAYS:
        for form, words in enumerate(("probability", "log odds")):
            areas = [
                [one[way][who][form] for who in ("blend", "forest")] for one in results
            ]
            wins = sum(ours >= theirs for ours, theirs in areas)
            means = " and ".join(f"{mean:.3f}" for mean in np.mean(areas, axis=0))
            print(
                f"{way}, {words}: blend at least as steep on {wins} of {len(areas)}; "
                f"mean area {means}"
            )


if __name__ == "__main__":
    main()
