"""What a GPU gains: answers are checked to be the CPU's, then timed beside two peers.

    python benchmarks/bench_device.py [word ...] [--out FILE]

The peers are the same estimator on all cores of this machine, and brute force on the
same GPU: a matrix product and the k smallest of each row, by torch, without any
selection. Words pick rows of the table. Times are the best of several, from a matrix on
the host to labels on the host.
"""

import argparse
import json
import os
import platform
import time

import numpy as np

from sklazy import (
    LazyKernelClassifier,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
)
from sklazy.answer import Batch, prepare
from sklazy.casebase.matrix import encode_matrix
from sklazy.flow import Selected
from sklazy.methods.selection import nearest
from sklazy.methods.selection.nearest_on_device import AHEAD, LONG_SEARCH
from sklazy.neighbors.cuda.nominal import DeviceNominalSearch
from sklazy.neighbors.cuda.pointing import GivenOnDevice
from sklazy.neighbors.cuda.sets import DeviceSets

K, N_CLASSES, N_QUERIES = 5, 5, 10_000
N_TABLES = 24


def benchmarks():
    """Rows for `run.py`; without a device they say so."""
    missing = "" if has_device() else "needs an NVIDIA GPU and CuPy"
    return [
        {
            "name": f"on a GPU: {name}",
            "why": why,
            "goal": goal,
            "measure": lambda measure=measure: summary(measure()),
            "missing": missing,
        }
        for name, (why, goal, measure) in ROWS.items()
    ]


def summary(figures):
    """Times beside the CPU's where they were taken, else the goal over the time."""
    if "cpu ms" in figures:
        ours, peer = figures["device ms"] / 1e3, figures["cpu ms"] / 1e3
        name = "the same estimator on all cores"
        return {"ours": ours, "peer": peer, "peer_name": name}
    ratio = figures.get("goal over time", 1.0)  # 1: answers are equal
    return ratio, ", ".join(f"{name} {value:.4g}" for name, value in figures.items())


def has_device():
    try:
        import cupy

        return cupy.cuda.runtime.getDeviceCount() > 0
    except Exception:  # no CuPy, no driver, no device
        return False


def best_of(function, times=7, budget=20.0):
    function()
    best, start = float("inf"), time.perf_counter()
    for _ in range(times):
        begin = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begin)
        if time.perf_counter() - start > budget:
            break
    return best


# --- equal answers --------------------------------------------------------------------


def check():
    """Compare estimators on the CPU and the device, on tables of many kinds."""
    rng, failed = np.random.default_rng(0), []
    for trial in range(N_TABLES):
        model, X, Q = random_model(rng, trial)
        rows = rng.integers(0, len(X), 200)
        expected = answers(model.set_params(device=None), Q, rows)
        on_device = answers(model.set_params(device="cuda"), Q, rows)
        backwards = model.predict_proba(Q[::-1])[::-1]
        pieces = np.concatenate([model.predict_proba(Q[i : i + 7]) for i in (0, 7)])
        same = all(map(np.array_equal, expected, on_device))
        same &= np.array_equal(backwards, on_device[0])
        same &= np.array_equal(pieces, on_device[0][:14])
        if not same:
            failed.append(trial)
        print(".x"[not same], end="", flush=True)
    if failed:
        raise SystemExit(f"answers differ from the CPU's in trials {failed}")
    return {"tables with equal answers": N_TABLES}


