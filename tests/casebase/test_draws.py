"""Draws: the first rows in canonical order, which stay while these stay."""

import numpy as np
import pytest

from sklazy.casebase import CaseBase
from sklazy.casebase.draws import find_draw
from sklazy.tables import as_table, as_target

N_DRAWN = 40


def make_base(n_rows=200, n_copies=1):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(n_rows, 2)).round(3), n_copies, axis=0)
    return CaseBase(as_table(X), as_target(list("ab" * (len(X) // 2)), "nominal")), X


def draw(base):
    with base.snapshot() as state:
        return find_draw(state, N_DRAWN), state.order[:N_DRAWN]


def add(base, row, label="a"):
    base.add(as_table(row[None]), as_target([label], "nominal"))


def test_a_draw_has_the_first_rows_in_their_order():
    base, X = make_base(20, 10)  # the same rows ten times
    drawn, rows = draw(base)
    assert np.array_equal(drawn.order, np.arange(N_DRAWN))
    assert np.array_equal(drawn.cases.numbers[:, :N_DRAWN], X[base.ids[rows]].T)
    assert np.array_equal(drawn.cases.classes[:N_DRAWN], base.cases.classes[rows])
    assert drawn.cases.class_counts.sum() == N_DRAWN


def test_few_rows_are_all_drawn():
    base, _ = make_base(N_DRAWN)
    assert find_draw(base, N_DRAWN) is base


def test_a_draw_stays_until_one_of_its_rows_moves():
    base, _ = make_base()
    rng, stayed = np.random.default_rng(1), []
    for _ in range(100):
        before, rows = draw(base)
        expected = base.ids[rows].copy()
        add(base, rng.normal(size=2).round(3), "b")
        after, rows = draw(base)
        stayed.append(before is after)
        assert stayed[-1] == np.array_equal(expected, base.ids[rows])
    assert 70 < sum(stayed) < 100
    drawn, rows = draw(base)
    outside, inside = base.ids[base.order[[N_DRAWN, 0]]].tolist()
    base.forget([outside])
    assert draw(base)[0] is drawn
    base.forget([inside])
    assert draw(base)[0] is not drawn


@pytest.mark.parametrize("label", ["a", "c"])
def test_a_new_label_makes_a_new_draw(label):
    base, _ = make_base()
    drawn, _ = draw(base)
    while draw(base)[0] is drawn and base.n_rows < 230:
        add(base, np.array([base.n_rows, 0.5]), label)
    assert base.n_rows > 200
    assert base.n_rows == 201 or label == "a"


def test_an_id_that_comes_again_is_another_row():
    base, X = make_base()
    drawn, rows = draw(base)
    first = int(base.ids[rows[0]])
    base.forget([first])
    base.add(as_table(X[:1] + 9), as_target(["a"], "nominal"), ids=[first])
    assert draw(base)[0] is not drawn
