"""`sklazy erase` and `sklazy check-certificate`."""

import json
import os

import pytest


@pytest.fixture
def heating(flats):
    command = ["fit", "flats.csv", "-t", "heating", "-m", "lazy-knn", "--id", "flat"]
    assert flats(*command, "-o", "heating.sklazy")[0] == 0
    return flats


def test_a_row_goes_and_its_certificate_is_checked(heating, tmp_path):
    (tmp_path / "key").write_bytes(b"sixteen bytes or more")
    code, out, err = heating(
        *("erase", "heating.sklazy", "--id", "F012", "--certificate", "gone.json"),
        *("--html", "gone.html", "--key", "key"),
    )
    assert code == 0
    assert "proved" in out
    assert "gone.html" in err
    assert "F012" not in (tmp_path / "gone.html").read_text()
    check = ["check-certificate", "gone.json", "heating.sklazy", "--key", "key"]
    code, out, _ = heating(*check, "--id", "F012", "--json")
    assert code == 0
    assert json.loads(out)["erased"] == 1
    code, _, err = heating(*check, "--id", "F013")
    assert code == 2
    assert "not about" in err


def test_what_is_left_is_an_error(heating, tmp_path):
    (tmp_path / "heating.sklazy.old").write_bytes(
        (tmp_path / "heating.sklazy").read_bytes()
    )
    command = ["erase", "heating.sklazy", "--id", "F012", "--certificate", "gone.json"]
    code, out, _ = heating(*command)
    assert code == 1
    assert "NOT proved" in out
    code, _, err = heating(*command)
    assert code == 2
    assert "--copy FILE" in err
    code, out, _ = heating(*command, "--copy", "heating.sklazy.old")
    assert code == 0
    assert "1 row: proved" in out


def test_ids_are_read_as_the_model_has_them(flats):
    assert (
        flats(
            "fit",
            "flats.csv",
            "-t",
            "heating",
            "--ignore",
            "flat",
            "-m",
            "lazy-knn",
            "-o",
            "m.sklazy",
        )[0]
        == 0
    )
    command = ["erase", "m.sklazy", "--certificate", "gone.json", "--id"]
    assert flats(*command, "12")[0] == 0
    code, _, err = flats(*command, "F012")
    assert code == 2
    assert "give whole numbers" in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has it")
def test_a_certificate_that_cannot_be_written_is_printed(heating):
    command = ["erase", "heating.sklazy", "--id", "F007"]
    code, out, err = heating(*command, "--certificate", "/dev/full")
    assert code == 1
    assert json.loads(out)["proved"]
    assert "the rows are erased" in err


def test_rows_of_one_person_are_named(heating):
    command = ["erase", "heating.sklazy", "--id", "F01", "--certificate", "gone.json"]
    code, _, err = heating(*command)
    assert code == 2
    assert "There are 'F010', 'F011', 'F012', 'F013', 'F014' and " in err


def test_a_copy_that_is_searched_too_is_listed_once(heating, tmp_path):
    (tmp_path / "bak").mkdir()
    copy = tmp_path / "bak" / "monday.sklazy"
    copy.write_bytes((tmp_path / "heating.sklazy").read_bytes())
    code, _, _ = heating(
        *("erase", "heating.sklazy", "--id", "F012", "--certificate", "gone.json"),
        *("--search", "bak", "--copy", "bak/monday.sklazy"),
    )
    assert code == 0
    files = json.loads((tmp_path / "gone.json").read_text())["files"]
    names = [one["name"] for one in files]
    assert names.count(os.path.join("bak", "monday.sklazy")) == 1
    assert len(set(map(os.path.realpath, names))) == len(names)
    assert not any(map(os.path.isabs, names))
