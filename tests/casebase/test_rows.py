"""Ids are found among others, whatever their kind and number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sklazy.casebase.rows import are_among

TEXTS = st.lists(st.sampled_from(["", "a", "b", "a\x00", "ab", "é"]), max_size=20)
NUMBERS = st.lists(st.integers(0, 12), max_size=20)


def as_array(names):
    kind = object if names and isinstance(names[0], str) else np.int64
    ids = np.empty(len(names), kind)
    ids[:] = names
    return ids


@given(st.tuples(TEXTS, TEXTS) | st.tuples(NUMBERS, NUMBERS))
def test_ids_are_found_among_others(names):
    ids, wanted = map(as_array, names)
    assert are_among(ids, wanted).tolist() == [name in names[1] for name in names[0]]
