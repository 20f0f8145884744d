"""Receipts: what was answered and why, as data that can be kept, shown and checked."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from sklazy.errors import MissingExtraError, ReceiptError
from sklazy.receipts.schema import check_receipt
from sklazy.receipts.seal import check_seal
from sklazy.report.html import preformatted
from sklazy.report.receipt_blocks import receipt_markdown, receipt_text
from sklazy.report.receipt_page import receipt_fragment, receipt_page
from sklazy.tables import Label

_MOST_IN_NOTEBOOK = 10


@dataclass(frozen=True)
class Receipt:
    """What one query was answered, and why: all of it, as it was computed.

    Made by ``explain``; read back by `from_dict` or `from_json`, which refuse a
    receipt that was edited. ``verify`` of the estimator replays it.

    Attributes
    ----------
    content : dict
        Plain data, sealed; ``docs/receipts.md`` has its schema. Take it by
        `to_dict`, which gives a copy.

    Examples
    --------
    >>> from sklazy.receipts.receipt import Receipt
    >>> Receipt.from_dict({"answer": "yes"})
    Traceback (most recent call last):
        ...
    sklazy.errors.ReceiptError: this is no receipt; give what explain() returned, or
    its to_dict().
    """

    content: Mapping[str, Any]

    @classmethod
    def from_dict(cls, content: object) -> "Receipt":
        """The receipt that `to_dict` made a dict of; an edited one is refused."""
        plain = check_receipt(content)
        check_seal(plain)
        return cls(_copied(plain))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Receipt":
        """The receipt that `to_json` wrote; an edited one is refused."""
        return cls.from_dict(_parsed(text))

    @property
    def answer(self) -> Label:
        """The class that was predicted."""
        return self.content["answer"]

    @property
    def probability(self) -> float:
        """The probability of the answer."""
        return float(self.content["probability"])

    @property
    def attributes(self) -> list[str]:
        """The names of the attributes that were used, in column order."""
        items = self.content["selection"]["attributes"]
        return [item["name"] for item in items if item["used"]]

    @property
    def seal(self) -> str:
        """The fingerprint of all the rest."""
        return self.content["seal"]

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data: strings, numbers, bools, None, lists and dicts."""
        return _copied(self.content)

    def to_json(self, indent: int | None = 2) -> str:
        """The data as JSON."""
        return json.dumps(self.content, indent=indent, allow_nan=False)

    def to_text(self, width: int = 80) -> str:
        """The receipt for a terminal, no line wider than `width`."""
        return receipt_text([self.content], width)

    def to_markdown(self) -> str:
        """The receipt as Markdown."""
        return receipt_markdown([self.content])

    def to_html(self, title: str = "") -> str:
        """The receipt as a page that needs nothing but itself (needs jinja2)."""
        return receipt_page([self.content], title)

    def _repr_html_(self) -> str:
        return _shown(Receipts([self]))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        answer, used = self.answer, len(self.attributes)
        return (
            f"Receipt(answer={answer!r}, probability={self.probability:.3f}, "
            f"{used} attributes used)"
        )

    def __hash__(self) -> int:
        return hash(self.seal)


class Receipts(Sequence[Receipt]):
    """The receipts of a batch of queries, in their order.

    Parameters
    ----------
    receipts : iterable of Receipt

    Examples
    --------
    >>> from sklazy.receipts.receipt import Receipts
    >>> len(Receipts([]))
    0
    """

    def __init__(self, receipts: Iterable[Receipt]) -> None:
        self._receipts = tuple(receipts)

    @classmethod
    def from_dict(cls, contents: object) -> "Receipts":
        """The receipts that `to_dict` made dicts of; edited ones are refused."""
        if not isinstance(contents, list):
            raise ReceiptError("receipts are read from a list of dicts.")
        return cls(Receipt.from_dict(content) for content in contents)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Receipts":
        """The receipts that `to_json` wrote; edited ones are refused."""
        return cls.from_dict(_parsed(text))

    @overload
    def __getitem__(self, position: int) -> Receipt: ...

    @overload
    def __getitem__(self, position: slice) -> "Receipts": ...

    def __getitem__(self, position: int | slice) -> "Receipt | Receipts":
        if isinstance(position, slice):
            return Receipts(self._receipts[position])
        return self._receipts[position]

    def __len__(self) -> int:
        return len(self._receipts)

    def __iter__(self) -> Iterator[Receipt]:
        return iter(self._receipts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Receipts):
            return NotImplemented
        return self._receipts == other._receipts

    def __hash__(self) -> int:
        return hash(self._receipts)

    def __repr__(self) -> str:
        return f"Receipts({list(self._receipts)!r})"

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
        return receipt_text(self._contents(), width)

    def to_markdown(self) -> str:
        """The receipts as Markdown."""
        return receipt_markdown(self._contents())

    def to_html(self, title: str = "") -> str:
        """The receipts as a page that needs nothing but itself (needs jinja2)."""
        return receipt_page(self._contents(), title)

    def _repr_html_(self) -> str:
        return _shown(self)

    def _contents(self) -> list[Mapping[str, Any]]:
        return [receipt.content for receipt in self]


def _shown(receipts: Receipts) -> str:
    """A piece of HTML for a notebook; plain text where jinja2 is missing."""
    shown = receipts[:_MOST_IN_NOTEBOOK]
    try:
        return receipt_fragment(shown._contents(), len(receipts) - len(shown))
    except MissingExtraError:
        return preformatted(shown.to_text())


def _copied(content: Mapping[str, Any]) -> dict[str, Any]:
    """A copy down to the leaves, of plain types only."""
    return json.loads(json.dumps(content, allow_nan=False))


def _parsed(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReceiptError(f"this is no JSON ({error}).") from None
