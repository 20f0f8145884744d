"""Format 2 of files: mapped, checked, the same cases."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklazy
from sklazy.casebase import CaseBase
from sklazy.errors import BadFileError, BadInputError, DataWarning
from sklazy.storage import load_cases, save_cases
from sklazy.storage.files import read_file, see_arrays, write_file
from sklazy.storage.locking import map_shared
from sklazy.storage.packed import Packing
from sklazy.storage.pages import BLOCK, PAGE, Blocks, end_of, line_up
from sklazy.tables import Column, Table


def cases_of(n_rows, seed=0, *, classes=True, wide=False, **options):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 3, n_rows).astype(np.int32)
    numbers = rng.integers(0, 9, n_rows) + 0.5
    columns = (
        Column("x", "nominal", codes, tuple("abc")),
        Column("y", "numeric", numbers),
    )
    if wide:  # more labels than have bit sets
        labels = tuple(f"w{i:02}" for i in range(99))
        every = np.arange(n_rows, dtype=np.int32) % 99
        columns += (Column("z", "nominal", every, labels, declared=True),)
    target = Column("t", "nominal", np.maximum(codes, 0), tuple("uvw"))
    return CaseBase(Table(columns), target if classes else numbers, **options)


def map_file(path):
    return see_arrays(map_shared(path), path)


def in_order(cases):
    """The ids of rows as these came."""
    assert sorted(cases.arrival.tolist()) == list(range(cases.n_rows))
    return cases.ids[np.argsort(cases.arrival)].tolist()


SETTINGS = [
    {},
    {"cuts": "frozen"},
    {"classes": False},
    {"weights": np.arange(40.0)},
    {"ids": [f"id {i}" for i in range(40)]},
    {"ids": list(range(7, 47))},
]


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("mapped", [False, True])
def test_cases_come_back_and_change_as_if_they_had_stayed(tmp_path, options, mapped):
    cases = cases_of(40, **options)
    save_cases(cases, tmp_path / "cases")
    before = (tmp_path / "cases").read_bytes()
    back = load_cases(tmp_path / "cases", mapped=mapped)
    assert back.digest() == cases.digest()
    assert in_order(back) == in_order(cases)
    more, target = cases_of(9, 1), np.arange(9.0)
    for base in (cases, back):
        if base.class_labels:
            target = Column("t", "nominal", np.zeros(9, np.int32), ("new",))
        ids = [f"more {i}" for i in range(9)] if base.rows.has_text_ids else None
        base.add(more.to_table(), target, ids=ids)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # frozen cuts
            base.forget(base.ids[np.argsort(base.arrival)][[0, 3, 41]])
    assert back.digest() == cases.digest()
    assert (tmp_path / "cases").read_bytes() == before


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize(("version", "way_out"), [(1, "save it"), (3, "Update sklazy")])
def test_another_format_is_refused(tmp_path, mapped, version, way_out):
    save_cases(cases_of(3), tmp_path / "cases")
    data = bytearray((tmp_path / "cases").read_bytes())
    data[8] = version
    (tmp_path / "cases").write_bytes(data)
    with pytest.raises(BadFileError, match=f"format {version}.*{way_out}"):
        load_cases(tmp_path / "cases", mapped=mapped)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 9000), max_size=5), st.sampled_from(["<f8", "|i1", "<u8"])
)
def test_arrays_lie_where_they_can_be_mapped(tmp_path_factory, sizes, kind):
    path = tmp_path_factory.mktemp("arrays") / "file"
    arrays = {f"a{i}": np.arange(n).astype(kind) for i, n in enumerate(sizes)}
    write_file(path, {"text": "x" * (7 * len(sizes))}, arrays)
    for read in (read_file, map_file):
        header, back = read(path)
        assert header == {"text": "x" * (7 * len(sizes))}
        assert all(np.array_equal(back[n], a) for n, a in arrays.items())
        large = [a for a in back.values() if a.nbytes >= PAGE]
        assert all(a.ctypes.data % PAGE == 0 for a in large)
        assert all(a.ctypes.data % 64 == 0 for a in back.values() if a.size)


def test_every_block_has_a_checksum(tmp_path):
    path, place = tmp_path / "file", BLOCK + BLOCK // 2
    write_file(path, {}, {"a": np.zeros(3 * BLOCK, np.uint8)})
    data = bytearray(path.read_bytes())
    data[place] = 1
    path.write_bytes(data)
    with pytest.raises(BadFileError, match="checksum"):
        read_file(path)
    assert map_file(path)[1]["a"].sum() == 1  # rows are not read at opening
    for end in (len(data) - 1, place, 100):
        path.write_bytes(data[:end])
        for read in (read_file, map_file):
            with pytest.raises(BadFileError, match="truncated"):
                read(path)


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
def test_checksums_are_found_behind_the_arrays(size):
    blocks = Blocks()
    for piece in line_up(64, [np.ones(size, np.uint8)]):
        blocks.add(piece)
    n_bytes = len(blocks.table()) + size + (-64 % PAGE if size >= PAGE else 0)
    assert end_of(64, 64 + n_bytes) == 64 + n_bytes - len(blocks.table())


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("n_segments", [0, 2, 10**12, 10**30])
def test_segments_that_are_not_there_are_refused(tmp_path, n_segments, mapped):
    save_cases(cases_of(40), tmp_path / "cases")
    header, arrays = read_file(tmp_path / "cases")
    header["cases"]["segments"] = n_segments
    write_file(tmp_path / "cases", header, arrays)
    with pytest.raises(BadFileError, match="segments"):
        load_cases(tmp_path / "cases", mapped=mapped)


def test_a_label_that_is_no_value_is_refused(tmp_path):
    save_cases(cases_of(40), tmp_path / "cases")
    header, arrays = read_file(tmp_path / "cases")
    header["cases"]["attributes"][0][2][0] = float("nan")
    write_file(tmp_path / "cases", header, arrays)
    with pytest.raises(BadFileError, match="labels"):
        load_cases(tmp_path / "cases")


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("name", ["labels", "counts"])
def test_labels_that_are_miscounted_are_refused(tmp_path, name, place):
    save_cases(cases_of(40), tmp_path / "cases")
    header, arrays = read_file(tmp_path / "cases")
    arrays[f"0/{name}"].ravel()[place] += 1
    write_file(tmp_path / "cases", header, arrays)
    with pytest.raises(BadFileError, match="not counted"):
        load_cases(tmp_path / "cases")


BREAKS = {
    "codes": lambda a: a.__setitem__((0, 0), 99),
    "classes": lambda a: a.__setitem__(0, 9),
    "value_bits": lambda a: a.__setitem__((0, -1), 1),
    "class_bits": lambda a: a.__setitem__((1, 0), 1 << 63),
    "class_counts": lambda a: a.__setitem__(0, a[0] + 1),
    "runs": lambda a: a.__setitem__((0, 0), 3),
    "texts": lambda a: a.__setitem__(0, a[1]),
    "numbers": lambda a: a.__setitem__((0, 0), np.inf),
    "labels": lambda a: a.__setitem__(0, -1),
    "own_weights": lambda a: a.__setitem__((0, 0), -1),
}


@pytest.mark.parametrize("name", BREAKS)
def test_arrays_that_point_nowhere_are_refused(tmp_path, name):
    ids = [f"id {i}" for i in range(40)]
    cases = cases_of(40, weights=np.arange(40.0), wide=True, ids=ids)
    save_cases(cases, tmp_path / "cases")
    header, arrays = read_file(tmp_path / "cases")
    BREAKS[name](arrays[f"0/{name}"])
    write_file(tmp_path / "cases", header, arrays)
    with pytest.raises(BadFileError, match="contradicts"):
        load_cases(tmp_path / "cases")


@pytest.mark.parametrize(
    "name", ["codes", "value_bits", "class_bits", "counts", "edges"]
)
def test_arrays_of_other_shapes_or_types_are_refused(tmp_path, name):
    save_cases(cases_of(40, wide=True), tmp_path / "cases")
    name = f"0/{name}"
    header, arrays = read_file(tmp_path / "cases")
    for mapped in (False, True):
        write_file(tmp_path / "cases", header, arrays | {name: arrays[name][:-1]})
        with pytest.raises(BadFileError, match="contradicts"):
            load_cases(tmp_path / "cases", mapped=mapped)
        other = arrays[name].astype(np.int16 if name != "0/codes" else np.float64)
        write_file(tmp_path / "cases", header, arrays | {name: other})
        with pytest.raises(BadFileError, match="contradicts"):
            load_cases(tmp_path / "cases", mapped=mapped)


def test_a_mapped_estimator_answers_alike_and_leaves_its_file_alone(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (3000, 6)), rng.integers(0, 3, 3000)
    model = sklazy.LazyKNeighborsClassifier(categorical_features=[*range(6)]).fit(X, y)
    model.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    mapped = sklazy.load(tmp_path / "model", mmap_mode="c")
    assert np.array_equal(mapped.predict_proba(X[:50]), model.predict_proba(X[:50]))
    assert (
        mapped.explain(X[:1], reasons=False)[0].to_dict()
        == model.explain(X[:1], reasons=False)[0].to_dict()
    )
    mapped.forget([5]).partial_fit(X[:2], y[:2])
    model.forget([5]).partial_fit(X[:2], y[:2])
    assert mapped.digest() == model.digest()
    assert (tmp_path / "model").read_bytes() == before
    mapped.save(tmp_path / "model")  # the rows are mapped from what stood here
    assert np.array_equal(mapped.predict(X), sklazy.load(tmp_path / "model").predict(X))
    with pytest.raises(BadInputError, match="mmap_mode='r'"):
        sklazy.load(tmp_path / "model", mmap_mode="r")


def test_a_question_of_mapped_files_reads_no_bins_of_numbers(tmp_path, monkeypatch):
    random, columns = np.random.default_rng(0), []
    X = [[x, "ab"[i % 2]] for i, x in enumerate(random.normal(size=300).tolist())]
    model = sklazy.LazyKNeighborsClassifier(3, n_attributes=2)
    model.fit(X, [row[1] for row in X]).save(path := tmp_path / "cases", n_parts=2)
    mapped = sklazy.load(path, mmap_mode="c")
    read = Packing.column

    def note(packing, attribute, n_rows):
        columns.append(attribute)
        return read(packing, attribute, n_rows)

    monkeypatch.setattr(Packing, "column", note)
    assert mapped.predict(X[:2]).tolist() == model.predict(X[:2]).tolist()
    assert columns == [1, 1]  # of each file


def test_what_is_mapped_takes_no_memory(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (60_000, 40)), rng.integers(0, 3, 60_000)
    model = sklazy.LazyKNeighborsClassifier.paper(categorical_features=[*range(40)])
    model.fit(X, y).save(tmp_path / "model")
    code = (
        "import sys, sklazy\n"
        "sklazy.load(sys.argv[2], mmap_mode='c')\n"
        "def used():\n"
        "    text = open('/proc/self/status').read()\n"
        "    return int(text.split('RssAnon:')[1].split()[0])\n"
        "before = used()\n"
        "model = sklazy.load(sys.argv[1], mmap_mode='c')\n"
        "print(used() - before)\n"
    )
    if not os.path.exists("/proc/self/status"):
        pytest.skip("no /proc to ask")
    model.fit(X[:50], y[:50]).save(tmp_path / "small")
    run = [sys.executable, "-c", code, str(tmp_path / "model"), str(tmp_path / "small")]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < (tmp_path / "model").stat().st_size / 10
