"""A receipt of local regression as HTML and as text."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from sklazy.report.words import say

_DEGREES = ("constant", "linear", "quadratic")
_SHOWN = 12  # neighbors and coefficients in a table
_WIDTH, _HEIGHT = 360, 120  # of a curve
_COLORS = ("#4477aa", "#cc6677", "#228833")

Plain = Mapping[str, Any]


def draw_html(receipt: Plain) -> str:
    """A self-contained piece of HTML; names and labels are escaped."""
    parts = [f"<p>Query: {_cells(receipt['query'])}</p>"]
    for target in receipt["targets"]:
        parts += [
            f"<h4>{_text(target['name'])} = {_text(target['prediction'])} "
            f"&plusmn; {_text(target['error'])}</h4>",
            f"<p>{_text(_models_line(target))}</p>",
            *(f"<p><b>{_text(line)}</b></p>" for line in warnings_of(target)),
            draw_curves(target["curves"]),
            _table(
                ("coefficient", "value"),
                list(target["coefficients"].items())[: _SHOWN + 1],
            ),
            _neighbor_table(target["neighbors"]),
        ]
    foot = f"Cases {receipt['digest'][:16]}, sklazy {receipt['sklazy']}"
    return (
        '<div style="font-family: sans-serif; font-size: 90%">'
        f"<h3>{_text(receipt['answer'])}</h3>{''.join(parts)}<p>{_text(foot)}</p></div>"
    )


def write_text(receipt: Plain) -> str:
    """The receipt in a few lines for the terminal."""
    query = ", ".join(
        f"{_plain(c['name'])} = {_plain(c['value'])}" for c in receipt["query"]
    )
    lines = [f"answer {_plain(receipt['answer'])} for {query}"]
    for target in receipt["targets"]:
        lines.append(
            f"  {target['name']} = {_plain(target['prediction'])} "
            f"+- {_plain(target['error'])}"
        )
        lines.append(f"    {_models_line(target)}")
        lines += [f"    {line}" for line in warnings_of(target)]
        lines += [
            f"    case {case['id']}: distance {_plain(case['distance'])}, target "
            f"{_plain(case['target'])}, influence {_plain(case['influence'])}"
            for case in target["neighbors"][:3]
        ]
    return "\n".join(lines)


def warnings_of(target: Plain) -> list[str]:
    """What to beware of, in words."""
    lines = []
    for column in target["outside"]:
        place = f"{column['column']} = {_plain(column['value'])}"
        if "least" in column:
            ends = f"{_plain(column['least'])} to {_plain(column['most'])}"
            lines.append(f"Extrapolation: {place}, but the neighbors have {ends}.")
        else:
            lines.append(f"Extrapolation: {place}, but no neighbor has it.")
    return lines


def draw_curves(curves: Iterable[Plain]) -> str:
    """Leave-one-out score against the number of neighbors, as inline SVG."""
    drawn = []
    points = [
        (
            curve["degree"],
            [
                (curve["first"] + i, s)
                for i, s in enumerate(curve["scores"])
                if s is not None
            ],
        )
        for curve in curves
    ]
    scores = [score for _, line in points for _, score in line]
    if not scores:
        return ""
    sizes = [k for _, line in points for k, _ in line]
    left, right, top = min(sizes), max(sizes), sorted(scores)[int(0.95 * len(scores))]
    for degree, line in points:
        path = " ".join(
            f"{_scaled(k, left, right, _WIDTH):.1f},"
            f"{_HEIGHT - _scaled(min(score, top), 0.0, top, _HEIGHT):.1f}"
            for k, score in line
        )
        drawn.append(
            f'<polyline fill="none" stroke="{_COLORS[degree]}" points="{path}">'
            f"<title>{_DEGREES[degree]}</title></polyline>"
        )
    legend = ", ".join(f"{_DEGREES[degree]}: {_COLORS[degree]}" for degree, _ in points)
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'aria-label="score against k ({legend})">{"".join(drawn)}</svg>'
        f"<p>Leave-one-out score against k = {left} to {right}.</p>"
    )


def _scaled(value: float, low: float, high: float, length: int) -> float:
    return length * (value - low) / (high - low) if high > low else length / 2


def _models_line(target: Plain) -> str:
    models = target["models"]
    if not models:
        return "No model could be scored; the mean of the neighbors."
    best = models[0]
    rest = f", combined with {len(models) - 1} more" if len(models) > 1 else ""
    return (
        f"Best: {_DEGREES[best['degree']]} model of {best['k']} neighbors "
        f"(score {_plain(best['score'])}){rest}; up to {target['k']} neighbors in use."
    )


def _neighbor_table(neighbors: list[Plain]) -> str:
    keys = ("id", "distance", "target", "influence", "leverage", "residual")
    rows = [[case[key] for key in keys] for case in neighbors[:_SHOWN]]
    more = len(neighbors) - len(rows)
    return _table(keys, rows) + (f"<p>... and {more} more</p>" if more else "")


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    head = "".join(f"<th>{_text(h)}</th>" for h in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _cells(query: Iterable[Plain]) -> str:
    return ", ".join(f"{_text(c['name'])} = {_text(c['value'])}" for c in query)


def _text(value: object) -> str:
    return escape(_plain(value))


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(item) for item in value)
    return f"{value:.4g}" if isinstance(value, float) else say(value)
