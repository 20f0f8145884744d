"""Candidate members of the blend on small tables: asked once, mixed in every way.

Every fold fits one blend with all candidates beside the default members, and keeps what
each member answers to rows left out and to the other fold. Mixtures of any members are
then a matter of seconds, since powers and weights follow from these answers:

    python benchmarks/small_tables.py run DATA --half choose --jobs 16 --out choose.npz
    python benchmarks/small_tables.py mix choose.npz

Sets are those of the study of accuracy (`sklazy_studies/accuracy/sets.py`), at most 800
rows: "choose" to decide by, "report" to open once. "numbers" has the regression sets,
"spectra" made ones, "rare" tables with 1 % positives made of larger sets (AUC).
`--minutes` ends a run early with what it has, pass by pass. Start it with
OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1.
"""

import argparse
import functools
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from candidate_members import classifiers, regressors
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

from sklazy import LazyBlendClassifier, LazyBlendRegressor, read_table
from sklazy.answer import Batch, prepare
from sklazy.measures import (
    find_power,
    own_class,
    temper_probabilities,
    weigh_by_likelihood,
    weigh_by_squares,
)
from sklazy_studies.accuracy.sets import CHOOSE, MOST_ROWS, NUMBERS, REPORT

RARE = {"choose": ("kr-vs-kp", "splice", "segment"), "report": ("sick", "vowel")}
RARE_ROWS, POSITIVE = 1500, 0.01
N_SPECTRA = 8


# --- tables ---------------------------------------------------------------------------


def read(folder, name):
    """Read a set from its ARFF file: the features as a frame, and the targets."""
    kind = "regression" if name in NUMBERS else "classification"
    path = next((folder / kind).glob(f"{name}.arff*"))
    frame = read_table(path).to_pandas()
    target = frame.columns[-1]
    targets = frame.pop(target).to_numpy()
    return frame, targets.astype(float) if name in NUMBERS else targets.astype(str)


def draw(frame, targets, most, seed=0):
    """At most so many rows, by class where there are classes."""
    if len(frame) <= most:
        return frame, targets
    random = np.random.default_rng(seed)
    order = random.permutation(len(frame))
    if targets.dtype.kind == "U":
        # The rows of each class in turn, by their share: a stratified draw.
        ranks = np.empty(len(frame))
        for label in np.unique(targets):
            of_class = order[targets[order] == label]
            ranks[of_class] = (np.arange(len(of_class)) + 0.5) / len(of_class)
        order = np.argsort(ranks, kind="stable")
    rows = np.sort(order[:most])
    return frame.iloc[rows].reset_index(drop=True), targets[rows]


def make_rare(frame, targets, seed=0):
    """The rarest class against all others, cut down to one row in a hundred."""
    random = np.random.default_rng(seed)
    labels, counts = np.unique(targets, return_counts=True)
    positive = targets == labels[counts.argmax() if len(labels) == 2 else 0]
    others = random.permutation(np.flatnonzero(~positive))[:RARE_ROWS]
    n_positive = max(10, round(POSITIVE * len(others)))
    rows = np.sort(
        [*others, *random.permutation(np.flatnonzero(positive))[:n_positive]]
    )
    return frame.iloc[rows].reset_index(drop=True), np.where(
        positive[rows], "yes", "no"
    )


def make_spectra(seed):
    """Bands of three substances with scatter and a baseline; one is to be predicted."""
    import pandas as pd

    random = np.random.default_rng(seed)
    n_rows, n_channels = 200, 100
    at = np.linspace(0, 1, n_channels)
    amounts = random.uniform(size=(n_rows, 3)) ** random.uniform(0.7, 2.0)
    bands = [
        sum(
            random.uniform(0.3, 1.0)
            * np.exp(-(((at - random.uniform()) / random.uniform(0.02, 0.15)) ** 2))
            for _ in range(4)
        )
        for _ in range(3)
    ]
    spectra = amounts @ np.array(bands)
    spectra *= 1 + 0.15 * random.normal(size=(n_rows, 1))
    spectra += 0.2 * random.normal(size=(n_rows, 1)) + 0.1 * random.normal(
        size=(n_rows, 1)
    ) * np.linspace(-1, 1, n_channels)
    spectra += 0.01 * random.normal(size=spectra.shape)
    targets = amounts[:, 0] + 0.3 * amounts[:, 0] ** 2 + 0.02 * random.normal(size=200)
    return pd.DataFrame(spectra, columns=[f"nm{i}" for i in range(n_channels)]), targets


