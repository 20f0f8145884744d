"""The case base: the add-and-forget law, erasure, files, and bad input."""

import gc
import hashlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sklazy.casebase import CaseBase
from sklazy.errors import BadFileError, BadInputError, DataWarning, UnknownIdError
from sklazy.kernels.bits import words_for
from sklazy.storage import load_cases, save_cases
from sklazy.storage.files import _PREFIX as PREFIX
from sklazy.tables import Column, Table

COLORS = ("red", "green", "blue", "ocre")
SIZES = ("small", "large")


def table_of(rows, declared=False):
    """A mixed table from (number, number, color, size) rows; None is missing."""
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return Table(
        (
            *(numeric(f"n{i}", columns[i]) for i in range(2)),
            nominal("color", columns[2], COLORS if declared else None),
            nominal("size", columns[3]),
        ),
        len(rows),
    )


def numeric(name, cells):
    return Column(
        name, "numeric", np.array([np.nan if c is None else c for c in cells], float)
    )


def nominal(name, cells, declared=None):
    labels = declared or tuple(sorted({c for c in cells if c is not None}))
    codes = np.array([-1 if c is None else labels.index(c) for c in cells], np.int32)
    return Column(name, "nominal", codes, labels, declared is not None)


def classes_of(labels):
    return nominal("class", labels)


CELLS = st.tuples(
    st.none() | st.integers(-3, 9).map(float),
    st.none() | st.floats(-1, 1, width=16).map(float),
    st.none() | st.sampled_from(COLORS),
    st.none() | st.sampled_from(SIZES),
)


def lean(cells, label, leaning):
    """Let the first number follow the class, so that there is something to cut."""
    if not leaning or cells[0] is None:
        return cells, label
    return (cells[0] + 20 * "abc".index(label), *cells[1:]), label


LABELED = st.builds(lean, CELLS, st.sampled_from("abc"), st.sampled_from([1, 1, 1, 0]))


ROW = ((1.0, 0.0, "red", None), "a")


def build(rows, **options):
    return CaseBase(
        table_of([r for r, _ in rows]), classes_of([c for _, c in rows]), **options
    )


def check_inside(cases):
    """Every derived array says what the rows say."""
    memory = cases.cases
    n = memory.n_rows
    assert n == cases.n_rows == len(cases.ids)
    n_classes = len(cases.class_labels)
    for j in range(len(cases.names)):
        width = memory.offsets[j + 1] - memory.offsets[j]
        for value in range(width):
            rows = np.flatnonzero(memory.codes[j, :n] == value)
            expected = np.bincount(memory.classes[rows], minlength=n_classes)
            np.testing.assert_array_equal(
                memory.counts[memory.offsets[j] + value], expected
            )
            bits = np.unpackbits(
                memory.value_bits[memory.starts[j] + value].view(np.uint8),
                bitorder="little",
            )
            np.testing.assert_array_equal(np.flatnonzero(bits), rows)
    assert not memory.value_bits[-1].any()
    for c in range(n_classes):
        bits = np.unpackbits(memory.class_bits[c].view(np.uint8), bitorder="little")
        np.testing.assert_array_equal(
            np.flatnonzero(bits), np.flatnonzero(memory.classes[:n] == c)
        )
    for name in ("numbers", "codes", "classes", "weights"):
        assert not np.any(getattr(memory, name)[..., n:])


def same_state(left, right):
    assert left.digest() == right.digest()
    for old, new in zip(left.cuts, right.cuts, strict=True):
        np.testing.assert_array_equal(old, new)
    a, b = left.cases, right.cases
    np.testing.assert_array_equal(a.counts, b.counts)
    np.testing.assert_array_equal(a.ranges, b.ranges)
    np.testing.assert_array_equal(a.codes[:, left.order], b.codes[:, right.order])
    np.testing.assert_array_equal(a.classes[left.order], b.classes[right.order])


