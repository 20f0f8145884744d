"""A receipt of local models: the models, their errors, coefficients and neighbors."""

import math
from collections.abc import Sequence

from sklazy.report.article import (
    Article,
    Case,
    Plain,
    draw_cases,
    draw_query,
    draw_votes,
    format_outcome,
    make_ruler,
    sureness,
)
from sklazy.report.blocks import (
    Block,
    Cell,
    Figure,
    Fold,
    Grid,
    Heading,
    Paragraph,
)
from sklazy.report.plots import draw_curves, whole
from sklazy.report.scales import half_width
from sklazy.report.words import (
    format_class,
    format_fixed,
    format_number,
    format_percent,
    format_value,
    join,
    pluralize,
)

_DEGREES = ("constant", "linear", "quadratic")
_SHOWN = 8
_MOST_ROWS = 200
_MOST_COLUMNS = 6  # attributes beside each other in the table of cases
_CUT = 0.95  # of the errors fit into the figure: those of few neighbors are huge
ALIKE = (
    "Cases with the same inputs are used as one case with their mean target; only one "
    "of them is listed."
)
"""A note for receipts in which cases stand for others."""

_NOTHING = 1e-6  # of the targets' range: what moves a prediction less, moves it not


def draw_local_models(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    if "votes" in receipt:
        return _draw_class(receipt)
    targets = receipt["targets"]
    errors = join([format_number(target["error"]) for target in targets])
    why: list[str] = []
    parts: list[Block] = []
    for target in targets:
        name = format_value(target["name"])
        why += _explain(target, name, _around(target))
        parts += [Heading(name)] if len(targets) > 1 else []
        parts += _draw_target(receipt, target)
    parts.append(draw_query(receipt))
    return Article(f"give or take {errors}", why, parts, ("error", errors))


def _draw_class(receipt: Plain) -> Article:
    """The models of the class that is the answer; those of others are folded."""
    parts: list[Block] = [Heading("Classes"), draw_votes(receipt, "predicted")]
    folds: list[Block] = []
    why = ["For each class, models predict 1 for its cases and 0 for the others."]
    for target in receipt["targets"]:
        name = format_class(target["name"])
        sentences = _explain(target, name, _share(target, name))
        blocks = _draw_target(receipt, target)
        if target["name"] == receipt["answer"]:
            why, parts = [*why, *sentences], parts + blocks
        else:
            lines = [Paragraph(line) for line in sentences]
            folds.append(Fold(f"The models for {name}", [*lines, *blocks]))
    brief = "neighbors", str(receipt["neighbors"]["k"])
    parts += [*folds, draw_query(receipt)]
    return Article(sureness(receipt), why, parts, brief)


# --- why ------------------------------------------------------------------------------


def _explain(target: Plain, name: str, around: str) -> list[str]:
    """The sentences that explain why a number was predicted."""
    models, value = target["models"], format_number(target["prediction"])
    if not models:
        return [
            f"No model has a leave-one-out error: {name} is the mean of the neighbors."
        ]
    best = models[0]
    first = f"{_DEGREES[best['degree']]} model of the {best['k']} nearest cases"
    if len(models) == 1:
        sentence = (
            f"A {first}, the one with the lowest leave-one-out error, predicts {value}"
        )
    else:
        sentence = (
            f"{len(models)} local models, weighted by their leave-one-out errors, "
        )
        sentence += f"predict {value} for {name}; the best is a {first}."
    error = format_number(target["error"])
    off = f"Their leave-one-out error is {error} (root mean square)."
    return [sentence if len(models) > 1 else f"{sentence} for {name}.", around, off]


def _around(target: Plain) -> str:
    """Describe the targets of the nearest cases."""
    values = _known(target)
    if not values:
        return "The targets of the nearest cases are not known."
    low, high = format_number(min(values)), format_number(max(values))
    ends = low if low == high else f"{low} to {high}"
    return f"The {pluralize(target['k'], 'nearest case')} have {ends}."


def _share(target: Plain, name: str) -> str:
    """How many of the nearest cases are of a class."""
    n = sum(value > 0 for value in _known(target))
    return f"Of the {pluralize(target['k'], 'nearest case')}, {n} are {name}."


def _known(target: Plain) -> list[float]:
    values = [case["target"] for case in target["neighbors"]]
    return [value for value in values if value is not None]


def _warnings(target: Plain) -> list[str]:
    """Warnings about the prediction."""
    lines = []
    for item in target["outside_range"]:
        place = f"{format_value(item['column'])} = {format_value(item['value'])}"
        have = "no neighbor has it"
        if "min" in item:
            ends = f"{format_number(item['min'])} to {format_number(item['max'])}"
            have = f"the neighbors have {ends}"
        lines.append(f"Extrapolation: {place}, but {have}.")
    return lines


# --- the parts ------------------------------------------------------------------------


def _draw_target(receipt: Plain, target: Plain) -> list[Block]:
    """The evidence for a number, or for a class."""
    effects = {
        name: _effect(receipt, name, slope)
        for name, slope in target["coefficients"].items()
        if name != "intercept"
    }
    return [
        *[Paragraph(line, "warning") for line in _warnings(target)],
        *_draw_curves(target),
        *_draw_neighbors(receipt, target, effects),
        *_draw_coefficients(receipt, target, effects),
        *_draw_models(target["models"]),
    ]


def _effect(receipt: Plain, name: str, slope: float | None) -> float:
    """The change of the prediction over the range that the nearest cases have.

    That of a category is its coefficient; a product has none of its own.
    """
    values = [case["values"].get(name) for case in receipt["neighbors"]["listed"]]
    numbers = [value for value in values if isinstance(value, int | float)]
    if numbers:
        return 2 * ((slope or 0.0) * half_width(min(numbers), max(numbers)))
    return 0.0 if " * " in name else slope or 0.0


def _draw_curves(target: Plain) -> list[Block]:
    """The leave-one-out error against the number of neighbors, by degree."""
    curves = {
        _DEGREES[curve["degree"]]: [
            (k, math.sqrt(score))
            for k, score in enumerate(curve["scores"], curve["first"])
            if score is not None and score >= 0
        ]
        for curve in target["curves"]
    }
    errors = sorted(error for points in curves.values() for _, error in points)
    if len(errors) < 2:
        return []
    marks = [
        (model["k"], math.sqrt(model["score"]), _model_in_words(model))
        for model in target["models"]
        if model["score"] is not None and model["score"] >= 0
    ]
    top = max([errors[int(_CUT * (len(errors) - 1))], *[y for _, y, _ in marks]])
    shown = {
        name: [(k, min(error, top)) for k, error in points]
        for name, points in curves.items()
        if points
    }
    canvas = draw_curves(
        shown,
        "Leave-one-out error against the number of neighbors",
        "number of neighbors",
        "leave-one-out error",
        marks,
        x_written=whole,
        height=250,
    )
    return [Figure(canvas, "Rings mark the models that were used.")]


def _model_in_words(model: Plain) -> str:
    return f"{_DEGREES[model['degree']]}, {pluralize(model['k'], 'neighbor')}"


def _draw_models(models: Sequence[Plain]) -> list[Block]:
    rows = [
        [
            _DEGREES[model["degree"]],
            str(model["k"]),
            _root(model["score"]),
            format_percent(model["share"]),
        ]
        for model in models[:_MOST_ROWS]
    ]
    header = ["model", "neighbors", "leave-one-out error", "share"]
    grid = Grid(header, "lrrr", rows, n_more=len(models) - len(rows), noun="models")
    return [Fold(f"Models used ({len(models)})", [grid])] if models else []


def _root(score: float | None) -> str:
    return format_number(None if score is None or score < 0 else math.sqrt(score))


def _draw_neighbors(
    receipt: Plain, target: Plain, effects: dict[str, float]
) -> list[Block]:
    """The cases with their values, and the influence of each."""
    near, listed = target["neighbors"], receipt["neighbors"]["listed"]
    bar = make_ruler([case["influence"] for case in near])
    cases = [
        Case(
            [
                format_value(case["id"]),
                format_outcome(case, receipt["answer"]),
                format_number(case["distance"]),
                format_fixed(neighbor["influence"]),
                bar(neighbor["influence"]),
            ],
            case["values"],
        )
        for case, neighbor in zip(listed, near, strict=False)
    ]
    first = sorted(
        receipt["query"], key=lambda item: -abs(effects.get(item["name"], 0.0))
    )
    matrix = draw_cases(
        ["case", _outcome_word(receipt), "distance", "influence", ""],
        "llrrB",
        {item["name"]: item["value"] for item in first[:_MOST_COLUMNS]},
        cases,
        shown=_SHOWN + 1,
        noun="cases",
    )
    grid = _influences(near)
    note = (
        "The influence is the weight of a case's target in the prediction; leverage "
        "and leave-one-out residual are those of the best model."
    )
    if any("n_same_inputs" in case for case in near):
        note += f" {ALIKE}"
    title = f"Influence of {pluralize(len(near), 'case')}"
    return [
        Heading("Nearest cases"),
        matrix,
        Paragraph(note, "soft", "text"),
        grid._replace(medium="text"),
        Fold(title, [Paragraph(note, "soft", "page"), grid._replace(medium="page")]),
    ]


def _influences(near: Sequence[Plain]) -> Grid:
    rows = [
        [
            format_value(case["id"]),
            *[format_number(case[key]) for key in ("target", "distance")],
            *[format_fixed(case[key]) for key in ("influence", "leverage")],
            format_number(case["residual"]),
        ]
        for case in near[:_MOST_ROWS]
    ]
    header = ["case", "target", "distance", "influence", "leverage", "residual"]
    n_more = len(near) - len(rows)
    return Grid(header, "lrrrrr", rows, shown=_SHOWN, n_more=n_more, noun="cases")


def _outcome_word(receipt: Plain) -> str:
    if "votes" in receipt:
        return "class"
    return ", ".join(format_value(target["name"]) for target in receipt["targets"])


def _draw_coefficients(
    receipt: Plain, target: Plain, effects: dict[str, float]
) -> list[Block]:
    """Slopes of the prediction, the attributes that move it most first."""
    slopes, values = target["coefficients"], _known(target)
    largest = max(map(abs, effects.values()), default=0.0)
    if not values or largest <= 2 * _NOTHING * half_width(min(values), max(values)):
        return []
    bar = make_ruler(list(effects.values()))
    query = {item["name"]: format_value(item["value"]) for item in receipt["query"]}
    ordered = sorted(effects, key=lambda name: -abs(effects[name]))
    rows: list[list[Cell]] = [
        [
            format_value(name),
            query.get(name, ""),
            format_number(slopes[name]),
            format_number(effects[name], 3),
            bar(effects[name]),
        ]
        for name in ordered[:_MOST_ROWS]
    ]
    note = (
        "The coefficient is the change of the prediction for one unit more, near this "
        "row; the next column is the change over the range of the nearest cases."
    )
    grid = Grid(
        ["attribute", "value", "coefficient", "across the cases", ""],
        "lLRrb",
        rows,
        shown=_SHOWN,
        n_more=len(effects) - len(rows),
        noun="coefficients",
    )
    return [Heading("Coefficients"), Paragraph(note, "soft"), grid]
