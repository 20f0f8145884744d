"""Sums of bit sets by lines, against counting row by row."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sklazy.kernels.compiling import entry
from sklazy.kernels.lines import (
    GROUP,
    LINE,
    PLANES,
    compare_lines,
    count_planes,
    sum_lines,
)
from sklazy.kernels.planes import list_bits, read_count, select_threshold


@entry
def both(bits, sets, n_sets, word, n_lines, threshold, planes, above, same):
    sum_lines(bits, sets, n_sets, word, n_lines, planes, above.size)
    return compare_lines(bits, sets, n_sets, word, n_lines, threshold, above, same)


@entry
def select(planes, width, n_planes, n_words, k, candidates, above):
    return select_threshold(planes, width, n_planes, n_words, k, candidates, above)


@entry
def listed(words, word, n_words, rows):
    return list_bits(words, word, n_words, rows, 0)


@entry
def count_of(planes, width, n_planes, row):
    return read_count(planes, width, n_planes, row)


@entry
def planes_of(n_sets):
    return count_planes(n_sets)


def rows_of(words):
    return np.unpackbits(words.view(np.uint8), bitorder="little")


def check(n_sets, n_lines, share, seed):
    rng = np.random.default_rng(seed)
    n_words, word = LINE * (n_lines + 1), LINE
    members = rng.random((n_sets + 1, n_words * 64)) < share
    members[-1] = False  # the empty set, which places left over point at
    bits = np.packbits(members, axis=1, bitorder="little").view(np.uint64).ravel()
    sets = np.full(n_sets + GROUP, n_sets * n_words, np.uintp)
    sets[:n_sets] = np.arange(n_sets) * n_words
    width, n_planes = LINE * n_lines + 8, planes_of(n_sets)
    planes = np.zeros(width * n_planes, np.uint64)
    above, same = np.zeros((2, width), np.uint64)
    counts = members.sum(axis=0)[word * 64 :]
    threshold = int(rng.choice([*counts[:9], 0, n_sets]))
    found = both(bits, sets, n_sets, word, n_lines, threshold, planes, above, same)
    assert found == ((counts > threshold).sum(), (counts == threshold).sum())
    live = slice(0, LINE * n_lines)
    assert np.array_equal(rows_of(above[live]), counts > threshold)
    assert np.array_equal(rows_of(same[live]), counts == threshold)
    levels = [rows_of(p[live].copy()) for p in planes.reshape(n_planes, width)]
    assert np.array_equal(sum(l.astype(int) << i for i, l in enumerate(levels)), counts)
    check_selection(planes, width, n_planes, counts, rng)


def check_selection(planes, width, n_planes, counts, rng):
    """The k-th largest count of some rows, and these rows listed."""
    n_words, k = counts.size // 64, int(rng.integers(1, 20))
    candidates = rng.random(counts.size) < rng.choice([0.01, 0.5, 1.0])
    room = np.zeros((2, -(-n_words // 64) * 64), np.uint64)
    same, above = room
    same[:n_words] = np.packbits(candidates, bitorder="little").view(np.uint64)
    above[:] = ~np.uint64(0)  # what was there before
    threshold, n_above = select(planes, width, n_planes, n_words, k, same, above)
    ranked = np.sort(counts[candidates])[::-1]
    assert threshold == (ranked[k - 1] if ranked.size >= k else 0)
    assert n_above == (ranked > threshold).sum()
    for words, chosen in (same, counts == threshold), (above, counts > threshold):
        words[n_words:] = ~np.uint64(0)  # what lies behind is not read
        rows = np.empty(words.size * 64, np.int64)
        n_listed = listed(words, 3, n_words, rows)
        wanted = np.flatnonzero(candidates & chosen)
        assert np.array_equal(rows[:n_listed], wanted + 3 * 64)
        for row in wanted[:9]:
            assert count_of(planes, width, n_planes, row) == counts[row]


@given(
    st.integers(0, 70),
    st.integers(1, 5),
    st.sampled_from([0.1, 0.5, 0.95, 1.0]),
    st.integers(0, 99),
)
@example(15, 1, 1.0, 0)
@example(16, 1, 1.0, 0)
@example(63, 1, 1.0, 0)
@example(64, 1, 1.0, 0)
def test_lines_say_what_rows_say(n_sets, n_lines, share, seed):
    check(n_sets, n_lines, share, seed)


@pytest.mark.parametrize("n_sets", [4095, 4096])
def test_thousands_of_sets(n_sets):
    check(n_sets, 1, 1.0, 0)


def test_planes_hold_the_largest_count():
    limits = [2**n for n in PLANES[:-1]]
    assert [planes_of(n - 1) for n in limits] == list(PLANES[:-1])
    assert [planes_of(n) for n in limits] == list(PLANES[1:])


def test_without_a_compiler_lines_say_the_same():
    code = (
        "import sys; sys.path.insert(0, 'tests/kernels')\n"
        "from test_lines import check\n"
        "for n in (0, 1, 7, 8, 16, 64): check(n, 2, 0.5, n)\n"
    )
    run = [sys.executable, "-c", code]
    subprocess.run(run, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)
