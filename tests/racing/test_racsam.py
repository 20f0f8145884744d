"""RACSAM: sets of attributes, where they come from, and how they race."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sklazy.errors import BadInputError
from sklazy.racing.masks import SetNeighborhood, mask_of, members, read_mask, support_of
from sklazy.racing.racsam import Racsam, SearchRules
from sklazy.racing.schemata import Schemata
from sklazy.racing.starts import (
    correlation_ranking,
    gram_schmidt_ranking,
    quadratic_ranking,
    random_sets,
    sets_of_ranking,
)

# --- sets -----------------------------------------------------------------------------


@given(st.sets(st.integers(0, 3000), min_size=1, max_size=40))
def test_a_mask_and_its_members_are_the_same(attributes):
    mask = mask_of(attributes)
    assert members(mask) == tuple(sorted(attributes))
    assert mask_of(members(mask)) == mask
    assert np.flatnonzero(support_of(mask, 3001)).tolist() == sorted(attributes)


def test_users_give_sets_as_numbers_or_as_booleans():
    assert read_mask([2, 0], 3) == read_mask([True, False, True], 3) == 0b101
    for wrong in ([3], [-1], [], [0.5], [True, False]):
        with pytest.raises(BadInputError, match="start has"):
            read_mask(wrong, 3)


# --- where a search starts ------------------------------------------------------------


def columns_and_target(seed, n_rows=60, n_columns=6):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_rows, n_columns))
    columns[:, 4] = columns[:, 0] + columns[:, 1]  # in the span of others
    columns[:, 5] = 3.0  # says nothing
    return columns, (2 * columns[:, :1] - columns[:, 1:2] + rng.normal(size=(60, 1)))


@pytest.mark.parametrize("seed", range(10))
def test_rankings_equal_their_slow_twins(seed):
    columns, target = columns_and_target(seed)
    slow = oracle.gram_schmidt_ranking(columns, target[:, 0], 4)
    assert gram_schmidt_ranking(columns, target, 4) == slow
    slow = oracle.correlation_ranking(columns, target[:, 0])
    assert correlation_ranking(columns, target, 5) == slow[:5]
    slow = oracle.bent_ranking(columns, target[:, 0])
    assert quadratic_ranking(columns, target) == slow


def test_a_quadratic_effect_is_seen():
    """The middle differs from both ends, and missing cells say nothing."""
    rng = np.random.default_rng(0)
    columns = rng.uniform(size=(500, 200))
    target = (columns[:, 123:124] - 0.5) ** 2
    columns[::7, 123] = np.nan
    assert quadratic_ranking(columns, target)[0] == 123
    assert correlation_ranking(columns, target, 1) != [123]


def test_a_ranking_of_all_columns_names_each_once():
    columns, target = columns_and_target(0)
    assert sorted(gram_schmidt_ranking(columns, target, 6)) == list(range(6))


def test_missing_cells_do_not_stop_a_ranking():
    columns, target = columns_and_target(0)
    columns[::3, 0] = np.nan
    assert correlation_ranking(columns, target, 1) == [0]


def test_starting_sets_are_different_and_not_empty():
    rng = np.random.default_rng(0)
    for sets in (
        random_sets(8, 40, rng, 8),
        sets_of_ranking([3, 1, 2, 0, 5], 20, rng),
        random_sets(2, 40, rng, 2),
    ):
        assert len(set(sets)) == len(sets)
        assert all(sets)
    assert sorted(random_sets(2, 40, rng, 2)) == [1, 2, 3]
    heads = sets_of_ranking([3, 1, 2], 10, rng)[:3]
    assert heads == [mask_of([3]), mask_of([3, 1]), mask_of([3, 1, 2])]


# --- neighbors -----------------------------------------------------------------------


def test_neighbors_differ_by_one_then_by_an_exchange_and_come_once():
    around = SetNeighborhood(np.ones(5), 100, np.random.default_rng(0))
    first = around.draw([0b00111])
    assert sorted(first) == sorted(0b00111 ^ (1 << j) for j in range(5))
    exchanged = around.draw([0b00111])
    assert len(exchanged) == 6
    assert all((mask ^ 0b00111).bit_count() == 2 for mask in exchanged)
    assert all(mask.bit_count() == 3 for mask in exchanged)
    assert around.draw([0b00111]) == []


def test_neighbors_come_in_portions_heavy_ones_first():
    weights = np.full(1000, 1e-9)
    weights[[7, 8, 9]] = 1.0
    around = SetNeighborhood(weights, 4, np.random.default_rng(0))
    assert sorted(around.draw([1])) == sorted([1 | 1 << 7, 1 | 1 << 8, 1 | 1 << 9])
    assert len(around.draw([1])) == 4


def test_the_empty_set_is_no_neighbor():
    around = SetNeighborhood(np.ones(3), 9, np.random.default_rng(0))
    assert 0 not in around.draw([1])
    assert sorted(around.around(1)) == [0b011, 0b101]


def test_around_a_set_are_all_that_drop_one_and_some_that_add_one():
    weights = np.arange(50.0)
    around = SetNeighborhood(weights, 2, np.random.default_rng(0)).around(0b111)
    assert sorted(around) == sorted([0b011, 0b101, 0b110, 7 | 1 << 49, 7 | 1 << 48])


# --- the search -----------------------------------------------------------------------

TRUE = 0b10110


def toy_losses(noise=0.3):
    """Each attribute missing costs 1, each one too many 0.2."""
    rng = np.random.default_rng(1)

    def losses(masks, test, training):
        assert not set(test.tolist()) & set(training.tolist())
        wanting = np.array([(TRUE & ~mask).bit_count() for mask in masks])
        too_many = np.array([(mask & ~TRUE).bit_count() for mask in masks])
        shared = rng.normal()
        return wanting + 0.2 * too_many + shared + noise * rng.normal(size=len(masks))

    return losses


def blocks(n_rows=80):
    rows = np.arange(n_rows)
    return [(rows[i : i + 1], np.delete(rows, i)) for i in range(n_rows)]


def search(losses=None, seed=0, **rules):
    rng = np.random.default_rng(seed)
    racsam = Racsam(losses or toy_losses(), blocks(), SearchRules(**rules), rng)
    around = SetNeighborhood(np.ones(6), 100, rng)
    winners = racsam.explore([0b000001, 0b111111], around)
    return racsam.result(racsam.confirm(winners, around))


@pytest.mark.parametrize("seed", range(5))
def test_the_search_finds_the_set(seed):
    found = search(seed=seed)
    assert found.winners[0] == TRUE
    assert found.smallest == TRUE
    assert found.stopped == "no improvement"


def test_the_same_seed_gives_the_same_search():
    first, again = search(seed=3), search(seed=3)
    assert first.history == again.history
    assert first.winners == again.winners


def test_a_search_counts_what_it_did():
    asked, sets = [0], set()
    counted = toy_losses()

    def losses(masks, test, training):
        asked[0] += len(masks)
        sets.update(masks)
        return counted(masks, test, training)

    found = search(losses)
    assert found.n_predictions == asked[0]
    assert found.n_candidates == len(sets)
    assert found.losses.shape[1] == len(found.winners)
    assert {step.phase for step in found.history} == {"explore", "confirm"}


def test_sub_samples_grow_and_are_shared_by_all_sets():
    sizes = []
    ask = toy_losses(noise=5.0)

    def losses(masks, test, training):
        sizes.append(len(training))
        return ask(masks, test, training)

    rules = SearchRules(sampling=(0.25, 10), max_blocks=20, n_winners=1)
    racsam = Racsam(losses, blocks(), rules, np.random.default_rng(0))
    racsam.race_sets("explore", list(range(1, 40)))
    grown = [20, 26, 32, 38, 43, 49, 55, 61, 67, 73, 79]
    assert sizes[: len(grown)] == [
        round(79 * (0.25 + 0.75 * i / 10)) for i in range(len(grown))
    ]
    assert sizes[10:] == [79] * (len(sizes) - 10)
    racsam.race_sets("confirm", [1, 2, 3])
    assert sizes[-1] == 79


def test_the_search_stops_when_its_budget_is_spent():
    assert search(max_candidates=3).stopped == "candidates"
    assert search(max_seconds=0).stopped == "seconds"


def test_an_interrupt_keeps_the_winners():
    ask, asked = toy_losses(), [0]

    def losses(masks, test, training):
        asked[0] += 1
        if asked[0] > 12:
            raise KeyboardInterrupt
        return ask(masks, test, training)

    found = search(losses)
    assert found.stopped == "interrupted"
    assert found.winners


def test_the_smallest_of_equals_is_told_apart_from_the_best():
    def losses(masks, test, training):
        rng = np.random.default_rng(test[0])
        noise = rng.normal(size=8)
        return np.array([(mask == 0b11) * -0.01 + noise[mask % 8] for mask in masks])

    rules = SearchRules(test="hoeffding", n_winners=3)
    racsam = Racsam(losses, blocks(), rules, np.random.default_rng(0))
    winners = racsam.race_sets("confirm", [0b11, 0b01, 0b111])
    assert racsam.result(winners).smallest == 0b01


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"sampling": (0, 5)}, "sampling="),
        ({"sampling": (0.5, -1)}, "sampling="),
        ({"n_winners": 0}, "n_winners=0"),
        ({"max_candidates": 0}, "max_candidates=0"),
    ],
)
def test_bad_rules_are_refused_by_name(rules, words):
    with pytest.raises(BadInputError, match=words):
        SearchRules(**rules)


# --- schemata -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_schemata_decide_attribute_by_attribute(seed):
    rng = np.random.default_rng(seed)
    rules = SearchRules(max_blocks=40)
    racsam = Racsam(toy_losses(), blocks(), rules, rng)
    (found,) = racsam.search_schemata(6)
    assert found & TRUE == TRUE
    assert racsam.history[0].phase == "schemata"
    assert racsam.history[0].n_predictions <= 7 * racsam.history[0].n_blocks


def test_a_schema_draws_sets_that_differ_in_one_undecided_attribute():
    schemata = Schemata(40, 0.05, 5, 10, np.random.default_rng(0))
    here, *others = schemata.draw()
    assert len(others) == 10
    assert all((here ^ other).bit_count() == 1 for other in others)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000))
def test_differences_are_those_with_less_those_without(seed):
    rng = np.random.default_rng(seed)
    schemata = Schemata(5, 0.05, 3, 10, rng)
    worth = rng.normal(size=5)
    for _ in range(2):
        masks = schemata.draw()
        schemata.enter([worth @ support_of(mask, 5) for mask in masks])
    assert np.allclose(schemata._means, worth)
