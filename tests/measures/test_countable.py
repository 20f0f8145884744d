"""Counts that would not fit are refused before they are made."""

import pytest

from sklazy.errors import BadInputError
from sklazy.measures import check_countable


def test_many_labels_by_many_classes_are_refused():
    with pytest.raises(BadInputError, match=r"2 GiB; column 'code' has 15000"):
        check_countable([15_000, 2], 15_000, ["code", "other"])
    check_countable([15_000], 1_000, ["code"])
