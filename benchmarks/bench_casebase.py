"""Adding and forgetting one row against building anew; the memory that a row takes."""

import functools
import json
import os
import pathlib
import subprocess
import sys
import time
import warnings

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.errors import DataWarning
from sklazy.tables import Column, Table

N_ROWS, N_COLUMNS = 100_000, 20


def benchmarks():
    items = []
    for name, options, question_goal in [
        ("nominal", {}, 100),
        ("numeric kept numeric", {"numeric_target": True}, 100),
        ("frozen cuts", {"cuts": "frozen"}, 100),
        ("exact cuts", {}, 3),
    ]:
        compare = functools.cache(functools.partial(change, name, **options))
        items += [
            {
                "name": f"add or forget a row, {name}",
                "why": "100 000 x 20: a table for which a refit hurts",
                "goal": 100,
                "measure": functools.partial(after_change, compare, "change"),
            },
            {
                "name": f"first question after it, {name}",
                "why": "what a change leaves to derive is part of its price",
                "goal": question_goal,
                "measure": functools.partial(after_change, compare, "question"),
            },
        ]
    items.append(
        {
            "name": "memory of a row of 28 labels",
            "why": "1 000 000 rows, fitted and asked: bit sets, codes and arrivals",
            "goal": 1,
            "measure": bytes_a_row,
        }
    )
    for name, why, most, unit, key in [
        ("load", "checked block by block, nothing derived anew", 0.1, "s", "load"),
        ("open, mapped", "the header alone is read", 0.05, "s", "open"),
        ("file", "bit sets and classes, by row", 30, "bytes", "file"),
        ("anonymous memory, mapped and asked", "by row", 3, "bytes", "anonymous"),
        ("mapped against in memory", "time over time", 1 / 0.9, "", "slower"),
    ]:
        items.append(
            {
                "name": f"1 000 000 x 28 labels in a file: {name}",
                "why": why,
                "goal": 1,
                "measure": functools.partial(in_a_file, key, most, unit),
            }
        )
    return items


FILE = """
import json, os, sys, tempfile, time
import numpy as np
import sklazy

def used():
    text = open("/proc/self/status").read()
    return int(text.split("RssAnon:")[1].split()[0]) * 1024

def best(*calls):
    times = [1e9] * len(calls)
    for _ in range(7):
        for i, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            times[i] = min(times[i], time.perf_counter() - begin)
    return times

rng, n_rows = np.random.default_rng(0), 1_000_000
sizes = rng.integers(2, 11, 28)
y = rng.integers(0, 5, n_rows)
X = (rng.random((n_rows, 28)) * sizes).astype(np.int64)
model = sklazy.LazyKNeighborsClassifier.paper(
    n_attributes=14, categorical_features=list(range(28))
)
model.fit(X, y).predict(X[:500])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "cases.skl")
    model.save(path)
    sklazy.load(path, mmap_mode="c")
    load, opened = best(
        lambda: sklazy.load(path), lambda: sklazy.load(path, mmap_mode="c")
    )
    before = used()
    mapped = sklazy.load(path, mmap_mode="c")
    mapped.predict(X[:500])
    found = {"load": load, "open": opened, "file": os.path.getsize(path) / n_rows}
    found["anonymous"] = max(0, used() - before) / n_rows
    inside, outside = best(
        lambda: model.predict(X[:500]), lambda: mapped.predict(X[:500])
    )
    found["slower"] = outside / inside
print(json.dumps(found))
"""


@functools.cache
def file_figures():
    """What a million rows in a file take, in a process of its own."""
    return json.loads(run_alone(FILE))


def in_a_file(key, most, unit):
    """One of these figures, and its limit."""
    figure = max(file_figures()[key], 1e-9)
    return {"ours": figure, "peer": most, "unit": unit, "peer_name": "the limit"}


MEMORY = """
import ctypes, gc
import numpy as np
from sklazy import LazyKNeighborsClassifier

def resident():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    text = open("/proc/self/status").read()
    return int(text.split("RssAnon:")[1].split()[0]) * 1024

rng = np.random.default_rng(0)
sizes = rng.integers(2, 11, 28)
y = rng.integers(0, 5, 1_000_000)
X = (rng.random((len(y), 28)) * sizes).astype(np.int64)
model = LazyKNeighborsClassifier.paper(
    n_attributes=14, categorical_features=list(range(28))
)
model.fit(X[:50_000], y[:50_000]).predict(X[:500])
first = resident()
model.fit(X, y).predict(X[:500])
print((resident() - first) / (len(y) - 50_000))
"""

MOST_BYTES = 60


def bytes_a_row():
    """The memory that a million rows take, in a process of its own, and its limit."""
    n_bytes = float(run_alone(MEMORY))
    limit = {"peer": MOST_BYTES, "peer_name": "the limit"}
    return {"ours": n_bytes, "unit": "bytes", **limit}


def run_alone(script):
    """What a script prints, in a process of its own."""
    source = str(pathlib.Path(__file__).parents[1] / "src")
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def after_change(compare, what):
    """One of the times that `change` finds, beside that of a refit."""
    times = compare()
    return {"ours": times[what], "peer": times["refit"], "peer_name": "a refit"}


def change(kind, numeric_target=False, **options):
    """Times of a refit, of an add or a forget, and of the question after it."""
    table, target = data(nominal=kind == "nominal", numeric_target=numeric_target)
    row = np.array([5])
    one = Table(tuple(column.take(row) for column in table))
    one_target = target[row] if numeric_target else target.take(row)

    def build():
        cases = CaseBase(table, target, **options)
        return cases, cases.counted

    build()
    refit = min(timed(build)[0] for _ in range(5))
    cases, _ = build()
    calls, questions = [], []
    for _ in range(10):
        seconds, ids = timed(lambda: cases.add(one, one_target))
        calls.append(seconds)
        questions.append(timed(lambda: cases.counted)[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            calls.append(timed(lambda ids=ids: cases.forget(ids))[0])
        questions.append(timed(lambda: cases.counted)[0])
    call = max(min(calls[::2]), min(calls[1::2]))
    question = max(min(questions[::2]), min(questions[1::2]))
    return {"refit": refit, "change": call, "question": question}


def data(nominal, numeric_target):
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, N_ROWS)
    shift = classes * rng.random((N_COLUMNS, 1))
    numbers = rng.normal(size=(N_COLUMNS, N_ROWS)) + shift
    codes = np.clip(numbers + 3, 0, 7).astype(np.int32)
    table = Table(
        tuple(
            Column(f"x{j}", "nominal", codes[j], tuple("abcdefgh"))
            if nominal
            else Column(f"x{j}", "numeric", numbers[j])
            for j in range(N_COLUMNS)
        )
    )
    if numeric_target:
        return table, classes.astype(float)
    return table, Column("class", "nominal", classes.astype(np.int32), ("a", "b", "c"))


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result
