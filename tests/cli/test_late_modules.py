"""Modules that a short command does without."""

import subprocess
import sys

import sklazy

PREDICT = """
import sys, sklazy_command
sys.argv = ["sklazy", "predict", *sys.argv[1:]]
try:
    sklazy_command.main()
finally:
    print("scipy.stats._stats_py" in sys.modules, file=sys.stderr)
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


def test_predictions_need_no_statistics(tmp_path):
    X, y = [[float(number)] for number in range(20)], ["a", "b"] * 10
    sklazy.LazyNBClassifier().fit(X, y).save(tmp_path / "model")
    (tmp_path / "plain.csv").write_text("0\n3\n4\n", "utf-8")
    done = run("-c", PREDICT, tmp_path / "model", tmp_path / "plain.csv")
    assert done.returncode == 0, done.stderr
    assert done.stderr.split()[-1] == "False"


def test_a_late_module_is_whole_once_it_is_used():
    for first in ("json", "scipy.stats.distributions"):
        done = run("-c", USED.format(first=first))
        assert done.returncode == 0, done.stderr
