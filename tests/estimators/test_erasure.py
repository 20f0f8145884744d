"""Certificates of erasure: true ones pass two checkers, forged ones pass none."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sklazy
from independent import check_certificate as independent
from random_tables import random_problem
from sklazy.errors import BadInputError, CertificateError, UnknownIdError
from sklazy.receipts.seal import sealed, signed
from sklazy.storage import placing
from sklazy.storage.files import read_file, write_file
from sklazy.storage.searching import search_file, sidecars_of

KEY = b"a key of this test, a secret"
REFUSALS = (
    independent.RefusedError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)


def save_random(seed, path):
    """A random model in a file, and ids of some of its rows."""
    problem = random_problem(seed)
    X, y, weights, ids = problem.rows[:4]
    options = {} if weights is None else {"sample_weight": weights}
    if seed % 5 == 0 and "class_weight" in problem.model.get_params():
        problem.model.set_params(class_weight="balanced")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sklazy.DataWarning)
        model = problem.model.fit(X, y, ids=ids, **options)
    model.save(path)
    rng = np.random.default_rng(seed)
    return rng.choice(model.ids_, int(rng.integers(1, 4)), replace=False).tolist()


def erased(seed, path):
    ids = save_random(seed, path)
    return ids, sklazy.erase(path, ids, key=KEY)


def accepts(text, path, ids=()):
    """Whether both checkers accept a certificate; they must agree."""
    try:
        ours = sklazy.check_certificate(text, path, ids=ids, key=KEY)
    except (CertificateError, BadInputError):
        ours = False
    try:
        content, data = json.loads(text), Path(path).read_bytes()
        theirs = bool(independent.check(content, data, *ids[:1], key=KEY))
    except REFUSALS:
        theirs = False
    assert ours == theirs
    return ours


def check_random_model(seed, folder):
    path = folder / "m.sklazy"
    ids, certificate = erased(seed, path)
    assert certificate.proved
    digest = sklazy.load(path).digest()
    assert certificate.content["digests"]["after"] == digest
    header, arrays = independent.read_model(path.read_bytes())
    rows = independent.read_rows(header["cases"], arrays)
    assert independent.digest_of(header["cases"], rows) == digest
    assert accepts(certificate.to_json(), path, ids)


def check_tampered_model(seed, folder):
    """A cell is changed; then the certificate is, too, by one who has the key."""
    path = folder / "m.sklazy"
    _, certificate = erased(seed, path)
    tamper_with_cell(path, np.random.default_rng(seed))
    assert not accepts(certificate.to_json(), path)
    assert not accepts(about_file(certificate, path), path)


def about_file(certificate, path):
    """A certificate with the bytes of a file as those that were searched."""
    content = json.loads(certificate.to_json())
    (model,) = (one for one in content["files"] if one["role"] == "model")
    model["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    return json.dumps(signed(sealed(content), KEY))


def tamper_with_cell(path, rng):
    """Change a cell of a row, and all checksums, so that the file is whole."""
    header, arrays = read_file(path)
    n_rows = int(arrays["sizes"][0])
    names = ["numbers", "targets", "value_bits", "codes", "own_weights", "classes"]
    names = [f"0/{n}" for n in names if arrays[f"0/{n}"].size and n_rows]
    while True:
        array = arrays[rng.choice(names)]
        cells = array.reshape(-1, array.shape[-1])
        row, column = (
            rng.integers(len(cells)),
            rng.integers(min(n_rows, array.shape[-1])),
        )
        before = cells[row, column].tobytes()
        if array.dtype.kind == "u":
            cells[row, column] ^= np.uint64(1) << np.uint64(
                rng.integers(min(n_rows, 64))
            )
        else:
            cells[row, column] = cells[row, column] + 1 if cells[row, column] < 3 else 0
        if cells[row, column].tobytes() != before:
            return write_file(path, header, arrays)


def leaves(content, place=()):
    """The places of all values of plain data."""
    if not isinstance(content, dict | list):
        return [place]
    items = content.items() if isinstance(content, dict) else enumerate(content)
    return [leaf for key, item in items for leaf in leaves(item, (*place, key))]


def edit(content, rng):
    """Change one value of a certificate, somewhere."""
    content = json.loads(json.dumps(content))
    places = leaves(content)
    *way, last = places[rng.integers(len(places))]
    holder = content
    for key in way:
        holder = holder[key]
    value = holder[last]
    if isinstance(value, bool):
        holder[last] = not value
    elif isinstance(value, int):
        holder[last] = value + int(rng.integers(1, 9))
    else:
        at = rng.integers(len(value))
        other = "0" if value[at] != "0" else "1"
        holder[last] = value[:at] + other + value[at + 1 :]
    return content


def check_forgeries(n_edits, folder):
    """Edits of the certificate, with and without a new seal, and of the file."""
    path, rng = folder / "m.sklazy", np.random.default_rng(n_edits)
    _, certificate = erased(3, path)
    true, whole = certificate.to_json(), path.read_bytes()
    assert accepts(true, path)
    for number in range(n_edits):
        text = true
        if number % 4 == 0:
            text = json.dumps(edit(certificate.content, rng))
        elif number % 4 == 1:  # by someone without the key
            forged = sealed(edit(certificate.content, rng))
            text = json.dumps(signed(forged, b"the key of the forger"))
        elif number % 4 == 2:
            data = bytearray(whole)
            data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
            path.write_bytes(data)
        else:
            tamper_with_cell(path, rng)
        assert not accepts(text, path)
        path.write_bytes(whole)
    assert accepts(true, path)


@pytest.mark.parametrize("seed", range(12))
def test_both_checkers_agree_on_random_models(seed, tmp_path):
    check_random_model(seed, tmp_path)


@pytest.mark.parametrize("seed", [*range(12), 320163])  # the last: only a bin
def test_both_checkers_refuse_tampered_models(seed, tmp_path):
    check_tampered_model(seed, tmp_path)


def test_forged_certificates_and_files_are_refused(tmp_path):
    check_forgeries(60, tmp_path)


@pytest.mark.slow
def test_both_checkers_agree_on_200_random_models(tmp_path):
    for seed in range(1000, 1200):
        check_random_model(seed, tmp_path)


@pytest.mark.slow
def test_both_checkers_refuse_200_tampered_models(tmp_path):
    for seed in range(2000, 2200):
        check_tampered_model(seed, tmp_path)


@pytest.mark.slow
def test_a_thousand_forgeries_are_refused(tmp_path):
    check_forgeries(1000, tmp_path)


@pytest.fixture
def people(tmp_path):
    """A model of people, in a file."""
    rng = np.random.default_rng(0)
    names = [f"person {i}" for i in range(60)]
    X = pd.DataFrame(
        {"income": rng.normal(size=60), "town": [f"town of {n[-1]}" for n in names]}
    )
    X.loc[7, "town"] = "Llanfair"
    path = tmp_path / "people.sklazy"
    model = sklazy.LazyKNeighborsClassifier().fit(
        X, rng.choice(["a", "b"], 60), ids=names
    )
    model.save(path)
    return path, model, X


def test_what_only_the_person_had_is_searched_for(people):
    path, _, _ = people
    assert b"Llanfair" in path.read_bytes()
    certificate = sklazy.erase(path, ["person 7"])
    assert certificate.content["searched_for"] == {
        "ids": 1,
        "texts": 1,
        "numbers": 1,
        "too_common": 1,  # the class
    }
    assert b"Llanfair" not in path.read_bytes()
    assert "person 7" not in certificate.to_json()
    assert certificate.content["files"][0]["role"] == "model"


def test_bytes_that_are_left_are_found(people, tmp_path):
    path, _, X = people
    backup = tmp_path / "people.sklazy.bak"  # beside it, under its name
    backup.write_bytes(path.read_bytes())
    other = tmp_path / "elsewhere" / "numbers.bin"
    other.parent.mkdir()
    other.write_bytes(X.loc[7, ["income"]].to_numpy(np.float64).tobytes())
    certificate = sklazy.erase(path, ["person 7"], search=[other.parent])
    hits = {file["role"]: 0 for file in certificate.content["files"]}
    for file in certificate.content["files"]:
        hits[file["role"]] += file["hits"]
    assert not certificate.proved
    assert hits["model"] == 0 < min(hits["sidecar"], hits["searched"])
    with pytest.raises(CertificateError, match="not proved"):
        certificate.check(path)


def test_receipts_that_name_the_person_are_listed(people, tmp_path):
    path, model, X = people
    kept = tmp_path / "receipts"
    kept.mkdir()
    receipts = model.explain(X[7:9])
    (kept / "both.json").write_text(receipts.to_json())
    (kept / "other.txt").write_text("no receipt")
    named = [r.seal for r in receipts if '"id": "person 7"' in r.to_json()]
    assert named
    certificate = sklazy.erase(path, ["person 7"], receipts=[kept])
    assert [one["seal"] for one in certificate.content["receipts"]] == named


def test_a_certificate_is_about_its_ids_and_its_model_alone(people, tmp_path):
    path, model, X = people
    certificate = sklazy.erase(path, ["person 7"])
    assert certificate.check(path, ids=["person 7"])
    with pytest.raises(CertificateError, match="not about"):
        certificate.check(path, ids=["person 8"])
    with pytest.raises(CertificateError, match="no signature"):
        certificate.check(path, key=KEY)
    sklazy.load(path).partial_fit(X[:1], ["a"], ids=["new"]).save(path)
    with pytest.raises(CertificateError, match="Rows were added"):
        certificate.check(path)
    model.save(path)
    with pytest.raises(CertificateError, match="digest"):
        certificate.check(path)
    with pytest.raises(CertificateError, match="not a certificate"):
        sklazy.Certificate.from_json("[]")


def test_frozen_cuts_are_found_anew(people, tmp_path):
    _, model, X = people
    frozen = sklazy.LazyKNeighborsClassifier(cuts="frozen")
    y = (X["income"] > 0).astype(str)
    path = tmp_path / "frozen.sklazy"
    frozen.fit(X, y, ids=model.ids_.tolist()).save(path)
    certificate = sklazy.erase(path, ["person 7"])
    left = X.index != 7
    again = sklazy.LazyKNeighborsClassifier(cuts="frozen").fit(X[left], y[left])
    assert certificate.proved
    assert certificate.content["digests"]["after"] == again.digest()


def test_rows_added_behind_a_file_are_erased(people):
    path, _, X = people
    model = sklazy.load(path, mmap_mode="r+")
    model.partial_fit(
        X[:2].assign(income=[0.123456789, 2.0]), ["a", "b"], ids=["x y z", "w"]
    )
    del model
    certificate = sklazy.erase(path, ["x y z"], key=KEY)
    assert certificate.proved
    assert accepts(certificate.to_json(), path, ["x y z"])


def test_wrong_ids_leave_the_file_as_it_was(people):
    path, _, _ = people
    before = path.read_bytes()
    with pytest.raises(UnknownIdError):
        sklazy.erase(path, ["nobody"])
    with pytest.raises(BadInputError, match="none twice"):
        sklazy.erase(path, ["person 7", "person 7"])
    with pytest.raises(BadInputError, match="at least one"):
        sklazy.erase(path, [])
    with pytest.raises(sklazy.BadFileError, match="to search"):
        sklazy.erase(path, ["person 7"], search=[path.parent / "nowhere"])
    assert path.read_bytes() == before


def test_the_page_shows_what_the_text_does(people):
    path, _, _ = people
    certificate = sklazy.erase(path, ["person 7"])
    page = certificate.to_html()
    for part in ("proved", *certificate.content["digests"].values()):
        assert part in page
    assert "person 7" not in page


def test_patterns_are_counted_wherever_they_begin(tmp_path):
    path = tmp_path / "some"
    path.write_bytes(b"aaaa" + bytes(5000) + b"aab")
    assert search_file(path, [b"aa", b"b"]).hits == 3 + 1 + 1
    (tmp_path / ".some.redo").write_bytes(b"")
    (tmp_path / "other").write_bytes(b"aa")
    assert sidecars_of(path) == [tmp_path / ".some.redo"]
    assert search_file(tmp_path / ".some.redo", [b"aa"]).hits == 0


def test_the_checker_is_a_program(people, tmp_path, capsys):
    path, _, _ = people
    certificate, key = tmp_path / "gone.json", tmp_path / "key"
    key.write_bytes(KEY)
    certificate.write_text(sklazy.erase(path, ["person 7"], key=KEY).to_json())
    given = [str(certificate), str(path), "--key", str(key), "--id"]
    assert independent.main([*given, "person 7"]) == 0
    assert independent.main([*given, "person 8"]) == 1
    assert "REFUSED" in capsys.readouterr().out


def test_the_checker_shares_no_code():
    source = Path(independent.__file__).read_text("utf-8")
    imported = {
        line.split()[1]
        for line in source.splitlines()
        if line.startswith(("import ", "from "))
    }
    assert imported == {
        "argparse",
        "hashlib",
        "hmac",
        "json",
        "struct",
        "sys",
        "pathlib",
        "numpy",
    }


def test_rows_are_erased_from_copies_too(people, tmp_path):
    path, model, X = people
    backup, older = tmp_path / "people.sklazy.bak", tmp_path / "may.sklazy"
    backup.write_bytes(path.read_bytes())
    few = sklazy.LazyKNeighborsClassifier()
    few.fit(X[:20], ["a", "b"] * 10, ids=model.ids_[:20]).save(older)
    gone = ["person 7", "person 30"]
    certificate = sklazy.erase(path, gone, copies=[backup, older], key=KEY)
    assert certificate.proved
    assert accepts(certificate.to_json(), path, gone)
    assert sklazy.load(backup).digest() == sklazy.load(path).digest()
    assert len(sklazy.load(older).ids_) == 19
    for file in tmp_path.iterdir():
        assert b"Llanfair" not in file.read_bytes()
    names = {file["name"]: file["role"] for file in certificate.content["files"]}
    assert names["people.sklazy.bak"] == "sidecar"
    assert names[str(older)] == "searched"


def test_a_file_that_is_named_twice_is_one_copy(people, tmp_path):
    path, _, _ = people
    backup, link = tmp_path / "people.sklazy.bak", tmp_path / "link"
    backup.write_bytes(path.read_bytes())
    link.symlink_to(backup)
    copies = [path, backup, link, str(backup)]
    assert sklazy.erase(path, ["person 7"], copies=copies).proved
    assert "person 7" not in sklazy.load(backup).ids_


@pytest.mark.parametrize("cuts", ["exact", "frozen"])
def test_an_erasure_that_was_not_proved_is_repeated_with_a_copy(cuts, people, tmp_path):
    path, model, X = people
    y = ["a", "b", "b"] * 20
    sklazy.LazyKNeighborsClassifier(cuts=cuts).fit(X, y, ids=model.ids_).save(path)
    backup, notes = tmp_path / "people.sklazy.bak", tmp_path / "notes.txt"
    backup.write_bytes(path.read_bytes())
    notes.write_text("Llanfair")
    first = sklazy.erase(path, ["person 7"], search=[notes], key=KEY)
    assert not first.proved
    with pytest.raises(UnknownIdError, match="copies="):
        sklazy.erase(path, ["person 7"], search=[notes])
    notes.write_text("nothing")
    again = sklazy.erase(path, ["person 7"], search=[notes], copies=[backup], key=KEY)
    assert again.proved
    assert accepts(again.to_json(), path, ["person 7"])
    parts = ("digests", "rows")
    assert [again.content[p] for p in parts] == [first.content[p] for p in parts]
    assert again.content["searched_for"] == first.content["searched_for"]


def test_a_copy_can_be_made_of_the_rows(people, tmp_path):
    path, model, X = people
    y = ["a", "b", "b"] * 20
    sklazy.LazyKNeighborsClassifier().fit(X, y, ids=model.ids_).save(path)
    before = sklazy.load(path).digest()
    sklazy.erase(path, ["person 7"])
    copy = tmp_path / "before.sklazy"
    row = sklazy.load(path).partial_fit(X[7:8], y[7:8], ids=["person 7"])
    row.save(copy)
    again = sklazy.erase(path, ["person 7"], copies=[copy])
    assert again.proved
    assert again.content["digests"]["before"] == before
    assert "person 7" not in sklazy.load(copy).ids_


def test_a_copy_of_another_state_does_not_stand_for_the_rows(people, tmp_path):
    path, _, _ = people
    copy = tmp_path / "copy.sklazy"
    sklazy.load(path).forget(["person 8"]).save(copy)
    sklazy.erase(path, ["person 7"])
    held = path.read_bytes(), copy.read_bytes()
    for ids in (["person 7"], ["person 7", "person 9"], ["nobody"]):
        with pytest.raises(UnknownIdError, match="nothing was erased"):
            sklazy.erase(path, ids, copies=[copy])
    assert held == (path.read_bytes(), copy.read_bytes())


ERASE = """
import os, signal, sys
from sklazy.estimators.erasure import erase
def write(path, *rest):
    path.write_bytes(b"Llanfair")
    os.kill(os.getpid(), signal.SIGKILL)
erase.write_cases = write
erase.erase(sys.argv[1], ["person 8"])
"""


@pytest.mark.skipif(os.name == "nt", reason="processes are killed there otherwise")
def test_what_a_killed_erasure_left_is_removed_by_the_next_command(people, tmp_path):
    path, _, X = people
    old = tmp_path / ".refit-old"  # of an earlier version
    old.mkdir()
    (old / "refit").write_bytes(b"Llanfair")
    for then in (
        lambda: sklazy.erase(path, ["person 7"]),
        lambda: sklazy.load(path).save(path),
        lambda: sklazy.load(path, mmap_mode="r+"),
    ):
        with placing.scratch_folder(path) as used:  # of an erasure under way
            if "person 8" not in sklazy.load(path).ids_:
                model = sklazy.load(path).partial_fit(X[8:9], ["a"], ids=["person 8"])
                model.save(path)
            killed = subprocess.run([sys.executable, "-c", ERASE, str(path)])
            assert killed.returncode == -signal.SIGKILL
            left = {p for p in tmp_path.glob(".*.part") if p.is_dir()} - {used}
            assert len(left) == 1
            then()
            assert used.exists()
            assert not left.pop().exists()
    assert not list(tmp_path.glob(".*.part"))
    assert not old.exists()