@settings(max_examples=60)
@given(
    st.lists(LABELED, min_size=1, max_size=25),
    st.lists(
        st.tuples(st.booleans(), st.lists(LABELED, max_size=4), st.integers(0, 10**6)),
        max_size=8,
    ),
    st.booleans(),
)
def test_any_history_has_the_state_of_a_fresh_build(start, changes, ask):
    cases = build(start)
    alive = dict(enumerate(start))
    for adding, rows, seed in changes:
        if adding and rows:
            ids = cases.add(
                table_of([r for r, _ in rows]), classes_of([c for _, c in rows])
            )
            alive |= dict(zip(ids.tolist(), rows, strict=True))
        elif not adding and len(alive) > 1:
            chosen = random.Random(seed)
            gone = chosen.sample(
                sorted(alive), chosen.randint(1, min(4, len(alive) - 1))
            )
            cases.forget(gone)
            for i in gone:
                del alive[i]
        if ask:
            check_inside(cases)
    check_inside(cases)
    same_state(cases, build(list(alive.values())))
    assert set(cases.ids.tolist()) == set(alive)
    table = cases.to_table()
    assert not np.shares_memory(table.columns[0].data, cases.cases.numbers)
    for slot, i in enumerate(cases.ids.tolist()):
        cells = tuple(oracle.cell(table, j, slot) for j in range(4))
        assert cells == alive[i][0]


@settings(max_examples=30)
@given(st.lists(LABELED, min_size=1, max_size=30), st.randoms())
def test_row_order_changes_nothing(rows, shuffler):
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    same_state(build(rows), build(shuffled))


@settings(max_examples=30)
@given(
    st.lists(LABELED, min_size=2, max_size=25),
    st.lists(LABELED, min_size=1, max_size=8),
)
def test_frozen_cuts_stay_and_the_law_holds_relative_to_them(start, more):
    cases = build(start, cuts="frozen")
    cuts, digest = cases.cuts, cases.digest()
    ids = cases.add(table_of([r for r, _ in more]), classes_of([c for _, c in more]))
    check_inside(cases)
    with pytest.warns(DataWarning, match="still stem from"):
        cases.forget(ids)
    for old, new in zip(cuts, cases.cuts, strict=True):
        np.testing.assert_array_equal(old, new)
    check_inside(cases)
    assert cases.digest() == digest


def test_weights_that_came_and_went_leave_no_trace():
    rows = [((float(i % 7), 0.5, "red", None), "ab"[i % 2]) for i in range(20)]
    one = table_of([(1.0, 0.5, "red", None)])
    cases = build(rows)
    assert not cases.weighted
    ids = cases.add(one, classes_of(["a"]), weights=[2.0])
    assert cases.weighted
    assert (
        cases.digest()
        == build(
            [*rows, ((1.0, 0.5, "red", None), "a")], weights=[1.0] * 20 + [2.0]
        ).digest()
    )
    cases.forget(ids)
    assert not cases.weighted
    same_state(cases, build(rows))
    same_state(cases, build(rows, weights=np.ones(20)))


def test_refresh_finds_frozen_cuts_anew():
    low = [((i, 0.0, None, None), "a") for i in range(10)]
    high = [((i, 0.0, None, None), "b") for i in range(20, 30)]
    cases = build(low, cuts="frozen")
    assert len(cases.cuts[0]) == 0
    cases.add(table_of([r for r, _ in high]), classes_of(["b"] * 10))
    assert len(cases.cuts[0]) == 0
    cases.refresh()
    np.testing.assert_array_equal(cases.cuts[0], [14.5])
    check_inside(cases)


def test_frozen_cuts_are_those_of_the_first_rows_asked_or_not():
    first = [((float(i), 0.0, None, None), "ab"[i > 9]) for i in range(20)]
    more = [((float(i), 0.0, None, None), "ab"[i > 4]) for i in range(40)]
    cases = build(first, cuts="frozen")
    cases.add(table_of([r for r, _ in more]), classes_of([c for _, c in more]))
    np.testing.assert_array_equal(cases.cuts[0], [9.5])
    cases = build(first, cuts="frozen")
    with pytest.warns(DataWarning, match="still stem from"):
        cases.forget([9])
    np.testing.assert_array_equal(cases.cuts[0], [9.5])


def test_cuts_can_be_frozen_later_and_are_then_found_anew_when_asked():
    rows = [((float(i), 0.0, None, None), "ab"[i > 9]) for i in range(20)]
    cases = build(rows)
    cases.freeze()
    high = [((i, 0.0, None, None), "a") for i in range(30, 60)]
    cases.add(table_of([r for r, _ in high]), classes_of(["a"] * 30))
    np.testing.assert_array_equal(cases.cuts[0], [9.5])
    cases.refresh()
    np.testing.assert_array_equal(cases.cuts[0], [9.5, 24.5])
    check_inside(cases)


