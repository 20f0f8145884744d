"""Findings of an audit as text, Markdown and HTML."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sklazy.report.article import Case, draw_cases
from sklazy.report.blocks import (
    WIDTH,
    Bar,
    Block,
    Cell,
    Fold,
    Grid,
    Heading,
    Lead,
    Mark,
    Paragraph,
    to_markdown,
    to_text,
)
from sklazy.report.html import render
from sklazy.report.words import (
    format_class,
    format_fixed,
    format_number,
    format_percent,
    format_probability,
    format_value,
    join,
    pluralize,
)

Plain = Mapping[str, Any]

_MOST_LINES = 200  # of a table on a page
_MOST_CASES = 25  # findings whose cases are shown
_MOST_VALUES = 8  # attributes of these
_SHOWN = 15  # lines that are not folded
_FULL = 10.0  # usual residuals that a full bar stands for


def audit_text(audit: Plain, width: int = WIDTH) -> str:
    """An audit as plain text."""
    return to_text(audit_blocks(audit), width)


def audit_markdown(audit: Plain) -> str:
    """An audit as Markdown."""
    return to_markdown(audit_blocks(audit))


def audit_page(audit: Plain) -> str:
    """An audit as a whole page."""
    return render("page", title="Audit", headed=False, **_view(audit))


def audit_fragment(audit: Plain) -> str:
    """An audit as a piece of HTML for a notebook."""
    return render("fragment", n_more=0, **_view(audit))


def _view(audit: Plain) -> dict[str, Any]:
    return {"opening": [], "articles": [("audit", "Audit", audit_blocks(audit))]}


def audit_blocks(audit: Plain) -> list[Block]:
    """An audit, part by part."""
    findings = audit["findings"]
    title = f"Audit: {pluralize(len(findings), 'finding')}"
    blocks: list[Block] = [
        Heading(f"{title} in {pluralize(audit['n_rows'], 'row')}", 1),
        Lead([_summary(findings) + _describe_wrong(audit)]),
    ]
    for kind, (heading, draw) in _PARTS.items():
        of_kind = [one for one in findings if one["kind"] == kind]
        if of_kind:
            blocks += [Heading(heading.format(_target(audit))), *draw(audit, of_kind)]
    return [*blocks, Paragraph(_protocol(audit), "soft")]


def _target(audit: Plain) -> str:
    name = audit["target"]
    return "the target" if name == "y" else f"'{format_value(name)}'"


def _summary(findings: Sequence[Plain]) -> str:
    if not findings:
        return "Nothing stands out."
    counts = {kind: sum(one["kind"] == kind for one in findings) for kind in _NOUNS}
    numbers = [pluralize(n, *_NOUNS[kind]) for kind, n in counts.items() if n]
    return f"Worth a second look: {join(numbers, most=len(numbers))}."


def _describe_wrong(audit: Plain) -> str:
    """How many of the contradicted labels are wrong, roughly."""
    n_labels = sum(one["kind"] == "label" for one in audit["findings"])
    if audit["task"] != "classification" or n_labels == 0:
        return ""
    wrong = max(1, round(audit["expected_wrong"]))
    are = "is" if n_labels == 1 else "are"
    return f" Of the contradicted labels, roughly {wrong} of {n_labels} {are} wrong."


_NOUNS = {
    "label": ("contradicted label", ""),
    "conflict": ("conflict", ""),
    "duplicate": ("group of duplicates", "groups of duplicates"),
    "near duplicate": ("near duplicate", ""),
    "novel": ("novel row", ""),
    "column": ("column", ""),
}


def _protocol(audit: Plain) -> str:
    models = join([format_value(name) for name in audit["models"]])
    judged = "" if audit["learned"] else f"{_NOT_LEARNED} "
    return (
        f"{judged}{pluralize(audit['n_rows'], 'row')} of "
        f"{pluralize(audit['n_attributes'], 'attribute')}. Every row was predicted "
        f"from all others ({models}) and compared with {audit['n_compared']} distinct "
        "rows. A finding is not always an error: please check."
    )


_NOT_LEARNED = (
    "Labels cannot be checked: predictions from the other rows are no better than "
    "a guess."
)


# --- labels and numbers ---------------------------------------------------------------


def _draw_labels(audit: Plain, findings: Sequence[Plain]) -> list[Block]:
    is_class = audit["task"] == "classification"
    rows = [_label_line(one, is_class) for one in findings[:_MOST_LINES]]
    how = "doubt" if is_class else "times usual"
    grid = Grid(
        ["row", "given", "predicted", how, "", "reasons", "similar rows"],
        "lllrBLL",
        rows,
        shown=_SHOWN,
        n_more=len(findings) - len(rows),
        noun="contradicted rows",
    )
    return [grid, *[_draw_witnesses(one) for one in findings[:_MOST_CASES]]]


def _label_line(one: Plain, is_class: bool) -> list[Cell]:
    score, evidence = one["score"], one["evidence"]
    return [
        _row_name(one),
        _target_value(one["given"]),
        Mark(_target_value(one["suggested"]), "other"),
        format_probability(score) if is_class else format_number(score, 3),
        Bar(score if is_class else min(score / _FULL, 1.0), tone="against"),
        join([format_value(item["name"]) for item in evidence["attributes"]]),
        join([format_value(case["id"]) for case in evidence["against"]]),
    ]


def _row_name(one: Plain) -> str:
    return format_value(one["rows"][0])


def _target_value(value: object) -> str:
    return format_number(value) if isinstance(value, float) else format_value(value)


def _draw_witnesses(one: Plain) -> Fold:
    """The row, the nearest cases that contradict it, and the nearest on its side."""
    evidence = one["evidence"]
    telling = [item["name"] for item in evidence["attributes"]]
    names = [*telling, *[n for n in evidence["values"] if n not in telling]]
    names = names[:_MOST_VALUES]
    query = {name: evidence["values"][name] for name in names}
    cases = [
        *[_case(case, query, "opposing") for case in evidence["against"]],
        *[_case(case, query, "") for case in evidence.get("for", ())],
    ]
    grid = draw_cases(["row", "target", "distance"], "llr", query, cases, shown=20)
    title = f"Row {_row_name(one)}: {_target_value(one['given'])}, but predicted: "
    return Fold(
        title + _target_value(one["suggested"]),
        [Paragraph(describe_finding(one), "", "page"), grid],
    )


def _case(case: Plain, query: Plain, tone: str) -> Case:
    cells: list[Cell] = [
        format_value(case["id"]),
        Mark(_target_value(case["target"]), "other")
        if tone
        else _target_value(case["target"]),
        format_fixed(case["distance"]),
    ]
    values = {name: case["values"][name] for name in query}
    return Case(cells, values, frozenset(case["differs_in"]), tone)


# --- rows that are alike, or like none ------------------------------------------------


def _draw_equal(audit: Plain, findings: Sequence[Plain]) -> list[Block]:
    return [_draw_lines(findings, ["rows", "targets"], _equal_line, "groups")]


def _equal_line(one: Plain) -> list[Cell]:
    targets = dict.fromkeys(map(_target_value, one["evidence"]["targets"]))
    return [_ids(one, 8), join(list(targets), most=6)]


def _draw_near(audit: Plain, findings: Sequence[Plain]) -> list[Block]:
    header = ["rows", "distance", "targets", "differ in"]
    return [_draw_lines(findings, header, _near_line, "pairs", "lrll")]


def _near_line(one: Plain) -> list[Cell]:
    evidence = one["evidence"]
    targets = dict.fromkeys(map(_target_value, evidence["targets"]))
    distance = format_number(evidence["distance"], 3)
    return [_ids(one), distance, join(list(targets)), _differing(evidence)]


def _draw_novel(audit: Plain, findings: Sequence[Plain]) -> list[Block]:
    header = ["row", "distance", "usual", "nearest", "differs most in"]
    return [_draw_lines(findings, header, _novel_line, "novel rows", "lrrll")]


def _novel_line(one: Plain) -> list[Cell]:
    evidence = one["evidence"]
    figures = [format_number(evidence[name], 3) for name in ("distance", "usual")]
    nearest = format_value(evidence["nearest"])
    return [_row_name(one), *figures, nearest, _differing(evidence)]


def _draw_columns(audit: Plain, findings: Sequence[Plain]) -> list[Block]:
    return [
        Paragraph(f"{format_value(one['column'])}: {describe_finding(one)}")
        for one in findings[:_MOST_LINES]
    ]


def _draw_lines(
    findings: Sequence[Plain],
    header: Sequence[str],
    line: Callable[[Plain], list[Cell]],
    noun: str,
    sides: str = "ll",
) -> Grid:
    rows = [line(one) for one in findings[:_MOST_LINES]]
    n_more = len(findings) - len(rows)
    return Grid(header, sides, rows, shown=_SHOWN, n_more=n_more, noun=noun)


def _ids(one: Plain, most: int = 4) -> str:
    return join([format_value(row) for row in one["rows"]], most)


def _differing(evidence: Plain) -> str:
    return join([format_value(item["name"]) for item in evidence["attributes"]])


_PARTS: dict[str, tuple[str, Callable[[Plain, Sequence[Plain]], list[Block]]]] = {
    "label": ("Values of {} that the other rows contradict", _draw_labels),
    "conflict": ("Equal rows with different values of {}", _draw_equal),
    "duplicate": ("Equal rows", _draw_equal),
    "near duplicate": ("Rows that are unusually close", _draw_near),
    "novel": ("Rows far from all others", _draw_novel),
    "column": ("Columns to check", _draw_columns),
}


# --- a finding in a sentence ----------------------------------------------------------


def describe_finding(one: Plain) -> str:
    """Describe a finding in a sentence or two.

    Examples
    --------
    >>> targets = {"targets": ["a", "a"]}
    >>> describe_finding({"kind": "duplicate", "rows": [3, 8], "evidence": targets})
    'Rows 3 and 8 are equal, and so are their targets.'
    """
    return _SENTENCES[one["kind"]](one)


def _label_sentence(one: Plain) -> str:
    evidence = one["evidence"]
    if "probability_given" not in evidence:
        return (
            f"{_target_value(one['given'])} is {format_number(one['score'], 3)} times "
            f"the usual error away from {_target_value(one['suggested'])}, the "
            f"prediction from the other rows.{_in(evidence)}{_alike(evidence)}"
        )
    label, suggested = format_class(one["given"]), format_class(one["suggested"])
    shares = [
        format_probability(evidence[f"probability_{name}"])
        for name in ("suggested", "given")
    ]
    alone = "" if evidence["for"] else f" No other row is {label}."
    return (
        f"Labeled {label}, but predicted from the other rows as {suggested} "
        f"(probability {shares[0]} against {shares[1]})."
        f"{_by(evidence)}{_alike(evidence)}{alone}"
    )


def _by(evidence: Plain) -> str:
    names = [format_value(item["name"]) for item in evidence["attributes"]]
    return f" The main reason: {join(names)}." if names else ""


def _in(evidence: Plain) -> str:
    names = [format_value(item["name"]) for item in evidence["attributes"]]
    return f" The nearest row is similar in {join(names)}." if names else ""


def _alike(evidence: Plain) -> str:
    ids = [format_value(case["id"]) for case in evidence["against"]]
    noun = "row" if len(ids) == 1 else "rows"
    return f" Look at {noun} {join(ids)}." if ids else ""


def _conflict_sentence(one: Plain) -> str:
    targets = dict.fromkeys(map(_target_value, one["evidence"]["targets"]))
    return f"Rows {_ids(one)} have equal inputs, but targets {join(list(targets))}."


def _duplicate_sentence(one: Plain) -> str:
    return f"Rows {_ids(one)} are equal, and so are their targets."


def _near_sentence(one: Plain) -> str:
    evidence = one["evidence"]
    targets = evidence["targets"]
    same = "the same target" if targets[0] == targets[1] else "different targets"
    return (
        f"Rows {_ids(one)} are unusually close, with {same}: they differ slightly in "
        f"{_differing(evidence)}."
    )


def _novel_sentence(one: Plain) -> str:
    evidence = one["evidence"]
    return (
        f"Far from all others: the nearest row, {format_value(evidence['nearest'])}, "
        f"is at distance {format_number(evidence['distance'], 3)}; "
        f"{format_number(evidence['usual'], 3)} is usual. It differs most in "
        f"{_differing(evidence)}."
    )


def _column_sentence(one: Plain) -> str:
    evidence = one["evidence"]
    if evidence["problem"] == "names the rows":
        return (
            f"Looks like an id: {format_percent(evidence['share'])} of its values are "
            "different. Leave it out; it cannot help with new rows."
        )
    return (
        f"Predicts the target almost alone ({format_percent(evidence['share'])} of its "
        "information). Is it known before the target is?"
    )


_SENTENCES: dict[str, Callable[[Plain], str]] = {
    "label": _label_sentence,
    "conflict": _conflict_sentence,
    "duplicate": _duplicate_sentence,
    "near duplicate": _near_sentence,
    "novel": _novel_sentence,
    "column": _column_sentence,
}
