"""Law 3, to the byte: what is forgotten is in no array, no pickle and no file."""

import gc
import io
import pickle
import struct
import types
import weakref

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor

from discovery import one_keeper_of_each
from lawful import METHODS, quiet

pytestmark = quiet

NUMBER, TARGET, LABEL = 7654.321098765, 4321.987654321, "a label to forget"
GONE = 11


def problem(model):
    """Rows one of which has a number, a label and a target of its own."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)).round(2), columns=list("pqr"))
    X["kind"] = pd.Series(np.array(["b", "c"])[rng.integers(0, 2, 40)], dtype="str")
    X.loc[GONE, "p"], X.loc[GONE, "kind"] = NUMBER, LABEL
    if not is_regressor(model):
        return X, np.array(["m", "n"])[(X["q"] > 0).astype(int)]
    y = rng.normal(size=40).round(2)
    y[GONE] = TARGET
    return X, y


def asked(model, X):
    """The model, once everything was asked of it that it keeps something for."""
    for method in METHODS:
        if hasattr(model, method):
            getattr(model, method)(X)
    model.explain(X[:2])
    model.loo_predict([0, 1])
    model.digest()
    return model


def traces(content):
    """Which of the marks are in some bytes."""
    marks = {
        "number": struct.pack("<d", NUMBER),
        "target": struct.pack("<d", TARGET),
        "label": LABEL.encode(),
    }
    return {name for name, mark in marks.items() if mark in content}


def reachable(thing):
    """All arrays and texts that an object leads to, as bytes."""
    seen, waiting = set(), [thing]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | types.ModuleType):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray) and one.dtype != object:
            yield one.tobytes()
        elif isinstance(one, str):
            yield one.encode()
        elif isinstance(one, float):
            yield struct.pack("<d", one)
        is_function = isinstance(one, types.FunctionType)
        waiting += (one.__closure__ or ()) if is_function else gc.get_referents(one)


def in_memory(model):
    return set().union(*map(traces, reachable(model)))


def in_copies(model, path):
    model.save(path)
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    return traces(pickle.dumps(model) + buffer.getvalue() + path.read_bytes())


@one_keeper_of_each
def test_a_forgotten_row_is_nowhere(setting, tmp_path):
    model = clone(setting.model)
    X, y = problem(model)
    asked(model.fit(X, y), X)
    marks = {"number", "label"} | ({"target"} if is_regressor(model) else set())
    assert in_memory(model) == in_copies(model, tmp_path / "m") == marks
    derived = weakref.ref(model.cases_._state)
    gc.disable()  # at once, not when garbage is next collected
    try:
        model.forget([GONE])
        assert derived() is None
        assert in_memory(model) == set()
    finally:
        gc.enable()
    assert in_copies(model, tmp_path / "m") == set()


@one_keeper_of_each
def test_a_file_does_not_tell_that_rows_were_there(setting, tmp_path):
    X, y = problem(setting.model)
    ids = np.array([f"row {i}" for i in range(len(X))])
    kept = np.delete(np.arange(len(X)), [3, GONE, 39])
    contents = []
    for rows, gone in ((np.arange(len(X)), [3, GONE, 39]), (kept, [])):
        model = clone(setting.model)
        model.fit(X.iloc[rows], y[rows], ids=ids[rows]).forget(ids[gone])
        model.save(tmp_path / "model")
        contents.append((tmp_path / "model").read_bytes())
    assert contents[0] == contents[1]


def test_rows_that_are_asked_while_forgotten_go_with_the_answer():
    model = clone(pytest.importorskip("sklazy").LazyLearningRegressor())
    X, y = problem(model)
    model.fit(X, y)
    with model.cases_.snapshot() as cases:
        model.forget([GONE])
        assert cases.n_rows == 40
        assert in_memory(model) == set()
        state = weakref.ref(cases)
        del cases
    assert state() is None
