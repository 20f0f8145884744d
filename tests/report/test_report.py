"""Progress and figures: plain data in, something to look at out."""

import io
import logging
import re
import time
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import sklazy
from sklazy.report import blocks as b
from sklazy.report import progress as progress_module
from sklazy.report.html import render
from sklazy.report.progress import Progress, track
from sklazy.report.races import draw_race, running_means


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def test_short_work_shows_nothing():
    screen = Terminal()
    with Progress("working", total=3, stream=screen) as progress:
        progress.advance()
    assert not screen.getvalue()


def test_nothing_is_shown_but_on_a_terminal():
    paper = io.StringIO()
    with Progress("working", total=3, stream=paper, silent_for=0.0) as progress:
        time.sleep(0.05)
        progress.advance()
    assert not paper.getvalue()


def test_long_work_is_logged_now_and_then_where_no_bar_is_seen(monkeypatch, caplog):
    monkeypatch.setattr(progress_module, "WORTH_SAYING", 0.05)
    monkeypatch.setattr(progress_module, "_MOST_SILENT", 0.1)
    caplog.set_level(logging.INFO, "sklazy")
    with Progress("predicting", total=800, stream=io.StringIO()) as progress:
        progress.advance(200, note="fold 1 of 4")
        with Progress("preparing", total=3, stream=io.StringIO(), noun="stages"):
            deadline = time.monotonic() + 20
            while len(caplog.messages) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
    assert len(caplog.messages) >= 3
    first = caplog.messages[0]
    assert first.startswith(
        "predicting: 200 of 800 rows (fold 1 of 4); preparing: 0 of 3 stages after 0 s"
    )
    assert first.endswith("seconds left")
    n_lines = len(caplog.messages)
    time.sleep(0.3)
    assert len(caplog.messages) <= n_lines + 1  # it ends with the work


def test_silence_is_kept_where_nobody_listens(monkeypatch, caplog):
    monkeypatch.setattr(progress_module, "WORTH_SAYING", 0.02)
    for option, level in (("on", logging.WARNING), ("off", logging.INFO)):
        monkeypatch.setenv("SKLAZY_PROGRESS", option)
        caplog.set_level(level, "sklazy")
        with Progress("predicting", total=8, stream=io.StringIO()):
            time.sleep(0.2)
    assert caplog.messages == []


def test_long_work_shows_a_bar():
    pytest.importorskip("rich")
    screen = Terminal()
    with Progress("working", total=4, stream=screen, silent_for=0.0) as progress:
        deadline = time.monotonic() + 20
        while not screen.getvalue() and time.monotonic() < deadline:
            progress.advance(0, note="5 left")
            time.sleep(0.02)
    assert "working" in screen.getvalue()


def test_preparing_a_blend_names_its_members(monkeypatch):
    seen = []
    monkeypatch.setattr(
        Progress, "advance", lambda self, steps=1, note="": seen.append(note)
    )
    X = np.arange(24.0).reshape(12, 2)
    sklazy.LazyClassifier().fit(X, [0, 1] * 6).predict(X[:1])
    assert [note for note in dict.fromkeys(seen) if note] == [
        *("paths", "kernel", "weighing columns", "choosing settings", "solving"),
        "logistic",
    ]


@pytest.mark.parametrize("width", [40, 48, 60])
def test_bars_that_do_not_fit_are_drawn_on_a_smaller_scale(width):
    """A bar is no word: it has no middle that could be left out."""
    shares = [0.752, 0.15, 0.05, 0.0]
    rows = [[f"member {i}", f"{s:.1%}", b.Bar(s), "0.25"] for i, s in enumerate(shares)]
    rows.append(["shifted", "", b.Bar(0.9, 0.5), "0.25"])
    rows.append(["nothing", "", b.Bar(0.6, 0.6), "0.25"])
    grid = b.Grid(["member", "weight", "", "left-out loss"], "lrbr", rows)
    text = b.to_text([grid], width)
    assert not re.search("█…|…█", text)
    assert max(map(len, text.splitlines())) <= width
    drawn = [line.count("█") for line in text.splitlines() if "█" in line]
    assert len(drawn) == 4
    assert drawn[0] > drawn[1] >= drawn[2] >= 1
    assert drawn[3] == pytest.approx(drawn[0] * 0.4 / 0.752, abs=1)
    shifted = next(line for line in text.splitlines() if "shifted" in line)
    assert re.search(r" {3,}█+", shifted)


