"""Codes, classes, weights and ids take no more memory than they must."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy.casebase import CaseBase
from sklazy.casebase.rows import narrowest
from sklazy.flow import Narrow
from sklazy.tables import Column, Table

EDGES = [1, 126, 127, 128, 129, 300]


def labels_of(numbers):
    """A column of labels that sort as the numbers do."""
    found = sorted(set(numbers))
    codes = np.array([found.index(n) for n in numbers], np.int32)
    return Column("x", "nominal", codes, tuple(f"{n:06d}" for n in found))


def base_of(numbers, **options):
    column = labels_of(numbers)
    return CaseBase(Table((column,)), column, **options)


def add(base, numbers, **options):
    column = labels_of(numbers)
    return base.add(Table((column,)), column, **options)


def by_arrival(base):
    order = np.argsort(base.arrival)
    return base.cases.codes[0, : base.n_rows][order].tolist()


@pytest.mark.parametrize("n_before", EDGES)
@pytest.mark.parametrize("n_after", EDGES)
def test_types_grow_when_labels_are_added_below_and_above(n_before, n_after):
    # Labels below those that are there renumber them: past what their type holds.
    above, below = list(range(500, 500 + n_before)), list(range(n_after))
    grown, whole = base_of(above), base_of(above + below)
    add(grown, below)
    wanted = narrowest(n_before + n_after - 1)
    assert grown.rows.codes.dtype == grown.rows.classes.dtype == wanted
    assert grown.digest() == whole.digest()
    assert (
        by_arrival(grown)
        == by_arrival(whole)
        == [*range(n_after, n_after + n_before), *range(n_after)]
    )
    grown.forget(np.arange(n_before, n_before + n_after))
    assert grown.digest() == base_of(above).digest()
    copied = pickle.loads(pickle.dumps(grown)).rows
    assert copied.codes.dtype == copied.classes.dtype == narrowest(n_before - 1)


def test_a_change_that_fails_takes_larger_types_back(monkeypatch):
    base = base_of(range(500, 600))
    before, codes = base.digest(), base.rows.codes
    monkeypatch.setattr(base.ranges, "widen", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        add(base, range(100), weights=np.full(100, 2.0), ids=range(900, 1000))
    assert base.rows.codes is codes
    assert not base.rows.own_weights.size
    assert base.digest() == before
    assert by_arrival(base) == list(range(100))
    assert sorted(base.ids) == list(range(100))


def test_weights_are_kept_from_the_first_that_is_not_one():
    base, other = base_of(range(9)), base_of(range(9))
    add(base, range(3), weights=[1, 1, 1])
    assert not base.rows.own_weights.size
    assert base.weights.tolist() == base.cases.weights.tolist() == [1.0] * 12
    ids = add(base, range(2), weights=[1, 3])
    assert base.weights[np.argsort(base.arrival)].tolist() == [1.0] * 13 + [3.0]
    assert base.weighted
    base.forget([*ids, *range(9, 12)])
    assert not base.weighted
    assert base.digest() == other.digest()
    assert not pickle.loads(pickle.dumps(base)).rows.own_weights.size


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_ids_that_are_numbers_of_arrival_are_as_good_as_kept(data):
    base, alive, next_id = base_of(range(4)), list(range(4)), 4
    for _ in range(data.draw(st.integers(1, 6))):
        if data.draw(st.booleans()) or len(alive) < 3:
            n_rows = data.draw(st.integers(1, 3))
            given_ids = list(range(next_id + 7, next_id + 7 + n_rows))
            if data.draw(st.booleans()):
                add(base, range(n_rows), ids=given_ids)
            else:
                given_ids = list(range(next_id, next_id + n_rows))
                assert add(base, range(n_rows)).tolist() == given_ids
            alive, next_id = alive + given_ids, given_ids[-1] + 1
        else:
            gone = data.draw(
                st.lists(st.sampled_from(alive), min_size=1, max_size=2, unique=True)
            )
            base.forget(gone)
            alive = [i for i in alive if i not in gone]
        assert base.ids[np.argsort(base.arrival)].tolist() == alive
    copied = pickle.loads(pickle.dumps(base))
    assert copied.ids.tolist() == base.ids.tolist()


def test_rows_of_labels_take_what_they_must():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (28, 50_000)).astype(np.int32)
    columns = [
        Column(f"x{j}", "nominal", c, tuple("abcdef")) for j, c in enumerate(codes)
    ]
    base = CaseBase(Table(tuple(columns)), columns[0])
    used = base.cases
    rows, tallies = base.rows, base.tallies
    kept = (rows.codes, rows.classes, rows.arrival, rows.own_weights)
    bytes_kept = sum(a.nbytes for a in (*kept, tallies.value_bits, tallies.class_bits))
    assert bytes_kept < 60 * base.n_rows
    assert used.classes.bytes.shape == (rows.capacity, 1)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32])
def test_narrow_codes_are_read_as_int32(kind):
    kept = np.array([[0, 1, np.iinfo(np.int8).max], [5, -1, 7]], kind)
    codes = Narrow(kept)
    assert codes[0].dtype == codes[:, 1].dtype == codes.whole.dtype == np.int32
    assert (codes[0] + 1).tolist() == [1, 2, 128]
    assert codes.whole.tolist() == kept.tolist()
    assert codes.whole is codes.whole
    assert (len(codes), codes.shape, codes.size) == (2, (2, 3), 6)
    some = Narrow(kept[0])
    assert (some.bytes @ 256 ** np.arange(kept.itemsize)).tolist() == kept[0].tolist()


def test_codes_of_some_attributes_are_made_without_those_of_others():
    kept = np.random.default_rng(0).integers(-1, 9, (4, 12)).astype(np.int8)
    codes = Narrow(kept)
    some = codes.only(np.array([0, 3]), 10)
    assert some.dtype == np.int32
    assert (some[[0, 3], :10] == kept[[0, 3], :10]).all()
    assert not some[[1, 2]].any()
    assert codes.only(np.array([0, 3]), 10) is some
    assert (codes.whole == kept).all()
    assert codes.only(np.array([0, 3]), 10) is codes.whole
