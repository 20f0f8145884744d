"""Distances of kernel models: packed arithmetic, and the selection of the nearest."""

import platform
import re

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.flow import KernelColumns
from sklazy.kernels import compiling, kernel_models, sorting

SUMS = r"\bv?(?:add|sub|mul)p[ds]\b"  # several numbers at a time


def make_cases(n_rows):
    rng = np.random.default_rng(0)
    values = np.concatenate(
        [rng.normal(size=(2, n_rows)), rng.integers(3, size=(2, n_rows))]
    )
    nominal, ones = np.array([False, False, True, True]), np.ones(4)
    fields = {"values": values, "nominal": nominal, "absents": ones, "weights": ones}
    return KernelColumns(**fields)


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64") or numba.config.DISABLE_JIT,
    reason="the instructions looked for are those of x86-64, compiled",
)
def test_distances_are_measured_several_rows_at_a_time(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    measure = compiling._compile_entry(kernel_models.measure_distances.__wrapped__)
    cases, distances = make_cases(64), np.empty((1, 64))
    measure(cases, cases.values[:, 0].copy()[None], distances)
    (assembly,) = measure.inspect_asm().values()
    n_packed = len(re.findall(SUMS, assembly))
    assert n_packed >= 3, "numeric, nominal and missing columns have a loop each"


@compiling.entry
def find_kth(numbers, k):
    return sorting.select_kth(numbers, k)


@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 7.0, 1e300, np.inf]), min_size=1),
    st.data(),
)
def test_the_kth_number_is_that_of_the_sorted_ones(numbers, data):
    k = data.draw(st.integers(0, len(numbers) - 1))
    assert find_kth(np.array(numbers), k) == sorted(numbers)[k]


@pytest.mark.parametrize("shape", ["rising", "falling", "organ", "random"])
def test_the_kth_of_many_numbers(shape):
    rising = np.arange(3000.0)
    numbers = {
        "rising": rising,
        "falling": rising[::-1],
        "organ": np.minimum(rising, rising[::-1]),
        "random": np.random.default_rng(0).normal(size=3000),
    }[shape]
    for k in (0, 1, 199, 1500, 2999):
        assert find_kth(numbers.copy(), k) == np.sort(numbers)[k]


sizes = st.integers(1, 12), st.integers(0, 4), st.integers(0, 2**32 - 1)


def whole_numbers(random, shape):
    """As large as similarities on their grid."""
    numbers = random.integers(0, 2**21, shape, endpoint=True)
    return np.where(random.random(shape) < 0.3, 0, numbers)


@given(*sizes)
def test_rows_come_and_go_in_whole_numbers(size, n_rows, seed):
    random = np.random.default_rng(seed)
    before = random.integers(-(2**62), 2**62, (size, size))
    rows = whole_numbers(random, (n_rows, size))
    steps = random.choice([-1, 1], n_rows)
    products, expected = before.copy(), before.astype(object)
    for row, step in zip(rows.astype(object), steps.tolist(), strict=True):
        expected = expected + step * np.outer(row, row)
    kernel_models.add_rows(products, rows, steps)
    upper = np.triu_indices(size)
    assert products[upper].tolist() == expected[upper].tolist()


@given(*sizes)
def test_blocks_are_added_in_whole_numbers(size, n_rows, seed):
    random = np.random.default_rng(seed)
    before = random.integers(-(2**62), 2**62, (size, size))
    rows = whole_numbers(random, (n_rows, size))
    products, block = before.copy(), rows.T @ rows
    kernel_models.add_block(products, block.astype(np.float64))
    upper = np.triu_indices(size)
    assert (products[upper] == (before + block)[upper]).all()


@given(*sizes)
def test_a_system_is_products_and_a_ridge(size, n_rows, seed):
    random = np.random.default_rng(seed)
    products = random.integers(-(2**50), 2**50, (size, size))
    among, ridge = random.normal(size=(size, size)), 0.3 + n_rows
    system = np.zeros((size, size))
    kernel_models.fill_system(products, among, 0.25, ridge, system)
    expected = np.triu(products / 4 + ridge * among)
    np.testing.assert_allclose(system, expected, rtol=1e-15)