@settings(max_examples=40)
@given(st.lists(LABELED, min_size=1, max_size=25))
def test_state_equals_the_naive_one(rows):
    cases = build(rows)
    labels = [c for _, c in rows]
    for j in range(4):
        cells = [r[j] for r, _ in rows]
        if j < 2:
            numbers = [float("nan") if c is None else c for c in cells]
            cuts = oracle.cut_points(numbers, labels)
            np.testing.assert_array_equal(cases.cuts[j], cuts)
            cells = [None if c is None else sum(c > cut for cut in cuts) for c in cells]
            values = list(range(len(cuts) + 1))
        else:
            values = sorted({c for c in cells if c is not None})
            assert not values or cases.categories(j) == values
            values = values or [0]  # its kind is open: one bin, as of numbers
        expected = oracle.value_counts(cells, values, labels, cases.class_labels)
        memory = cases.cases
        found = memory.counts[memory.offsets[j] : memory.offsets[j + 1]]
        assert found.tolist() == expected


def test_queries_are_coded_like_the_cases_and_unseen_is_its_own():
    rows = [((1.0, 0.0, "red", "small"), "a")] * 5 + [
        ((9.0, 0.0, "blue", None), "b")
    ] * 5
    cases = build(rows)
    queries = cases.encode(
        table_of([(1.0, None, "blue", "huge"), (7.0, 0.5, None, "small")])
    )
    assert queries.codes.tolist() == [[0, -1, 0, -2], [1, 0, -1, 0]]
    np.testing.assert_array_equal(
        queries.values, [[1.0, np.nan, np.nan, np.nan], [7.0, 0.5, np.nan, np.nan]]
    )


def test_an_unseen_cell_of_a_new_row_is_missing():
    rows = [((1.0, 0.0, color, "small"), "a") for color in ("blue", "red")]
    cases = build(rows)
    colors = Column("color", "nominal", np.array([-2], np.int32), ("green", "red"))
    one = table_of([(1.0, 0.0, None, "small")])
    cases.add(Table((*one.columns[:2], colors, one.columns[3])), classes_of(["a"]))
    same_state(cases, build([*rows, ((1.0, 0.0, None, "small"), "a")]))


def test_declared_categories_stand_without_rows():
    rows = [(1.0, 0.0, "red", "small")]
    cases = CaseBase(table_of(rows, declared=True), classes_of(["a"]))
    assert cases.categories(2) == list(COLORS)
    ids = cases.add(table_of([(1.0, 0.0, "violet", "small")]), classes_of(["a"]))
    assert cases.categories(2) == [*COLORS, "violet"]
    cases.forget(ids)
    assert cases.categories(2) == list(COLORS)


def test_large_bit_sets_say_the_same():
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 40, 30_000).astype(np.int32)
    column = Column("x", "nominal", codes, tuple(f"v{i:02d}" for i in range(40)))
    cases = CaseBase(Table((column,)), classes_of(list(rng.choice(["a", "b"], 30_000))))
    check_inside(cases)


def test_a_wide_column_is_counted_but_has_no_bit_sets():
    labels = [f"id{i:06d}" for i in range(100_000)]
    table = Table((nominal_fast("key", labels), numeric("x", np.arange(100_000.0))))
    start = time.perf_counter()
    cases = CaseBase(table, classes_of(["a", "b"] * 50_000))
    memory = cases.cases
    assert memory.starts.tolist()[0] == -1
    assert memory.value_bits.nbytes < 10**6
    assert memory.counts.shape[0] >= 100_000
    assert time.perf_counter() - start < 30


def test_more_counts_than_memory_holds_are_refused():
    labels = [f"id{i:06d}" for i in range(20_000)]
    key = nominal_fast("key", labels)
    cases = CaseBase(Table((key,)), nominal_fast("class", labels))
    with pytest.raises(BadInputError, match=r"3 GiB; column 'key' has 20000 values"):
        cases.digest()


def nominal_fast(name, labels):
    """A column of distinct labels that are sorted already."""
    return Column(
        name, "nominal", np.arange(len(labels), dtype=np.int32), tuple(labels)
    )


