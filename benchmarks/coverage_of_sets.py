"""How often sets and intervals cover, and how large they are, beside MAPIE and crepes.

    python benchmarks/coverage_of_sets.py run RESULTS.jsonl [--splits N] [--seconds S]
    python benchmarks/coverage_of_sets.py show RESULTS.jsonl [--plot PICTURE.png]

`run` goes through the splits, each over all sets, and adds a line for every set and
split; what is there already is not done again. Two thirds of at most 600 rows are
learned from. Peers see categories as indicators, medians for missing cells, and numbers
in units of their deviation. Classes of fewer than 15 rows are left out: the folds of
the peers need some of each. Peers that fit a model again and again are measured on the
first splits alone; so `show` has sizes and seconds of these, and coverage of all. Peers
need ``pip install --group peers``.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sklazy
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

CLASSES = (
    *("balance-scale", "breast-w", "bupa", "cmc", "credit-a", "credit-g", "diabetes"),
    *("ecoli", "glass", "heart-c", "heart-statlog", "ionosphere", "iris", "segment"),
    *("sonar", "soybean", "vehicle", "vote", "vowel", "wine"),
)
NUMBERS = (
    *("ailerons", "elevators", "house_16H", "house_8L", "pol", "triazines"),
    *("wisconsin", "diabetes-numbers", "friedman1", "friedman2"),
)
COVERAGES = (0.8, 0.9, 0.95)
SLOW_SPLITS = 4  # of the methods that fit many models
MOST_ROWS = 600
FEWEST_OF_CLASS = 15
NEIGHBORS = 5


def load_classes(name):
    data = load_set(find_known(name), data_folder())
    X, y = data.table.to_pandas(), data.classes.data
    counts = np.bincount(y)
    kept = np.flatnonzero(counts[y] >= FEWEST_OF_CLASS)
    if len(kept) > MOST_ROWS:
        kept, _ = train_test_split(
            kept, train_size=MOST_ROWS, stratify=y[kept], random_state=0
        )
    counts = np.bincount(y[kept])
    kept = kept[counts[y[kept]] >= FEWEST_OF_CLASS]
    return X.iloc[kept].reset_index(drop=True), y[kept]


def load_numbers(name):
    if name == "diabetes-numbers":
        X, y = load_diabetes(return_X_y=True)
    elif name == "friedman1":
        X, y = make_friedman1(MOST_ROWS, noise=1.0, random_state=0)
    elif name == "friedman2":
        X, y = make_friedman2(MOST_ROWS, noise=125.0, random_state=0)
    else:
        data = load_set(find_known(name), data_folder())
        X, y = data.table.to_pandas(), data.numbers
    kept = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    return pd.DataFrame(X).iloc[kept].reset_index(drop=True), y[kept]


def encode(X, train):
    """All rows as numbers, by what the rows learned from are like."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    words = make_pipeline(
        SimpleImputer(strategy="most_frequent", keep_empty_features=True),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    coder = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (words, make_column_selector(dtype_exclude="number")),
    )
    X = X.set_axis([f"c{j}" for j in range(X.shape[1])], axis=1)
    return coder.fit(X.iloc[train]).transform(X)


# --- sets of classes: (n_queries, n_classes) for each coverage ------------------------


def fit_once(model, X, y, kept):
    """The model fitted to a split; one that is asked in two ways is fitted once."""
    key = repr(model)
    if key not in kept:
        kept[key] = clone(model).fit(X, y)
    return kept[key]


def lazy_sets(model, **how):
    def ask(X, y, train, test, coded, kept):
        fitted = fit_once(model, X.iloc[train], y[train], kept)
        return [fitted.predict_set(X.iloc[test], c, **how) for c in COVERAGES]

    return ask


def mapie_sets(model):
    def ask(X, y, train, test, coded, kept):
        from mapie.classification import CrossConformalClassifier

        peer = CrossConformalClassifier(model, confidence_level=COVERAGES, cv=5)
        peer.fit_conformalize(coded[train], y[train])
        _, sets = peer.predict_set(coded[test])
        return list(np.moveaxis(sets, -1, 0))

    return ask


