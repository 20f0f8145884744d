"""Damage of files that change with a model: every bit flipped, every length cut.

Each of these is harmless, which is to say that the rows are those before or after a
change, or it is refused by an error that names the file. The gate tries some of them,
`make slow` all, but for files with a change beside them: there it is one bit in seven.
"""

import itertools

import numpy as np
import pytest

import sklazy
from sklazy.errors import BadFileError
from sklazy.storage import locking, redo

ROWS = np.arange(70)
X, Y = np.stack([ROWS % 2, ROWS // 2 % 2], axis=1), ROWS % 3 % 2


@pytest.fixture(autouse=True)
def without_waiting(monkeypatch):
    monkeypatch.setattr(locking, "_STEP", 0.0)


def fitted(path, n_rows):
    model = sklazy.LazyKNeighborsClassifier(1, categorical_features=[0, 1])
    model.fit(X[:n_rows], Y[:n_rows]).save(path)
    return sklazy.load(path, mmap_mode="r+")


def flips(data, step):
    """The data with every so-manieth bit flipped."""
    for bit in range(0, 8 * len(data), step):
        altered = bytearray(data)
        altered[bit // 8] ^= 1 << bit % 8
        yield bytes(altered)


def cuts(data, step):
    """The data without its end, at every so-manieth length."""
    for length in range(0, len(data), step):
        yield data[:length]


def outcome_of(path, beside=None, mode=None):
    """The digest of a file, with a change beside it, or "refused"."""
    if beside is not None:
        redo.redo_of(path).write_bytes(beside)
    try:
        return sklazy.load(path, mmap_mode=mode).digest()
    except BadFileError as error:
        return "refused" if path.name in str(error) else "not named"


# --- rows behind a file ---------------------------------------------------------------


class Grown:
    """A file that got rows twice: its bytes, and digests by the length it had."""

    def __init__(self, path):
        model = fitted(path, 4)
        self.path, self.digests = path, {path.stat().st_size: model.digest()}
        for n_rows in (1, 2):
            model.partial_fit(X[:n_rows], Y[:n_rows])
            self.digests[path.stat().st_size] = model.digest()
        model.cases_.held.close()
        self.data = path.read_bytes()
        self.own, self.first, self.all = self.digests


@pytest.fixture
def grown(tmp_path):
    return Grown(tmp_path / "cases")


def check_grown_flips(grown, step):
    outcomes = []
    for data in flips(grown.data, step):
        grown.path.write_bytes(data)
        outcomes.append(outcome_of(grown.path))
    assert set(outcomes) == {"refused", grown.digests[grown.all]}
    # The end that the first rows had is one no more, and not read.
    assert outcomes.count("refused") >= (len(grown.data) - 56) * 8 // step - 1


def check_grown_cuts(grown, step):
    for data in cuts(grown.data, step):
        grown.path.write_bytes(data)
        assert outcome_of(grown.path) == grown.digests.get(len(data), "refused")


def test_a_flipped_bit_in_a_file_with_added_rows_is_harmless_or_refused(grown):
    check_grown_flips(grown, 83)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_flipped_bit_in_a_file_with_added_rows_is_believed(grown):
    check_grown_flips(grown, 1)


def test_a_file_with_added_rows_that_is_cut_is_that_of_a_change_or_refused(grown):
    check_grown_cuts(grown, 19)
    for length, digest in grown.digests.items():
        grown.path.write_bytes(grown.data[:length])
        assert outcome_of(grown.path) == digest


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_cut_file_with_added_rows_is_believed(grown):
    check_grown_cuts(grown, 1)


@pytest.mark.parametrize("mode", ["c", "r+"])
def test_all_that_is_behind_a_file_is_checked_if_it_is_mapped(grown, mode):
    behind = grown.data[grown.own :]
    for altered in itertools.chain(flips(behind, 97), cuts(behind, 61)):
        grown.path.write_bytes(grown.data[: grown.own] + altered)
        if len(altered) and len(altered) + grown.own != grown.first:
            expected = {"refused", grown.digests[grown.all]}
            assert outcome_of(grown.path, mode=mode) in expected


@pytest.mark.parametrize("number", [1, 2])
def test_a_damaged_record_of_added_rows_is_named(grown, number):
    place = [grown.own, grown.first][number - 1]
    for byte in (place, place + 100):
        data = bytearray(grown.data)
        data[byte] ^= 64
        grown.path.write_bytes(data)
        with pytest.raises(BadFileError) as caught:
            sklazy.load(grown.path)
        assert f"cases: record {number}, at byte {place}, of added" in str(caught.value)
        assert str(caught.value).endswith("Restore the file from a copy.")


def test_a_damaged_end_is_named(grown):
    data = bytearray(grown.data)
    data[-20] ^= 1
    grown.path.write_bytes(data)
    with pytest.raises(
        BadFileError, match=f"at byte {len(data) - 56}, was altered. Re"
    ):
        sklazy.load(grown.path)


# --- a change beside a file -----------------------------------------------------------

CHANGES = {
    "add": lambda model: model.partial_fit(X[3:4], Y[3:4]),
    "forget": lambda model: model.forget([3]),
    "forget in both": lambda model: model.forget([3, 70]),
}


class UnderWay:
    """A file before and after a change, and what is written beside it meanwhile."""

    def __init__(self, path, change):
        self.path, beside = path, []
        model = fitted(path, 70).partial_fit(X[:2], Y[:2])
        self.before, self.digests = path.read_bytes(), [model.digest()]
        self.n_own, finish = len(model.cases_.frame.data), redo.finish_change

        def look(path):
            beside.append(redo.redo_of(path).read_bytes())
            finish(path)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(redo, "finish_change", look)
            CHANGES[change](model)
        (self.beside,) = beside
        self.after, self.digests = path.read_bytes(), [*self.digests, model.digest()]
        model.cases_.held.close()


@pytest.fixture(params=CHANGES)
def under_way(request, tmp_path):
    return UnderWay(tmp_path / "cases", request.param)


def check_damaged_redo(under_way, step):
    """A damaged change is refused, and both files stay as they are."""
    path, intact = under_way.path, under_way.before
    path.write_bytes(intact)
    beside = under_way.beside
    for altered in itertools.chain(flips(beside, step), cuts(beside, -(-step // 8))):
        assert outcome_of(path, altered) == "refused"
        assert path.read_bytes() == intact
        assert redo.redo_of(path).read_bytes() == altered


def test_a_damaged_change_is_refused(under_way):
    check_damaged_redo(under_way, 307)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_damaged_change_is_made(under_way):
    check_damaged_redo(under_way, 1)


def check_damaged_file(under_way, step):
    """A damaged file with a change beside it is refused, or healed by the change."""
    expected = {"refused", under_way.digests[-1]}
    for intact in (under_way.before, under_way.after):
        for altered in flips(intact, step):
            under_way.path.write_bytes(altered)
            assert outcome_of(under_way.path, under_way.beside) in expected
            redo.discard_change(under_way.path)


def test_a_damaged_file_with_a_change_beside_it_is_healed_or_refused(under_way):
    check_damaged_file(under_way, 1511)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_damaged_file_with_a_change_beside_it_is_believed(under_way):
    check_damaged_file(under_way, 7)


def test_a_change_beside_a_file_that_is_damaged_stays(under_way):
    last = under_way.n_own - 1  # a byte of the checksum by which a file is known
    flipped = bytearray(under_way.before)
    flipped[last] ^= 1
    for altered in (under_way.before[:100], under_way.before[:last], bytes(flipped)):
        under_way.path.write_bytes(altered)
        assert outcome_of(under_way.path, under_way.beside) == "refused"
        assert redo.redo_of(under_way.path).read_bytes() == under_way.beside
        assert under_way.path.read_bytes() == altered
    under_way.path.write_bytes(under_way.before)
    assert outcome_of(under_way.path) == under_way.digests[-1]


def test_a_damaged_change_is_named_with_a_way_out(tmp_path):
    under_way = UnderWay(tmp_path / "cases", "add")
    under_way.path.write_bytes(under_way.before)
    beside = redo.redo_of(under_way.path)
    beside.write_bytes(under_way.beside[:-1])
    with pytest.raises(
        BadFileError, match=r"\.cases\.redo: .* change of cases"
    ) as caught:
        sklazy.load(under_way.path)
    assert "remove it" in str(caught.value)
    beside.unlink()
    assert sklazy.load(under_way.path).digest() == under_way.digests[0]