def find_table(folder, half, name, most):
    """The table of a unit, which a process makes again for each fold."""
    if half == "spectra":
        return make_spectra(int(name))
    if half.startswith("rare"):
        return make_rare(*read(folder, name))
    return draw(*read(folder, name), most)


def names_of(half):
    """The names of the tables of a half."""
    if half.startswith("rare-"):
        return RARE[half.removeprefix("rare-")]
    return {
        "choose": CHOOSE,
        "report": REPORT,
        "numbers": NUMBERS,
        "spectra": tuple(map(str, range(N_SPECTRA))),
    }[half]


# --- one fold -------------------------------------------------------------------------


def run_unit(folder, half, name, seed, fold, only="", most=MOST_ROWS):
    """Fit the blend of all candidates to the other folds; what its members answer."""
    frame, targets = find_table(folder, half, name, most)
    is_class = targets.dtype.kind == "U"
    kind = StratifiedKFold if is_class else KFold
    folds = kind(5, shuffle=True, random_state=200 + seed)
    learned, asked = list(folds.split(frame, targets))[fold]
    candidates = classifiers() if is_class else regressors()
    if only:
        candidates = [pair for pair in candidates if pair[0] in only.split(",")]
    blend = LazyBlendClassifier if is_class else LazyBlendRegressor
    model = blend(candidates, n_jobs=1)
    model.fit(frame.iloc[learned], targets[learned])
    cases = model.cases_
    learner = replace(model._current_learner(cases), ask_all=True)
    start = time.process_time()
    ready = prepare(learner, cases)
    seconds = time.process_time() - start
    queries = cases.encode(model._query_table(frame.iloc[asked]))
    answer = learner.answer(ready, Batch(cases, cases.cases, queries))
    outputs = np.stack([one.outputs for one in answer.by_member])
    rows = cases.order[: ready.left_out.shape[1]]
    if is_class:
        labels = list(model.classes_)
        truth = np.array([labels.index(t) for t in targets[asked]])
        left_truth = cases.cases.classes[rows]
    else:
        truth, left_truth = targets[asked], cases.cases.targets[0, rows]
    return {
        "key": f"{half}/{name}/{seed}/{fold}",
        "names": np.array(ready.names),
        "left_out": ready.left_out.astype(np.float32),
        "left_truth": left_truth,
        "outputs": np.asarray(outputs, np.float32),
        "truth": truth,
        "spread": np.std(targets) if not is_class else 1.0,
        "seconds": seconds,
    }


def run(options):
    """Run all units, and keep what came back."""
    names = names_of(options.half)
    units = product(range(options.passes), range(5), names)
    ends, found = time.time() + 60 * options.minutes, []
    start = options.data, options.half
    with ProcessPoolExecutor(options.jobs) as pool:
        jobs = [
            pool.submit(run_unit, *start, name, seed, fold, options.only, options.most)
            for seed, fold, name in units
        ]
        try:
            for job in as_completed(jobs, timeout=max(1.0, ends - time.time())):
                try:
                    found.append(job.result())
                except Exception as error:  # one set must not end all
                    print("failed:", error, flush=True)
                else:
                    print(found[-1]["key"], round(found[-1]["seconds"], 1), flush=True)
        except TimeoutError:
            print("time is up; what is done is kept", flush=True)
            for job in jobs:
                job.cancel()
            for process in pool._processes.values():
                process.terminate()
    save(options.out, found)


def save(path, found):
    """Write the answers of all units to one file."""
    parts = {}
    for unit in found:
        key = unit.pop("key")
        parts.update({f"{key}|{field}": value for field, value in unit.items()})
    np.savez_compressed(path, **parts)


def load(path):
    """Read the units back, by key."""
    units = {}
    with np.load(path, allow_pickle=False) as parts:
        for full in parts.files:
            key, field = full.split("|")
            units.setdefault(key, {})[field] = parts[full]
    return units


# --- mixtures -------------------------------------------------------------------------


