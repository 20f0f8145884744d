"""Bars and axes of numbers of any size: nothing is NaN, nothing leaves its frame."""

import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sklazy import LazyLearningRegressor
from sklazy.report.article import make_ruler
from sklazy.report.blocks import Bar, Grid, to_markdown, to_text
from sklazy.report.html import render
from sklazy.report.plain import to_plain
from sklazy.report.plots import draw_curves, draw_dots, draw_histogram, draw_panels
from sklazy.report.scales import find_range, find_share, ticks

LARGEST = 1.7976931348623157e308
EXTREMES = [0.0, 5e-324, 1e-300, 1.0, 1e300, LARGEST]
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [*EXTREMES, *(-x for x in EXTREMES)]
)
LISTS = st.lists(NUMBERS, min_size=1, max_size=6)
NO_NUMBER = re.compile(r"\b(nan|inf)\b")


@given(NUMBERS, NUMBERS, NUMBERS)
@example(5e-324, 0.0, 5e-324)
@example(0.0, -LARGEST, LARGEST)
def test_shares_keep_the_order_and_the_ends(a, b, c):
    low, value, high = sorted([a, b, c])
    share = find_share(value, low, high)
    assert 0.0 <= share <= 1.0
    if low < high:
        assert find_share(low, low, high) == 0.0
        assert find_share(high, low, high) == 1.0


@given(*[st.integers(-(2**40), 2**40)] * 3)
def test_shares_are_the_plain_quotient(a, b, c):
    low, value, high = map(float, sorted([a, b, c]))
    expected = (value - low) / (high - low) if high > low else 0.0
    assert find_share(value, low, high) == expected


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-300, 1.0, 1e300, LARGEST / 4])
def test_bars_of_any_scale_are_the_same(scale):
    values = [x * scale for x in (0.0, 1.0, 2.0, 4.0)]
    bars = [make_ruler(values)(value) for value in values]
    assert [bar.end for bar in bars] == [0.0, 0.25, 0.5, 1.0]
    assert [bar.start for bar in bars] == [0.0] * 4


def test_bars_of_infinite_and_equal_values():
    bar = make_ruler([-math.inf, 2.0, None, math.inf])
    assert (bar(math.inf).end, bar(2.0).end, bar(None)) == (1.0, 1.0, "")
    assert make_ruler([0.0, 0.0])(0.0) == Bar(0.0)
    assert make_ruler([-3.0, -3.0])(-3.0) == Bar(1.0, 0.0, tone="against")
    wide = make_ruler([-LARGEST, LARGEST])
    assert wide(LARGEST) == Bar(1.0, 0.5)
    assert wide(-LARGEST) == Bar(0.5, 0.0, tone="against")


@given(LISTS)
def test_bars_are_written_everywhere(values):
    ruler = make_ruler(values)
    blocks = [Grid(["", ""], "lb", [["", ruler(value)] for value in values])]
    assert to_text(blocks) is not None
    assert to_markdown(blocks)
    for _, bar in to_plain(blocks)[0]["rows"]:
        assert 0.0 <= bar["start"] <= bar["end"] <= 1.0


@pytest.mark.parametrize("share", [math.nan, math.inf, -math.inf])
def test_a_share_that_is_no_number_is_drawn_all_the_same(share):
    blocks = [Grid([""], "b", [[Bar(share)]])]
    width = 20 if share == math.inf else 0
    assert to_text(blocks).count("█") == width
    page = render("fragment", n_more=0, opening=blocks, articles=[])
    (drawn,) = re.findall(r"left:(.*?)%;width:(.*?)%", page)
    assert drawn == ("0.0", "100.0" if width else "0.0")


@given(NUMBERS, NUMBERS, st.integers(2, 9))
@example(0.0, 5e-324, 6)
@example(-LARGEST, LARGEST, 6)
@example(1e16, 1e16 + 2, 6)
def test_ticks_lie_within_the_axis(a, b, most):
    low, high = sorted([a, b])
    marks = ticks(low, high, most)
    assert 1 <= len(marks) <= most + 2
    room = 1e-6 * (high / 2 - low / 2)
    assert all(low - room <= mark <= high + room for mark in marks)


@pytest.mark.parametrize("scale", [1e-290, 1e-20, 1.0, 1e20, 1e290])
def test_ticks_of_any_scale_are_told_apart(scale):
    assert ticks(0.0, scale) == pytest.approx(scale * np.arange(6) / 5)


@given(LISTS)
@example([1e-300, 2e-300])
@example([-LARGEST, LARGEST])
@example([7.0, 7.0])
def test_drawings_stay_within_their_frames(values):
    points = list(enumerate(values))
    low, high = find_range(values)
    assert low <= min(values) <= max(values) <= high
    drawings = [
        draw_curves({"a": points}, "", "x", "y", [(0, values[0], "ring")]),
        draw_histogram(values, values[0], "", "x"),
        draw_dots({"set": values}, list("abcdef")[: len(values)], "", "x"),
        draw_panels({"a": [points]}, {}, "", "x", "y"),
    ]
    for drawing in drawings:
        assert not NO_NUMBER.search(str(drawing))
        places = re.findall(r'points="([^"]*)"', str(drawing))
        for x, y in (pair.split(",") for line in places for pair in line.split()):
            assert -1 <= float(x) <= drawing.width + 1
            assert -1 <= float(y) <= drawing.height + 1


@pytest.mark.parametrize("scale", [1e-300, 5e-324, 0.0, 1.0, 1e300])
def test_receipts_of_any_scale_are_written(scale):
    """A slope of 0 times a range beyond floats is no number."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=4), rng.choice([-1.5e308, 0, 1.5e308], 4)])
    assert math.isinf(max(X[:, 1].tolist()) - min(X[:, 1].tolist()))
    y = rng.integers(-3, 4, 4) * scale
    receipt = LazyLearningRegressor().fit(X, y).explain(X[:1], reasons=False)[0]
    texts = receipt.to_text(), receipt.to_markdown(), receipt.to_html()
    assert not any(NO_NUMBER.search(text) for text in texts)