def crepes_sets(model, oob):
    def ask(X, y, train, test, coded, kept):
        from crepes import WrapClassifier

        peer, fit = WrapClassifier(model), train
        if oob:
            peer.fit(coded[fit], y[fit])
            peer.calibrate(coded[fit], y[fit], oob=True)
        else:
            fit, rest = train_test_split(
                train, test_size=0.25, stratify=y[train], random_state=0
            )
            peer.fit(coded[fit], y[fit])
            peer.calibrate(coded[rest], y[rest])
        return [
            np.asarray(
                peer.predict_set(
                    coded[test], labels=False, confidence=c, smoothing=False
                ),
                bool,
            )
            for c in COVERAGES
        ]

    return ask


FOREST = {"n_estimators": 100, "random_state": 0, "n_jobs": 1}
SETS = {
    "lazy k-NN": lazy_sets(sklazy.LazyKNeighborsClassifier(n_jobs=1)),
    "lazy naive Bayes": lazy_sets(sklazy.LazyNBClassifier(n_jobs=1)),
    "lazy kernel": lazy_sets(sklazy.LazyKernelClassifier(n_jobs=1)),
    "lazy kernel, by nearness": lazy_sets(
        sklazy.LazyKernelClassifier(n_jobs=1), by="nearness"
    ),
    "MAPIE cross, forest": mapie_sets(RandomForestClassifier(**FOREST)),
    "MAPIE cross, k-NN": mapie_sets(KNeighborsClassifier(NEIGHBORS)),
    "crepes, forest out of bag": crepes_sets(
        RandomForestClassifier(oob_score=True, **FOREST), True
    ),
    "crepes, k-NN and a split": crepes_sets(KNeighborsClassifier(NEIGHBORS), False),
}


# --- intervals of numbers: (n_queries, 2) for each coverage ---------------------------


def lazy_intervals(model, **how):
    def ask(X, y, train, test, coded, kept):
        fitted = fit_once(model, X.iloc[train], y[train], kept)
        return [fitted.predict_interval(X.iloc[test], c, **how) for c in COVERAGES]

    return ask


def mapie_intervals(model, cv):
    def ask(X, y, train, test, coded, kept):
        from mapie.regression import CrossConformalRegressor

        peer = CrossConformalRegressor(model, confidence_level=COVERAGES, cv=cv)
        peer.fit_conformalize(coded[train], y[train])
        _, ends = peer.predict_interval(coded[test])
        return list(np.moveaxis(ends, -1, 0))

    return ask


def mapie_bootstrap(model, resampling):
    """Jackknife+ after the bootstrap: a row is left out by the bags that lack it."""

    def ask(X, y, train, test, coded, kept):
        from mapie.regression import JackknifeAfterBootstrapRegressor

        peer = JackknifeAfterBootstrapRegressor(
            model, confidence_level=COVERAGES, resampling=resampling, random_state=0
        )
        peer.fit_conformalize(coded[train], y[train])
        _, ends = peer.predict_interval(coded[test])
        return list(np.moveaxis(ends, -1, 0))

    return ask


def crepes_intervals(model, oob):
    def ask(X, y, train, test, coded, kept):
        from crepes import WrapRegressor

        peer, fit = WrapRegressor(model), train
        if oob:
            peer.fit(coded[fit], y[fit])
            peer.calibrate(coded[fit], y[fit], oob=True)
        else:
            fit, rest = train_test_split(train, test_size=0.25, random_state=0)
            peer.fit(coded[fit], y[fit])
            peer.calibrate(coded[rest], y[rest])
        return [peer.predict_int(coded[test], confidence=c) for c in COVERAGES]

    return ask


