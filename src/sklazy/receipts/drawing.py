"""Receipts of every kind as text, Markdown, a page, or a fragment for a notebook."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from sklazy.receipts.families import FAMILIES
from sklazy.report import blocks as b
from sklazy.report.amounts import format_amount
from sklazy.report.article import Article, Plain, draw_query, draw_votes, sureness
from sklazy.report.dates import with_dates
from sklazy.report.html import render
from sklazy.report.letter import write_letter
from sklazy.report.next_attribute import next_blocks
from sklazy.report.reasons import draw_reasons, plot_waterfall, write_leading
from sklazy.report.uncertainty import (
    describe_novelty,
    describe_uncertainty,
    warn_of_novelty,
)
from sklazy.report.words import (
    format_probability,
    format_value,
    pluralize,
)

_MOST_IN_TABLE = 50
_MOST_IN_BRIEF = 8  # rows of a table
_MOST_OF_LIST = 60  # characters of a setting


def to_text(
    receipts: Sequence[Plain], width: int = b.WIDTH, names: Sequence[str] = ()
) -> str:
    """Receipts as plain text, no line wider than `width`.

    `names` identify their rows, by default by their ids; others are numbered.
    """
    parts = _documents(receipts, names)
    return "\n\n\n".join(b.to_text(part, width) for part in parts)


def to_markdown(receipts: Sequence[Plain], names: Sequence[str] = ()) -> str:
    """Receipts as Markdown."""
    return "\n".join(map(b.to_markdown, _documents(receipts, names)))


def to_page(
    receipts: Sequence[Plain], title: str = "", names: Sequence[str] = ()
) -> str:
    """A whole page with all receipts."""
    named = title or ("Receipt" if len(receipts) == 1 else "Receipts")
    return render("page", title=named, headed=True, **_view(receipts, names))


def to_fragment(
    receipts: Sequence[Plain], n_more: int = 0, names: Sequence[str] = ()
) -> str:
    """Receipts as a piece of HTML; `n_more` is how many are not among them."""
    drawn = _draw(receipts, names)
    titles = [o.name or f"Row {i}" for i, o in enumerate(drawn, 1)]
    articles = [
        (o.anchor, f"{title}: {_answer(o.receipt)}", _blocks(o))
        for title, o in zip(titles, drawn, strict=True)
    ]
    opening = [_overview(drawn)] * (len(drawn) > 1)
    return render("fragment", n_more=n_more, opening=opening, articles=articles)


def to_letter(receipt: Plain, hide: Collection[str]) -> str:
    """The principal reasons for a customer."""
    return write_letter(with_dates(receipt), hide)


def to_plot(receipt: Plain, ax: Any) -> Any:  # noqa: ANN401 - of matplotlib
    """The waterfall of a receipt, on axes of matplotlib."""
    return plot_waterfall(with_dates(receipt), ax)


def to_blocks(receipt: Plain) -> list[b.Block]:
    """A receipt as blocks, for pages that draw them themselves."""
    return _blocks(_draw([receipt], ())[0])


class _Drawn(NamedTuple):
    """A receipt on its way to be shown, and where it will stand on a page."""

    receipt: Plain
    article: Article
    anchor: str
    name: str


def _draw(receipts: Sequence[Plain], names: Sequence[str]) -> list[_Drawn]:
    # Several outputs of a notebook are one page: the seal distinguishes them.
    return [
        _Drawn(
            one,
            _draw_method(one),
            f"receipt-{i}-{one['seal'][:8]}",
            format_value(names[i - 1]) if names else _name_row(one),
        )
        for i, one in enumerate(map(with_dates, receipts), 1)
    ]


def _name_row(receipt: Plain) -> str:
    """The id of the row, where it has one."""
    row = receipt.get("row")
    if row is None:
        return ""
    return format_value(row if isinstance(row, str) else f"Row {row}")


def _draw_method(receipt: Plain) -> Article:
    """How the answer was found, as the method shows it; less if it is not kept."""
    family = FAMILIES[receipt["kind"]]
    if family.is_whole(receipt):
        return family.draw(receipt)
    note = "All that the method rests on is shown by explain(X, detail='full')."
    parts: list[b.Block] = [b.Paragraph(note, "soft"), draw_query(receipt)]
    if "votes" not in receipt:
        return Article("", [], parts, ("", ""))
    votes: list[b.Block] = [b.Heading("Classes"), draw_votes(receipt, "votes")]
    return Article(sureness(receipt), [], [*votes, *parts], ("", ""))


def _documents(receipts: Sequence[Plain], names: Sequence[str]) -> list[list[b.Block]]:
    drawn = _draw(receipts, names)
    opening: list[b.Block] = [b.Heading(f"{len(drawn)} receipts", 1), _overview(drawn)]
    return [opening] * (len(drawn) > 1) + [_blocks(one) for one in drawn]


def _view(receipts: Sequence[Plain], names: Sequence[str]) -> dict[str, object]:
    drawn = _draw(receipts, names)
    return {
        "opening": [_overview(drawn)] * (len(drawn) > 1),
        "articles": [(o.anchor, _answer(o.receipt), _blocks(o)) for o in drawn],
    }


def _overview(drawn: Sequence[_Drawn]) -> b.Grid:
    """A line for each receipt."""
    shares = [one.receipt.get("probability") for one in drawn]
    rows: list[list[b.Cell]] = [
        [
            b.Link(one.name or str(i), one.anchor),
            _answer(one.receipt),
            "" if share is None else format_probability(share),
            _brief(one)[1],
        ]
        for i, (one, share) in enumerate(zip(drawn, shares, strict=True), 1)
    ]
    titles = {_brief(one)[0] for one in drawn}
    last = titles.pop() if len(titles) == 1 else ""
    sure = "" if shares.count(None) == len(shares) else "probability"
    header = ["row", "answer", sure, last]
    return b.Grid(header, "llrl", rows, shown=_MOST_IN_TABLE, noun="receipts")


def _brief(drawn: _Drawn) -> tuple[str, str]:
    """What is shown of a receipt among several: its leading reason, or its method's."""
    if "reasons" in drawn.receipt:
        return "adds or takes most", write_leading(drawn.receipt)
    return drawn.article.brief


