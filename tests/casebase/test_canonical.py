"""The canonical order against plain integers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracle import word64
from sklazy.casebase.canonical import canonical_order

words = st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1))


@given(
    st.integers(1, 3).flatmap(lambda d: st.lists(st.tuples(*[words] * d), min_size=1))
)
def test_rows_are_sorted_by_their_mixed_words(rows):
    def mixed(row):
        found = 0
        for word in row:
            found = word64(found ^ word, 0)
        return found

    columns = [np.array(column, np.uint64) for column in zip(*rows, strict=True)]
    order = canonical_order(columns).tolist()
    assert order == sorted(range(len(rows)), key=lambda i: mixed(rows[i]))
