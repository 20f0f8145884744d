"""Files are written whole, and errors name what the user named."""

import pytest

from sklazy.casebase.files import write_file
from sklazy.errors import BadInputError


def test_an_empty_path_is_refused():
    with pytest.raises(BadInputError, match="names no file"):
        write_file("", {}, {})


@pytest.mark.parametrize("kind", ["no folder", "a folder"])
def test_errors_of_the_system_name_the_path_that_was_given(kind, tmp_path):
    path = tmp_path / "model.sklazy"
    if kind == "no folder":
        path = tmp_path / "nowhere" / "model.sklazy"
    else:
        path.mkdir()
    with pytest.raises(OSError, match=r"model\.sklazy") as caught:
        write_file(path, {}, {})
    assert caught.value.filename == str(path)
    assert ".part" not in str(caught.value)
