"""Adding and forgetting one row against building the case base anew."""

import functools
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
    return items


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
