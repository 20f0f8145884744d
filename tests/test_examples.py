"""The examples of the gallery run, and say what they promise."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "examples"

SAYS = {
    "plot_01_decisive_value.py": "{'fever': 'high', 'rash': 'purple'}: looks at rash",
    "plot_02_first_hour.py": "verified: True",
    "plot_03_blend_receipt.py": "Why logistic predicts this",
    "plot_04_local_regression.py": "neighbors on the right",
    "plot_05_rules_of_a_row.py": "Naive Bayes uses only the",
    "plot_06_ten_of_fifty.py": "found: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
    "plot_07_answer_or_abstain.py": "of them for 99 %",
    "plot_08_doubtful_labels.py": "wrong labels among the 8 most doubtful: 8 of 8",
    "plot_09_next_test.py": "What to measure next",
    "plot_10_erase.py": "as if it had never been there: True",
    "plot_11_drift.py": "window of 200: 0.8",
    "plot_12_race_search.py": "race: ",
    "plot_13_kernel_calibration.py": "LazyKernelClassifier: log loss 0.1",
    "plot_14_lazy_bagging.py": "right on new tumors: 0.9",
    "plot_15_soft_sensor.py": "local PLS, window 300      off by 0.",
    "plot_16_numbers_by_few.py": "tenant = sitting",
    "plot_17_why_this_row.py": "verified: True",
}


def test_every_example_is_run():
    assert sorted(SAYS) == sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", sorted(SAYS))
def test_an_example_runs(name, tmp_path):
    run = subprocess.run(
        [sys.executable, str(FOLDER / name)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert SAYS[name] in run.stdout