def random_model(rng, trial):
    """Labels, bins, numbers or both; ties, missing cells, many values, weights."""
    n, d = int(rng.integers(50, 40_000)), int(rng.choice([1, 6, 12, 25]))
    k, r = int(rng.choice([1, 5, 30, 300])), int(rng.integers(1, d + 1))
    X = rng.standard_normal((n, d))
    if trial % 3 == 1:
        X = np.round(2 * X)
    nominal = [j for j in range(d) if trial % 2 == 0 or j % 3 == 0]
    most = 400 if trial % 5 == 0 else 6
    X[:, nominal] = rng.integers(0, most, (n, len(nominal)))
    X[rng.random(X.shape) < 0.05 * (trial % 3)] = np.nan
    y = rng.integers(0, (3, 30)[trial % 7 == 0], n)
    X[:, 0] = np.where(rng.random(n) < 0.5, y, X[:, 0])
    weights = rng.choice([0.5, 1.0, 2.3], n) if trial % 8 == 3 else None
    Q = X[rng.integers(0, n, 300)].copy()
    Q[rng.random(Q.shape) < 0.3] = rng.integers(0, 3)
    model = LazyKNeighborsClassifier(
        k,
        r,
        discretize=bool(trial % 4 < 2),
        weights=str(rng.choice(["uniform", "distance"])),
        ties=str(rng.choice(["share", "all"])),
        cuts="frozen",  # else leaving out a row behind a cut takes its time
        categorical_features=nominal or None,
    )
    return model.fit(X, y, sample_weight=weights), X, Q


def answers(model, Q, rows):
    proba = model.predict_proba(Q)
    texts = np.array([receipt.to_json() for receipt in model.explain(Q[:3])])
    if model.cases_.weighted:
        return proba, texts
    return proba, texts, model.loo_predict_proba(rows)


# --- labels ---------------------------------------------------------------------------


def draw_labels(n_rows, d):
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 11, d)
    X = (rng.random((n_rows, d)) * sizes).astype(np.int64)
    y = rng.integers(0, N_CLASSES, n_rows)
    X[:, 0] = y % sizes[0]
    return X, y, (rng.random((N_QUERIES, d)) * sizes).astype(np.int64)


def fit_labels(n_rows, d):
    X, y, Q = draw_labels(n_rows, d)
    model = LazyKNeighborsClassifier.paper(
        n_neighbors=K, n_attributes=d // 2, categorical_features=list(range(d))
    )
    return model.fit(X, y), X, y, Q


def compare_labels(n_rows, d):
    model, X, y, Q = fit_labels(n_rows, d)
    model.set_params(device=None)
    expected = model.predict_proba(Q)
    cpu = best_of(lambda: model.predict(Q), 5)
    model.set_params(device="cuda")
    same = np.array_equal(model.predict_proba(Q), expected)
    device = best_of(lambda: model.predict(Q), 30)
    one = best_of(lambda: model.predict(Q[:1]), 30)
    alone = best_of(search_alone(model, Q), 30)
    brute = best_of(brute_force(X, y, Q), 3)
    return {
        "equal": float(same),
        "device ms": device * 1e3,
        "cpu ms": cpu * 1e3,
        "brute force ms": brute * 1e3,
        "cpu over device": cpu / device,
        "brute force over device": brute / device,
        "search alone ms": alone * 1e3,
        "brute force over search": brute / alone,
        "one query ms": one * 1e3,
    }


def search_alone(model, Q):
    """Codes to votes, host to host: without coding labels and naming classes."""
    with model.cases_.snapshot() as cases:
        learner, queries = model._current_learner(cases), encode_matrix(cases, Q)
        batch = Batch(cases, cases.cases, queries)
        ready = prepare(learner, cases)
        return lambda: learner.answer(ready, batch).votes


def follow_queries(n_rows=200_000, d=16):
    """Where the time of `predict` goes, step by step, in microseconds."""
    model, _, _, Q = fit_labels(n_rows, d)
    model.set_params(device="cuda").predict(Q)
    steps = {}
    with model.cases_.snapshot() as cases:
        learner = model._current_learner(cases)
        ready = prepare(learner, cases)
        for _ in range(40):
            marks = [time.perf_counter()]
            queries = encode_matrix(cases, Q)
            marks.append(time.perf_counter())
            answer = learner.answer(ready, Batch(cases, cases.cases, queries))
            marks.append(time.perf_counter())
            answer.work.searching._wait()
            marks.append(time.perf_counter())
            votes = answer.votes
            marks.append(time.perf_counter())
            decisions = answer.decisions
            marks.append(time.perf_counter())
            model.target.decode("decisions", decisions, cases)
            marks.append(time.perf_counter())
            names = "code", "begin", "wait", "fetch", "decide", "name"
            for name, took in zip(names, np.diff(marks), strict=True):
                key = f"{name} us"
                steps[key] = min(steps.get(key, np.inf), took * 1e6)
    assert votes.shape == (N_QUERIES, N_CLASSES)
    return {**steps, "predict us": best_of(lambda: model.predict(Q), 60) * 1e6}


