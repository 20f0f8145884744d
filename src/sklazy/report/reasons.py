"""Reasons of one answer in everyday words: three sentences, a waterfall, the cases."""

from collections.abc import Collection, Sequence
from typing import Any

from sklazy.report.amounts import (
    format_amount,
    format_cell,
    format_output,
    format_points,
)
from sklazy.report.article import Plain, make_ruler
from sklazy.report.axes import find_axes
from sklazy.report.blocks import Bar, Block, Cell, Grid, Heading, Paragraph
from sklazy.report.scales import find_share
from sklazy.report.words import (
    format_class,
    format_percent,
    format_value,
    join,
    pluralize,
)

_MOST_NAMED = 3
_MOST_SHOWN = 12
_MOST_CASES = 15
_WORTH_NAMING = 0.02  # of all contributions
_AS_GOOD_AS_UNKNOWN = 0.01


def write_summary(receipt: Plain) -> list[str]:
    """Three sentences: the answer, the features behind it, cases and a change.

    The third is left out where there are neither.
    """
    first = f"{_write_answer(receipt)} {_write_typical(receipt)}"
    features, last = _write_features(receipt), [_write_cases(receipt)]
    if receipt["reasons"]["change"] is not None:
        last.append(_write_change(receipt))
    third = " ".join(text for text in last if text)
    return [first, features, *([third] if third else [])]


def _write_answer(receipt: Plain) -> str:
    reasons = receipt["reasons"]
    answer = format_output(receipt, reasons["answer"])
    if "votes" in receipt:
        return f"Predicted: {format_class(reasons['of'])}, {answer}"
    name = receipt["cases"]["targets"][0]["name"]
    return f"Predicted{'' if name == 'y' else f' {format_value(name)}'}: {answer}"


def _write_typical(receipt: Plain) -> str:
    """The base rate of the class, or the mean of all cases, in brackets."""
    cases = receipt["cases"]
    n_rows = pluralize(cases["n_rows"], "case")
    if "votes" not in receipt:
        mean = cases["targets"][0]["mean"]
        typical = "unknown" if mean is None else format_amount(mean, 4)
        return f"(mean of {n_rows}: {typical})."
    counts = {item["label"]: item["rows"] for item in cases["class_counts"]}
    share = counts.get(receipt["answer"], 0) / max(sum(counts.values()), 1)
    return f"({format_output(receipt, share)} of all {n_rows})."


def _write_features(receipt: Plain) -> str:
    """The features that speak for the answer, and those that speak against it."""
    features = receipt["reasons"]["features"]
    total = sum(abs(item["contribution"]) for item in features)
    named = [f for f in features if abs(f["contribution"]) > _WORTH_NAMING * total]
    if not named:
        return _write_silence(receipt)
    leads = ("Mainly because", "Against it")
    if "votes" not in receipt:
        leads = ("Higher because", "Lower because")
    sides = [
        [f for f in named if (f["contribution"] > 0) is up][:_MOST_NAMED]
        for up in (True, False)
    ]
    return " ".join(
        f"{lead}: {', '.join(_write_feature(receipt, item) for item in side)}."
        for lead, side in zip(leads, sides, strict=True)
        if side
    )


def _write_silence(receipt: Plain) -> str:
    if all(item["known"] == "missing" for item in receipt["query"]):
        return "Every cell of this row is missing, so no feature adds anything."
    return "No feature of this row makes a difference."


def _write_feature(receipt: Plain, item: Plain) -> str:
    name, value = format_value(item["name"]), format_cell(item)
    return f"{name} is {value} ({format_points(receipt, item['contribution'])})"


def _write_cases(receipt: Plain) -> str:
    """The cases that move the answer most; else the nearest that have it, too."""
    cases = receipt["reasons"]["cases"]
    if cases is None:
        return _write_nearest(receipt)
    words = [
        [
            f"{format_value(item['id'])} ({_name_outcome(item['target'])}, "
            f"{format_points(receipt, item['influence'])})"
            for item in cases[side][:2]
        ]
        for side in ("listed_for", "listed_against")
    ]
    leads = ("for it", "against it")
    if "votes" not in receipt:
        leads = ("that raise it", "that lower it")
    pairs = zip(leads, words, strict=True)
    sides = [f"{lead}: {join(side)}" for lead, side in pairs if side]
    return f"Cases {'; '.join(sides)}." if sides else ""


