"""Races: the cost of a step, and what a race finds at what share of the usual cost."""

import time

import numpy as np
from scipy import stats

from sklazy import race


def step_losses(n_candidates, n_blocks=50):
    """Candidates of different worth, blocks of different weight, some ties."""
    rng = np.random.default_rng(0)
    shift = rng.uniform(size=n_candidates) + rng.normal(size=(n_blocks, 1))
    return np.round(shift + 0.5 * rng.normal(size=(n_blocks, n_candidates)), 2)


def run_race(losses, **rules):
    n_blocks, n_candidates = losses.shape
    return race(
        lambda alive, block: losses[block, alive],
        np.arange(n_candidates),
        range(n_blocks),
        **rules,
    )


def race_by_scipy(losses, alpha=0.05, first_test=5):
    """The same race with `scipy.stats.friedmanchisquare`, all anew for each block."""
    alive = np.arange(losses.shape[1])
    for n in range(first_test, len(losses) + 1):
        k = len(alive)
        if k < 3:
            break
        seen = losses[:n, alive]
        if stats.friedmanchisquare(*seen.T).pvalue >= alpha:
            continue
        ranks = stats.rankdata(seen, axis=1)
        sums, freedom = ranks.sum(axis=0), (n - 1) * (k - 1)
        spread = 2 * (n * (ranks**2).sum() - (sums**2).sum()) / freedom
        margin = stats.t.ppf(1 - alpha / 2, freedom) * np.sqrt(spread)
        alive = alive[sums - sums.min() <= margin]
    return alive


def measure_step(n_candidates=1000, n_blocks=200):
    """Time of a step beyond its evaluation, when no candidate is eliminated."""
    losses = step_losses(n_candidates, n_blocks)
    ends: list[float] = []
    lengths = []

    def evaluate(alive, block):
        if ends:
            lengths.append(time.perf_counter() - ends[-1])
        block_losses = losses[block]
        ends.append(time.perf_counter())
        return block_losses

    race(evaluate, range(n_candidates), range(n_blocks), alpha=1e-300)
    best = min(lengths[10:])
    return {"ours": best, "peer": 100e-6, "peer_name": "the limit"}


def measure_subsets(n_seeds=2):
    import racing_quality

    runs = [racing_quality.race_subsets(seed) for seed in range(n_seeds)]
    share = max(share for _, share in runs)
    n_best = sum(n_best for n_best, _ in runs)
    text = f"best subset in {n_best} of {n_seeds}, {share:.2%} of the predictions"
    return (0.02 / share if n_best == n_seeds else 0.0), text


def measure_recovery(n_inputs, n_runs):
    import racing_quality

    rates = racing_quality.recovery(n_inputs, n_runs)
    text = (
        f"selected {rates[0]:.0%} of {n_runs}, among winners {rates[1]:.0%}; "
        f"{rates[2]:.1g} of an exhaustive, {rates[3]:.0%} of a forward search"
    )
    return rates[0], text


def measure_sequential(n_seeds=3):
    import racing_quality

    ratio, errors = racing_quality.sequential(n_seeds)
    text = f"held-out error {errors[0]:.3f} sequential, {errors[1]:.3f} raced"
    return (ratio if errors[1] <= errors[0] * 1.001 else 0.0), text


def measure_search(n_seeds=3):
    import racing_quality

    grid, raced, halving, fits, _ = racing_quality.regrets(n_seeds)[-1]
    text = f"{fits:.0%} fits; regret: grid {grid:.3f}, race {raced:.3f}, halving "
    # A hundredth of a fold's standard deviation does not matter.
    return (1 / fits if raced <= grid + 0.01 else 0.0), f"{text}{halving:.3f}"


def benchmarks():
    losses = step_losses(1000)
    return [
        {
            "name": "race: a step of 1000 candidates",
            "why": "as many as a search assesses; no candidate is eliminated",
            "goal": 1.0,
            "measure": measure_step,
        },
        {
            "name": "race: 1000 candidates, 50 blocks",
            "why": "the whole race, without the cost of evaluations",
            "goal": 50.0,
            "ours": lambda: run_race(losses),
            "peer": lambda: race_by_scipy(losses),
            "peer_name": "scipy.stats.friedmanchisquare",
        },
        {
            "name": "race: all subsets of 10 inputs by rows",
            "why": "2000 rows, k = 10; the ratio is 2 % over the share of predictions",
            "goal": 1.0,
            "measure": measure_subsets,
        },
        {
            "name": "RACSAM: ten relevant of 20 inputs",
            "why": "1000 rows, 25 runs; the ratio is the share of runs that find them",
            "goal": 0.92,
            "measure": lambda: measure_recovery(20, 25),
        },
        {
            "name": "RACSAM: ten relevant of 50 inputs",
            "why": "the same, ten runs",
            "goal": None,
            "measure": lambda: measure_recovery(50, 10),
        },
        {
            "name": "RACSAM: against sequential selection",
            "why": "5 of 30 inputs, 1000 rows, k-NN, 10 folds, no worse held-out error",
            "goal": 10.0,
            "measure": measure_sequential,
        },
        {
            "name": "RaceSearchCV: grids of 36 on six sets",
            "why": "1 over the share of fits, where regret is no worse than the grid's",
            "goal": 1 / 0.6,
            "measure": measure_search,
        },
    ]
