"""Bit sets and counts against plain loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import coded_tables
from sklazy.kernels import bits


def unpack(words, n_rows):
    return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")[..., :n_rows]


@given(coded_tables())
def test_bit_sets_hold_the_rows_of_each_value(table):
    n_words = bits.words_for(table.n_rows)
    built = bits.build_bits(table.codes, table.offsets, n_words)
    members = oracle.rows_of_values(table.codes, table.offsets)
    assert n_words % 8 == 0
    assert built.shape == (table.offsets[-1] + 1, n_words)
    assert not built[-1].any()
    unpacked = unpack(built, n_words * 64)
    for position, rows in enumerate(members):
        assert np.flatnonzero(unpacked[position]).tolist() == rows


@given(coded_tables(), st.integers(0, 3))
def test_codes_are_read_from_the_sets_of_some_rows(table, first_word):
    n_words = bits.words_for(table.n_rows)
    built = bits.build_bits(table.codes, table.offsets, n_words)
    for codes, start, end in zip(
        table.codes, table.offsets[:-1], table.offsets[1:], strict=True
    ):
        if end - start > 127:  # none of more than 64 values has sets
            continue
        expected = np.where(codes < 0, -1, codes)[64 * first_word :]
        read = np.full(len(expected), -1, np.int8)
        bits.read_sets(built, int(start), int(end - start), first_word, read)
        assert read.tolist() == expected.tolist()


@given(coded_tables())
def test_counts_are_the_plain_counts(table):
    arguments = table.codes, table.offsets, table.classes
    expected = oracle.count_values(*arguments, table.n_classes)
    assert bits.count_values(*arguments, table.n_classes).tolist() == expected
