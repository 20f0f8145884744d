"""Where cases can lie, for tests of any room."""

from functools import partial

import pytest

from house import describe_size
from places import PLACES, SEGMENT
from sklazy.storage import outline


def pytest_terminal_summary(terminalreporter):
    """The size of the house, which is known and not held."""
    terminalreporter.write_line(describe_size())


@pytest.fixture(scope="module")
def client():
    """A client of a small cluster in this process, started once for a file of tests."""
    pytest.importorskip("distributed")
    from clusters import cluster

    with cluster(processes=False) as client:
        yield client


@pytest.fixture
def place(request, tmp_path, monkeypatch):
    """A function that gives a fitted model with its cases in a place of `PLACES`."""
    monkeypatch.setattr(outline, "SEGMENT", SEGMENT)
    if request.param == "cluster":
        request.getfixturevalue("client")
    return partial(PLACES[request.param], folder=tmp_path)
