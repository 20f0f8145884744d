"""Progress: bars and estimates reach people, in a notebook, too."""

import io
import logging
import sys
import time
import types

import pytest

from sklazy.report import notebook_bar, progress
from sklazy.report.progress import Progress


class Notebook:
    """A stand-in for IPython in a kernel, which keeps what is displayed."""

    def __init__(self):
        self.shown = []

    def display(self, drawing, display_id=False):
        self.shown.append(drawing._repr_html_())
        return self if display_id else None

    def update(self, drawing):
        self.shown.append(drawing._repr_html_())


@pytest.fixture(autouse=True)
def unlogged(monkeypatch):
    """As it is by default: messages of that level are not shown."""
    monkeypatch.setattr(logging.getLogger("sklazy"), "level", logging.WARNING)
    logging.getLogger("sklazy").manager._clear_cache()


@pytest.fixture
def notebook(monkeypatch):
    found = Notebook()
    shell = types.SimpleNamespace(kernel=object())
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    inner = types.SimpleNamespace(display=found.display)
    monkeypatch.setitem(sys.modules, "IPython.display", inner)
    monkeypatch.setattr(notebook_bar, "_SELDOM", 0.0)
    return found


def test_a_notebook_has_a_bar_that_goes(notebook):
    with Progress("racing <b>", total=4, silent_for=0.0) as bar:
        while not notebook.shown:
            time.sleep(0.001)
        bar.advance(1, note="3 left")
        bar.advance(1)
    first, second, third, last = notebook.shown
    assert "racing &lt;b&gt;" in first
    assert 'value="0.250"' in second
    assert "3 left" in second
    assert 'value="0.500"' in third
    assert last == ""


def test_short_work_shows_nothing(notebook):
    with Progress("racing", total=4) as bar:
        bar.advance(4)
    assert notebook.shown == []


def test_a_bar_without_a_total_counts(notebook):
    assert "<progress></progress> 7" in notebook_bar.NotebookBar(
        notebook.display, "reading", None
    ).draw(7, "")


@pytest.mark.parametrize("seconds", [3.0, 90.0])
def test_a_long_wait_is_announced_to_people(notebook, seconds):
    with Progress("predicting", total=500, stream=io.StringIO()) as bar:
        bar.expect(seconds, "n_jobs=2")
    wait = "predicting 500 rows takes about 90 seconds. Faster: n_jobs=2."
    assert notebook.shown == ([f"<div>{wait}</div>"] if seconds > 10 else [])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_the_line_unless_it_is_logged(monkeypatch, caplog):
    monkeypatch.setattr(progress, "_are_wanted", lambda: True)
    stream = Terminal()
    with Progress("predicting", total=5, stream=stream) as bar:
        bar.expect(90.0)
        assert "takes about 90 seconds." in stream.getvalue()
        with caplog.at_level(logging.INFO, "sklazy"):
            bar.expect(200.0)
    assert "3 minutes" not in stream.getvalue()
    assert "3 minutes" in caplog.text
    silent = io.StringIO()
    with Progress("predicting", total=5, stream=silent) as bar:
        bar.expect(90.0)
    assert silent.getvalue() == ""


def test_elsewhere_there_is_no_notebook():
    assert notebook_bar.find_display() is None


def test_the_first_step_which_may_compile_is_not_counted(monkeypatch):
    expected, moments = [], iter([0.0, 35.0, 39.0, 43.0])
    monkeypatch.setattr(progress.Progress, "expect", lambda _, s: expected.append(s))
    monkeypatch.setattr(progress.time, "monotonic", lambda: 0.0)
    steps = progress.track(range(4), "leaving out", noun="parts")
    for moment in moments:
        monkeypatch.setattr(progress.time, "monotonic", lambda m=moment: m)
        next(steps)
    steps.close()
    assert expected == [8.0]
