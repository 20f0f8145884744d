"""Advice as text, Markdown and HTML."""

from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.report.article import make_ruler
from sklazy.report.blocks import (
    WIDTH,
    Bar,
    Block,
    Cell,
    Grid,
    Heading,
    Lead,
    Paragraph,
    to_markdown,
    to_text,
)
from sklazy.report.html import render
from sklazy.report.words import (
    format_fixed,
    format_number,
    format_value,
    pluralize,
    visible,
)

Plain = Mapping[str, Any]

_HEADLINES = {
    "lazy selection": "use lazy selection",
    "eager selection": "select once, for all rows",
    "no selection": "do without selection",
    "local models": "use local models",
    "kernel and blend": "use a kernel model or a blend",
    "ensembles": "use a lazy ensemble",
    "trees and rules": "use a lazy tree or rules",
    "eager model": "use an eager model",
    "either": "take what suits you",
    "nothing": "nothing is learned here",
}
_UNITS = (("s", 1.0), ("ms", 1e-3), ("\N{MICRO SIGN}s", 0.0))


def advice_text(advice: Plain, width: int = WIDTH) -> str:
    """Advice as plain text."""
    return to_text(advice_blocks(advice), width)


def advice_markdown(advice: Plain) -> str:
    """Advice as Markdown."""
    return to_markdown(advice_blocks(advice))


def advice_page(advice: Plain) -> str:
    """Advice as a whole page."""
    return render("page", title="Advice", headed=False, **_view(advice))


def advice_fragment(advice: Plain) -> str:
    """Advice as a piece of HTML for a notebook."""
    return render("fragment", n_more=0, **_view(advice))


def _view(advice: Plain) -> dict[str, Any]:
    return {"opening": [], "articles": [("advice", "Advice", advice_blocks(advice))]}


def advice_blocks(advice: Plain) -> list[Block]:
    """Advice, part by part."""
    classifies = advice["task"] == "classification"
    return [
        Heading(f"Advice: {_headline(advice)}", 1),
        Lead([visible(advice["verdict"])]),
        *(_accuracies(advice) if classifies else _errors(advice)),
        *[Paragraph(sentence) for sentence in _remarks(advice)],
        *(_advantage(advice["advantage"]["by_attribute"]) if classifies else []),
    ]


def _accuracies(advice: Plain) -> list[Block]:
    return [
        Heading("Accuracy"),
        Paragraph("The tick is what the most frequent class gets.", "soft", "page"),
        _draw_scores(advice),
    ]


def _errors(advice: Plain) -> list[Block]:
    """Mean absolute errors; the median's is the whole width."""
    errors = [score["mean_absolute_error"] for score in advice["scores"]]
    bar = make_ruler([*errors, advice["guess"]])
    rows: list[list[Cell]] = [
        [
            format_value(score["family"]),
            format_value(score["host"]),
            f"{score['mean_absolute_error']:.3g}",
            f"± {score['error']:.2g}",
            bar(score["mean_absolute_error"]),
            duration(score["seconds"]),
        ]
        for score in advice["scores"]
    ]
    header = ["kind", "method", "mean error", "", "", "per query"]
    grid = Grid(header, "llrrBr", rows, _tones(advice), shown=len(rows))
    return [Heading("Error"), grid]


def _tones(advice: Plain) -> list[str]:
    best = None if advice["best"] is None else advice["best"]["name"]
    return ["won" if s["name"] == best else "lost" for s in advice["scores"]]


def _advantage(attributes: Sequence[Plain]) -> list[Block]:
    heading = Heading("V, how far an attribute's values differ from it")
    return [heading, _draw_advantage(attributes)]


def _draw_scores(advice: Plain) -> Grid:
    rows: list[list[Cell]] = [
        [
            format_value(score["family"]),
            format_value(score["host"]),
            _share(score["accuracy"]),
            f"± {100 * score['error']:.1f}",
            Bar(score["accuracy"], tick=advice["guess"]),
            _share(score["leave_one_out"]),
            duration(score["seconds"]),
        ]
        for score in advice["scores"]
    ]
    header = ["kind", "method", "right %", "", "", "LOO %", "per query"]
    return Grid(header, "llrrBRr", rows, _tones(advice), shown=len(rows))


