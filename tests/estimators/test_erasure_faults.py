"""Erasures that go wrong, and what a hostile reader would try."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import sklazy
from independent import check_certificate as independent
from sklazy.errors import BadFileError, BadInputError, CertificateError, UnknownIdError
from sklazy.estimators.erasure import begun, erase
from sklazy.storage import searching
from sklazy.storage.files import read_file, write_file
from sklazy.storage.placing import left_folders

KEY = b"a key of this test, a secret"
ONE = "person 8"


def save_people(path, ids=None, n=40, **columns):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.normal(size=n), **columns})
    names = [f"person {i}" for i in range(n)] if ids is None else ids
    model = sklazy.LazyKNeighborsClassifier().fit(
        X, rng.choice(["a", "b"], n), ids=names
    )
    model.save(path)
    return X


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.sklazy"
    save_people(path)
    return path


def is_there(path, one=ONE):
    return one in sklazy.load(path).ids_


# --- nothing is erased before all that can be refused is ------------------------------


@pytest.mark.parametrize("key", [b"", b"short", "text"])
def test_a_key_that_cannot_sign_is_refused_before_rows_go(path, key):
    with pytest.raises(BadInputError, match="at least 16"):
        sklazy.erase(path, [ONE], key=key)
    assert is_there(path)


def test_files_that_cannot_be_read_are_refused_before_rows_go(path, monkeypatch):
    def refuse(files):
        raise BadFileError("cannot be read", next(iter(files)))

    monkeypatch.setattr(erase, "check_readable", refuse)
    with pytest.raises(BadFileError, match="cannot be read"):
        sklazy.erase(path, [ONE], search=[path])
    assert is_there(path)


def test_a_folder_is_refused_with_the_way_out(tmp_path):
    save_people(tmp_path / "one.sklazy")
    folder = tmp_path / "many"
    sklazy.load(tmp_path / "one.sklazy").save(folder, n_parts=2)
    with pytest.raises(BadInputError, match="folder of files"):
        sklazy.erase(folder, [ONE])
    sklazy.load(folder, mmap_mode="c").save(tmp_path / "whole.sklazy")  # as it is told
    assert sklazy.erase(tmp_path / "whole.sklazy", [ONE]).proved


def test_the_model_is_the_last_file_to_change(path, tmp_path):
    copy = tmp_path / "copy"
    copy.write_bytes(path.read_bytes())
    held = sklazy.load(copy, mmap_mode="r+")
    with pytest.raises(BadFileError, match="another process or model"):
        sklazy.erase(path, [ONE], copies=[copy])
    assert is_there(path)
    del held
    assert sklazy.erase(path, [ONE], copies=[copy]).proved


# --- cut short ------------------------------------------------------------------------


KILLED = """
import os, signal, sys
from sklazy.estimators.erasure import erase
real = getattr(erase, sys.argv[2])
def kill(*arguments, **options):
    if sys.argv[3] == "after":
        real(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(erase, sys.argv[2], kill)
erase.erase(sys.argv[1], ["person 8"])
"""


@pytest.mark.skipif(os.name == "nt", reason="processes are killed there otherwise")
@pytest.mark.parametrize(
    ("step", "when", "cuts"),
    [
        ("_plan", "after", "exact"),
        ("forget_quietly", "after", "exact"),
        ("compact", "before", "frozen"),
        ("compact", "after", "exact"),
        ("wipe_begun", "before", "frozen"),
    ],
)
def test_a_killed_erasure_is_proved_by_the_same_command(step, when, cuts, tmp_path):
    path = tmp_path / "people.sklazy"
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.choice(["a", "b"], 60)
    model = sklazy.LazyKNeighborsClassifier(cuts=cuts, discretize=True)
    names = [f"person {i}" for i in range(60)]
    before = model.fit(X, y, ids=names).digest()
    model.save(path)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), step, when])
    assert killed.returncode == -signal.SIGKILL
    certificate = sklazy.erase(path, [ONE], key=KEY)
    assert certificate.proved
    assert certificate.content["digests"]["before"] == before
    assert certificate.content["searched_for"]["ids"] == 1
    assert certificate.content["searched_for"]["numbers"] == 2
    assert certificate.check(path, ids=[ONE], key=KEY)
    assert {p.name for p in tmp_path.iterdir()} <= {path.name, f".{path.name}.lock"}


def test_an_erasure_that_failed_is_proved_by_the_next(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(erase, "_search_files", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError) as failure:
            sklazy.erase(path, [ONE])
        assert not is_there(path)
        (folder,) = left_folders(path)
        assert (folder / begun.BEGUN).exists()
    assert sklazy.erase(path, [ONE]).proved
    assert not left_folders(path)
    del failure


def test_a_failed_change_lets_others_change_the_file(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sklazy.LazyKNeighborsClassifier, "forget", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError) as failure:
            sklazy.erase(path, [ONE])
    assert sklazy.erase(path, [ONE]).proved
    del failure  # which knows the model that was open


def test_what_was_begun_does_not_stand_for_other_rows_or_states(path, monkeypatch):
    X = pd.DataFrame({"income": [0.123456]})
    with monkeypatch.context() as patch:
        patch.setattr(erase, "wipe_begun", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sklazy.erase(path, [ONE])
    with pytest.raises(UnknownIdError, match="nothing was erased"):
        sklazy.erase(path, ["person 88"])
    sklazy.load(path).partial_fit(X, ["a"], ids=["new"]).save(path)
    with pytest.raises(UnknownIdError, match="nothing was erased"):
        sklazy.erase(path, [ONE])


def test_files_that_go_meanwhile_are_not_missed(path, tmp_path, monkeypatch):
    file, real = tmp_path / "log", erase._erase_rows
    file.write_text("of another program")

    def erase_slowly(*arguments, **options):
        file.unlink(missing_ok=True)
        real(*arguments, **options)

    monkeypatch.setattr(erase, "_erase_rows", erase_slowly)
    certificate = sklazy.erase(path, [ONE], search=[file])
    assert certificate.proved
    assert str(file) not in {one["name"] for one in certificate.content["files"]}


def test_folders_of_others_stay(path, tmp_path):
    notes = tmp_path / ".refit-notes"
    notes.mkdir()
    (notes / "notes.txt").write_text("mine")
    sklazy.erase(path, [ONE])
    assert (notes / "notes.txt").read_text() == "mine"


# --- what a certificate is about ------------------------------------------------------


def check_independently(certificate, path):
    content = json.loads(certificate.to_json())
    return independent.check(content, path.read_bytes(), key=KEY)


def hide_between(path):
    """Bytes where a file has zeros, with right checksums."""
    header, arrays = read_file(path)
    width = arrays["0/runs"].shape[0]
    arrays["0/runs"][width - 1] = np.frombuffer(b"Ada Lovelace....", "<i8")
    write_file(path, header, arrays)


def hide_in_header(path):
    header, arrays = read_file(path)
    write_file(path, {**header, "note": "Ada Lovelace...."}, arrays)


def hide_in_array(path):
    header, arrays = read_file(path)
    arrays["0/note"] = np.frombuffer(b"Ada Lovelace....", "|u1")
    write_file(path, header, arrays)


@pytest.mark.parametrize("hide", [hide_between, hide_in_header, hide_in_array])
def test_bytes_that_no_digest_sees_are_refused_by_both_checkers(path, hide):
    certificate = sklazy.erase(path, [ONE], key=KEY)
    assert check_independently(certificate, path)
    hide(path)
    assert b"Ada Lovelace" in path.read_bytes()
    with pytest.raises(CertificateError, match="other bytes"):
        certificate.check(path, key=KEY)
    with pytest.raises(independent.RefusedError):
        check_independently(certificate, path)


def test_a_file_saved_again_is_still_the_one_certified(path):
    certificate = sklazy.erase(path, [ONE], key=KEY)
    sklazy.load(path).save(path)
    sklazy.compact(path)
    assert certificate.check(path, key=KEY)


def test_a_declared_label_is_not_among_what_was_searched_for(tmp_path):
    names = [f"town {i % 5}" for i in range(40)]
    names[8] = "Adelheid H."
    path = tmp_path / "people.sklazy"
    save_people(path, town=pd.Categorical(names))
    with pytest.warns(
        sklazy.DataWarning, match="'Adelheid H.'.*column 'town' declares"
    ):
        certificate = sklazy.erase(path, [ONE])
    assert b"Adelheid" in path.read_bytes()
    assert certificate.content["searched_for"]["texts"] == 0
    assert "columns declare" in str(certificate)


def test_long_numbers_that_are_ids_are_searched_for(tmp_path):
    path, log = tmp_path / "people.sklazy", tmp_path / "log.txt"
    number = 756_1234_5678_97
    save_people(path, ids=[number + 101 * i for i in range(40)])
    log.write_text(f"seen: {number}")
    certificate = sklazy.erase(path, [number], search=[log])
    assert certificate.content["searched_for"]["ids"] == 1
    hits = {one["name"]: one["hits"] for one in certificate.content["files"]}
    assert hits[str(log)] == 1
    assert hits[path.name] == 0
    assert not certificate.proved


def test_folders_and_links_beside_are_searched(path, tmp_path):
    backup, far = tmp_path / "people.sklazy-backup", tmp_path / "far"
    for folder in (backup, far):
        folder.mkdir()
    link = far / "link.sklazy"
    link.symlink_to(path)
    for file in (backup / "old", far / "link.sklazy.bak"):
        file.write_bytes(path.read_bytes())
    (tmp_path / "people.sklazys").mkdir()  # somebody else's
    (tmp_path / "people.sklazys" / "old").write_bytes(path.read_bytes())
    certificate = sklazy.erase(link, [ONE])
    found = {one["name"] for one in certificate.content["files"] if one["hits"]}
    assert found == {"people.sklazy-backup/old", "far/link.sklazy.bak"}
    text = str(certificate)
    assert text.index("people.sklazy-backup/old") < text.index(".people.sklazy.lock")


def test_receipts_are_found_in_lines_lists_and_answers(path, tmp_path):
    X, folder = save_people(path), tmp_path / "receipts"
    folder.mkdir()
    receipt = sklazy.load(path).explain(X[8:9])[0]
    line = json.dumps(receipt.to_dict())
    (folder / "lines.jsonl").write_text(f"{line}\nno JSON\n\n{line}\n")
    (folder / "answer.json").write_text(f'{{"answers": [{{"receipt": {line}}}]}}')
    (folder / "pretty").write_text(receipt.to_json() + "\n" + receipt.to_json())
    (folder / "deep").write_text("[" * 100_000)
    certificate = sklazy.erase(path, [ONE], receipts=[folder])
    names = [os.path.basename(one["name"]) for one in certificate.content["receipts"]]
    assert sorted(names) == ["answer.json", *["lines.jsonl"] * 2, *["pretty"] * 2]


# --- many patterns --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_many_patterns_are_found_as_one_by_one(seed, tmp_path, monkeypatch):
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 3, 4000, dtype=np.uint8).tobytes()
    lengths = rng.integers(4, 12, 60)
    patterns = [rng.integers(0, 3, n, dtype=np.uint8).tobytes() for n in lengths]
    patterns += [data[i : i + 9] for i in rng.integers(0, 3991, 10)] + [data[:5]] * 2
    file = tmp_path / "file"
    file.write_bytes(data)
    monkeypatch.setattr(searching, "_AT_ONCE", 512)
    many = searching.search_file(file, patterns).hits
    found = searching.patterns_in(file, patterns)
    monkeypatch.setattr(searching, "_FEW", 1000)
    assert many == searching.search_file(file, patterns).hits > 12
    assert found == searching.patterns_in(file, patterns)


# --- persons of several rows ----------------------------------------------------------


def test_a_person_is_searched_for_by_the_name_before_the_numbers_of_rows(tmp_path):
    path, raw = tmp_path / "loans.sklazy", tmp_path / "raw.csv"
    ids = [f"P{i // 2:03}-{i % 2 + 1}" for i in range(30)]
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = sklazy.LazyKNeighborsClassifier(3).fit(X, [0, 1] * 15, ids=ids)
    model.save(path)
    raw.write_text("person,amount\nP003,1200\nP004,900\nP004,850\n")
    certificate = sklazy.erase(path, ["P004-1", "P004-2"], search=[raw])
    found = {one["name"]: one["hits"] for one in certificate.content["files"]}
    assert found[str(raw)] == 2
    assert not certificate.content["proved"]
    with pytest.raises(CertificateError, match=r"copies=\[FILE\]"):
        sklazy.check_certificate(certificate.to_json(), path)
    left = sklazy.erase(path, ["P003-1"], search=[raw])  # whose other row is there
    assert left.content["proved"]