def test_numeric_targets():
    table = table_of([(float(i), 0.0, "red", "small") for i in range(6)])
    target = np.arange(6.0)[:, None]
    cases = CaseBase(table, target)
    digest = cases.digest()
    ids = cases.add(table_of([(99.0, 1.0, "blue", None)]), np.array([[7.0]]))
    assert cases.cases.ranges.tolist() == [[0.0, 99.0], [0.0, 1.0]]
    cases.forget(ids)
    cases.add(table_of([]), np.zeros((0, 1)))
    assert cases.digest() == digest
    assert cases.cases.ranges.tolist() == [[0.0, 5.0], [0.0, 0.0]]
    with pytest.raises(BadInputError, match="differs in kind from y in fit"):
        cases.add(table, classes_of(["a"] * 6))


# --- erasure --------------------------------------------------------------------------


def test_forgetting_leaves_no_trace(tmp_path):
    secret, label = 123456.789012345, "top-secret-label"
    rows = [((float(i % 7), 0.5, "red", "small"), "ab"[i % 2]) for i in range(100)]
    cases = build(rows)
    cases.digest()
    ids = cases.add(
        table_of([(secret, None, label, "small")]), classes_of(["secret-class"])
    )
    cases.digest()
    needles = [np.float64(secret).tobytes(), label.encode(), b"secret-class"]
    assert all(needle in everything(cases, tmp_path) for needle in needles)
    cases.forget(ids)
    for _ in range(2):  # before and after the next question
        for needle in needles:
            assert needle not in everything(cases, tmp_path)
        cases.digest()


def test_a_copy_has_no_cut_of_forgotten_rows(tmp_path):
    low = [((float(i), 0.0, None, None), "a") for i in range(20)]
    high = [((100.0 + i, 0.0, None, None), "b") for i in range(20)]
    cases = build(low + high)
    ids = cases.add(table_of([(61.0625, 0.0, None, None)]), classes_of(["b"]))
    cut = cases.cuts[0].tobytes()
    assert cut in pickle.dumps(cases)
    cases.forget(ids)
    save_cases(cases, tmp_path / "cases")
    assert cut not in (tmp_path / "cases").read_bytes()
    assert cut not in pickle.dumps(cases)


def everything(cases, folder):
    """All bytes of the object (whole buffers, room to spare included) and its file."""
    save_cases(cases, folder / "cases.sklazy")
    seen, stack, found = set(), [cases], []
    while stack:
        item = stack.pop()
        if id(item) in seen or isinstance(item, type) or callable(item):
            continue
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            while item.base is not None and isinstance(item.base, np.ndarray):
                item = item.base
            found.append(
                item.tobytes() if item.dtype != object else repr(item).encode()
            )
        elif isinstance(item, str):
            found.append(item.encode())
        elif isinstance(item, float):
            found.append(np.float64(item).tobytes())
        else:
            stack.extend(gc.get_referents(item))
    found.append((folder / "cases.sklazy").read_bytes())
    found.append(pickle.dumps(cases))
    return b"\0".join(found)


# --- ids ------------------------------------------------------------------------------


def test_numbers_are_never_given_twice():
    cases = build([((1.0, 0.0, "red", None), "a")] * 3)
    first = cases.add(table_of([(2.0, 0.0, "red", None)]), classes_of(["a"]))
    cases.forget(first)
    second = cases.add(table_of([(2.0, 0.0, "red", None)]), classes_of(["a"]))
    assert (first.tolist(), second.tolist()) == ([3], [4])


def test_ids_of_ones_own():
    rows = [((1.0, 0.0, "red", None), "a")] * 2
    cases = build(rows, ids=["x", "y"])
    one = table_of([(2.0, 0.0, "red", None)])
    cases.add(one, classes_of(["a"]), ids=["z"])
    cases.forget(["x"])
    assert sorted(cases.ids) == ["y", "z"]
    nobody = cases.add(table_of([]), classes_of([]), ids=[])
    assert (len(nobody), cases.n_rows) == (0, 2)
    for ids, message in [
        (None, "text ids"),
        (["y"], "taken"),
        ([7], "text where the present ids are numbers"),
        (["p", "q"], "2 entries for 1 rows; give one per row"),
        ([1.5], "cannot name rows"),
        (["p", 3], "cannot name rows"),
    ]:
        with pytest.raises(BadInputError, match=message):
            cases.add(one, classes_of(["a"]), ids=ids)
    with pytest.raises(BadInputError, match="occur more than once"):
        build(rows, ids=[1, 1])