def _draw_advantage(attributes: Sequence[Plain]) -> Grid:
    ranked = sorted(attributes, key=lambda item: -item["v"])
    bar = make_ruler([item["v"] for item in ranked])
    rows: list[list[Cell]] = [
        [format_value(item["name"]), format_fixed(item["v"]), bar(item["v"])]
        for item in ranked
    ]
    return Grid(["attribute", "V", ""], "lrb", rows, noun="attributes")


def _remarks(advice: Plain) -> list[str]:
    sentences = [_ending(advice)] * (advice["stopped"] != "finished") + [
        _protocol(advice)
    ]
    if advice["advantage"] is not None:
        sentences.append(_worth(advice))
    if advice["cost"] is not None:
        sentences.append(_cost(advice["cost"], advice["scores"][0]))
    if advice["n_sampled"] < advice["n_rows"]:
        sentences.append(
            "Measured on a part of the rows: with all of them every method may gain, "
            "and k-NN most where classes are many. Raise max_rows to make sure."
        )
    return sentences


def _headline(advice: Plain) -> str:
    return _HEADLINES.get(
        advice["recommendation"], format_value(advice["recommendation"])
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _ending(advice: Plain) -> str:
    """Report what was not measured, and why."""
    why = "Time was up" if advice["stopped"] == "time" else "Interrupted"
    skipped = ", ".join(format_value(name) for name in advice["skipped"])
    lacking = f"; not measured: {skipped}" if skipped else ""
    return f"{why} after {pluralize(advice['n_folds'], 'fold')}{lacking}."


def _protocol(advice: Plain) -> str:
    sampled, tested = advice["n_sampled"], advice["n_tested"]
    some = "" if sampled == advice["n_rows"] else f", sampled from {advice['n_rows']}"
    part = "each" if tested == sampled else f"{tested} of them"
    measured = (
        f"Measured on {pluralize(sampled, 'row')}{some}: {part} predicted from the "
        f"other folds ({advice['n_folds']} run), by all methods alike; "
        f"{pluralize(advice['n_attributes'], 'attribute')}"
    )
    if advice["task"] == "regression":
        always = format_number(advice["guess"])
        return f"{measured}. The median is off by {always} on average."
    return (
        f"{measured}, "
        f"{pluralize(advice['n_classes'], 'class', 'classes')}. The most frequent "
        f"class is right in {_share(advice['guess'])}\N{NO-BREAK SPACE}%. LOO: "
        "leave-one-out with cuts from all rows, the paper's protocol, which flatters."
    )


def _worth(advice: Plain) -> str:
    """V in words, beside what the paper saw at such figures."""
    top, percent = advice["advantage"]["top"], advice["percent"]
    return (
        f"V(D) = {format_fixed(advice['advantage']['overall'])}, "
        f"V(D, {percent:.3g}\N{NO-BREAK SPACE}%) = {format_fixed(top)}: how far values "
        "differ from their attributes. In the paper lazy selection beat eager "
        "selection in 61 % of all cases, in 65 % where V(D, x) was 0.2 or more, and "
        "in 77 % where it was 0.4 or more."
    )


def _cost(cost: Plain, score: Plain) -> str:
    how = (
        "measured"
        if cost["n_measured"] == cost["n_rows"]
        else f"measured with {cost['n_measured']} and scaled up"
    )
    return (
        f"A query to all {pluralize(cost['n_rows'], 'case')} costs "
        f"{duration(cost['in_batch'])} in a batch and {duration(cost['alone'])} by "
        f"itself ({format_value(score['host'])}, {format_value(score['family'])}; "
        f"{how})."
    )


def duration(seconds: float) -> str:
    """Seconds in the unit that suits them.

    Examples
    --------
    >>> duration(0.0456), duration(0.4567), duration(2.0)
    ('46 ms', '460 ms', '2 s')
    """
    if seconds >= 100:
        return f"{seconds:.0f} s"
    unit, size = next(u for u in _UNITS if seconds >= u[1])
    return f"{float(f'{seconds / (size or 1e-6):.2g}'):g} {unit}"
