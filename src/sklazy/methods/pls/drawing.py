"""A receipt of local partial least squares: components, neighbors, how far to trust."""

from collections.abc import Sequence

from sklazy.methods.local_models.drawing import ALIKE
from sklazy.report.article import Article, Plain, draw_query, make_ruler
from sklazy.report.blocks import Block, Cell, Figure, Fold, Grid, Heading, Paragraph
from sklazy.report.plots import draw_curves, whole
from sklazy.report.words import (
    format_fixed,
    format_number,
    format_percent,
    format_value,
    pluralize,
)

_SHOWN = 8
_MOST_ROWS = 200

_METRICS = {
    "euclidean": "",
    "mahalanobis": " by principal scores",
    "correlation": " by correlation",
    "angle": " by spectral angle",
}


def draw_pls(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    error = format_number(receipt["model"]["error"])
    parts = [
        *[Paragraph(line, "warning") for line in _warnings(receipt)],
        *_draw_errors(receipt["model"]),
        *_draw_neighbors(receipt["neighbors"]),
        *_draw_coefficients(receipt),
        draw_query(receipt),
    ]
    why = [_explain(receipt), _around(receipt), _explain_trust(receipt["trust"])]
    return Article(f"give or take {error}", why, parts, ("error", error))


def _explain(receipt: Plain) -> str:
    """The model in a sentence or two."""
    model, near = receipt["model"], receipt["neighbors"]
    by = _METRICS.get(str(receipt["settings"].get("metric")), "")
    cases = f"the {pluralize(near['k'], 'nearest case')}{by}"
    if not model["n_components"] or not model["max_components"]:
        return (
            f"No component separates {cases} by their targets: the answer is their "
            "mean."
        )
    size = pluralize(model["n_components"], "component")
    used = sum(share > 0 for share in model["shares"])
    if used > 1:
        return (
            f"{used} PLS models on {cases}, weighted by their leave-one-out errors, "
            f"are averaged; the best has {size}."
        )
    chosen = ", the number with the lowest leave-one-out error,"
    is_chosen = model["min_components"] < len(model["shares"]) - 1
    return (
        f"The answer comes from a PLS model with {size}"
        f"{chosen if is_chosen else ''} fitted to {cases}."
    )


def _around(receipt: Plain) -> str:
    """Describe the nearest cases' targets, and how well they predict each other."""
    near, model = receipt["neighbors"], receipt["model"]
    ends = f"{format_number(near['min'])} to {format_number(near['max'])}"
    return (
        f"Their targets are {ends}; the leave-one-out error is "
        f"{format_number(model['error'])} (root mean square)."
    )


def _explain_trust(trust: Plain) -> str:
    """Where the row lies, in words."""
    figures = (
        f"leverage {_beside(trust, 'leverage')}, unexplained by the components (Q) "
        f"{_beside(trust, 'q')}"
    )
    return f"The row lies {trust['place']} its neighbors: {figures}."


def _beside(trust: Plain, name: str) -> str:
    largest = format_number(trust[f"largest_{name}"])
    return f"{format_number(trust[name])} (for neighbors left out: at most {largest})"


def _warnings(receipt: Plain) -> list[str]:
    """Warnings about the prediction."""
    lines, model = [], receipt["model"]
    if receipt["trust"]["place"] == "far outside":
        lines.append(
            "Far outside: no case is similar to this row. The answer is an "
            "extrapolation; do not rely on it."
        )
    n_lacking = len(receipt["coefficients"]) - model["n_columns"]
    if n_lacking:
        lines.append(
            f"The row lacks {pluralize(n_lacking, 'column')}; the model ignores them."
        )
    n_missing = receipt["neighbors"]["n_missing"]
    if n_missing:
        cells = pluralize(n_missing, "missing cell")
        lines.append(f"{cells} of the neighbors are filled with the neighbors' mean.")
    return lines


def _draw_errors(model: Plain) -> list[Block]:
    """The leave-one-out error against the number of components."""
    points = [
        (a, error)
        for a, error in enumerate(model["errors"])
        if error is not None and (a > 0 or len(model["errors"]) < 3)
    ]
    if len(points) < 2:
        return []
    word = pluralize(model["n_components"], "component")
    marks = [(a, error, word) for a, error in points if a == model["n_components"]]
    canvas = draw_curves(
        {"error": points},
        "Leave-one-out error against the number of components",
        "number of components",
        "leave-one-out error",
        marks,
        x_written=whole,
        height=250,
    )
    used = [
        f"{a}: {format_percent(share)}"
        for a, share in enumerate(model["shares"])
        if share > 0
    ]
    shares = f" Shares: {', '.join(used)}." if len(used) > 1 else ""
    return [Figure(canvas, f"The ring marks the best number of components.{shares}")]


def _draw_neighbors(near: Plain) -> list[Block]:
    """The nearest cases, and the weight of each."""
    listed: Sequence[Plain] = near["listed"]
    bar = make_ruler([case["weight"] for case in listed])
    rows: list[list[Cell]] = [
        [
            format_value(case["id"]),
            *[format_number(case[key]) for key in ("target", "distance")],
            format_fixed(case["weight"]),
            bar(case["weight"]),
            format_fixed(case["leverage"]),
            format_number(case["q"]),
        ]
        for case in listed
    ]
    grid = Grid(
        ["case", "target", "distance", "weight", "", "leverage", "Q"],
        "lrrrbrr",
        rows,
        shown=_SHOWN,
        n_more=near["k"] - len(rows),
        noun="cases",
    )
    note = "Leverage and Q of a case are computed in a model fitted without it."
    if any("n_same_inputs" in case for case in listed):
        note += f" {ALIKE}"
    return [Heading("Nearest cases"), Paragraph(note, "soft"), grid]


def _draw_coefficients(receipt: Plain) -> list[Block]:
    """Change of the prediction for one unit more, the largest first."""
    known = {k: v for k, v in receipt["coefficients"].items() if v}
    if not known:
        return []
    bar = make_ruler(list(known.values()))
    query = {item["name"]: format_value(item["value"]) for item in receipt["query"]}
    ordered = sorted(known, key=lambda name: -abs(known[name]))[:_MOST_ROWS]
    rows: list[list[Cell]] = [
        [
            format_value(name),
            query.get(name, ""),
            format_number(known[name]),
            bar(known[name]),
        ]
        for name in ordered
    ]
    n_more = len(known) - len(rows)
    header = ["column", "value", "coefficient", ""]
    grid = Grid(header, "llrb", rows, shown=_SHOWN, n_more=n_more, noun="columns")
    return [Fold(f"Coefficients ({len(known)})", [grid])]