def test_a_failed_call_changes_nothing():
    cases = build([((float(i), 0.0, "red", "small"), "ab"[i % 2]) for i in range(8)])
    good = table_of([(2.0, 0.0, "new", None)])
    cases.encode(good)
    before = pickle.dumps(cases)
    infinite = Table((numeric("n0", [np.inf]), *good.columns[1:]))
    swapped = Table((nominal("n0", ["text"]), *good.columns[1:]))
    failures = [
        (UnknownIdError, "not in the case base", lambda: cases.forget([3, 99])),
        (UnknownIdError, "not in the case base", lambda: cases.forget([99])),
        (UnknownIdError, r"\['3'\] are text", lambda: cases.forget(["3"])),
        (BadInputError, "more than once", lambda: cases.forget([3, 3])),
        (BadInputError, "all 8 rows", lambda: cases.forget(list(range(8)))),
        (BadInputError, "infinite", lambda: cases.add(infinite, classes_of(["q"]))),
        (
            BadInputError,
            "n0",
            lambda: cases.add(swapped, classes_of(["q"])),
        ),
        (
            BadInputError,
            "2 values for 1",
            lambda: cases.add(good, classes_of(["q", "q"])),
        ),
        (
            BadInputError,
            "missing or infinite",
            lambda: cases.add(good, classes_of([None])),
        ),
        (
            BadInputError,
            "row 0 has the weight -1",
            lambda: cases.add(good, classes_of(["q"]), weights=[-1]),
        ),
        (
            BadInputError,
            r"weights have the shape \(2,\)",
            lambda: cases.add(good, classes_of(["q"]), weights=[1, 1]),
        ),
        (BadInputError, "ids=3 cannot name rows", lambda: cases.forget(3)),
        (BadInputError, r"ids=\[4\] occur more", lambda: build([ROW, ROW], ids=[4, 4])),
        (
            BadInputError,
            r"missing \['n0'\], not known \['m'\]",
            lambda: cases.add(
                Table((numeric("m", [0.0]), *good.columns[1:])), classes_of(["q"])
            ),
        ),
        (BadInputError, "taken", lambda: cases.add(good, classes_of(["q"]), ids=[3])),
        (BadInputError, "infinite", lambda: cases.encode(infinite)),
    ]
    for kind, message, call in failures:
        with pytest.raises(kind, match=message):
            call()
    assert pickle.dumps(cases) == before


@pytest.mark.parametrize(
    ("build_it", "message"),
    [
        (lambda: build([]), "has no cells"),
        (lambda: CaseBase(Table((), 3), classes_of("abc")), "has no cells"),
        (lambda: build([((1.0, None, None, None), "a")], cuts="sometimes"), "cuts="),
        (lambda: build([((1.0, None, None, None), "a")], criterion="x"), "criterion="),
        (lambda: CaseBase(table_of([(1.0, None, None, None)]), ["a"]), "as_target"),
        (lambda: CaseBase(table_of([(1.0, None, None, None)]), np.ones((1, 0))), "arr"),
        (
            lambda: CaseBase(
                table_of([(1.0, None, None, None)]), numeric("class", [1.0])
            ),
            "nominal column",
        ),
        (
            lambda: CaseBase(
                table_of([(1.0, None, None, None)]),
                Column("class", "nominal", np.array([-2], np.int32), ("a",)),
            ),
            "target is missing",
        ),
    ],
)
def test_what_cannot_be_built(build_it, message):
    with pytest.raises(BadInputError, match=message):
        build_it()


def test_all_missing_columns_one_row_one_class():
    cases = build([((None, None, None, None), "a")])
    check_inside(cases)
    assert cases.cases.counts.shape == (4, 1)  # one bin a column: all kinds are open
    assert np.isnan(cases.cases.ranges).all()
    cases.add(table_of([(1.0, None, "red", None)]), classes_of(["b"]))
    check_inside(cases)


# --- files ----------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.lists(LABELED, min_size=1, max_size=20), st.sampled_from(["exact", "frozen"]))
def test_a_saved_base_comes_back_the_same(tmp_path_factory, rows, cuts):
    path = tmp_path_factory.mktemp("saved") / "cases.sklazy"
    cases = build(rows, cuts=cuts)
    ids = cases.add(table_of([(5.0, 0.5, "new", None)]), classes_of(["z"]))
    save_cases(cases, path)
    back = load_cases(path)
    same_state(cases, back)
    check_inside(back)
    assert back.next_id == cases.next_id
    for base in (cases, back):
        if cuts == "exact" or not base.bins.current:
            base.forget(ids)
        else:
            with pytest.warns(DataWarning):
                base.forget(ids)
    same_state(cases, back)


