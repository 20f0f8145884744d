"""Iterated races beside their slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sklazy.racing.iterated import IteratedRace
from sklazy.racing.rules import RaceRules


def run(losses, sizes, n_elites, evaluated=None, **rules):
    """Race the columns of a matrix in turn."""
    evaluated = [] if evaluated is None else evaluated

    def evaluate(alive, block):
        evaluated.extend((one, block) for one in alive)
        return losses[block, alive]

    races = IteratedRace(evaluate, len(losses), RaceRules(**rules), n_elites)
    return races.run(sizes[0], lambda number, _: sizes[number], len(sizes))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.lists(st.integers(2, 6), min_size=1, max_size=4),
    n_elites=st.integers(1, 3),
    test=st.sampled_from(["friedman", "friedman-paper", "t"]),
    coarse=st.booleans(),
)
def test_races_are_those_of_the_twin(seed, sizes, n_elites, test, coarse):
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    losses = rng.normal(size=(9, n)) + rng.uniform(0, 3, size=n)
    losses = losses.round() if coarse else losses  # ties
    evaluated = []
    ours = run(losses, sizes, n_elites, evaluated, test=test, first_test=3)
    winners, n_run = oracle.iterated_race(losses, sizes, n_elites, test)
    assert list(ours.winners) == winners
    assert ours.n_run.tolist() == n_run
    assert len(evaluated) == len(set(evaluated)) == sum(n_run)
    assert (ours.eliminated_at == 0).tolist() == [c in winners for c in range(n)]
    seen = np.isfinite(ours.losses)
    assert np.array_equal(ours.losses[seen], losses[: len(seen)][seen])


def test_survivors_are_compared_on_the_same_blocks():
    losses = np.random.default_rng(5).normal(size=(12, 20))
    ours = run(losses, [8, 6, 6], 3, first_test=3, n_winners=2)
    assert len({int(ours.n_run[c]) for c in ours.winners}) == 1


def test_an_elite_is_not_out_by_fewer_blocks_than_it_has():
    # The first three are alike over ten blocks, and bad in the first four.
    losses = np.full((10, 5), 5.0)
    losses[:4, :3], losses[4:, :3] = 9.0, 0.0
    losses += np.random.default_rng(0).normal(0, 0.01, losses.shape)
    ours = run(losses, [3, 2], 2, first_test=4, test="t")
    assert ours.n_run[:3].tolist() == [10, 10, 10]
    assert ours.winners[0] in (0, 1, 2)


def test_budgets_end_the_races():
    losses = np.random.default_rng(1).normal(size=(10, 40))
    for most in (10, 25, 60):
        evaluated = []
        ours = run(losses, [10, 10, 10], 2, evaluated, max_evaluations=most)
        assert len(evaluated) <= most
        assert ours.stopped == "evaluations"
    assert run(losses, [10, 10], 2, max_seconds=0).stopped == "seconds"


def test_no_new_candidates_end_the_races():
    losses = np.random.default_rng(1).normal(size=(10, 4))
    ours = run(losses, [4, 0, 9], 2)
    assert ours.losses.shape == (10, 4)


@pytest.mark.parametrize("place", [3, 25, 60])
def test_an_interrupt_keeps_what_is_done(place):
    losses = np.random.default_rng(1).normal(size=(6, 20))
    count = iter(range(10_000))

    def evaluate(alive, block):
        if next(count) * 5 >= place:
            raise KeyboardInterrupt
        return losses[block, alive]

    races = IteratedRace(evaluate, 6, RaceRules(first_test=3), 2)
    ours = races.run(8, lambda *_: 6, 3)
    assert ours.stopped == "interrupted"
    assert ours.winners
