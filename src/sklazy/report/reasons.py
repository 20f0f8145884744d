"""Reasons of one answer in everyday words: three sentences, a waterfall, the cases."""

from collections.abc import Sequence
from typing import Any

from sklazy.report.amounts import (
    format_amount,
    format_cell,
    format_output,
    format_points,
)
from sklazy.report.article import Plain, first_two, make_ruler
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

WORTH_NAMING = 0.02
"""The share of all contributions that a feature must exceed to be named."""

_MOST_NAMED = 3
_MORE_NAMED = 5  # where the others outweigh those named
_MOST_SHOWN = 12
_MOST_CASES = 15
_HARDLY_MATTERS = 0.01
_WORTH_STATING = 0.001  # of all contributions: sums
_BASE = "with nothing known"


def write_summary(receipt: Plain) -> list[str]:
    """Three sentences: the answer, the features behind it, cases and a change.

    The third is left out where there are neither.
    """
    first = f"{_write_answer(receipt)} ({write_base(receipt)} of the row"
    first += f"{_write_next(receipt)})."
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
    return f"{f'Predicted {name_target(receipt)}'.rstrip()}: {answer}"


def name_target(receipt: Plain) -> str:
    """The name of the target, "" where it came without."""
    cases = receipt["cases"]
    name = cases.get("target") or cases["targets"][0]["name"]
    return "" if name == "y" else format_value(name)


def write_base(receipt: Plain) -> str:
    """The output that contributions start from, as the waterfall names it."""
    return f"{format_output(receipt, receipt['reasons']['base'])} {_BASE}"


def _write_next(receipt: Plain) -> str:
    """The class that comes next, where the answer has less than one half."""
    if "votes" not in receipt or receipt["reasons"]["answer"] >= 0.5:
        return ""
    second = _find_second(receipt)
    if second is None:
        return ""
    share = format_output(receipt, second["probability"])
    return f"; next: {format_class(second['label'])}, {share}"


def _find_second(receipt: Plain) -> Plain | None:
    """The class that comes next, if it is behind the answer."""
    places = first_two(receipt)
    second: Plain | None = receipt["votes"][places[1]] if places else None
    if second is None or second["probability"] > receipt["reasons"]["answer"]:
        return None
    return second


def _write_features(receipt: Plain) -> str:
    """The features on both sides, and the sum of the others.

    Features that speak against a class are written first where they outweigh the rest.
    """
    features = receipt["reasons"]["features"]
    total = sum(abs(item["contribution"]) for item in features)
    worth = [f for f in features if abs(f["contribution"]) > WORTH_NAMING * total]
    if not worth:
        return _write_silence(receipt)
    sides = _choose_named(features, worth)
    sums = [_sum_contributions(part) for part in (features, sides[0] + sides[1])]
    opposed = _write_opposed(receipt, sums, total)
    leads = ["For it" if opposed else "Mainly because", "Against it"]
    if "votes" not in receipt:
        leads = ["Raised by", "Lowered by"]
    pairs = list(zip(leads, sides, strict=True))
    if opposed or ("votes" not in receipt and sums[0] < 0):
        pairs.reverse()
    words = [
        f"{lead}: {', '.join(_write_feature(receipt, item) for item in side)}."
        for lead, side in pairs
        if side
    ]
    if abs(sums[0] - sums[1]) > _WORTH_STATING * total:
        others = pluralize(len(features) - len(sides[0] + sides[1]), "other feature")
        words.append(f"{others}: {format_points(receipt, sums[0] - sums[1])} in all.")
    return " ".join([opposed, *words] if opposed else words)


def _choose_named(
    features: Sequence[Plain], worth: Sequence[Plain]
) -> list[list[Plain]]:
    """The leading features on both sides: more where the others add more than each."""
    sides: list[list[Plain]] = []
    for most in range(_MOST_NAMED, _MORE_NAMED + 1):
        sides = [
            [f for f in worth if (f["contribution"] > 0) is up][:most]
            for up in (True, False)
        ]
        named = sides[0] + sides[1]
        rest = _sum_contributions(features) - _sum_contributions(named)
        if abs(rest) <= max(abs(item["contribution"]) for item in named):
            break
    return sides


def _sum_contributions(features: Sequence[Plain]) -> float:
    return float(sum(item["contribution"] for item in features))


def _write_opposed(receipt: Plain, sums: Sequence[float], total: float) -> str:
    """Why a class is predicted that all features, or those named, speak against."""
    if "votes" not in receipt:
        return ""
    worth, points = _WORTH_STATING * total, [format_points(receipt, v) for v in sums]
    if sums[0] < -worth:
        base = format_output(receipt, receipt["reasons"]["base"])
        lead = f"All features together take {points[0].lstrip('-')} from these {base}"
        return f"{lead}, and {format_class(receipt['answer'])} {_write_lead(receipt)}."
    if sums[1] < -worth:
        lead = "The features named here speak against it together"
        return f"{lead} ({points[1]}), but the others outweigh them."
    return ""