def _blocks(drawn: _Drawn) -> list[b.Block]:
    receipt, article, _, name = drawn
    return [
        *[b.Paragraph(name, "soft")] * bool(name),
        b.Opening(_target(receipt), _answer(receipt), article.detail),
        *[b.Paragraph(text, "warning") for text in [warn_of_novelty(receipt)] if text],
        *_reasoning(receipt, article),
        *_next_attribute(receipt),
        _origin(receipt),
    ]


def _reasoning(receipt: Plain, article: Article) -> list[b.Block]:
    """Why: the reasons of the row if it has some, and how the answer was found."""
    doubts = describe_uncertainty(receipt)
    if "reasons" not in receipt:
        return [b.Lead([*article.why, *doubts]), *article.parts]
    parts = list(_cut(article.parts) if "detail" in receipt else article.parts)
    method = [*[b.Paragraph(" ".join(article.why))] * bool(article.why), *parts]
    return [
        b.Lead([*receipt["summary"], *doubts]),
        *draw_reasons(receipt),
        b.Fold("How the answer was found", method),
    ]


def _cut(parts: Sequence[b.Block]) -> Iterator[b.Block]:
    """The parts of a brief receipt: the first rows of tables, and no figures."""
    for part in parts:
        if isinstance(part, b.Fold):
            yield part._replace(blocks=list(_cut(part.blocks)))
        elif isinstance(part, b.Grid):
            rows = part.rows[:_MOST_IN_BRIEF]
            more = part.n_more + len(part.rows) - len(rows)
            yield part._replace(rows=rows, n_more=more)
        elif not isinstance(part, b.Figure):
            yield part


def _next_attribute(receipt: Plain) -> list[b.Block]:
    suggestion = receipt.get("next_attribute")
    return [] if suggestion is None else next_blocks(suggestion)


def _target(receipt: Plain) -> str:
    """The target's name where it is a class; numbers are called by theirs anyway."""
    name = receipt["cases"].get("target", "y")
    return "" if name == "y" else format_value(name)


def _answer(receipt: Plain) -> str:
    """The answer in words."""
    answer = receipt["answer"]
    if "votes" in receipt:
        return format_value(answer)
    values = answer if isinstance(answer, list) else [answer]
    names = [format_value(item["name"]) for item in receipt["cases"]["targets"]]
    pairs = zip(names, (format_amount(value, 4) for value in values), strict=True)
    return ", ".join(f"{name} = {value}" for name, value in pairs)


def _origin(receipt: Plain) -> b.Fold:
    """The estimator, its cases and the seal."""
    cases, maker = receipt["cases"], format_value(receipt["estimator"])
    settings = ", ".join(
        f"{format_value(name)}={_setting(value)}"
        for name, value in receipt["settings"].items()
    )
    version = format_value(receipt["sklazy"])
    lines = [
        f"Settings: {settings}",
        describe_novelty(receipt),
        f"Digest: {format_value(cases['digest'])}",
        *(
            f"Choices were made {pluralize(choice['rows_since'], 'row')} ago, by the "
            f"cases {format_value(choice['digest'])}"
            for choice in cases.get("choices", ())
        ),
        f"Seal:   {format_value(receipt['seal'])}",
    ]
    if "signature" in receipt:
        lines.append(f"Signature: {format_value(receipt['signature'])}")
    return b.Fold(
        f"{maker} on {pluralize(cases['n_rows'], 'case')}, sklazy {version}",
        [b.Paragraph(line) for line in lines],
    )


def _setting(value: object) -> str:
    """A setting in short; a list that is too long by its size."""
    if isinstance(value, list) and len(str(value)) > _MOST_OF_LIST:
        return f"[{pluralize(len(value), 'item')}]"
    return format_value(repr(value) if isinstance(value, str | None) else value)
