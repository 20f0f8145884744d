"""Races: the engine, its tests, and what can go wrong on the way."""

import csv
import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from golden_files import read_golden
from sklazy import race
from sklazy.errors import AllFailedError, BadInputError, DataWarning
from sklazy.racing.criteria import Friedman, Parsimony
from sklazy.racing.rules import TESTS

R_NAMES = {
    "friedman": "friedman",
    "t.none": "t",
    "t.holm": "t-holm",
    "t.bonferroni": "t-bonferroni",
}


def run(losses, **rules):
    """Race the columns of a matrix."""
    return race(
        lambda alive, block: losses[block, alive],
        range(losses.shape[1]),
        range(len(losses)),
        **rules,
    )


def spread_losses(n_blocks=40, n_candidates=6, seed=0):
    rng = np.random.default_rng(seed)
    shifts = np.linspace(0, 2, n_candidates)
    return shifts + rng.normal(size=(n_blocks, n_candidates))


# --- agreement with R -----------------------------------------------------------------


def test_outcomes_equal_those_of_the_r_package():
    cases = list(csv.DictReader(read_golden("race_r/golden_race.csv").splitlines()))
    assert len(cases) == 80
    wrong = [case["id"] for case in cases if not agrees_with_r(case)]
    assert not wrong


def agrees_with_r(case):
    table, test, first, level = case["id"].split("__")
    lines = read_golden(f"race_r/{table}.csv").splitlines()
    losses = np.loadtxt(lines, delimiter=",", skiprows=1)
    result = run(
        losses,
        test=R_NAMES[test],
        first_test=int(first.removeprefix("ft")),
        alpha=1 - float(level.removeprefix("cl")),
    )
    ours = {
        "best_1based": str(result.best + 1),
        "tasks_used": str(len(result.losses)),
        "experiments": str(result.n_evaluations),
        "alive_1based": " ".join(str(c + 1) for c in sorted(result.winners)),
        "tasks_evaluated_per_candidate": " ".join(map(str, result.n_run)),
    }
    return all(case[key] == value for key, value in ours.items())


# --- agreement with the slow twin -----------------------------------------------------


@st.composite
def loss_matrices(draw):
    """Losses with ties, constant columns, and one or two candidates, too."""
    n_blocks = draw(st.integers(2, 40))
    n_candidates = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    losses = rng.normal(size=(n_blocks, n_candidates))
    losses += draw(st.floats(0, 2)) * np.arange(n_candidates)
    if draw(st.booleans()):
        losses = np.round(losses)  # whole numbers: ties, and exact sums
        losses[:, rng.random(n_candidates) < 0.2] = 1.0
    return losses


