"""The add-and-forget law on larger bases: wide columns, weights, large batches."""

import random

import numpy as np
import pytest

from sklazy.casebase import CaseBase
from sklazy.storage import load_cases, save_cases
from sklazy.tables import Column, Table, as_target

CLASSES = "abcdefgh"
BATCHES = (0, 1, 2, 30, 300)


class History:
    """Random rows of six columns: two with numbers, one without, three with labels."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.width = self.chance.choice([3, 64, 66, 300])
        self.has_numbers = self.chance.random() < 0.3
        self.pool = [self.row() for _ in range(4)]
        self.repeats = self.chance.random() < 0.3

    def row(self):
        pick = self.chance.choice
        label = pick(CLASSES[:3] if self.chance.random() < 0.95 else CLASSES)
        near = 3.0 * CLASSES.index(label) + self.chance.gauss(0, 1)
        return (
            *(pick([None, round(near), near, -0.0]), None, pick([near, 0.5])),
            *(pick([None, "x", "y"]), self.chance.randrange(self.width)),
            *(pick([None, None, True, 0.5]), label, pick([1.0, 1.0, 2.0])),
        )

    def rows(self, n_rows):
        known = self.pool if self.repeats else None
        return [
            self.chance.choice(known) if known else self.row() for _ in range(n_rows)
        ]

    def table(self, rows):
        cells = list(zip(*rows, strict=True)) or [()] * 8
        numbers = [
            Column(f"n{j}", "numeric", np.array(cells[j], float)) for j in range(3)
        ]
        return Table((*numbers, *(self.nominal(j, cells[j]) for j in (3, 4, 5))))

    def nominal(self, j, cells):
        labels = list({cell for cell in cells if cell is not None})
        self.chance.shuffle(labels)
        codes = [-1 if cell is None else labels.index(cell) for cell in cells]
        return Column(f"c{j}", "nominal", np.array(codes, np.int32), tuple(labels))

    def given(self, rows):
        labels = [row[6] for row in rows]
        target = as_target(labels, "nominal") if rows else self.nominal(6, ())
        if self.has_numbers:
            target = np.array([ord(label) / 7 for label in labels])
        weights = [row[7] for row in rows]
        plain = all(weight == 1 for weight in weights)
        return self.table(rows), target, None if plain else weights

    def base(self, rows):
        table, target, weights = self.given(rows)
        return CaseBase(table, target, weights=weights)


@pytest.mark.parametrize("seed", range(15))
def test_any_history_has_the_digest_of_a_fresh_build(seed, tmp_path):
    history = History(seed)
    chance = history.chance
    rows = history.rows(chance.choice([1, 5, 50, 400]))
    cases, alive = history.base(rows), dict(enumerate(rows))
    for _ in range(chance.randint(2, 8)):
        if chance.random() < 0.5:
            rows = history.rows(chance.choice(BATCHES))
            table, target, weights = history.given(rows)
            ids = cases.add(table, target, weights=weights)
            alive |= dict(zip(ids.tolist(), rows, strict=True))
        elif len(alive) > 1:
            n_gone = min(len(alive) - 1, chance.choice([1, 2, 20, 10**6]))
            gone = chance.sample(sorted(alive), n_gone)
            cases.forget(gone)
            alive = {i: row for i, row in alive.items() if i not in gone}
        step = chance.choice(["digest", "order", "file", "nothing"])
        if step == "digest":
            cases.digest()
        if step == "order":
            assert sorted(cases.order) == list(range(cases.n_rows))
        if step == "file":
            save_cases(cases, tmp_path / "cases")
            cases = load_cases(tmp_path / "cases")
    rows = list(alive.values())
    chance.shuffle(rows)
    fresh = history.base(rows)
    assert cases.digest() == fresh.digest()
    for name in ("offsets", "counts", "class_counts", "starts", "ranges"):
        np.testing.assert_array_equal(
            getattr(cases.cases, name), getattr(fresh.cases, name)
        )
    queries = history.table(history.rows(20))
    np.testing.assert_array_equal(
        cases.encode(queries).codes, fresh.encode(queries).codes
    )


def exchange(history, cases, alive):
    """One row comes, and the oldest goes."""
    rows = history.rows(1)
    table, target, weights = history.given(rows)
    (new,) = cases.add(table, target, weights=weights).tolist()
    alive[new] = rows[0]
    cases.forget([min(alive)])
    del alive[min(alive)]


def assert_same(cases, fresh):
    for name in ("offsets", "counts", "class_counts", "starts", "ranges"):
        np.testing.assert_array_equal(
            getattr(cases.cases, name), getattr(fresh.cases, name)
        )
    codes = [own.cases.codes[:, own.order] for own in (cases, fresh)]
    np.testing.assert_array_equal(*codes)
    assert cases.digest() == fresh.digest()


@pytest.mark.parametrize("seed", range(12))
def test_codes_and_counts_sleep_until_somebody_reads_them(seed):
    history = History(seed)
    rows, slept = history.rows(40), 0
    cases, alive = history.base(rows), dict(enumerate(rows))
    for turn in range(30):
        exchange(history, cases, alive)
        with cases.snapshot() as state:
            assert state.cases.numbers.shape[1] >= 40
            slept += state.tallies.asleep
            if turn in (11, 12):
                assert_same(state, history.base(list(alive.values())))
                assert not cases.tallies.asleep
    assert slept > 10
    np.testing.assert_array_equal(
        cases.take(np.arange(40)).codes, cases.cases.codes[:, :40]
    )
    assert_same(cases, history.base(list(alive.values())))


@pytest.mark.parametrize("seed", range(6))
def test_a_past_state_wakes_by_itself(seed):
    history = History(seed)
    rows = history.rows(40)
    cases, alive = history.base(rows), dict(enumerate(rows))
    assert cases.cases.counts.shape[1] == len(cases.class_labels)
    for _ in range(10):
        exchange(history, cases, alive)
    with cases.snapshot() as state:
        assert state.tallies.asleep
        before = history.base(list(alive.values()))
        exchange(history, cases, alive)
        assert_same(state, before)
        assert cases.tallies.asleep
    assert_same(cases, history.base(list(alive.values())))


def test_frozen_cuts_do_not_sleep():
    history = History(3)
    history.has_numbers = False
    table, target, weights = history.given(history.rows(60))
    cases = CaseBase(table, target, weights=weights, cuts="frozen")
    cuts, alive = cases.cuts, dict.fromkeys(range(60))
    for _ in range(20):
        with pytest.warns(UserWarning, match="frozen"):
            exchange(history, cases, alive)
    assert cases.tallies.asleep
    for now, then in zip(cases.cuts, cuts, strict=True):
        np.testing.assert_array_equal(now, then)
