"""Reasons of one answer in everyday words: three sentences, and a waterfall."""

from collections.abc import Collection, Sequence

from sklazy.report.article import Plain
from sklazy.report.blocks import Bar, Block, Cell, Grid, Heading
from sklazy.report.scales import find_share
from sklazy.report.words import (
    Day,
    format_class,
    format_number,
    format_value,
    join,
)

_MOST_NAMED = 3
_MOST_SHOWN = 12
_WORTH_NAMING = 0.02  # of all contributions


def write_sentences(receipt: Plain) -> list[str]:
    """The answer, the features for and against it, and the cases behind it."""
    reasons = receipt["reasons"]
    sentences = [_write_answer(receipt), *write_features(receipt)]
    if reasons["cases"] is not None:
        sentences += _write_cases(receipt)
    return sentences


def _write_answer(receipt: Plain) -> str:
    reasons = receipt["reasons"]
    answer, base = (format_output(receipt, reasons[key]) for key in ("answer", "base"))
    named = format_class(reasons["of"]) if "votes" in receipt else ""
    lead = f"Predicted: {named}, {answer}" if named else f"Predicted: {answer}"
    return f"{lead} ({base} for a row of which nothing is known)."


def write_features(receipt: Plain, hide: Collection[str] = ()) -> list[str]:
    """The features that speak for the answer, and those that speak against it."""
    features = [f for f in receipt["reasons"]["features"] if f["name"] not in hide]
    total = sum(abs(item["contribution"]) for item in features)
    named = [f for f in features if abs(f["contribution"]) > _WORTH_NAMING * total]
    if not named:
        return ["No feature of this row makes a difference."]
    leads = ("Mainly because", "Against it")
    if "votes" not in receipt:
        leads = ("Higher because", "Lower because")
    sides = [
        [f for f in named if (f["contribution"] > 0) is up][:_MOST_NAMED]
        for up in (True, False)
    ]
    return [
        f"{lead}: {', '.join(_write_feature(receipt, item) for item in side)}."
        for lead, side in zip(leads, sides, strict=True)
        if side
    ]


def _write_feature(receipt: Plain, item: Plain) -> str:
    name, value = format_value(item["name"]), format_cell(item)
    return f"{name} is {value} ({format_points(receipt, item['contribution'])})"


def _write_cases(receipt: Plain) -> list[str]:
    cases = receipt["reasons"]["cases"]
    listed = [*cases["listed_for"][:2], *cases["listed_against"][:1]]
    if not listed:
        return []
    words = [
        f"{format_value(item['id'])} ({format_value(item['target'])}, "
        f"{format_points(receipt, item['influence'])})"
        for item in listed
    ]
    return [f"Cases that move it most: {', '.join(words)}."]


def format_output(receipt: Plain, value: float) -> str:
    """A probability in percent, or a number of the target.

    Examples
    --------
    >>> format_output({"votes": []}, 0.514), format_output({}, 140_200.0)
    ('51 %', '140200')
    """
    if "votes" in receipt:
        return f"{100 * value:.0f} %"
    return format_amount(value)


def format_points(receipt: Plain, value: float) -> str:
    """A contribution with its sign: percentage points, or the unit of the target.

    Examples
    --------
    >>> format_points({"votes": []}, -0.0912), format_points({}, 0.25)
    ('-9.1 points', '+0.25')
    """
    if "votes" in receipt:
        return f"{100 * value:+.1f} points"
    return ("+" if value >= 0 else "-") + format_amount(abs(value))


def format_amount(value: float) -> str:
    """A number without scientific notation, unless it is beyond all habit.

    Examples
    --------
    >>> format_amount(1402000.0), format_amount(0.25), format_amount(5500.0)
    ('1402000', '0.25', '5500')
    """
    if isinstance(value, Day):
        return format_value(value)
    if value == round(value) and abs(value) < 1e15:
        return str(round(value))
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else format_number(value)


def format_cell(item: Plain) -> str:
    """The value of a feature with its unit.

    Examples
    --------
    >>> format_cell({"value": 5500.0, "unit": "EUR"}), format_cell({"value": None})
    ('5500 EUR', 'missing')
    """
    value, unit = item["value"], item.get("unit", "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{format_amount(value)} {unit}".rstrip()
    return format_value(value)


def draw_reasons(receipt: Plain) -> list[Block]:
    """The waterfall from the base to the answer, and the cases on both sides."""
    blocks: list[Block] = [Heading("What each feature adds"), _draw_waterfall(receipt)]
    cases = receipt["reasons"]["cases"]
    if cases is not None:
        sums = [format_points(receipt, cases[side]) for side in ("for", "against")]
        title = f"Cases for it ({sums[0]} in all) and against it ({sums[1]})"
        blocks += [Heading(title), _draw_cases(receipt, cases)]
    return blocks


def _draw_waterfall(receipt: Plain) -> Grid:
    reasons = receipt["reasons"]
    features = [f for f in reasons["features"] if f["contribution"] or f["error"]]
    levels = [reasons["base"]]
    for item in features:
        levels.append(levels[-1] + item["contribution"])
    low, high = min(levels), max(levels)
    ends: Sequence[tuple[str, float]] = [
        ("nothing known", reasons["base"]),
        ("all known", reasons["answer"]),
    ]
    rows: list[list[Cell]] = [[ends[0][0], "", format_output(receipt, ends[0][1]), ""]]
    for item, start, end in zip(features, levels, levels[1:], strict=False):
        first, last = sorted(find_share(x, low, high) for x in (start, end))
        bar = Bar(last, first, tone="against" if end < start else "")
        points = format_points(receipt, item["contribution"])
        rows.append([format_value(item["name"]), format_cell(item), points, bar])
    rows.append([ends[1][0], "", format_output(receipt, ends[1][1]), ""])
    n_hidden = len(reasons["features"]) - len(features)
    return Grid(
        ["feature", "value", "adds", ""],
        "llrb",
        rows,
        shown=_MOST_SHOWN + 2,
        n_more=n_hidden,
        noun="features that add nothing",
    )


def _draw_cases(receipt: Plain, cases: Plain) -> Grid:
    listed = [*cases["listed_for"], *cases["listed_against"]]
    rows: list[list[Cell]] = [
        [
            format_value(item["id"]),
            format_value(item["target"]),
            format_points(receipt, item["influence"]),
        ]
        for item in listed
    ]
    return Grid(["case", "was", "moves it by"], "llr", rows, shown=10, noun="cases")


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