@pytest.mark.parametrize("targets", [classes_of(["a"] * 200), np.arange(200.0)])
def test_a_copy_does_not_tell_how_many_rows_there_were(targets):
    table = table_of([(float(i), 0.0, "red", "small") for i in range(200)])
    cases = CaseBase(table, targets, ids=[f"row {i}" for i in range(200)])
    cases.digest()
    cases.forget([f"row {i}" for i in range(190)])
    back = pickle.loads(pickle.dumps(cases))
    assert sorted(back.arrival) == list(range(10))
    assert back.rows.capacity == 10
    assert back.cases.value_bits.shape[1] == words_for(10)
    same_state(cases, back)


def test_default_ids_end_where_given_ones_do():
    rows = table_of([(1.0, 0.0, "red", "small")] * 2)
    cases = CaseBase(rows, classes_of(["a", "b"]), ids=[0, 2**62 - 2])
    one = table_of([(2.0, 0.0, "red", "small")]), classes_of(["b"])
    (last,) = cases.add(*one)
    with pytest.raises(BadInputError, match=r"ids=None, .*2\*\*62; give an id"):
        cases.add(*one)
    cases.add(*one, ids=[7])
    cases.forget([last])
    assert cases.n_rows == 3


def test_text_ids_weights_and_numeric_targets_are_saved(tmp_path):
    table = table_of([(float(i), 0.0, "red", "small") for i in range(3)])
    cases = CaseBase(
        table,
        np.arange(6.0).reshape(3, 2),
        ids=["p", "q", "r"],
        weights=[1.0, 2.0, 0.5],
    )
    save_cases(cases, tmp_path / "c")
    back = load_cases(tmp_path / "c")
    same_state(cases, back)
    by_id = dict(zip(cases.ids, cases.arrival.tolist(), strict=True))
    assert dict(zip(back.ids, back.arrival.tolist(), strict=True)) == by_id


def test_a_file_that_is_not_whole_is_refused(tmp_path):
    path = tmp_path / "cases.sklazy"
    save_cases(build([((1.0, 0.0, "red", None), "a")] * 4), path)
    whole = path.read_bytes()
    assert len(whole) < 20_000  # a small file has no empty pages
    for length in [*range(0, 64), *range(64, len(whole), 53)]:
        path.write_bytes(whole[:length])
        with pytest.raises(BadFileError):
            load_cases(path)
    for place in range(0, len(whole), 11):
        altered = bytearray(whole)
        altered[place] ^= 0x10
        path.write_bytes(altered)
        with pytest.raises(BadFileError):
            load_cases(path)
    newer = bytearray(whole)
    newer[8] = 9
    path.write_bytes(newer)
    with pytest.raises(BadFileError, match="Update sklazy"):
        load_cases(path)
    path.write_bytes(pickle.dumps(os.getcwd))
    with pytest.raises(BadFileError, match="not a file that sklazy saved"):
        load_cases(path)
    with pytest.raises(BadFileError, match="cannot be read"):
        load_cases(tmp_path / "nowhere")


