"""Files are written whole, and errors name what the user named."""

import os

import pytest

from sklazy.cli.writing import write_text
from sklazy.errors import BadFileError, BadInputError
from sklazy.storage.files import read_file, write_file


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_that_names_no_file_is_refused(path):
    with pytest.raises(BadInputError, match="is not the name of a file"):
        write_file(path, {}, {})
    with pytest.raises(BadFileError, match="cannot be read"):
        read_file(path)


def test_a_pipe_stays_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(BadInputError, match="device or a pipe"):
        write_file(path, {}, {})
    end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_text(path, "text")
    assert os.read(end, 10) == b"text"
    os.close(end)
    assert path.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


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
