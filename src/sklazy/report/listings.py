"""Figures of rows, cases and features as small grids, for `print`."""

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sklazy.report.blocks import Block, Cell, Grid, Heading, Paragraph, to_text
from sklazy.report.words import count_more, format_value

Floats = NDArray[np.float64]

_MOST_QUERIES = 4  # columns beside the features
_MOST_ROWS = 12
_DIGITS = 4


def list_contributions(
    title: str,
    names: Sequence[str],
    values: Floats,
    ends: tuple[Floats, Floats],
    outputs: Sequence[object],
) -> str:
    """Contributions with a column for each query, from its base down to its answer.

    `values` is of shape (n_queries, n_features); `ends` are the bases and the answers;
    `outputs` names what is predicted of each query.

    Examples
    --------
    >>> ends = np.array([0.5]), np.array([0.75])
    >>> print(list_contributions("1 row", ["hue"], np.array([[0.25]]), ends, ["red"]))
    1 row
      feature             0: red
      with nothing known   0.500
      hue                 +0.250
      answer               0.750
    """
    n_queries = min(len(values), _MOST_QUERIES)
    shown = values[:n_queries]
    order = np.argsort(-np.abs(shown).mean(axis=0), kind="stable")
    write = _writer([*ends, shown])
    rows: list[list[Cell]] = [
        [format_value(names[j]), *(write(v, signed=True) for v in shown[:, j].tolist())]
        for j in order[:_MOST_ROWS].tolist()
    ]
    if len(order) > _MOST_ROWS:
        rest = shown[:, order[_MOST_ROWS:]].sum(axis=1).tolist()
        others = f"{len(order) - _MOST_ROWS} others"
        rows.append([others, *(write(v, signed=True) for v in rest)])
    first, last = ([write(v) for v in end[:n_queries].tolist()] for end in ends)
    rows = [["with nothing known", *first], *rows, ["answer", *last]]
    header = ["feature", *(f"{i}: {outputs[i]}" for i in range(n_queries))]
    grid = Grid(header, "l" + "r" * n_queries, rows, shown=len(rows))
    more = len(values) - n_queries
    end = f"{count_more(more, 'rows')}: see to_frame()" * (more > 0)
    return list_figures(title, grid, end)


def list_influence(title: str, strongest: Sequence[Sequence[tuple[str, float]]]) -> str:
    """The cases that move each answer most, the strongest first.

    Examples
    --------
    >>> print(list_influence("8 cases", [[("F1", 0.25), ("F2", -0.125)]]))
    8 cases
      row  case  moves it by
        0  F1         +0.250
        0  F2         -0.125
    """
    shown = strongest[:_MOST_QUERIES]
    write = _writer([np.array([size for one in shown for _, size in one])])
    rows: list[list[Cell]] = [
        [str(i), format_value(case), write(size, signed=True)]
        for i, one in enumerate(shown)
        for case, size in one
    ]
    grid = Grid(["row", "case", "moves it by"], "rlr", rows, shown=len(rows))
    more = len(strongest) - len(shown)
    end = f"{count_more(more, 'rows')}: see strongest({len(shown)})" * (more > 0)
    return list_figures(title, grid, end)


def list_pairs(
    title: str, header: Sequence[str], pairs: Sequence[tuple[object, float]]
) -> str:
    """Things and their figures, the first ones where there are many.

    Examples
    --------
    >>> print(list_pairs("2 cases", ["case", "value"], [("a", 1.0), ("b", -0.5)]))
    2 cases
      case   value
      a      1.000
      b     -0.500
    """
    write = _writer([np.array([figure for _, figure in pairs])])
    rows: list[list[Cell]] = [
        [format_value(name), write(figure)] for name, figure in pairs
    ]
    return list_figures(title, Grid(header, "lr", rows, shown=_MOST_ROWS))


def list_figures(title: str, grid: Grid, end: str = "") -> str:
    """A grid under a line of text, and a last line."""
    last: list[Block] = [Paragraph(end)] if end else []
    return to_text([Heading(title), grid, *last])


def _writer(figures: Sequence[Floats]) -> Callable[..., str]:
    """Write figures with as many decimals as the largest of them needs."""
    sizes = np.abs(np.concatenate([np.ravel(each) for each in figures]))
    largest = float(np.nanmax(sizes, initial=0.0))
    places = math.floor(math.log10(largest)) if largest > 0 else 0
    decimals = max(0, _DIGITS - 1 - places)
    return partial(_write, min(decimals, 3) if largest >= 0.1 else decimals)


def _write(decimals: int, value: float, *, signed: bool = False) -> str:
    if not math.isfinite(value):
        return "-"
    return f"{value:{'+' if signed else ''}.{decimals}f}"
