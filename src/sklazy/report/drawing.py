"""How receipts of a kind are shown: as text, Markdown, a page, a piece of one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sklazy.report.blocks import WIDTH, Block, to_markdown, to_text
from sklazy.report.html import render

Plain = Mapping[str, Any]


class Drawing(NamedTuple):
    """How receipts of a kind are shown; all functions take several.

    Attributes
    ----------
    text : function of receipts and a width
    markdown : function of receipts
    page : function of receipts and a title
    piece : function of receipts and the number of those not among them
    """

    text: Callable[[Sequence[Plain], int], str]
    markdown: Callable[[Sequence[Plain]], str]
    page: Callable[[Sequence[Plain], str], str]
    piece: Callable[[Sequence[Plain], int], str]


def make_drawing(
    blocks: Callable[[Plain], list[Block]], view: Callable[[Plain], Plain], pages: str
) -> Drawing:
    """Show receipts by their parts, and by the templates of a name.

    Parameters
    ----------
    blocks : function from a receipt to its parts
    view : function from a receipt to what the templates draw
    pages : str
        There are templates ``<pages>_page`` and ``<pages>_piece``.
    """

    def text(receipts: Sequence[Plain], width: int = WIDTH) -> str:
        return "\n\n\n".join(to_text(blocks(one), width) for one in receipts)

    def markdown(receipts: Sequence[Plain]) -> str:
        return "\n".join(to_markdown(blocks(one)) for one in receipts)

    def page(receipts: Sequence[Plain], title: str = "") -> str:
        named = title or ("Receipt" if len(receipts) == 1 else "Receipts")
        return render(f"{pages}_page", title=named, receipts=[*map(view, receipts)])

    def piece(receipts: Sequence[Plain], n_more: int = 0) -> str:
        views = [*map(view, receipts)]
        return render(f"{pages}_piece", receipts=views, n_more=n_more)

    return Drawing(text, markdown, page, piece)
