"""Which sums are within a limit, 64 at once, against one by one."""

import os
import subprocess
import sys

import numpy as np
import pytest

from sklazy.kernels.compiling import entry
from sklazy.kernels.distances import PROBE, mask_within


@entry
def within(sums, first, limit):
    return mask_within(sums, first, limit)


def check(seed):
    rng = np.random.default_rng(seed)
    sums = rng.choice([0.0, 0.25, 1.0, 1e30, np.inf], 3 * PROBE).astype(np.float32)
    sums += rng.choice([0.0, 1e-7], sums.size).astype(np.float32)
    limit = np.float32(rng.choice([sums[0], 0.0, -1.0, 0.5, np.inf]))
    for first in (0, 1, 17, 2 * PROBE):
        found = int(within(sums, first, limit))
        bits = [bool(found >> i & 1) for i in range(PROBE)]
        assert bits == (sums[first : first + PROBE] <= limit).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_bits_are_the_sums_within(seed):
    check(seed)


def test_without_a_compiler_bits_are_the_same():
    code = (
        "import sys; sys.path.insert(0, 'tests/kernels')\n"
        "from test_distances import check\n"
        "for seed in range(5): check(seed)\n"
    )
    run = [sys.executable, "-c", code]
    subprocess.run(run, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)