def mix_classes(unit, members):
    """Accuracy, log loss and AUC (two classes) of a mixture of members."""
    at = [list(unit["names"]).index(m) for m in members if m in unit["names"]]
    left, said = unit["left_out"][at].astype(float), unit["outputs"][at].astype(float)
    powers = np.array([find_power(own, unit["left_truth"]) for own in left])
    tempered = temper_probabilities(left, powers[:, None, None])
    likely = np.column_stack([own_class(own, unit["left_truth"]) for own in tempered])
    weights = weigh_by_likelihood(likely)
    shares = np.tensordot(
        weights, temper_probabilities(said, powers[:, None, None]), axes=1
    )
    shares /= shares.sum(axis=1, keepdims=True)
    truth = unit["truth"]
    own = own_class(shares, truth)
    loss = -np.log(0.999 * own + 0.001 / shares.shape[1]).mean()
    auc = np.nan
    if shares.shape[1] == 2 and 0 < truth.mean() < 1:
        auc = roc_auc_score(truth, shares[:, 1])
    return np.array([100 * (shares.argmax(axis=1) == truth).mean(), loss, auc])


def mix_numbers(unit, members):
    """Root of the mean squared error of a mixture, over the targets' deviation."""
    at = [list(unit["names"]).index(m) for m in members if m in unit["names"]]
    left, said = unit["left_out"][at, :, 0], unit["outputs"][at, :, 0]
    weights = weigh_by_squares(left.T.astype(float), unit["left_truth"])
    error = np.sqrt(((weights @ said - unit["truth"]) ** 2).mean())
    return np.array([error / unit["spread"]])


def by_set(units, mix, members):
    """The mean of each set over its folds."""
    rows = {}
    for key, unit in units.items():
        rows.setdefault(key.split("/")[1], []).append(mix(unit, members))
    with np.errstate(all="ignore"):
        return {name: np.nanmean(own, axis=0) for name, own in sorted(rows.items())}


def mix(options):
    """Compare mixtures with the one of today."""
    units = load(options.file)
    first = next(iter(units.values()))
    is_class = first["left_out"].shape[2] > 1
    how, defaults = (
        (mix_classes, ["paths", "kernel", "logistic"])
        if is_class
        else (mix_numbers, ["paths", "kernel", "line", "local"])
    )
    extra = [name for name in first["names"].tolist() if name not in defaults]
    ways = {"today": defaults}
    for name in extra:
        if name.startswith("paths"):
            ways[f"{name} for paths"] = [name, *defaults[1:]]
        else:
            ways[f"+ {name}"] = [*defaults, name]
            if name.startswith(("raw", "map")):
                ways[f"{name} for kernel"] = [
                    name if d == "kernel" else d for d in defaults
                ]
    ways["without paths"] = defaults[1:]
    ways.update({f"{name} alone": [name] for name in [*defaults, *extra]})
    today = by_set(units, how, defaults)
    print(f"{len(units)} folds of {len(today)} sets")
    for way, members in ways.items():
        found = by_set(units, functools.partial(how), members)
        show(way, today, found, is_class)


def show(way, today, found, is_class):
    """Print the means over sets, and on how many a way is better and worse."""
    one, other = np.array(list(today.values())), np.array(list(found.values()))
    with np.errstate(all="ignore"):
        change = other - one
        means, gains = np.nanmean(other, axis=0), np.nanmean(change, axis=0)
    if not is_class:
        ratio = np.exp(np.log(other / one).mean())
        won, lost = (change < -1e-9).sum(), (change > 1e-9).sum()
        print(f"{way:24} error {means[0]:.4f}  ratio {ratio:.4f}  {won} / {lost}")
        return
    counts = [
        ((sign * change[:, i] > 1e-9).sum(), (sign * change[:, i] < -1e-9).sum())
        for i, sign in enumerate((1, -1, 1))
    ]
    print(
        f"{way:24} right {means[0]:.2f} {gains[0]:+.2f} {counts[0][0]}/{counts[0][1]}"
        f"  log loss {means[1]:.4f} {gains[1]:+.4f} {counts[1][0]}/{counts[1][1]}"
        f"  AUC {means[2]:.4f} {gains[2]:+.4f} {counts[2][0]}/{counts[2][1]}"
    )


def main():
    """Run or mix, as the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    asking = commands.add_parser("run")
    asking.add_argument("data", type=Path)
    asking.add_argument("--half", default="choose")
    asking.add_argument("--only", default="", help="candidates, by name")
    asking.add_argument("--most", type=int, default=MOST_ROWS, help="rows of a set")
    asking.add_argument("--passes", type=int, default=1)
    asking.add_argument("--jobs", type=int, default=1)
    asking.add_argument("--minutes", type=float, default=60.0)
    asking.add_argument("--out", type=Path, required=True)
    asking.set_defaults(do=run)
    mixing = commands.add_parser("mix")
    mixing.add_argument("file", type=Path)
    mixing.set_defaults(do=mix)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
