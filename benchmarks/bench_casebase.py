"""Adding and forgetting one row against building anew; the memory that a row takes."""

import functools
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
                "measure": lambda compare=compare: (compare()[0], "a refit"),
            },
            {
                "name": f"first question after it, {name}",
                "why": "what a change leaves to derive is part of its price",
                "goal": question_goal,
                "measure": lambda compare=compare: (compare()[1], "a refit"),
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
    return items


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
    """The limit over the memory that a million rows take, in a process of its own."""
    source = str(pathlib.Path(__file__).parents[1] / "src")
    done = subprocess.run(
        [sys.executable, "-c", MEMORY],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    found = float(done.stdout)
    return MOST_BYTES / found, f"{found:.1f} of {MOST_BYTES} bytes"


def change(kind, numeric_target=False, **options):
    """Refit time over that of an add or a forget, and of the question after it."""
    table, target = data(nominal=kind == "nominal", numeric_target=numeric_target)
    row = np.array([5])
    one = Table(tuple(column.take(row) for column in table))
    one_target = target[row] if numeric_target else target.take(row)

    def build():
        cases = CaseBase(table, target, **options)
        return cases, cases.cases

    build()
    refit = min(timed(build)[0] for _ in range(5))
    cases, _ = build()
    calls, questions = [], []
    for _ in range(10):
        seconds, ids = timed(lambda: cases.add(one, one_target))
        calls.append(seconds)
        questions.append(timed(lambda: cases.cases)[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            calls.append(timed(lambda ids=ids: cases.forget(ids))[0])
        questions.append(timed(lambda: cases.cases)[0])
    call = max(min(calls[::2]), min(calls[1::2]))
    question = max(min(questions[::2]), min(questions[1::2]))
    return refit / call, refit / question


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