def _write_lead(receipt: Plain) -> str:
    """That the answer is still ahead, and of which class."""
    second = _find_second(receipt)
    if second is None:
        return "is still the prediction"
    share = format_output(receipt, second["probability"])
    return f"stays ahead of {format_class(second['label'])} ({share})"


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
            f"{format_value(item['id'])} (was {_name_outcome(item['target'])}, "
            f"{format_points(receipt, item['influence'])})"
            for item in cases[side][:2]
        ]
        for side in ("listed_for", "listed_against")
    ]
    leads = ("strongest for it", "against it")
    if "votes" not in receipt:
        leads = ("those that raise it most", "those that lower it most")
    pairs = list(zip(leads, words, strict=True))
    if (
        "votes" not in receipt
        and receipt["reasons"]["answer"] < receipt["reasons"]["base"]
    ):
        pairs.reverse()
    sides = [f"{lead}: {join(side)}" for lead, side in pairs if side]
    known = pluralize(receipt["cases"]["n_rows"], "known case")
    return f"Of {known}, {'; '.join(sides)}." if sides else ""


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
    lead = f"If {format_value(change['name'])} were {format_cell(change)}, "
    if "votes" not in receipt:
        return f"{lead}it would be {output}."
    move = "fall" if change["output"] < receipt["reasons"]["answer"] else "rise"
    if change["answer"] == of:
        return f"{lead}{format_class(of)} would {move} to {output}."
    label = format_class(change["answer"])
    return f"{lead}the answer would be {label} ({format_class(of)}: {output})."


def write_leading(receipt: Plain) -> str:
    """The feature that adds most, in short."""
    features = [f for f in receipt["reasons"]["features"] if f["contribution"]]
    return _write_feature(receipt, features[0]) if features else "none"


def draw_reasons(receipt: Plain) -> list[Block]:
    """The waterfall from the base to the answer, and the cases on both sides."""
    to = f" to {format_class(receipt['reasons']['of'])}" if "votes" in receipt else ""
    heading = Heading(f"What each feature adds{to}")
    blocks: list[Block] = [heading, _draw_waterfall(receipt)]
    blocks.append(Paragraph(_write_enough(receipt) + _write_unknown(receipt), "soft"))
    errors = [item["error"] for item in receipt["reasons"]["features"]]
    if any(errors):
        most = format_points(receipt, max(errors)).lstrip("+")
        note = f"From a sample of the features' orders; standard errors up to {most}."
        blocks.append(Paragraph(note, "soft"))
    if receipt["reasons"]["cases"] is not None:
        blocks += _draw_cases(receipt)
    return blocks


def _write_enough(receipt: Plain) -> str:
    """The few features that suffice, and how many hardly matter."""
    reasons, enough = receipt["reasons"], receipt["reasons"]["enough"]
    text = _write_idle([abs(item["contribution"]) for item in reasons["features"]])
    if enough is None:
        return text
    names = join([format_value(name) for name in enough["names"]], 9)
    outputs = [format_output(receipt, v) for v in (enough["output"], reasons["answer"])]
    few = "alone gives" if len(enough["names"]) == 1 else "alone give"
    return f"{names} {few} {outputs[0]} (all features: {outputs[1]}). {text}"


def _write_unknown(receipt: Plain) -> str:
    """The features that are missing in the row, which add nothing."""
    names = [
        format_value(item["name"])
        for item in receipt["query"]
        if item["known"] == "missing"
    ]
    are = "is" if len(names) == 1 else "are"
    return f" {join(names)} {are} missing in this row." if names else ""


def _write_idle(sizes: Sequence[float]) -> str:
    """How many features add next to nothing."""
    n_idle = sum(size <= _HARDLY_MATTERS * sum(sizes) for size in sizes)
    of, limit = pluralize(len(sizes), "feature"), format_percent(_HARDLY_MATTERS)
    if len(sizes) == 1:
        return ""
    if not n_idle:
        return f"All {of} matter (each adds more than {limit} of all that is added)."
    matter = "matters (it adds" if n_idle == 1 else "matter (each adds"
    return f"{n_idle} of {of} hardly {matter} at most {limit} of all that is added)."


def _draw_waterfall(receipt: Plain) -> Grid:
    reasons = receipt["reasons"]
    features = [f for f in reasons["features"] if f["contribution"] or f["error"]]
    levels = [reasons["base"]]
    for item in features:
        levels.append(levels[-1] + item["contribution"])
    low, high = min(levels), max(levels)
    start, end = (format_output(receipt, reasons[key]) for key in ("base", "answer"))
    rows: list[list[Cell]] = [[_BASE, "", start, ""]]
    for item, first, last in zip(features, levels, levels[1:], strict=False):
        left, right = sorted(find_share(x, low, high) for x in (first, last))
        bar = Bar(right, left, tone="against" if last < first else "")
        points = format_points(receipt, item["contribution"])
        rows.append([format_value(item["name"]), format_cell(item), points, bar])
    rows = _fold_small(receipt, rows, features)
    rows.append(["prediction", "", end, ""])
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
    total = format_points(receipt, _sum_contributions(rest))
    return [*rows[: 1 + _MOST_SHOWN], [f"{len(rest)} others", "", total, ""]]


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


def plot_waterfall(receipt: Plain, ax: Any = None) -> Any:  # noqa: ANN401 - matplotlib
    """Draw the waterfall from the base to the answer on axes of matplotlib."""
    reasons = receipt["reasons"]
    shown = [item for item in reasons["features"] if item["contribution"]][:15]
    ax = find_axes(ax, new=True)
    level = reasons["base"]
    for place, value in enumerate(item["contribution"] for item in shown):
        color = "tab:blue" if value > 0 else "tab:orange"
        ax.barh(place, value, left=level, color=color)
        level += value
    names = [f"{item['name']} = {format_cell(item)}" for item in shown]
    ax.set_yticks(range(len(shown)), names)
    ax.invert_yaxis()
    for value, style in ((reasons["base"], ":"), (reasons["answer"], "-")):
        ax.axvline(value, linestyle=style, color="gray")
    ax.use_sticky_edges = False  # the line of the base is not the frame
    ax.margins(x=0.04)
    ax.set_xlabel(f"{'probability of ' * ('votes' in receipt)}{reasons['of']}")
    return ax
