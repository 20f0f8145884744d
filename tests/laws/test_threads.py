"""Law 8: whoever asks while rows come and go is answered by one state of the cases."""

import contextlib
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor

from discovery import one_keeper_of_each
from lawful import METHODS, exactly, quiet, smallest_slices

pytestmark = quiet

SECONDS = 0.25
MANY_SECONDS = 2.0
N_ASKING = 4
N_ROWS, N_ADDED, N_FORGOTTEN = 40, 12, 15


def numbers(n_rows, rng):
    """A matrix, which is coded without a table."""
    return rng.normal(size=(n_rows, 4)).round(1)


def mixed(n_rows, rng):
    """A frame; the rows that are added bring a category that is numbered first."""
    X = pd.DataFrame(numbers(n_rows, rng), columns=list("pqrs"))
    kinds = np.array(["b", "c", "d"])[rng.integers(0, 3, n_rows)]
    kinds[N_ROWS : N_ROWS + 4] = "a"
    return X.assign(kind=pd.Series(kinds, dtype="str"))


class Changing:
    """A model whose rows come and go, and what it says in each of its states."""

    def __init__(self, model, make, methods):
        rng = np.random.default_rng(0)
        total = N_ROWS + N_ADDED
        self.X, self.queries = make(total, rng), make(3, rng)
        # The rows that are added bring classes that are numbered first.
        labels = np.array(["m", "n"])[rng.integers(0, 2, total)]
        labels[N_ROWS:] = np.array(["a", "b", "m"])[np.arange(N_ADDED) % 3]
        self.y = rng.normal(size=total).round(2) if is_regressor(model) else labels
        self.model, self.rows, self.methods = model, np.arange(total), methods
        model.fit(self.X[:N_ROWS], self.y[:N_ROWS], ids=self.rows[:N_ROWS])
        self.known = {m: {self.say(m)} for m in methods}
        for change in self.changes():
            change()
            for method in methods:
                self.known[method].add(self.say(method))

    def say(self, method):
        """What the model says, such that equal means identical."""
        ask = getattr(self.model, method)
        said = ask() if method == "digest" else ask(self.queries)
        if method == "explain":
            return said[0].to_json()
        return said if method == "digest" else str(exactly({method: said}))

    def changes(self):
        """Three states, four changes, back to where it began."""
        added, gone = self.rows[N_ROWS:], self.rows[:N_FORGOTTEN]
        yield lambda: self.add(added)
        yield lambda: self.model.forget(gone)
        yield lambda: self.add(gone)
        yield lambda: self.model.forget(added)

    def add(self, rows):
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        self.model.partial_fit(X, self.y[rows], ids=rows)


def ask(changing, number, done, wrong):
    """Ask in turn until it is done; note answers of no state, and failures."""
    try:
        while not done.is_set():
            method = changing.methods[number % len(changing.methods)]
            said = changing.say(method)
            if said not in changing.known[method]:
                wrong.append((method, said))
            number += 1
    except Exception as error:
        wrong.append(error)


def ask_and_change(changing, seconds):
    """Four threads ask while this one changes; what went wrong."""
    wrong, done = [], threading.Event()
    asking = [
        threading.Thread(target=ask, args=(changing, i, done, wrong))
        for i in range(N_ASKING)
    ]
    for thread in asking:
        thread.start()
    end = time.perf_counter() + seconds
    try:
        while time.perf_counter() < end and not wrong:
            for change in changing.changes():
                change()
                time.sleep(0.001)
    finally:
        done.set()
        for thread in asking:
            thread.join()
    return wrong


@one_keeper_of_each
@pytest.mark.parametrize(("make", "n_jobs"), [(numbers, 1), (mixed, 2)])
@pytest.mark.parametrize(
    "seconds", [SECONDS, pytest.param(MANY_SECONDS, marks=pytest.mark.slow)]
)
def test_every_answer_is_of_one_state(setting, make, n_jobs, seconds):
    model = clone(setting.model)
    if hasattr(model, "n_jobs"):
        model.set_params(n_jobs=n_jobs)
    methods = [m for m in METHODS if hasattr(model, m)]
    with smallest_slices() if n_jobs > 1 else contextlib.nullcontext():
        changing = Changing(model, make, [*methods, "explain", "digest"])
        assert len(changing.known["digest"]) == 3
        assert ask_and_change(changing, seconds) == []