@pytest.mark.parametrize("test", sorted(TESTS))
@given(
    losses=loss_matrices(),
    alpha=st.sampled_from([0.01, 0.05, 0.3]),
    first_test=st.integers(2, 6),
    min_effect=st.sampled_from([0.0, 0.0, 0.7]),
    n_winners=st.integers(1, 3),
)
@settings(deadline=None, max_examples=60)
def test_a_race_equals_its_slow_twin(
    test, losses, alpha, first_test, min_effect, n_winners
):
    rules = {
        "test": test,
        "alpha": alpha,
        "first_test": first_test,
        "min_effect": min_effect,
        "n_winners": min(n_winners, losses.shape[1]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fast = run(losses, **rules)
    alive, eliminated_at, used = oracle.race(losses, **rules)
    assert sorted(fast.winners) == alive
    assert fast.eliminated_at.tolist() == eliminated_at
    assert len(fast.losses) == used


@given(losses=loss_matrices(), width=st.floats(0.5, 3))
@settings(deadline=None, max_examples=30)
def test_a_hoeffding_race_of_known_range_equals_its_twin(losses, width):
    rules = {"test": "hoeffding", "first_test": 2, "loss_range": width, "alpha": 0.3}
    alive, eliminated_at, _ = oracle.race(losses, **rules)
    fast = run(losses, **rules)
    assert sorted(fast.winners) == alive
    assert fast.eliminated_at.tolist() == eliminated_at


# --- what a result says ---------------------------------------------------------------


def test_a_result_is_consistent():
    losses = spread_losses()
    result = run(losses)
    assert result.best == result.winners[0]
    assert result.stopped in {"winners", "blocks"}
    kept = np.isfinite(result.losses)
    assert np.array_equal(result.losses[kept], losses[: len(result.losses)][kept])
    for candidate, out in enumerate(result.eliminated_at):
        assert kept[:, candidate].sum() == (out or len(result.losses))
    dropped = [c for step in result.history for c in step.dropped]
    assert sorted(dropped + list(result.winners)) == list(range(6))
    assert [step.n_blocks for step in result.history] == list(
        range(1, len(result.losses) + 1)
    )
    assert result.history[-1].n_alive == len(result.winners)
    assert result.history[-1].best == result.best
    assert np.allclose(result.mean_losses, np.nanmean(result.losses, axis=0))
    assert result.history[-1].best_loss == pytest.approx(
        result.mean_losses[result.best]
    )


def test_only_candidates_alive_are_evaluated():
    losses = spread_losses()
    asked = []

    def evaluate(alive, block):
        asked.append(list(alive))
        return losses[block, alive]

    result = race(evaluate, range(6), range(40))
    for row, names in zip(result.losses, asked, strict=True):
        assert np.flatnonzero(np.isfinite(row)).tolist() == names


def test_an_array_of_candidates_is_evaluated_in_arrays():
    losses = spread_losses()

    def evaluate(alive, block):
        assert isinstance(alive, np.ndarray)
        if block == 8 and len(alive) > 1:
            raise OSError("ask again, one by one")
        return losses[block, alive]

    result = race(evaluate, np.arange(6), range(40))
    plain = run(losses)
    assert result.winners == plain.winners
    assert np.array_equal(result.losses, plain.losses, equal_nan=True)


def test_an_evaluation_may_use_one_array_for_all_its_answers():
    losses, answer = spread_losses(), np.empty(spread_losses().shape[1])

    def evaluate(alive, block):
        answer[: len(alive)] = losses[block, list(alive)]
        return answer[: len(alive)]

    reused = race(evaluate, range(losses.shape[1]), range(len(losses)))
    assert np.array_equal(reused.losses, run(losses).losses, equal_nan=True)


def test_every_step_is_reported():
    steps = []
    result = run(spread_losses(), on_step=steps.append)
    assert tuple(steps) == result.history


# --- when a race ends -----------------------------------------------------------------


def test_equals_end_the_race_within_the_indifference_zone():
    rng = np.random.default_rng(3)
    losses = rng.normal(size=(200, 1)) + 0.01 * rng.normal(size=(200, 4))
    assert run(losses, min_effect=0.1).stopped == "equal"
    assert len(run(losses, min_effect=0.1).losses) == 5
    assert len(run(losses).losses) > 5


def test_the_number_of_winners_is_kept():
    for test, n_winners in itertools.product(sorted(TESTS), [1, 2, 4]):
        result = run(
            spread_losses(3000, 6), test=test, n_winners=n_winners, loss_range=6.0
        )
        assert result.stopped == "winners"
        assert len(result.winners) >= n_winners
    assert len(run(spread_losses(5, 6), n_winners=6).winners) == 6


def test_budgets():
    losses = np.random.default_rng(0).normal(size=(50, 4))
    assert run(losses, max_blocks=7, alpha=1e-9).stopped == "blocks"
    assert len(run(losses, max_blocks=7, alpha=1e-9).losses) == 7
    paid = run(losses, max_evaluations=30, alpha=1e-9)
    assert paid.stopped == "evaluations"
    assert paid.n_evaluations == 28


def test_a_time_budget_of_zero_still_gives_an_answer():
    result = run(spread_losses(), max_seconds=0)
    assert result.stopped == "seconds"
    assert len(result.losses) == 1
    assert result.best == int(np.argmin(result.losses[0]))


def test_an_interrupt_keeps_what_is_known():
    losses = spread_losses()

    def evaluate(alive, block):
        if block == 3:
            raise KeyboardInterrupt
        return losses[block, alive]

    result = race(evaluate, range(6), range(40))
    assert result.stopped == "interrupted"
    assert len(result.losses) == 3
    assert result.best == int(np.argmin(losses[:3].sum(axis=0)))


def test_an_interrupt_with_nothing_known_is_an_interrupt():
    def evaluate(alive, block):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        race(evaluate, range(3), range(9))


def test_one_candidate_wins_and_has_a_loss():
    result = run(spread_losses(40, 1))
    assert result.winners == (0,)
    assert result.stopped == "winners"
    assert np.isfinite(result.mean_losses[0])


def test_a_larger_candidate_must_soon_be_better():
    rng = np.random.default_rng(0)
    losses = rng.normal(size=(400, 4)) + np.array([0.0, 0.15, 0.15, -0.6])
    larger = np.array([False, True, False, True])
    test = Parsimony(Friedman(1e-200), incumbent=0, larger=larger)
    result = run(losses, test=test)
    # Not significant, but rather worse than the incumbent, and larger.
    assert Parsimony.PATIENCE <= result.eliminated_at[1] < 400
    assert result.eliminated_at[[0, 2, 3]].tolist() == [0, 0, 0]
    test = Parsimony(Friedman(0.05), incumbent=0, larger=larger)
    assert run(losses, test=test).winners == (3,)


# --- failing evaluations --------------------------------------------------------------


def test_a_loss_that_is_not_finite_eliminates_the_candidate():
    losses = spread_losses()
    losses[2, 0], losses[6, 1] = np.nan, np.inf
    result = run(losses)
    assert result.reasons[0] == "the loss nan"
    assert result.reasons[1] == "the loss inf"
    assert result.eliminated_at[:2].tolist() == [3, 7]
    assert result.n_run[:2].tolist() == [2, 6]
    assert result.history[2].failed == (0,)
    assert not {0, 1} & set(result.winners)


def test_an_evaluation_that_raises_eliminates_only_that_candidate():
    losses = spread_losses()

    def evaluate(alive, block):
        if 0 in alive and block == 1:
            raise ZeroDivisionError("no luck")
        return losses[block, alive]

    result = race(evaluate, range(6), range(40))
    assert result.reasons == {0: "ZeroDivisionError: no luck"}
    assert np.array_equal(result.losses[1, 1:], losses[1, 1:])


def test_an_exception_may_stand_for_a_loss():
    def evaluate(alive, block):
        return [ValueError("odd") if c % 2 else float(c) for c in alive]

    result = race(evaluate, range(4), range(9))
    assert result.reasons == {1: "ValueError: odd", 3: "ValueError: odd"}


def test_no_candidate_left_is_an_error_with_the_reason():
    def evaluate(alive, block):
        raise OSError("disk full")

    with pytest.raises(AllFailedError, match="OSError: disk full"):
        race(evaluate, range(3), range(9))


# --- bad input ------------------------------------------------------------------------


def test_fewer_blocks_than_the_first_test_are_warned_about():
    with pytest.warns(DataWarning, match="first_test=5"):
        result = run(spread_losses(3))
    assert len(result.winners) == 6


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"test": "anova"}, "test='anova'"),
        ({"alpha": 0}, "alpha=0"),
        ({"alpha": float("nan")}, "alpha=nan"),
        ({"first_test": 1}, "first_test=1"),
        ({"n_winners": 0}, "n_winners=0"),
        ({"n_winners": 7}, "n_winners=7 of 6"),
        ({"min_effect": -1}, "min_effect=-1"),
        ({"max_blocks": 0}, "max_blocks=0"),
        ({"max_evaluations": 5}, "max_evaluations=5"),
        ({"max_seconds": -1}, "max_seconds=-1"),
        ({"loss_range": float("nan")}, "loss_range=nan"),
    ],
)
def test_bad_rules_are_refused_by_name(rules, words):
    with pytest.raises(BadInputError, match=words):
        run(spread_losses(), **rules)