INTERVALS = {
    "lazy local models": lazy_intervals(sklazy.LazyLearningRegressor(n_jobs=1)),
    "lazy kernel": lazy_intervals(sklazy.LazyKernelRegressor(n_jobs=1)),
    "lazy kernel, by nearness": lazy_intervals(
        sklazy.LazyKernelRegressor(n_jobs=1), by="nearness"
    ),
    "MAPIE cross, forest": mapie_intervals(RandomForestRegressor(**FOREST), 5),
    "MAPIE cross, k-NN": mapie_intervals(KNeighborsRegressor(NEIGHBORS), 5),
    "MAPIE jackknife+, forest": mapie_bootstrap(RandomForestRegressor(**FOREST), 20),
    "MAPIE jackknife+, k-NN": mapie_intervals(KNeighborsRegressor(NEIGHBORS), -1),
    "crepes, forest out of bag": crepes_intervals(
        RandomForestRegressor(oob_score=True, **FOREST), True
    ),
    "crepes, k-NN and a split": crepes_intervals(KNeighborsRegressor(NEIGHBORS), False),
}
SLOW = {
    *("MAPIE cross, forest", "MAPIE jackknife+, forest", "MAPIE jackknife+, k-NN"),
}


# --- running --------------------------------------------------------------------------


def measure(name, split):
    """Coverage, size and seconds of every method, by coverage promised."""
    warnings.simplefilter("ignore")
    is_class = name in CLASSES
    X, y = load_classes(name) if is_class else load_numbers(name)
    train, test = train_test_split(
        np.arange(len(y)),
        test_size=1 / 3,
        random_state=split,
        stratify=y if is_class else None,
    )
    if is_class:
        y = np.unique(y, return_inverse=True)[1]
    coded, figures, kept = encode(X, train), {}, {}
    for method, ask in (SETS if is_class else INTERVALS).items():
        if method in SLOW and split >= SLOW_SPLITS:
            continue
        start = time.process_time()  # of one core, whoever else uses the machine
        answers = ask(X, y, train, test, coded, kept)
        took = time.process_time() - start
        judge = judge_sets if is_class else judge_intervals
        figures[method] = {
            "seconds": took,
            **{
                str(c): judge(a, y[test])
                for c, a in zip(COVERAGES, answers, strict=True)
            },
        }
    return {"set": name, "split": split, "rows": len(y), "figures": figures}


def judge_sets(sets, y):
    return {
        "covered": float(sets[np.arange(len(y)), y].mean()),
        "size": float(sets.sum(axis=1).mean()),
        "empty": float((~sets.any(axis=1)).mean()),
    }


def judge_intervals(ends, y):
    low, high = np.asarray(ends).T
    covered = (low <= y) & (y <= high)
    return {"covered": float(covered.mean()), "size": float((high - low).mean())}


def run(path, n_splits, seconds, n_jobs):
    known = {(one["set"], one["split"]) for one in read(path)}
    start, every = time.monotonic(), (*CLASSES, *NUMBERS)
    units = [(name, split) for split in range(n_splits) for name in every]
    todo = [unit for unit in units if unit not in known]
    for first in range(0, len(todo), 5 * n_jobs):
        if time.monotonic() - start > seconds:
            return
        part = todo[first : first + 5 * n_jobs]
        measured = Parallel(n_jobs)(delayed(measure)(*unit) for unit in part)
        with path.open("a") as file:
            file.writelines(json.dumps(one) + "\n" for one in measured)
        print(f"{time.monotonic() - start:5.0f} s  {part[-1]}", file=sys.stderr)


def read(path):
    return list(map(json.loads, path.read_text().splitlines())) if path.exists() else []


# --- showing --------------------------------------------------------------------------


def summarize(results, names, methods):
    """Means over splits of covered, size, seconds by set, for methods and coverages."""
    figures = {}
    for method in methods:
        for coverage in map(str, COVERAGES):
            by_set = [
                [
                    (kept[coverage]["covered"], kept[coverage]["size"], kept["seconds"])
                    for one in results
                    if one["set"] == name and method in one["figures"]
                    for kept in [one["figures"][method]]
                ]
                for name in names
            ]
            figures[method, coverage] = np.array(
                [np.mean(splits, axis=0) for splits in by_set if splits]
            )
    return figures


