"""Rows in bit sets: every row in the set of its value, and counted there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sklazy.casebase.tallies import count_members
from sklazy.storage.packed import pack_column


@given(st.data(), st.integers(0, 300), st.integers(1, 130), st.integers(0, 5))
def test_sets_and_counts_are_those_of_the_rows(data, n_rows, n_values, n_classes):
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    codes = random.integers(-1, n_values, n_rows).astype(np.int32)
    classes = random.integers(0, max(n_classes, 1), n_rows).astype(np.int32)
    sets, of_classes = pack_column(codes, n_values), pack_column(classes, n_classes)
    members = np.unpackbits(sets.view(np.uint8), axis=1, bitorder="little")
    for row, code in enumerate(codes.tolist()):
        assert np.flatnonzero(members[:, row]).tolist() == [code] * (code >= 0)
    assert not members[:, n_rows:].any()
    counts = np.zeros((n_values, n_classes), int)
    for code, its_class in zip(codes.tolist(), classes.tolist(), strict=True):
        if code >= 0 and n_classes:
            counts[code, its_class] += 1
    assert np.array_equal(count_members(sets, of_classes), counts)
