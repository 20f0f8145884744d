"""How often does a race eliminate the truly best candidate, for each test?

Run: python benchmarks/dropped_best.py [n_races]

Ten candidates, 60 blocks, alpha = 0.05, first test after five blocks. The best is
better than all others by `gap` standard deviations of the noise; with a gap of zero
all are equal and candidate 0 stands for any of them. Blocks shift all candidates
by the same amount. Skewed noise is exponential: most losses small, some large.
"""

import sys

import numpy as np

from sklazy import race
from sklazy.racing.rules import TESTS

N_BLOCKS, N_CANDIDATES, ALPHA = 60, 10, 0.05
GAPS = (0.0, 0.1, 0.3, 1.0)


def draw_losses(gap, skewed, rng):
    noise = rng.exponential if skewed else rng.normal
    losses = noise(size=(N_BLOCKS, N_CANDIDATES))
    losses[:, 1:] += gap
    return losses + 3 * rng.normal(size=(N_BLOCKS, 1))


def rates(test, gap, skewed, n_races):
    """Return the share of races that lost candidate 0 and the share of losses run."""
    lost = run = 0
    for seed in range(n_races):
        losses = draw_losses(gap, skewed, np.random.default_rng([seed, skewed]))
        result = race(
            lambda alive, block, losses=losses: losses[block, alive],
            range(N_CANDIDATES),
            range(N_BLOCKS),
            test=test,
            alpha=ALPHA,
        )
        lost += bool(result.eliminated_at[0])
        run += result.n_evaluations
    return lost / n_races, run / n_races / N_BLOCKS / N_CANDIDATES


def main():
    n_races = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print(f"best dropped (share of losses run), {n_races} races, alpha {ALPHA}")
    heads = [f"{'skewed' if s else 'normal'} {g}" for s in (False, True) for g in GAPS]
    print(f"{'test':16}" + "".join(f"{head:>14}" for head in heads))
    for test in TESTS:
        cells = [rates(test, gap, s, n_races) for s in (False, True) for gap in GAPS]
        print(f"{test:16}" + "".join(f"{a:7.1%} {b:5.0%}" for a, b in cells))


if __name__ == "__main__":
    main()