def forged(path, change):
    """Change the header of a file of four rows, and mend its checksum."""
    data = path.read_bytes()
    magic, version, length = PREFIX.unpack_from(data)
    text = data[PREFIX.size : PREFIX.size + length]
    header = json.loads(text)
    changed = change(header)
    text = changed if isinstance(changed, bytes) else json.dumps(header).encode()
    prefix = PREFIX.pack(magic, version, max(len(text), length)) + text.ljust(length)
    rest, table = data[PREFIX.size + length : -64], data[-64:-32]  # one block
    told = hashlib.sha256(prefix + table).digest()
    path.write_bytes(prefix + rest + table + told)


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"[" * 100_000,
        lambda _: b"5",
        lambda _: b"not json",
        lambda header: header["cases"].pop("attributes") and None,
        lambda header: header["cases"].update(next_id=float("inf")),
        lambda header: header.update(cases=5),
        lambda header: header["cases"].update(ids="text"),
        lambda header: header["cases"].update(ids="given"),
        lambda header: header["cases"].update(segments=2),
        lambda header: header["cases"].update(segments=0),
        lambda header: header["cases"].update(has_classes=False),
        lambda header: header["cases"].update(cuts="other"),
        lambda header: header["cases"].update(criterion="other"),
        lambda header: header["cases"].update(clock="other"),
        lambda header: header["cases"]["classes"].__setitem__(0, ["a", "a"]),
        lambda header: header["cases"]["attributes"][3].__setitem__(2, ["b", "a"]),
        lambda header: header["cases"]["attributes"][2].__setitem__(1, "numeric"),
        lambda header: header["cases"]["attributes"][2].__setitem__(1, "other"),
        lambda header: header["cases"]["attributes"][2].__setitem__(2, []),
        lambda header: header["cases"]["attributes"][2].__setitem__(2, [[], {}, "a"]),
        lambda header: header["cases"]["attributes"][0].__setitem__(0, None),
        lambda header: header["arrays"][0].__setitem__(2, [2**70, 4]),
        lambda header: header["arrays"][0].__setitem__(2, [2, -4]),
        lambda header: header["arrays"][0].__setitem__(1, "|O"),
    ],
)
def test_a_forged_file_is_refused(tmp_path, change):
    path = tmp_path / "cases.sklazy"
    save_cases(build([((1.0, 0.0, "red", None), "a")] * 4), path)
    forged(path, change)
    with pytest.raises(BadFileError, match=r"cannot be understood|contradicts"):
        load_cases(path)


def test_threads_may_save_to_the_same_path(tmp_path):
    path = tmp_path / "cases[1].sklazy"
    bases = [build([((1.0, 0.0, "red", None), "a")] * n) for n in (400, 500)]
    save_cases(bases[0], path)
    errors = []

    def save(cases):
        try:
            for _ in range(10):
                save_cases(cases, path)
                assert load_cases(path).n_rows in (400, 500)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=save, args=[cases]) for cases in bases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.skipif(os.name == "nt", reason="permissions and links are POSIX's here")