def compare_slices(n_rows=200_000, d=16):
    """Whether it pays to make a slice ready while the last is searched."""
    sizes, models = (0, 5120, 3400, 2560), {}
    for size in sizes:
        nearest.LONG_SEARCH, nearest.AHEAD = 1 if size else 1 << 40, size
        models[size], *_, Q = fit_labels(n_rows, d)
        models[size].set_params(device="cuda").predict(Q)  # it remembers the slices
    best = dict.fromkeys(sizes, np.inf)
    for _ in range(60):
        for size, model in models.items():
            begin = time.perf_counter()
            model.predict(Q)
            best[size] = min(best[size], time.perf_counter() - begin)
    nearest.LONG_SEARCH, nearest.AHEAD = LONG_SEARCH, AHEAD
    return {f"slices of {size or len(Q)} ms": 1e3 * best[size] for size in sizes}


def brute_force(X, y, Q):
    """The k nearest on all attributes, by a product; ties as they come."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    rows = torch.as_tensor(X, device="cuda").float()
    all_queries = torch.as_tensor(Q, device="cuda").float()
    classes = torch.as_tensor(y, device="cuda").long()
    norms = (rows * rows).sum(1)

    def run():
        votes = []
        for part in all_queries.split(1000):
            squares = norms - 2 * (part @ rows.T)
            near = torch.topk(squares, K, dim=1, largest=False).indices
            votes.append(torch.mode(classes[near], 1).values)
        return torch.cat(votes).cpu()

    return run


def leave_all_out():
    model, *_ = fit_labels(1_000_000, 28)
    model.set_params(device="cuda")
    rows = np.arange(0, 1_000_000, 997)
    some = model.loo_predict(rows=rows)
    same = np.array_equal(some, model.set_params(device=None).loo_predict(rows=rows))
    model.set_params(device="cuda")
    took = best_of(model.loo_predict, 3)
    return {"equal": float(same), "seconds": took, "goal over time": 1.0 / took}


def many_rows(n_rows=100_000_000, d=28, r=14):
    """Sets made on the device, since the rows themselves would fill the host."""
    sets, columns = make_sets(n_rows, d)
    rng = np.random.default_rng(2)
    sizes = np.random.default_rng(0).integers(2, 11, d)
    codes = (rng.random((N_QUERIES, d)) * sizes).astype(np.int32)
    attributes = np.argsort(rng.random((N_QUERIES, d)), axis=1)[:, :r].astype(np.int32)
    selected = Selected(attributes, np.full(N_QUERIES, r, np.int32))
    search = DeviceNominalSearch(sets, codes, GivenOnDevice(selected), K)
    took = best_of(lambda: (search.run(0, N_QUERIES), search.votes), 3)
    same = all(count_votes(sets, columns, search, query) for query in range(5))
    one = best_of(lambda: (search.run(0, 1), search.votes), 5)
    return {
        "equal": float(same),
        "seconds": took,
        "goal over time": 0.3 / took,
        "one query ms": one * 1e3,
    }


def make_sets(n_rows, d):
    import cupy

    from sklazy.answer.device import open_device

    rng, sizes = np.random.default_rng(0), np.random.default_rng(0).integers(2, 11, d)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    n_words = -(-n_rows // 4096) * 64
    bits = cupy.zeros((starts[-1] + 1, n_words), cupy.uint64)
    cupy.random.seed(int(rng.integers(1 << 30)))

    def pack(members, place):
        packed = cupy.packbits(members, bitorder="little")
        place.view(cupy.uint8)[: packed.size] = packed

    columns = []
    for j in range(d):
        column = (
            cupy.random.random(n_rows, dtype=cupy.float32) * float(sizes[j])
        ).astype(cupy.int8)
        columns.append(cupy.minimum(column, cupy.int8(sizes[j] - 1)))
        for value in range(sizes[j]):
            pack(columns[j] == value, bits[starts[j] + value])
    classes = cupy.random.randint(0, N_CLASSES, n_rows, dtype=cupy.int32)
    class_bits = cupy.zeros((N_CLASSES, n_words), cupy.uint64)
    for c in range(N_CLASSES):
        pack(classes == c, class_bits[c])
    live = cupy.zeros(n_words, cupy.uint64)
    pack(cupy.ones(n_rows, bool), live)
    sets = DeviceSets(
        open_device("cuda"),
        n_rows,
        int(starts[-1]),
        int(sizes.max()),
        bits,
        class_bits,
        live,
        classes,
        cupy.asarray(starts[:-1].astype(np.int32)),
        cupy.asarray(starts),
        np.zeros(0, np.int64),
        cupy.zeros((0, n_rows), cupy.int32),
    )
    return sets, columns


def count_votes(sets, columns, search, query):
    """Whether a query's votes are those that counting row by row gives."""
    import cupy

    agreements = cupy.zeros(sets.n_rows, cupy.int8)
    for j in search.selected.attributes[query].tolist():
        agreements += columns[j] == int(search.codes[query, j])
    kth = int(cupy.sort(agreements)[-K])
    votes = cupy.bincount(sets.classes[agreements >= kth], minlength=N_CLASSES)
    return np.array_equal(votes.get(), search.votes[query])


