"""`sklazy serve`: what it refuses before it listens."""

import contextlib
import os

import pytest

import sklazy
from sklazy.web.serve.store import Store


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.sklazy"
    sklazy.LazyNBClassifier().fit([["a"], ["b"]] * 3, [0, 1] * 3).save(path)
    return path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "--allow-host"),
        (["--host", "0.0.0.0", "--allow-host", "models"], "--token-file"),
        (["--host", "10.0.0.1"], "--token-file"),
        (["--journal", "folder"], "--token-file"),
        (["--salvage"], "--journal"),
        (["--token-file", "short"], "characters"),
        (["--min-group", 0], "--min-group"),
        (["--receipts", "all"], "--receipts"),
        (["--host", "256.0.0.1", "--token-file", "new"], "--port"),
    ],
)
def test_what_is_refused(run, model, tmp_path, options, said):
    (tmp_path / "short").write_text("ask abc\n")
    code, out, err = run("serve", model, *options)
    assert code == 2
    assert not out
    assert said in err
    assert "abc" not in err


def test_new_tokens_are_their_owners_alone(run, model, tmp_path):
    run("serve", model, "--host", "256.0.0.1", "--token-file", "new")
    assert os.stat(tmp_path / "new").st_mode & 0o077 == 0
    lines = (tmp_path / "new").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["ask", "explain", "change"]


def test_a_file_that_is_no_model_is_refused(run, tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    code, _, err = run("serve", "table.csv")
    assert code == 2
    assert "not a file that sklazy saved" in err


def test_a_damaged_journal_is_refused_and_salvaged_if_that_is_wanted(
    run, model, tmp_path
):
    folder = tmp_path / "changes"
    with contextlib.closing(Store.open(model, folder)) as store:
        for label in "ab":
            store.add([{"x0": label}], [0])
    log = folder / "journal-1.log"
    log.write_bytes(log.read_bytes()[:-1])
    # It ends there: no address has that name.
    options = ["--host", "256.0.0.1", "--token-file", "tokens"]
    code, _, err = run("serve", folder, *options)
    assert code == 2
    assert "record 2" in err
    assert "--salvage" in err
    _, _, err = run("serve", folder, *options, "--salvage")
    assert "Salvaged: 1 records" in err
    _, _, err = run("serve", folder, *options)
    assert "record" not in err
    with contextlib.closing(Store.open(folder)) as store:
        assert store.model.cases_.n_rows == 7
