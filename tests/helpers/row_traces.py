"""A row with marks of its own, and where a model still has them."""

import gc
import io
import pickle
import struct
import types

import joblib
import numpy as np
import pandas as pd
from sklearn.base import is_regressor

from lawful import METHODS

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