def test_what_is_not_shown_is_counted_in_the_singular_too():
    grid = b.Grid(["a"], "l", [["x"]], n_more=1, noun="features that add nothing")
    page = render("fragment", n_more=0, opening=[], articles=[("a", "A", [grid])])
    assert "and 1 more feature that adds nothing" in page
    page = render(
        "fragment",
        n_more=0,
        opening=[],
        articles=[("a", "A", [grid._replace(n_more=1, noun="less probable classes")])],
    )
    assert "and 1 more less probable class<" in page.replace("\n", "")
    page = render(
        "fragment",
        n_more=0,
        opening=[],
        articles=[("a", "A", [grid._replace(n_more=2)])],
    )
    assert "and 2 more features that add nothing" in page


def test_work_within_work_has_no_bar_of_its_own():
    pytest.importorskip("rich")
    outer, inner = Terminal(), Terminal()
    with (
        Progress("all", total=2, stream=outer, silent_for=0.0),
        Progress("part", total=2, stream=inner, silent_for=0.0) as part,
    ):
        deadline = time.monotonic() + 20
        while not outer.getvalue() and time.monotonic() < deadline:
            part.advance(0)
            time.sleep(0.02)
    assert "all" in outer.getvalue()
    assert not inner.getvalue()


def test_track_gives_every_item():
    assert list(track("abc", "spelling")) == ["a", "b", "c"]
    assert list(track(iter("abc"), "spelling")) == ["a", "b", "c"]


def test_running_means():
    values = np.array([[1.0, 4.0], [3.0, np.nan]])
    assert np.array_equal(
        running_means(values), [[1.0, 4.0], [2.0, np.nan]], equal_nan=True
    )


def test_a_race_is_drawn_line_by_line():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, ax = pyplot.subplots()
    values = np.array([[1.0, 4.0, 2.0], [3.0, np.nan, 2.0]])
    draw_race(values, [2, 0], ax, names=["a", "b", "c"])
    drawn = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert drawn["a"] == [1.0, 2.0]
    assert drawn["c"] == [2.0, 2.0]
    assert [4.0] in [line.get_ydata().tolist() for line in ax.lines]
    assert ax.get_title() == "2 of 3 left after 2 blocks"
    pyplot.close(figure)


def test_a_long_race_is_framed_by_what_it_settles_to():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, ax = pyplot.subplots()
    values = np.ones((60, 3))
    values[0, 0], values[:, 2] = 1000.0, np.linspace(2.0, 3.0, 60)
    values[30:, 1] = np.nan
    draw_race(values, [2, 0], ax, block="row")
    low, high = ax.get_ylim()
    assert ax.get_xscale() == "log"
    assert low < 1.0
    assert 92 < high < 120  # the mean after ten blocks, not that of the first
    assert ax.get_legend_handles_labels()[1] == ["dropped", "2", "0"]
    draw_race(np.ones((60, 2)), [0, 1], ax)
    pyplot.close(figure)


@pytest.mark.parametrize("kind", [one.__name__.lower() for one in get_args(b.Block)])
def test_pages_and_the_explorer_draw_every_kind_of_block(kind):
    rooms = Path(sklazy.__file__).parent
    template = (rooms / "report/templates/blocks.html.j2").read_text()
    script = (rooms / "web/explore/static/blocks.js").read_text()
    assert f'kind == "{kind}"' in template
    assert f'case "{kind}":' in script or kind == "grid"  # grids are its default