def _write_nearest(receipt: Plain) -> str:
    """How many of the nearest cases have the answer, and the first of them."""
    listed = receipt.get("neighbors", {}).get("listed", ())
    if "votes" not in receipt:
        words = [
            f"{format_value(item['id'])} ({_name_outcome(item['target'])})"
            for item in listed[:_MOST_NAMED]
        ]
        return f"Nearest cases: {join(words)}." if words else ""
    alike = [item for item in listed if item["class"] == receipt["answer"]]
    if 2 * len(alike) < max(len(listed), 1):
        return ""
    names = join([format_value(item["id"]) for item in alike[:_MOST_NAMED]])
    share = f"{len(alike)} of the {len(listed)} nearest cases listed"
    verb = "is" if len(alike) == 1 else "are"
    return f"{share} {verb} {format_class(receipt['answer'])}: {names}."


def _name_outcome(target: Any) -> str:  # noqa: ANN401 - a label or numbers
    if isinstance(target, list):
        return ", ".join(map(_name_outcome, target))
    is_number = isinstance(target, float)
    return format_amount(target, 4) if is_number else format_value(target)


def _write_change(receipt: Plain) -> str:
    """A change of one feature, and the answer with it."""
    change, of = receipt["reasons"]["change"], receipt["reasons"]["of"]
    output = format_output(receipt, change["output"])
    lead = f"If {format_value(change['name'])} were {format_cell(change)}"
    if "votes" not in receipt:
        return f"{lead}: {output}."
    if change["answer"] != of:
        label = format_class(change["answer"])
        return f"{lead}, the answer would be {label} ({format_class(of)}: {output})."
    return f"{lead}: {format_class(of)}, {output}."


def draw_reasons(receipt: Plain) -> list[Block]:
    """The waterfall from the base to the answer, and the cases on both sides."""
    blocks: list[Block] = [Heading("What each feature adds"), _draw_waterfall(receipt)]
    blocks.append(Paragraph(_write_enough(receipt), "soft"))
    errors = [item["error"] for item in receipt["reasons"]["features"]]
    if any(errors):
        most = format_points(receipt, max(errors)).lstrip("+")
        note = f"From a sample of the features' orders; standard errors up to {most}."
        blocks.append(Paragraph(note, "soft"))
    if receipt["reasons"]["cases"] is not None:
        blocks += _draw_cases(receipt)
    return blocks


def _write_enough(receipt: Plain) -> str:
    """The few features that suffice, and how many are as good as unknown."""
    reasons, enough = receipt["reasons"], receipt["reasons"]["enough"]
    sizes = [abs(item["contribution"]) for item in reasons["features"]]
    n_idle = sum(size <= _AS_GOOD_AS_UNKNOWN * sum(sizes) for size in sizes)
    text = f"{n_idle} of {pluralize(len(sizes), 'feature')} are as good as unknown"
    text += f" (at most {format_percent(_AS_GOOD_AS_UNKNOWN)} of all that is added)."
    if enough is None:
        return text
    names = join([format_value(name) for name in enough["names"]], 9)
    outputs = [format_output(receipt, v) for v in (enough["output"], reasons["answer"])]
    few = "alone gives" if len(enough["names"]) == 1 else "alone give"
    return f"{names} {few} {outputs[0]} (all features: {outputs[1]}). {text}"


def _draw_waterfall(receipt: Plain) -> Grid:
    reasons = receipt["reasons"]
    features = [f for f in reasons["features"] if f["contribution"] or f["error"]]
    levels = [reasons["base"]]
    for item in features:
        levels.append(levels[-1] + item["contribution"])
    low, high = min(levels), max(levels)
    start, end = (format_output(receipt, reasons[key]) for key in ("base", "answer"))
    rows: list[list[Cell]] = [["nothing known", "", start, ""]]
    for item, first, last in zip(features, levels, levels[1:], strict=False):
        left, right = sorted(find_share(x, low, high) for x in (first, last))
        bar = Bar(right, left, tone="against" if last < first else "")
        points = format_points(receipt, item["contribution"])
        rows.append([format_value(item["name"]), format_cell(item), points, bar])
    rows = _fold_small(receipt, rows, features)
    rows.append(["all known", "", end, ""])
    n_hidden = len(reasons["features"]) - len(features)
    return Grid(
        ["feature", "value", "adds", ""],
        "llrb",
        rows,
        shown=_MOST_SHOWN + 3,
        n_more=n_hidden,
        noun="features that add nothing",
    )


