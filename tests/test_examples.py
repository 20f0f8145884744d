"""The examples run, and say what they promise."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "examples"

SAYS = {
    "answer_or_abstain.py": "of them for 0.95",
    "blend_receipt.py": "Why logistic says so",
    "decisive_value.py": "{'fever': 'high', 'rash': 'purple'}: looks at rash",
    "doubtful_labels.py": "wrong labels among the 8 most doubtful: 8 of 8",
    "first_hour.py": "verified: True",
    "local_regression.py": "drawn in",
    "next_test.py": "What to measure next",
    "numbers_by_few.py": "tenant = sitting",
    "rules_of_a_row.py": "Only the",
    "ten_of_fifty.py": "found: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
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