def test_a_save_keeps_permissions_and_links(tmp_path):
    path, link = tmp_path / "cases.sklazy", tmp_path / "link"
    link.symlink_to(path)
    cases = build([ROW] * 4)
    save_cases(cases, path)
    path.chmod(0o600)
    cases.forget([0])
    save_cases(cases, link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_cases(path).n_rows == load_cases(link).n_rows == 3


def test_a_file_holds_one_state_though_another_thread_changes_it(tmp_path):
    rows = [
        ((float(i % 9), 0.5, COLORS[i % 3], None), "ab"[i % 9 > 4]) for i in range(3000)
    ]
    cases = build(rows)
    one = table_of([(3.0, None, "ablaze", "small")])  # renumbers all colors
    digests = {cases.digest()}
    ids = cases.add(one, classes_of(["a"]))
    digests.add(cases.digest())
    cases.forget(ids)
    found, stop = set(), threading.Event()

    def save():
        while not stop.is_set():
            save_cases(cases, tmp_path / "cases")
            found.add(load_cases(tmp_path / "cases").digest())

    thread = threading.Thread(target=save)
    thread.start()
    for _ in range(300):
        cases.forget(cases.add(one, classes_of(["a"])))
    stop.set()
    thread.join()
    assert found
    assert found <= digests


KILLED = """
import sys
import threading
import numpy as np
from sklazy.casebase import CaseBase
from sklazy.storage import save_cases
from sklazy.tables import Column, Table
rows = np.arange(40_000.0)
table = Table((Column("x", "numeric", rows), Column("y", "numeric", rows % 7)))
target = Column("c", "nominal", (rows % 2).astype(np.int32), ("a", "b"))
bases = [CaseBase(table, target)]
bases.append(CaseBase(table, target))
bases[1].forget([0])
for cases in bases:
    save_cases(cases, sys.argv[1] + ".first")  # the cuts are found once
print("ready", flush=True)
while True:
    for cases in bases:
        save_cases(cases, sys.argv[1])
"""


def test_a_save_that_is_killed_leaves_a_whole_file(tmp_path):
    path = tmp_path / "cases.sklazy"
    chance = random.Random(7)
    sizes = set()
    for _ in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.02, 0.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if path.exists():
            sizes.add(load_cases(path).n_rows)
    assert sizes <= {39_999, 40_000}
    assert sizes
    save_cases(load_cases(path), path)
    names = {p.name for p in tmp_path.iterdir()}
    assert names == {path.name, f"{path.name}.first"}  # no leftovers


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "cases.sklazy"
    cases = build([((1.0, 0.0, "red", None), "a")] * 4)
    save_cases(cases, path)
    whole = path.read_bytes()
    monkeypatch.setattr(
        os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full"))
    )
    with pytest.raises(OSError, match="full"):
        save_cases(cases, path)
    assert path.read_bytes() == whole
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


# --- all or nothing -------------------------------------------------------------------


def interrupted(call, step):
    """Raise KeyboardInterrupt at the n-th line of our own code; False if past its end.

    Ctrl-C is answered between lines, too, never in the middle of numpy.
    """
    seen = 0

    def watch(frame, event, _):
        nonlocal seen
        if "casebase" not in frame.f_code.co_filename:
            return None
        seen += event in ("call", "line")
        if seen == step:
            sys.settrace(None)
            raise KeyboardInterrupt
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


CHANGES = {
    "add": lambda cases: cases.add(
        table_of([(40.0, None, "new", None)] * 5), classes_of(["zz"] * 5)
    ),
    "forget": lambda cases: cases.forget([0, 7, 11, 29]),
    "ask": lambda cases: cases.digest(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_interrupt_leaves_the_state_before_or_after(name):
    rows = [
        ((i % 9 + 20.0 * (i % 2), None, COLORS[i % 3], SIZES[i % 2]), "ab"[i % 2])
        for i in range(30)
    ]
    rows[7] = ((7.0, 0.5, "ocre", None), "c")
    states = set()
    for step in range(1, 5000, 11):  # every line was tried once; this is a sample
        cases = build(rows)
        cases.digest()
        if name == "ask":
            CHANGES["forget"](cases)
        if not interrupted(lambda now=cases: CHANGES[name](now), step):
            break
        check_inside(cases)
        labels = [cases.class_labels[c] for c in cases.cases.classes[: cases.n_rows]]
        same_state(cases, CaseBase(cases.to_table(), classes_of(labels)))
        states.add((cases.n_rows, cases.next_id))
    assert step > 100
    after = {"add": (35, 35), "forget": (26, 30), "ask": (26, 30)}[name]
    assert states <= {(30, 30), after}
    assert not np.any(cases.rows.numbers[:, cases.n_rows :])


def test_a_change_without_memory_is_none(monkeypatch):
    cases = build([((1.0, 0.0, "red", "small"), "a")] * 64)
    digest = cases.digest()
    real = np.zeros

    def full(shape, *rest):
        if np.prod(shape) > 20_000:
            raise MemoryError
        return real(shape, *rest)

    monkeypatch.setattr("sklazy.casebase.rows.np.zeros", full)
    with pytest.raises(MemoryError):
        cases.add(table_of([(2.0, 1.0, "new", None)] * 9_000), classes_of("b" * 9_000))
    monkeypatch.undo()
    check_inside(cases)
    assert cases.digest() == digest
    cases.add(table_of([(2.0, 1.0, "new", None)]), classes_of(["b"]))
    check_inside(cases)


def test_threads_may_ask_while_another_changes():
    rows = [
        ((float(i % 9), 0.5, COLORS[i % 3], None), "ab"[i % 9 > 4]) for i in range(60)
    ]
    cases = build(rows)
    one = table_of([(3.0, None, "ablaze", "small")])  # renumbers all colors
    query = table_of([(8.0, 0.5, "red", None)])
    found, stop = set(), threading.Event()

    def ask():
        while not stop.is_set():
            code = cases.encode(query).codes[0, 2]
            found.add((int(code), cases.digest()))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(15):
        cases.forget(cases.add(one, classes_of(["a"])))
    stop.set()
    for thread in threads:
        thread.join()
    digests = {cases.digest()}
    cases.add(one, classes_of(["a"]))
    digests.add(cases.digest())
    assert {digest for _, digest in found} <= digests
    assert {code for code, _ in found} <= {2, 3}


def test_many_labels_cost_a_query_nothing():
    """Coding one row does not look at all labels of a column again."""
    labels = [f"id{i:06d}" for i in range(50_000)]
    cases = CaseBase(
        Table((nominal_fast("key", labels),)), classes_of(["a", "b"] * 25_000)
    )
    query = Table((nominal("key", ["id000007"]),))
    cases.encode(query)
    start = time.perf_counter()
    for _ in range(100):
        assert cases.encode(query).codes[0, 0] == 7
    assert time.perf_counter() - start < 2.0  # a tenth of a second if idle, else six
