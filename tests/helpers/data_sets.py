"""The folder of one of the papers' data sets, wherever a copy of the set is."""

import pytest

from golden_files import INSIDE
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, is_available


def folder_of(name):
    """A folder from which a set can be loaded; the test is skipped without one.

    All sets are outside the project; `tests/golden` has some, scikit-learn others.
    """
    known = find_known(name)
    for folder in (data_folder(), INSIDE / "weka" / "inputs"):
        if is_available(known, folder):
            return folder
    return pytest.skip(f"the set {name} is not here; set SKLAZY_DATA to its folder")
