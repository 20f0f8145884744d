"""Advice as text, Markdown and HTML."""

from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.report.amounts import format_amount
from sklazy.report.article import make_ruler
from sklazy.report.blocks import (
    WIDTH,
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
from sklazy.report.methods import name_method
from sklazy.report.words import (
    format_fixed,
    format_value,
    pluralize,
    visible,
)

Plain = Mapping[str, Any]

_SHOWN = 4  # methods that were not measured
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
        *(_draw_classes(advice) if classifies else _draw_numbers(advice)),
        *[Paragraph(sentence) for sentence in _remarks(advice)],
        *(_advantage(advice["advantage"]["by_attribute"]) if _shows_v(advice) else []),
    ]


def _draw_classes(advice: Plain) -> list[Block]:
    """Log losses with what is beside them."""
    best = _find_best(advice)
    rows: list[list[Cell]] = [
        [
            format_value(_name_method(score, score["name"] == best)),
            f"{score['loss']:.3f}",
            f"± {score['error']:.3f}",
            _fixed(score["auc"]),
            _share(score["calibration_error"]),
            _share(score["accuracy"]),
            duration(score["seconds"]),
        ]
        for score in _rank(advice)
    ]
    header = ["method", "log loss", "", "AUC", "calib.", "right %", "a query"]
    grid = Grid(header, "lrrrrrr", rows, _tones(advice), shown=len(rows))
    return [Heading("Log loss of rows that were left out"), grid]


def _draw_numbers(advice: Plain) -> list[Block]:
    """Mean absolute errors; the median's is the whole width."""
    bar, best = make_ruler([advice["guess"]]), _find_best(advice)
    rows: list[list[Cell]] = [
        [
            format_value(_name_method(score, score["name"] == best)),
            format_amount(score["loss"], 3),
            f"± {format_amount(score['error'], 2)}",
            bar(min(score["loss"], advice["guess"])),
            _fixed(score["r2"]),
            duration(score["seconds"]),
        ]
        for score in _rank(advice)
    ]
    header = ["method", "mean error", "", "", "R2", "a query"]
    grid = Grid(header, "lrrBrr", rows, _tones(advice), shown=len(rows))
    return [Heading("Error of rows that were left out"), grid]


def _rank(advice: Plain) -> list[Plain]:
    return sorted(advice["scores"], key=lambda score: score["loss"])


def _name_method(score: Plain, is_advised: bool) -> str:
    """The method in a few words; the advised one is marked."""
    name = name_method(score["host"], score["family"])
    return f"{name} (advised)" if is_advised else name


def _fixed(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _find_best(advice: Plain) -> str | None:
    """The name of the method that is advised."""
    return None if advice["best"] is None else str(advice["best"]["name"])


def _tones(advice: Plain) -> list[str]:
    best = _find_best(advice)
    return ["won" if s["name"] == best else "lost" for s in _rank(advice)]


def _advantage(attributes: Sequence[Plain]) -> list[Block]:
    heading = Heading("Would lazy selection pay? V of each feature")
    return [heading, _draw_advantage(attributes)]


def _draw_advantage(attributes: Sequence[Plain]) -> Grid:
    ranked = sorted(attributes, key=lambda item: -item["v"])
    bar = make_ruler([item["v"] for item in ranked])
    rows: list[list[Cell]] = [
        [format_value(item["name"]), format_fixed(item["v"]), bar(item["v"])]
        for item in ranked
    ]
    return Grid(["feature", "V", ""], "lrb", rows, noun="features")


def _remarks(advice: Plain) -> list[str]:
    sentences = [_ending(advice)] * (advice["stopped"] != "finished")
    sentences.append(_protocol(advice))
    if advice["best"] is not None:
        sentences.append(
            "Methods are compared on the same rows. One is clearly better if the mean "
            "difference is more than twice its standard error, so two methods with "
            "similar figures may fall on different sides."
        )
    if _shows_v(advice):
        sentences.append(_worth(advice))
    if advice["n_sampled"] < advice["n_rows"]:
        sentences.append(
            "Measured on a part of the rows: with all of them every method may gain. "
            "Raise max_rows to make sure."
        )
    return sentences


def _shows_v(advice: Plain) -> bool:
    """Whether there is a verdict on classes, for which V may matter."""
    return advice["advantage"] is not None and not advice["seconds_needed"]


def _headline(advice: Plain) -> str:
    if advice["best"] is not None:
        best = advice["best"]
        title = name_method(best["host"], best["family"])
        return f"use {title}, {format_value(best['name'])}"
    lacking = advice["recommendation"] == "not enough time"
    return "not enough time" if lacking else "nothing is learned here"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _ending(advice: Plain) -> str:
    """Report what was not measured, and why."""
    why = "Time was up" if advice["stopped"] == "time" else "Interrupted"
    names = [format_value(name) for name in advice["skipped"]]
    more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    skipped = ", ".join([*names[:_SHOWN], *more])
    lacking = f"; not measured: {skipped}" if skipped else ""
    return f"{why} after {pluralize(advice['n_folds'], 'fold')}{lacking}."


def _protocol(advice: Plain) -> str:
    sampled, tested = advice["n_sampled"], advice["n_tested"]
    some = "" if sampled == advice["n_rows"] else f", sampled from {advice['n_rows']}"
    part = "each" if tested == sampled else f"{tested} of them"
    measured = (
        f"Measured on {pluralize(sampled, 'row')}{some}: {part} predicted from the "
        f"other folds ({advice['n_folds']} run), by every method listed; "
        f"{pluralize(advice['n_attributes'], 'feature')}"
    )
    if advice["task"] == "regression":
        always = format_amount(advice["guess"], 3)
        return f"{measured}. The median is off by {always} on average."
    return (
        f"{measured}, "
        f"{pluralize(advice['n_classes'], 'class', 'classes')}. Always predicting the "
        f"shares of the classes has log loss {advice['guess']:.3f}. AUC: area under "
        "the ROC curve, mean over classes. Calib.: percent by which probabilities and "
        "shares of right answers differ on average."
    )


def _worth(advice: Plain) -> str:
    """V in words, beside what the paper saw at such figures."""
    top, percent = advice["advantage"]["top"], advice["percent"]
    share = f"{percent:.3g}\N{NO-BREAK SPACE}%"
    return (
        "V is how much more a feature's single values tell about the class than the "
        f"feature as a whole: {format_fixed(advice['advantage']['overall'])} on "
        f"average, {format_fixed(top)} over the {share} of the "
        "features where it is largest. Where it is large, lazy selection may gain: in "
        "the paper it beat eager selection in 61 % of all cases, in 65 % where that "
        "last figure was 0.2 or more, and in 77 % where it was 0.4 or more."
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