def shared(results):
    """The splits that all methods have."""
    return [one for one in results if one["split"] < SLOW_SPLITS]


def curve(figures, method, methods, relative):
    """Mean coverage and mean size over the sets, for each coverage promised.

    Sizes may be relative: to the least at a promise of 0.9, by geometric mean.
    """
    points = []
    least = np.min([figures[other, "0.9"][:, 1] for other in methods], axis=0)
    for coverage in map(str, COVERAGES):
        covered, sizes, _ = figures[method, coverage].T
        mean = np.exp(np.log(sizes / least).mean()) if relative else sizes.mean()
        points.append((covered.mean(), mean))
    return np.array(points).T


def size_at(covered, sizes, wanted):
    """The size where so much is covered, on straight lines between three promises."""
    slope = np.diff(sizes) / np.diff(covered)
    piece = int(wanted > covered[1])
    return sizes[1] + slope[piece] * (wanted - covered[1])


def show(results, names, methods, relative):
    """Markdown: coverage, the worst of a set, mean size, seconds; sizes by set."""
    every = summarize(results, names, methods)
    figures = summarize(shared(results), names, methods)
    heads = [f"{c:.2f}: covered | least | size" for c in COVERAGES]
    print(f"| | {' | '.join(heads)} | size at 0.9 covered | seconds |")
    print("|---|" + "---|" * (3 * len(COVERAGES) + 2))
    for method in methods:
        covered, sizes = curve(figures, method, methods, relative)
        cells = [
            f"{every[method, str(c)][:, 0].mean():.3f} | "
            f"{every[method, str(c)][:, 0].min():.3f} | {size:.2f}"
            for c, size in zip(COVERAGES, sizes, strict=True)
        ]
        seconds = figures[method, "0.9"][:, 2].mean()
        equal = size_at(covered, sizes, 0.9)
        print(f"| {method} | {' | '.join(cells)} | {equal:.2f} | {seconds:.2f} |")
    print()
    print(f"| set (0.9) | {' | '.join(methods)} |")
    print("|---|" + "---|" * len(methods))
    for i, name in enumerate(n for n in names if any(o["set"] == n for o in results)):
        cells_of_set = [
            f"{figures[method, '0.9'][i, 1]:.4g} ({every[method, '0.9'][i, 0]:.3f})"
            for method in methods
        ]
        print(f"| {name} | {' | '.join(cells_of_set)} |")
    print()


def plot(results, path):
    """Size against coverage, for each method."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained")
    parts = (
        (axes[0], CLASSES, SETS, "classes in a set"),
        (axes[1], NUMBERS, INTERVALS, "width / that of the narrowest at 0.9"),
    )
    for ax, names, methods, label in parts:
        figures = summarize(shared(results), names, methods)
        for method in methods:
            points = curve(figures, method, methods, relative=names is NUMBERS)
            style = "-o" if method.startswith("lazy") else "--x"
            ax.plot(*points, style, label=method, lw=1, ms=4)
        for coverage in COVERAGES:
            ax.axvline(coverage, color="0.85", lw=0.8, zorder=0)
        ax.set(xlabel="coverage measured", ylabel=label)
        ax.legend(fontsize=7, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=("run", "show"))
    parser.add_argument("results", type=Path)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=800)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    if options.what == "run":
        run(options.results, options.splits, options.seconds, options.jobs)
        return
    results = read(options.results)
    for names in (CLASSES, NUMBERS):
        counts = [sum(one["set"] == name for one in results) for name in names]
        print(f"{len(names)} sets, {min(counts)} to {max(counts)} splits")
    print()
    show(results, CLASSES, SETS, relative=False)
    show(results, NUMBERS, INTERVALS, relative=True)
    if options.plot:
        plot(results, options.plot)


if __name__ == "__main__":
    main()
