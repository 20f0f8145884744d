"""Law 3, to the byte: what is forgotten is in no array, no pickle and no file."""

import gc
import weakref

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

from discovery import one_keeper_of_each
from lawful import quiet
from row_traces import GONE, asked, in_copies, in_memory, problem

pytestmark = quiet


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
