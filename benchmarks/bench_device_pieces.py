"""Cases beyond a device's memory, and several devices: equal answers, and the price.

    python benchmarks/bench_device_pieces.py [word ...] [--out FILE]

The memory of the device is forged: it says to have as little as makes the cases go
through in some four pieces, or in two where two devices share them. The second device
is the first one under another name, so what several gain is not shown here.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from bench_device import (
    N_QUERIES,
    K,
    answers,
    best_of,
    fit_labels,
    has_device,
    make_sets,
    random_model,
    run_rows,
    summary,
)

from sklazy import LazyKNeighborsClassifier, LazyLearningRegressor
from sklazy.answer.device import open_device, use_device
from sklazy.answer.pieces import Cargo, ask_rows
from sklazy.flow import Cases, Narrow, Selected
from sklazy.kernels.cuda.with_cupy import CupyDevice
from sklazy.methods.selection.nearest_in_pieces import columns_cargo, sets_cargo
from sklazy.neighbors.cuda.cutting import cut_cases
from sklazy.neighbors.cuda.nominal import DeviceNominalSearch
from sklazy.neighbors.cuda.pointing import GivenOnDevice
from sklazy.neighbors.cuda.sets import count_set_bytes, put_sets
from sklazy.neighbors.levels import Tallies, merge
from sklazy.neighbors.voting import Voting

N_TABLES, N_PIECES = 12, 4


def benchmarks():
    """Rows for `run.py`, where there is a device."""
    if not has_device():
        return []
    return [
        {
            "name": f"in pieces on a GPU: {name}",
            "why": why,
            "goal": goal,
            "measure": lambda measure=measure: summary(measure()),
        }
        for name, (why, goal, measure) in ROWS.items()
    ]


class Cramped(CupyDevice):
    """A device that says to have little memory; what it has is known by its name."""

    def __init__(self, n_bytes, name="cuda:0 cramped"):
        super().__init__(0)
        self.name, self.n_bytes = name, n_bytes

    def free_bytes(self):
        return self.n_bytes


def cramped(n_bytes):
    """One that has all of these bytes pass in some pieces: two are there at a time."""
    return Cramped(int(n_bytes / N_PIECES * 2 * 4 / 3) + 4096)


def two(n_bytes):
    """Two names of the device, each with room for half of these bytes."""
    return [Cramped(int(n_bytes), name) for name in ("cuda:0 once", "cuda:0 twice")]


# --- equal answers --------------------------------------------------------------------


def check():
    """Compare answers on tables of many kinds: the CPU, pieces, two devices."""
    rng, failed = np.random.default_rng(1), []
    for trial in range(N_TABLES):
        model, X, Q = random_model(rng, trial)
        rows = rng.integers(0, len(X), 50)
        expected = answers(model.set_params(device=None), Q, rows)
        n_bytes = bytes_of(model)
        same = True
        for devices, name in [([cramped(n_bytes)], "cuda"), (two(n_bytes), "cuda:all")]:
            with use_device(*devices):
                on_device = answers(model.set_params(device=name), Q, rows)
            same &= all(map(np.array_equal, expected, on_device))
        if not same:
            failed.append(trial)
        print(".x"[not same], end="", flush=True)
    if failed:
        raise SystemExit(f"answers differ from the CPU's in trials {failed}")
    return {"tables with equal answers": N_TABLES}


def bytes_of(model):
    with model.cases_.snapshot() as cases:
        numbers = not model.discretize and (cases.cases.numeric >= 0).any()
        return (columns_cargo(cases) if numbers else sets_cargo(cases)).n_bytes


# --- what it costs --------------------------------------------------------------------


def compare(model, ask, Q, n_bytes):
    """The same questions with all cases on the device, in pieces, on two devices."""
    model.set_params(device="cuda")
    expected = ask(model)(Q)
    whole = best_of(lambda: ask(model)(Q), 5)
    with use_device(cramped(n_bytes)):
        same = np.array_equal(ask(model)(Q), expected)
        pieces = best_of(lambda: ask(model)(Q), 3)
    with use_device(*two(n_bytes)):
        model.set_params(device="cuda:all")
        same &= np.array_equal(ask(model)(Q), expected)
        shared = best_of(lambda: ask(model)(Q), 3)
    return {
        "equal": float(same),
        "whole ms": whole * 1e3,
        "in pieces ms": pieces * 1e3,
        "two devices ms": shared * 1e3,
        "MB": n_bytes / 1e6,
    }


def compare_labels():
    model, *_, Q = fit_labels(1_000_000, 28)
    return compare(model, lambda fitted: fitted.predict_proba, Q, bytes_of(model))


def compare_numbers(n_rows=1_000_000, d=28):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n_rows, d)), rng.integers(0, 5, n_rows)
    X[:, 0] += y
    model = LazyKNeighborsClassifier.paper(
        n_neighbors=K, n_attributes=0.3, discretize=False, cuts="frozen"
    ).fit(X, y)
    Q = rng.standard_normal((N_QUERIES, d))
    return compare(model, lambda fitted: fitted.predict_proba, Q, bytes_of(model))


def compare_lines(n_rows=1_000_000, d=20):
    rng = np.random.default_rng(5)
    X, Q = rng.standard_normal((n_rows, d)), rng.standard_normal((N_QUERIES, d))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n_rows)
    model = LazyLearningRegressor(degrees=1, n_best=1).fit(X, y)
    return compare(model, lambda fitted: fitted.predict, Q, n_rows * (12 * d + 8))


def leave_some_out():
    model, *_ = fit_labels(1_000_000, 28)
    rows = np.arange(0, 1_000_000, 50)
    expected = model.set_params(device="cuda").loo_predict(rows=rows)
    with use_device(cramped(bytes_of(model))):
        same = np.array_equal(model.loo_predict(rows=rows), expected)
        took = best_of(lambda: model.loo_predict(rows=rows), 2)
    return {"equal": float(same), "rows": len(rows), "seconds": took}


class Kept:
    """What `ask_rows` needs of a case base: 100 million rows would fill the host."""

    def __init__(self):
        self.known = {}

    def derive(self, key, find):
        return self.known.setdefault(key, find())


def many_rows(n_rows=100_000_000, d=28, r=14):
    """Bit sets of the host, made on the device, against the same sets all there."""
    sets, columns = make_sets(n_rows, d)
    del columns
    rng = np.random.default_rng(2)
    sizes = np.random.default_rng(0).integers(2, 11, d)
    codes = (rng.random((N_QUERIES, d)) * sizes).astype(np.int32)
    attributes = np.argsort(rng.random((N_QUERIES, d)), axis=1)[:, :r].astype(np.int32)
    selected = Selected(attributes, np.full(N_QUERIES, r, np.int32))
    whole = DeviceNominalSearch(sets, codes, GivenOnDevice(selected), K)
    whole.run(0, N_QUERIES)
    expected, cases = whole.votes, to_host(sets)
    del sets, whole
    cargo = Cargo(
        put_sets,
        n_rows,
        count_set_bytes(cases),
        lambda device, *rows: put_sets(device, cut_cases(cases, *rows)),
    )

    def ask(there, first, last):
        search = DeviceNominalSearch(
            there, codes, GivenOnDevice(selected), K, tally=True
        )
        search.run(0, N_QUERIES)
        return lambda: Tallies(search.thresholds.astype(np.int64), search.tallies)

    def run():
        parts = ask_rows(Kept(), [device], cargo, ask)
        return merge(parts, selected.counts, Voting(K, False, False)).votes

    device = cramped(cargo.n_bytes)
    same = np.array_equal(run(), expected)
    took = best_of(run, 2)
    put = best_of(lambda: put_sets(open_device("cuda"), cut_cases(cases, 0, n_rows)), 1)
    return {
        "equal": float(same),
        "seconds": took,
        "copy alone s": put,
        "GB": cargo.n_bytes / 1e9,
    }


def to_host(sets):
    """Cases as a base has them, with the rows' codes left out."""
    n_rows, n_words = sets.n_rows, -(-sets.n_rows // 64)
    classes = sets.classes.get().astype(np.int8)
    return Cases(
        n_rows=n_rows,
        codes=Narrow(np.broadcast_to(np.int8(0), (len(sets.starts), n_rows))),
        offsets=sets.offsets.get(),
        counts=np.zeros((0, 0), np.int64),
        class_counts=np.bincount(classes),
        classes=Narrow(classes),
        starts=sets.starts.get().astype(np.int64),
        value_bits=sets.bits.get()[:, :n_words],
        class_bits=sets.class_bits.get()[:, :n_words],
        numeric=np.full(len(sets.starts), -1),
        numbers=np.zeros((0, n_rows)),
        ranges=np.zeros((0, 2)),
        targets=np.zeros((0, n_rows)),
        weights=np.broadcast_to(1.0, n_rows),
    )


# name: why, goal, what measures
ROWS = {
    "check": ("every kind of table, equal to the CPU", None, check),
    "labels 1M x 28": ("26 bytes a row", None, compare_labels),
    "numbers 1M x 28": ("340 bytes a row", None, compare_numbers),
    "local lines 1M x 20": ("248 bytes a row", None, compare_lines),
    "leave-one-out 1M x 28": ("20 000 rows", None, leave_some_out),
    "labels 100M x 28": ("2.6 GB pass through 1.7", None, many_rows),
}


if __name__ == "__main__":
    begin = time.perf_counter()
    run_rows(ROWS, __doc__)
    print(f"{time.perf_counter() - begin:.0f} s")
