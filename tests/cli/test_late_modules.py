"""Modules that a short command does without."""

import subprocess
import sys

import pytest

import sklazy
from sklazy.receipts.families import FAMILIES

PREDICT = """
import sys, sklazy_command
sys.argv = ["sklazy", "predict", *sys.argv[1:]]
try:
    sklazy_command.main()
finally:
    parts = ["scipy.stats._stats_py", "scipy.optimize", "pandas.core"]
    parts += ["scipy.spatial", "sklazy.receipts", "sklazy.estimators.reasons"]
    found = [part for part in parts if part in sys.modules]
    folders = [name.removeprefix("sklazy.methods.") for name in sys.modules]
    print(*found, *[name for name in folders if name in METHODS], file=sys.stderr)
"""
USED = """
import sys, threading
from sklazy.cli.late_modules import import_late
import_late("scipy.stats")
import_late("scipy.stats")
assert "scipy.stats._stats_py" not in sys.modules
import scipy.stats
late = scipy.stats
assert not hasattr(late, "__wrapped__")
import {first}
found = []
def use():
    found.append(late.rankdata([3, 1]).tolist())
threads = [threading.Thread(target=use) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert found == [[2.0, 1.0]] * 4
from scipy.stats import beta
assert sys.modules["scipy.stats"] is scipy.stats is not late
import_late("scipy.stats")
assert sys.modules["scipy.stats"] is scipy.stats
"""


def run(*command):
    return subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (sklazy.LazyNBClassifier(), "selection"),
        (sklazy.LazyKNeighborsClassifier(), "selection"),
        (sklazy.LazyKernelClassifier(), "kernel_models"),
        (sklazy.LazyDecisionTreeClassifier(), "trees"),
    ],
)
def test_predictions_import_their_method_and_no_receipts(tmp_path, model, method):
    X, y = [[float(number)] for number in range(20)], ["a", "b"] * 10
    model.fit(X, y).save(tmp_path / "model")
    (tmp_path / "plain.csv").write_text("0\n3\n4\n", "utf-8")
    code = f"METHODS = {set(FAMILIES)}\n{PREDICT}"
    done = run("-c", code, tmp_path / "model", tmp_path / "plain.csv")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == method


FRAMES = """
import sys
from sklazy.cli.late_modules import import_late
import_late("pandas")
import numpy as np, sklearn.utils.fixes, sklazy
assert "pandas.core" not in sys.modules
model = sklazy.LazyNBClassifier().fit(np.array([[1.0], [2.0], [3.0]]), ["a", "b", "b"])
import pandas as pd
frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "heat": ["gas", "oil", "oil"]})
assert isinstance(frame, sys.modules["pandas"].DataFrame)
model = sklazy.LazyNBClassifier().fit(frame, pd.Series(["a", "b", "b"]))
assert model.feature_names_in_.tolist() == ["size", "heat"]
assert model.predict(frame).tolist() == ["a", "b", "b"]
"""


def test_frames_are_known_where_pandas_comes_late():
    done = run("-c", FRAMES)
    assert done.returncode == 0, done.stderr


def test_a_late_module_is_whole_once_it_is_used():
    for first in ("json", "scipy.stats.distributions"):
        done = run("-c", USED.format(first=first))
        assert done.returncode == 0, done.stderr


ARROW = """
from sklazy.cli.late_modules import import_late
import_late("pandas")
import pyarrow
assert pyarrow.array(["a", None]).to_pylist() == ["a", None]
import pandas
assert pandas.__version__
"""


def test_arrow_finds_the_version_of_a_late_pandas():
    done = run("-c", ARROW)
    assert done.returncode == 0, done.stderr