# --- numbers --------------------------------------------------------------------------


def compare_numbers(n_rows=1_000_000, d=28):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n_rows, d)), rng.integers(0, N_CLASSES, n_rows)
    X[:, 0] += y
    Q = rng.standard_normal((N_QUERIES, d))
    model = LazyKNeighborsClassifier.paper(
        n_neighbors=K, n_attributes=0.3, discretize=False, cuts="frozen"
    ).fit(X, y)
    model.set_params(device="cuda")
    on_device = model.predict_proba(Q)
    device = best_of(lambda: model.predict(Q), 10)
    model.set_params(device=None)
    some = Q[:2000]  # the CPU takes seconds for all of them
    same = np.array_equal(model.predict_proba(some), on_device[: len(some)])
    cpu = best_of(lambda: model.predict(some), 2) * len(Q) / len(some)
    return {
        "equal": float(same),
        "device ms": device * 1e3,
        "cpu ms": cpu * 1e3,
        "cpu over device": cpu / device,
    }


# --- local lines ----------------------------------------------------------------------


def compare_lines(n_rows=1_000_000, d=20):
    rng = np.random.default_rng(5)
    X, Q = rng.standard_normal((n_rows, d)), rng.standard_normal((N_QUERIES, d))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * X[:, 3:8].sum(axis=1)
    y += 0.1 * rng.standard_normal(n_rows)
    model = LazyLearningRegressor(degrees=1, n_best=1).fit(X, y)
    model.set_params(device="cuda")
    on_device = model.predict(Q)
    device = best_of(lambda: model.predict(Q), 5)
    some = Q[:1600]  # the CPU takes seconds for all of them
    model.set_params(device=None)
    expected = model.predict(some)
    cpu = best_of(lambda: model.predict(some), 2) * len(Q) / len(some)
    apart = np.abs(on_device[: len(some)] - expected) / np.abs(expected).mean()
    return {
        "share within 1e-9": float((apart < 1e-9).mean()),
        "largest difference": float(apart.max()),
        "device ms": device * 1e3,
        "cpu ms": cpu * 1e3,
        "cpu over device": cpu / device,
    }


