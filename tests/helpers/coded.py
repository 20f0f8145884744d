"""Random coded tables, as the rooms behind the case base see them."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from sklazy.flow import Cases, Narrow, Selected
from sklazy.kernels import bits


class Coded(NamedTuple):
    """Arrays of a case base and some queries, made without one."""

    codes: np.ndarray  # int32 (n_attributes, n_rows), -1 missing
    offsets: np.ndarray  # int64 (n_attributes + 1,)
    classes: np.ndarray  # int32 (n_rows,)
    n_classes: int
    queries: np.ndarray  # int32 (n_queries, n_attributes), -1 missing, -2 unseen

    @property
    def n_rows(self):
        return self.codes.shape[1]

    @property
    def n_attributes(self):
        return self.codes.shape[0]


@st.composite
def coded_tables(draw, most_rows=140, most_attributes=9, most_values=5):
    """Tables with ties, missing and unseen cells, constant and empty columns."""
    n_rows = draw(st.one_of(st.integers(1, 12), st.integers(1, most_rows)))
    n_attributes = draw(st.integers(1, most_attributes))
    n_queries = draw(st.integers(1, 6))
    n_classes = draw(st.integers(1, 4))
    sizes = draw(
        st.lists(
            st.integers(0, most_values), min_size=n_attributes, max_size=n_attributes
        )
    )
    missing = draw(st.sampled_from([0.0, 0.2, 0.9]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return make_coded(rng, n_rows, sizes, n_classes, n_queries, missing)


def make_coded(rng, n_rows, sizes, n_classes, n_queries, missing=0.0):
    """Draw one table; skewed values, so that ties and rare values occur."""
    sizes = np.asarray(sizes)
    skewed = rng.random((len(sizes), n_rows)) ** 1.5 * sizes[:, None]
    codes = skewed.astype(np.int32)
    codes[rng.random(codes.shape) < missing] = -1
    codes[sizes == 0] = -1
    queries = (rng.random((n_queries, len(sizes))) * sizes).astype(np.int32)
    queries[rng.random(queries.shape) < missing / 2] = -1
    queries[rng.random(queries.shape) < missing / 4] = -2
    queries[:, sizes == 0] = -2
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    classes = rng.integers(0, n_classes, n_rows).astype(np.int32)
    return Coded(codes, offsets, classes, n_classes, queries)


def draw_selection(table, rng):
    """A different subset, of a different size, for each query."""
    n_queries = len(table.queries)
    counts = rng.integers(0, table.n_attributes + 1, n_queries).astype(np.int32)
    orders = [rng.permutation(table.n_attributes) for _ in range(n_queries)]
    attributes = np.array(orders, np.int32)
    attributes[np.arange(table.n_attributes) >= counts[:, None]] = -1
    return Selected(np.ascontiguousarray(attributes[:, : max(counts)]), counts)


def as_cases(table, most_sets=64, spare=5):
    """The table as a case base would hand it on, with room for more rows."""
    n_rows, sizes = table.n_rows, np.diff(table.offsets)
    capacity = n_rows + spare
    small = np.int8 if n_rows % 2 and max(sizes, default=0) < 100 else np.int16
    codes = np.zeros((table.n_attributes, capacity), small)
    codes[:, :n_rows] = table.codes
    classes = np.zeros(capacity, small)
    classes[:n_rows] = table.classes
    n_words = bits.words_for(capacity)
    limits = np.array([0, table.n_classes])
    class_bits = bits.build_bits(table.classes[None], limits, n_words)[:-1]
    kept = sizes <= most_sets
    firsts = np.cumsum(np.where(kept, sizes, 0)) - np.where(kept, sizes, 0)
    every = bits.build_bits(table.codes, table.offsets, n_words)
    value_bits = every[np.append(np.repeat(kept, sizes), True)]
    counts = bits.count_values(
        table.codes, table.offsets, table.classes, table.n_classes
    )
    return Cases(
        n_rows=n_rows,
        codes=Narrow(codes),
        offsets=table.offsets,
        counts=counts,
        class_counts=np.bincount(table.classes, minlength=table.n_classes),
        classes=Narrow(classes),
        starts=np.where(kept, firsts, -1),
        value_bits=np.ascontiguousarray(value_bits),
        class_bits=np.ascontiguousarray(class_bits),
        numeric=np.full(table.n_attributes, -1, np.int64),
        numbers=np.zeros((0, capacity)),
        ranges=np.zeros((0, 2)),
        targets=np.zeros((0, capacity)),
        weights=np.zeros(capacity),
    )


def select_all(table):
    """Every attribute for every query, in column order."""
    shape = len(table.queries), table.n_attributes
    attributes = np.broadcast_to(np.arange(shape[1], dtype=np.int32), shape)
    counts = np.full(shape[0], shape[1], np.int32)
    return Selected(np.ascontiguousarray(attributes), counts)


def code_nominal(cases, queries):
    """Nominal problems of `strategies` in codes: columns, their widths, query rows.

    Missing cells are -1, labels that no case has -2.
    """
    columns = list(zip(*cases.rows, strict=True))
    words = [sorted({c for c in column if c is not None}) for column in columns]
    places = [{word: i for i, word in enumerate(own)} for own in words]
    codes = [
        [-1 if c is None else own[c] for c in column]
        for own, column in zip(places, columns, strict=True)
    ]
    asked = [
        [
            -1 if c is None else own.get(c, -2)
            for own, c in zip(places, row, strict=True)
        ]
        for row in queries.rows
    ]
    return codes, [len(own) for own in words], asked
