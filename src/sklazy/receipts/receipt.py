"""Receipts of lazy selection: what was answered and why."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sklazy.errors import ReceiptError
from sklazy.receipts.plain import (
    PlainReceipt,
    ReceiptList,
    parse_json,
    verify_plain,
)
from sklazy.receipts.schema import check_receipt
from sklazy.receipts.seal import check_seal
from sklazy.report.drawing import Drawing
from sklazy.report.selection_blocks import receipt_markdown, receipt_text
from sklazy.report.selection_page import receipt_fragment, receipt_page
from sklazy.tables import Table


@dataclass(frozen=True)
class Receipt(PlainReceipt):
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

    drawing: ClassVar[Drawing] = Drawing(
        receipt_text, receipt_markdown, receipt_page, receipt_fragment
    )

    @classmethod
    def from_dict(cls, content: object) -> "Receipt":
        """The receipt that `to_dict` made a dict of; an edited one is refused."""
        if isinstance(content, cls):
            content = content.content
        plain = check_receipt(content)
        check_seal(plain)
        return cls(json.loads(json.dumps(plain, allow_nan=False)))

    @property
    def probability(self) -> float:
        """The probability of the answer."""
        return float(self.content["probability"])

    @property
    def attributes(self) -> list[str]:
        """The names of the attributes that were used, in column order."""
        items = self.content["selection"]["attributes"]
        return [item["name"] for item in items if item["used"]]

    def __hash__(self) -> int:
        return hash(self.seal)

    def __repr__(self) -> str:
        answer, used = self.answer, len(self.attributes)
        return (
            f"Receipt(answer={answer!r}, probability={self.probability:.3f}, "
            f"{used} attributes used)"
        )


class Receipts(ReceiptList[Receipt]):
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

    @classmethod
    def from_dict(cls, contents: object) -> "Receipts":
        """The receipts that `to_dict` made dicts of; edited ones are refused."""
        if not isinstance(contents, list):
            raise ReceiptError("receipts are read from a list of dicts.")
        return cls(Receipt.from_dict(content) for content in contents)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Receipts":
        """The receipts that `to_json` wrote; edited ones are refused."""
        return cls.from_dict(parse_json(text))


def verify(receipt: object, explain: Callable[[Table], Receipts], digest: str) -> bool:
    """Say that a receipt is genuine, or raise.

    Parameters
    ----------
    receipt : Receipt, or what its ``to_dict`` gave
    explain : function from a table of one row to its receipts
    digest : str
        The fingerprint of the cases that are asked.

    Returns
    -------
    True

    Raises
    ------
    ReceiptError
        If the receipt is malformed, was edited, is of other cases, or if asking
        again gives anything else than it says.
    """
    return verify_plain(Receipt, receipt, explain, digest)
