"""A receipt of a linear model: the contribution of each attribute to the score."""

from sklazy.report.article import (
    Article,
    Plain,
    draw_query,
    draw_votes,
    first_two,
    make_ruler,
    sureness,
)
from sklazy.report.blocks import Block, Cell, Grid, Heading
from sklazy.report.words import format_class, format_number, format_value, join

_SHOWN = 10  # attributes
_NAMED = 3


def draw_linear_model(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    loss = format_number(receipt["linear_model"]["left_out_loss"])
    if "votes" in receipt:
        parts: list[Block] = [Heading("Classes"), draw_votes(receipt, "score")]
        detail, word = sureness(receipt), f"a mean log loss of {loss}"
    else:
        parts, word = [], f"an error of {loss} (root mean square)"
        detail = f"left-out error {loss}"
    ridge = format_number(receipt["linear_model"]["ridge"])
    why = [
        largest_terms(receipt),
        f"A ridge of {ridge} gave the lowest error on left-out cases: {word}.",
    ]
    parts += [
        Heading("Contributions of attributes"),
        draw_terms(receipt),
        draw_query(receipt),
    ]
    return Article(detail, why, parts, ("left-out loss", loss))


def largest_terms(receipt: Plain) -> str:
    """The attributes with the largest contributions, in a sentence."""
    i = _shown_output(receipt)
    terms = _largest_first(receipt, i)[:_NAMED]
    if not terms:
        return "No attribute separates the cases; the model is a constant."
    named = [
        f"{format_value(t['name'])} ({_signed(t['contributions'][i])})" for t in terms
    ]
    of = f" to the score of {format_class(receipt['answer'])}" * ("votes" in receipt)
    return f"The largest contributions{of}: {join(named)}."


def draw_terms(receipt: Plain) -> Grid:
    """Contributions of attributes to the score of the answer, or to the number."""
    line, i = receipt["linear_model"], _shown_output(receipt)
    terms = _largest_first(receipt, i)
    added = [term["contributions"][i] for term in terms]
    ruler = make_ruler([line["intercepts"][i], *added])
    names = ["intercept", *[format_value(term["name"]) for term in terms]]
    rows: list[list[Cell]] = [
        [name, _signed(value), ruler(value)]
        for name, value in zip(names, [line["intercepts"][i], *added], strict=True)
    ]
    n_more = line["n_terms"] - len(line["terms"])
    header = ["attribute", "contribution", ""]
    return Grid(header, "lrb", rows, shown=_SHOWN, n_more=n_more, noun="attributes")


def _largest_first(receipt: Plain, output: int) -> list[Plain]:
    terms = receipt["linear_model"]["terms"]
    return sorted(terms, key=lambda term: -abs(term["contributions"][output] or 0.0))


def _shown_output(receipt: Plain) -> int:
    """The class whose score is shown: that of the answer."""
    both = first_two(receipt) if "votes" in receipt else None
    return both[0] if both else 0


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.4g}"