def test_nothing_to_race_is_refused():
    with pytest.raises(BadInputError, match="candidates is empty"):
        race(lambda alive, block: [], [], range(5))
    with pytest.raises(BadInputError, match="blocks is empty"):
        race(lambda alive, block: [0.0, 0.0], range(2), [])


def test_a_wrong_number_of_losses_is_refused():
    with pytest.raises(BadInputError, match="one number for each"):
        race(lambda alive, block: [1.0], range(3), range(5))


# --- the statistical promise ----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "gap"),
    [
        ("friedman", 0.3),
        ("friedman-paper", 0.3),
        ("hoeffding", 0.0),
        ("t-holm", 0.3),
        ("t-bonferroni", 0.3),
        # Uncorrected for the number of candidates: only a clear best is safe.
        ("brace", 1.0),
        ("t", 1.0),
    ],
)
@pytest.mark.parametrize("skewed", [False, True])
def test_the_best_is_dropped_no_more_often_than_alpha(test, gap, skewed):
    """All other candidates are worse by `gap` standard deviations of the noise."""
    n_races, alpha, lost = 400, 0.05, 0
    for seed in range(n_races):
        rng = np.random.default_rng([seed, skewed])
        losses = (rng.exponential if skewed else rng.normal)(size=(60, 10))
        losses[:, 1:] += gap
        lost += bool(run(losses, test=test, alpha=alpha).eliminated_at[0])
    chance = np.sqrt(alpha * (1 - alpha) / n_races)
    assert lost / n_races <= alpha + 2 * chance
