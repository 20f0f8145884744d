"""Sets of attributes of different sizes, side by side."""

from collections.abc import Sequence

import numpy as np

from sklazy.flow import Selected


def pack_sets(sets: Sequence[Sequence[int]]) -> Selected:
    """Put lists of attributes, one per query, into one array filled up with -1."""
    counts = np.array([len(chosen) for chosen in sets], np.int32)
    attributes = np.full((len(sets), max(counts, default=0)), -1, np.int32)
    for query, chosen in enumerate(sets):
        attributes[query, : len(chosen)] = chosen
    return Selected(attributes, counts)
