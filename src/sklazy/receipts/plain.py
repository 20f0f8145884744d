"""What receipts of every kind can do: be kept, shown, read back and checked."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from sklazy.errors import MissingExtraError, ReceiptError
from sklazy.receipts.replay import check_digest, check_replay
from sklazy.receipts.seal import check_seal
from sklazy.report.drawing import Drawing, Plain
from sklazy.report.html import preformatted
from sklazy.tables import Table

_MOST_IN_NOTEBOOK = 10


@dataclass(frozen=True)
class PlainReceipt:
    """What one query was answered, and why; see the subclasses.

    Attributes
    ----------
    content : dict
        Plain data, sealed.
    """

    content: Plain

    schema: ClassVar[str]
    keys: ClassVar[frozenset[str]]
    maker: ClassVar[str]
    drawing: ClassVar[Drawing]

    @classmethod
    def from_dict(cls, content: object) -> Self:
        """The receipt that `to_dict` made a dict of; an edited one is refused."""
        if isinstance(content, cls):
            content = content.content
        if not isinstance(content, Mapping) or content.get("schema") != cls.schema:
            raise ReceiptError(
                f"this is no receipt of {cls.maker}; give what explain() returned, "
                "or its to_dict()."
            )
        if content.keys() != cls.keys:
            raise ReceiptError(
                "the receipt was edited: it lacks keys or has further ones."
            )
        check_seal(content)
        return cls(content)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The receipt that `to_json` wrote; an edited one is refused."""
        return cls.from_dict(parse_json(text))

    @property
    def answer(self) -> Any:  # noqa: ANN401 - a label or a number
        """What was predicted."""
        return self.content["answer"]

    @property
    def seal(self) -> str:
        """The fingerprint of all the rest."""
        return self.content["seal"]

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data: strings, numbers, bools, None, lists and dicts."""
        return json.loads(self.to_json())

    def to_json(self, indent: int | None = 2) -> str:
        """The data as JSON."""
        return json.dumps(self.content, indent=indent, allow_nan=False)

    def to_text(self, width: int = 80) -> str:
        """The receipt for a terminal, no line wider than `width`."""
        return self.drawing.text([self.content], width)

    def to_markdown(self) -> str:
        """The receipt as Markdown."""
        return self.drawing.markdown([self.content])

    def to_html(self, title: str = "") -> str:
        """The receipt as a page that needs nothing but itself (needs jinja2)."""
        return self.drawing.page([self.content], title)

    def _repr_html_(self) -> str:
        return ReceiptList([self])._repr_html_()

    def __str__(self) -> str:
        return self.to_text()

    def __hash__(self) -> int:
        return hash(self.seal)


Kind = TypeVar("Kind", bound=PlainReceipt)


class ReceiptList(Sequence[Kind], Generic[Kind]):
    """The receipts of a batch of queries, in their order.

    Parameters
    ----------
    receipts : iterable of receipts, all of one kind

    Examples
    --------
    >>> len(ReceiptList([]))
    0
    """

    def __init__(self, receipts: Iterable[Kind]) -> None:
        self._receipts = tuple(receipts)

    @overload
    def __getitem__(self, position: int) -> Kind: ...

    @overload
    def __getitem__(self, position: slice) -> Self: ...

    def __getitem__(self, position: int | slice) -> Any:
        found = self._receipts[position]
        return type(self)(found) if isinstance(found, tuple) else found

    def __len__(self) -> int:
        return len(self._receipts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReceiptList):
            return NotImplemented
        return self._receipts == other._receipts

    def __hash__(self) -> int:
        return hash(self._receipts)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self._receipts)!r})"

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> list[dict[str, Any]]:
        """Copies of the data, one dict a receipt."""
        return [receipt.to_dict() for receipt in self]

    def to_json(self, indent: int | None = 2) -> str:
        """The data as JSON, a list."""
        return json.dumps(self._contents(), indent=indent, allow_nan=False)

    def to_text(self, width: int = 80) -> str:
        """The receipts for a terminal, no line wider than `width`."""
        return self[0].drawing.text(self._contents(), width) if len(self) else ""

    def to_markdown(self) -> str:
        """The receipts as Markdown."""
        return self[0].drawing.markdown(self._contents()) if len(self) else ""

    def to_html(self, title: str = "") -> str:
        """The receipts as a page that needs nothing but itself (needs jinja2)."""
        return self[0].drawing.page(self._contents(), title) if len(self) else ""

    def _repr_html_(self) -> str:
        """A piece of HTML for a notebook; plain text where jinja2 is missing."""
        shown = self[:_MOST_IN_NOTEBOOK]
        if not len(shown):
            return ""
        try:
            n_more = len(self) - len(shown)
            return shown[0].drawing.piece(shown._contents(), n_more)
        except MissingExtraError:
            return preformatted(shown.to_text())

    def _contents(self) -> list[Plain]:
        return [receipt.content for receipt in self]


def parse_json(text: str | bytes) -> object:
    """What JSON says; other text is refused."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReceiptError(f"this is no JSON ({error}).") from None


def verify_plain(
    kind: type[PlainReceipt],
    receipt: object,
    explain: Callable[[Table], Sequence[PlainReceipt]],
    digest: str,
) -> bool:
    """Say that a receipt is genuine, or raise a ReceiptError.

    Parameters
    ----------
    kind : type
        What the receipt must be.
    receipt : receipt, or what its ``to_dict`` gave
    explain : function from a table of one row to its receipts
    digest : str
        The fingerprint of the cases that are asked.
    """
    claimed = kind.from_dict(receipt)
    check_digest(claimed.content["cases"]["digest"], digest)
    return check_replay(claimed.content, explain)
