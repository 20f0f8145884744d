"""The canonical order against plain integers, and as a fair draw of the rows."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import word64
from sklazy import LazyNBClassifier
from sklazy.casebase.canonical import (
    content_hashes,
    number_copies,
    sort_hashed,
    spread_copies,
)

words = st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1))


@given(
    st.integers(1, 3).flatmap(lambda d: st.lists(st.tuples(*[words] * d), min_size=1))
)
def test_rows_are_sorted_by_their_mixed_words(rows):
    def mixed(row):
        found = 0
        for word in row:
            found = word64(found ^ word, 0)
        return found

    columns = [np.array(column, np.uint64) for column in zip(*rows, strict=True)]
    hashes = content_hashes(columns)
    order = sort_hashed(hashes, lambda rows: (c[rows] for c in columns)).tolist()
    assert order == sorted(range(len(rows)), key=lambda i: mixed(rows[i]))


def spread(hashes):
    """Each row's hash, or that of its hash and number where copies came before."""
    seen = Counter()
    keys = []
    for own in hashes:
        number = seen[own]
        moved = (own + number * 0x9E3779B97F4A7C15) % 2**64
        keys.append(word64(moved, 0) if number else own)
        seen[own] += 1
    return keys


@given(st.lists(words))
def test_copies_get_numbers_of_their_own(hashes):
    found = np.array(sorted(hashes), np.uint64)
    keys = spread_copies(found, number_copies(found))
    assert keys.tolist() == spread(sorted(hashes))


def base_of(rows, seed=0):
    """Rows (a label, a class) in a shuffled order."""
    shuffled = np.random.default_rng(seed).permutation(len(rows))
    labels, classes = np.array(rows)[shuffled].T
    model = LazyNBClassifier().fit(labels[:, None].astype(object), classes)
    return model.cases_


def contents(base):
    """The content of the rows in canonical order."""
    classes, codes = base.cases.classes[base.order], base.cases.codes[0, base.order]
    return list(zip(codes.tolist(), classes.tolist(), strict=True))


def repeated(n_different, n_rows, seed):
    """Rows of few labels, a third of them yes, with numbers of copies that differ."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(n_different, n_rows, p=rng.dirichlet(np.ones(n_different)))
    classes = np.where(rng.random(n_rows) < 1 / 3, "yes", "no")
    return [(f"v{a}", c) for a, c in zip(labels, classes, strict=True)]


@pytest.mark.parametrize("n_different", [2, 30, 500])
def test_first_rows_are_a_fair_draw(n_different):
    n_rows, n_drawn, seeds = 2000, 300, range(20)
    drawn, chance, shares = [], [], []
    for seed in seeds:
        rows = contents(base_of(repeated(n_different, n_rows, seed)))
        drawn.append(len(set(rows[:n_drawn])))
        own = np.random.default_rng(seed).permutation(n_rows)[:n_drawn]
        chance.append(len({rows[i] for i in own}))
        classes = np.array([c for _, c in rows])
        shares.append(classes[:n_drawn].mean() - classes.mean())
    spread_of_chance = max(1.0, 4 * np.std(chance) / np.sqrt(len(seeds) / 2))
    assert abs(np.mean(drawn) - np.mean(chance)) < spread_of_chance
    error = np.sqrt(2 / 9 / n_drawn)  # of a share of a third
    assert abs(np.mean(shares)) < 4 * error / np.sqrt(len(seeds))
    assert np.abs(shares).max() < 4.5 * error


def test_equal_rows_of_two_classes_come_by_turns():
    rows = [("a", "yes")] * 600 + [("a", "no")] * 1400
    classes = np.array([c for _, c in contents(base_of(rows))])
    for first in range(0, 2000, 200):
        share = classes[first : first + 200].mean()
        assert abs(share - 0.3) < 4.5 * np.sqrt(0.21 / 200)


def test_the_order_follows_from_the_rows_alone():
    rows = repeated(5, 200, 0)
    assert contents(base_of(rows, 1)) == contents(base_of(rows, 2))


def test_forgotten_copies_leave_the_order_of_the_others():
    rows = repeated(5, 200, 0)
    labels, classes = np.array(rows).T
    model = LazyNBClassifier().fit(labels[:, None].astype(object), classes)
    model.forget(np.arange(0, 200, 3))
    left = [row for i, row in enumerate(rows) if i % 3]
    assert contents(model.cases_) == contents(base_of(left))