# --- kernel models --------------------------------------------------------------------


def compare_kernels(n_rows=100_000, d=20):
    """Beyond 2000 cases each query has the system of its 200 nearest solved."""
    rng = np.random.default_rng(6)
    X, Q = rng.standard_normal((n_rows, d)), rng.standard_normal((N_QUERIES, d))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(n_rows) > 0).astype(
        int
    )
    model = LazyKernelClassifier(device="cuda").fit(X, y)
    on_device = model.predict_proba(Q)
    device = best_of(lambda: model.predict_proba(Q), 5)
    some = Q[:800]  # the CPU takes seconds for all of them
    model.set_params(device=None)
    expected = model.predict_proba(some)
    cpu = best_of(lambda: model.predict_proba(some), 2) * len(Q) / len(some)
    return {
        "largest difference": float(np.abs(on_device[: len(some)] - expected).max()),
        "device ms": device * 1e3,
        "cpu ms": cpu * 1e3,
        "cpu over device": cpu / device,
    }


# name: why, goal, what measures
ROWS = {
    "check": ("every kind of table, equal to the CPU", None, check),
    "labels 200k x 16": (
        "beyond the cache",
        30,
        lambda: compare_labels(200_000, 16),
    ),
    "steps 200k x 16": ("where the time goes", None, follow_queries),
    "slices 200k x 16": ("what runs side by side", None, compare_slices),
    "labels 1M x 28": (
        "higgs: a million rows",
        30,
        lambda: compare_labels(1_000_000, 28),
    ),
    "leave-one-out 1M x 28": ("an audit of every row", 1, leave_all_out),
    "numbers 1M x 28": ("HEOM on each query's own columns", 20, compare_numbers),
    "local lines 1M x 20": ("63 to 105 neighbors, by PRESS", 100, compare_lines),
    "kernel models 100k x 20": ("200 neighbors each", None, compare_kernels),
    "labels 100M x 28": ("what a device of 141 GB is for", 1, many_rows),
}


def describe():
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    system = cupy.cuda.nvrtc.getVersion()
    return {
        "date": time.strftime("%Y-%m-%d"),
        "device": properties["name"].decode(),
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "cuda": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
        "numpy": np.__version__,
        "nvrtc": ".".join(map(str, system)),
        "python": platform.python_version(),
        "cores": len(os.sched_getaffinity(0)),
    }


def run_rows(rows, about):
    """Measure the rows whose names have one of the words given; print a table."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--out")
    options = parser.parse_args()
    figures = {"machine": describe()}
    print(figures["machine"], flush=True)
    for name, (why, goal, measure) in rows.items():
        if options.words and not any(word in name for word in options.words):
            continue
        begin = time.perf_counter()
        figures[name] = measure()
        shown = ", ".join(f"{key} {value:.4g}" for key, value in figures[name].items())
        took = time.perf_counter() - begin
        print(f"{name} ({why}; goal {goal}): {shown} [{took:.0f} s]", flush=True)
        if options.out:
            with open(options.out, "w") as file:
                json.dump(figures, file, indent=1)
    print_table(rows, figures)


def print_table(rows, figures):
    """The table of docs/gpu.md: a column for all that any row found."""
    measured = {name: row for name, row in figures.items() if name in rows}
    columns = list(dict.fromkeys(key for row in measured.values() for key in row))
    print("\n|", " | ".join(["10 000 queries", *columns, "goal"]), "|")
    print("|---" * (len(columns) + 2), "|", sep="")
    for name, row in measured.items():
        cells = [f"{row[key]:.4g}" if key in row else "" for key in columns]
        goal = rows[name][1]
        print("|", name, "|", " | ".join(cells), "|", "" if goal is None else goal, "|")


if __name__ == "__main__":
    run_rows(ROWS, __doc__)