def _fold_small(
    receipt: Plain, rows: list[list[Cell]], features: Sequence[Plain]
) -> list[list[Cell]]:
    """The first rows of a waterfall, and one for all that follow."""
    rest = features[_MOST_SHOWN:]
    if len(rest) < 2:
        return rows
    total = sum(item["contribution"] for item in rest)
    last: list[Cell] = [f"{len(rest)} others", "", format_points(receipt, total), ""]
    return [*rows[: 1 + _MOST_SHOWN], last]


def _draw_cases(receipt: Plain) -> list[Block]:
    """The cases that move the answer most, and the sums of both sides."""
    cases = receipt["reasons"]["cases"]
    listed = [*cases["listed_for"], *cases["listed_against"]]
    bar = make_ruler([item["influence"] for item in listed])
    rows: list[list[Cell]] = [
        [
            format_value(item["id"]),
            _name_outcome(item["target"]),
            format_points(receipt, item["influence"]),
            bar(item["influence"]),
        ]
        for item in listed
    ]
    title, header = "Cases for it and against it", ["case", "was", "moves it by", ""]
    if "votes" not in receipt:
        title = "Cases that raise it and lower it"
    heading: list[Block] = [Heading(title), Paragraph(_sum_up(receipt), "soft")]
    grid = Grid(header, "llrb", rows, shown=_MOST_CASES, noun="cases")
    return [*heading, grid] if rows else heading


def _sum_up(receipt: Plain) -> str:
    cases, n_rows = receipt["reasons"]["cases"], receipt["cases"]["n_rows"]
    listed = [
        format_points(receipt, sum(item["influence"] for item in cases[side]))
        for side in ("listed_for", "listed_against")
        if cases[side]
    ]
    if not cases["for"] and not cases["against"]:
        return "No single case moves the answer."
    totals = [format_points(receipt, cases[side]) for side in ("for", "against")]
    text = "How far each case moves the answer: the answer less the answer without it. "
    if listed:
        text += f"Listed: {join(listed)}. "
    text += f"All {pluralize(n_rows, 'case')}: {totals[0]} and {totals[1]}."
    if cases["member"] is not None:
        member, weight = cases["member"]["name"], cases["member"]["weight"]
        text += (
            f" Through the member {format_value(member)} "
            f"({format_percent(weight)} of the weight), the others staying as they are."
        )
    return text


def write_letter(receipt: Plain, hide: Collection[str] = ()) -> str:
    """The principal reasons for a customer: no ids and no values of others."""
    reasons = receipt["reasons"]
    answer = format_output(receipt, reasons["answer"])
    if "votes" in receipt:
        answer = f"{format_value(reasons['of'])} ({answer})"
    features = [
        item
        for item in reasons["features"]
        if item["name"] not in hide and item["contribution"] > 0
    ][: _MOST_NAMED + 1]
    words = [f"{format_value(f['name'])} is {format_cell(f)}" for f in features]
    because = f"The principal reasons are: {join(words, 9)}." if words else ""
    return f"The result is {answer}. {because}".strip()


def plot_waterfall(receipt: Plain, ax: Any = None) -> Any:  # noqa: ANN401 - matplotlib
    """Draw the waterfall from the base to the answer on axes of matplotlib."""
    reasons = receipt["reasons"]
    shown = [item for item in reasons["features"] if item["contribution"]][:15]
    ax = find_axes(ax, new=True)
    level = reasons["base"]
    for place, item in enumerate(shown):
        value = item["contribution"]
        color = "tab:blue" if value > 0 else "tab:orange"
        ax.barh(place, value, left=level, color=color)
        level += value
    names = [f"{item['name']} = {format_cell(item)}" for item in shown]
    ax.set_yticks(range(len(shown)), names)
    ax.invert_yaxis()
    for value, style in ((reasons["base"], ":"), (reasons["answer"], "-")):
        ax.axvline(value, linestyle=style, color="gray")
    ax.set_xlabel(f"{reasons['of']}")
    return ax
