"""Receipts of ensembles: bags, members, their votes and what these rest on."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from sklazy.errors import MissingExtraError, ReceiptError
from sklazy.receipts.replay import check_digest, check_replay
from sklazy.receipts.seal import check_seal
from sklazy.report.ensemble_blocks import ensemble_markdown, ensemble_text
from sklazy.report.ensemble_page import ensemble_fragment, ensemble_page
from sklazy.report.html import preformatted
from sklazy.tables import Table

SCHEMA = "sklazy-ensemble-receipt/1"

_KEYS = {
    *("schema", "sklazy", "estimator", "settings", "cases", "query", "distance"),
    *("neighbors", "bags", "members", "agreement", "diversity", "votes"),
    *("answer", "probability", "seal"),
}
_MOST_IN_NOTEBOOK = 10


@dataclass(frozen=True)
class EnsembleReceipt:
    """What one query was answered by an ensemble of its own, and why.

    Made by ``explain`` of lazy bagging and lazy stacking; ``verify`` replays it.

    Attributes
    ----------
    content : dict
        Plain data, sealed; ``docs/receipts.md`` has its schema.

    Examples
    --------
    >>> from sklazy import LazyBaggingClassifier
    >>> X, y = [[1.0], [2.0], [8.0], [9.0]] * 3, ["a", "a", "b", "b"] * 3
    >>> model = LazyBaggingClassifier(3).fit(X, y)
    >>> receipt = model.explain([[8.5]])[0]
    >>> receipt
    EnsembleReceipt(answer='b', probability=1.000, 3 members)
    >>> model.verify(receipt)
    True
    """

    content: Mapping[str, Any]

    @classmethod
    def from_dict(cls, content: object) -> "EnsembleReceipt":
        """The receipt that `to_dict` made a dict of; an edited one is refused."""
        if isinstance(content, cls):
            content = content.content
        if not isinstance(content, Mapping) or content.get("schema") != SCHEMA:
            raise ReceiptError(
                "this is no receipt of a lazy ensemble; give what explain() returned, "
                "or its to_dict()."
            )
        if content.keys() != _KEYS:
            raise ReceiptError(
                "the receipt was edited: it lacks keys or has further ones."
            )
        check_seal(content)
        return cls(content)

    @classmethod
    def from_json(cls, text: str | bytes) -> "EnsembleReceipt":
        """The receipt that `to_json` wrote; an edited one is refused."""
        try:
            return cls.from_dict(json.loads(text))
        except (ValueError, RecursionError) as error:
            if isinstance(error, ReceiptError):
                raise
            raise ReceiptError(f"this is no JSON ({error}).") from None

    @property
    def answer(self) -> Any:  # noqa: ANN401 - a label
        """What was predicted."""
        return self.content["answer"]

    @property
    def probability(self) -> float:
        """The share of the answer."""
        return float(self.content["probability"])

    @property
    def members(self) -> list[dict[str, Any]]:
        """The members: bag, name, vote, and the evidence it rests on."""
        return self.content["members"]

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
        return ensemble_text([self.content], width)

    def to_markdown(self) -> str:
        """The receipt as Markdown."""
        return ensemble_markdown([self.content])

    def to_html(self, title: str = "") -> str:
        """The receipt as a page that needs nothing but itself (needs jinja2)."""
        return ensemble_page([self.content], title)

    def _repr_html_(self) -> str:
        return _shown(EnsembleReceipts([self]))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return (
            f"EnsembleReceipt(answer={self.answer!r}, "
            f"probability={self.probability:.3f}, {len(self.members)} members)"
        )

    def __hash__(self) -> int:
        return hash(self.seal)


class EnsembleReceipts(Sequence[EnsembleReceipt]):
    """The receipts of a batch of queries, in their order.

    Parameters
    ----------
    receipts : iterable of EnsembleReceipt

    Examples
    --------
    >>> from sklazy.receipts.ensemble import EnsembleReceipts
    >>> len(EnsembleReceipts([]))
    0
    """

    def __init__(self, receipts: Iterable[EnsembleReceipt]) -> None:
        self._receipts = tuple(receipts)

    @overload
    def __getitem__(self, position: int) -> EnsembleReceipt: ...

    @overload
    def __getitem__(self, position: slice) -> "EnsembleReceipts": ...

    def __getitem__(self, position: int | slice) -> Any:
        found = self._receipts[position]
        return EnsembleReceipts(found) if isinstance(found, tuple) else found

    def __len__(self) -> int:
        return len(self._receipts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EnsembleReceipts):
            return NotImplemented
        return self._receipts == other._receipts

    def __hash__(self) -> int:
        return hash(self._receipts)

    def __repr__(self) -> str:
        return f"EnsembleReceipts({list(self._receipts)!r})"

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> list[dict[str, Any]]:
        """Copies of the data, one dict a receipt."""
        return [receipt.to_dict() for receipt in self]

    def to_json(self, indent: int | None = 2) -> str:
        """The data as JSON, a list."""
        return json.dumps(self.contents(), indent=indent, allow_nan=False)

    def to_text(self, width: int = 80) -> str:
        """The receipts for a terminal, no line wider than `width`."""
        return ensemble_text(self.contents(), width)

    def to_markdown(self) -> str:
        """The receipts as Markdown."""
        return ensemble_markdown(self.contents())

    def to_html(self, title: str = "") -> str:
        """The receipts as a page that needs nothing but itself (needs jinja2)."""
        return ensemble_page(self.contents(), title)

    def _repr_html_(self) -> str:
        return _shown(self)

    def contents(self) -> list[Mapping[str, Any]]:
        """The data themselves; not to be changed."""
        return [receipt.content for receipt in self]


def _shown(receipts: EnsembleReceipts) -> str:
    """A piece of HTML for a notebook; plain text where jinja2 is missing."""
    shown = receipts[:_MOST_IN_NOTEBOOK]
    try:
        return ensemble_fragment(shown.contents(), len(receipts) - len(shown))
    except MissingExtraError:
        return preformatted(shown.to_text())


def verify_ensemble_receipt(
    receipt: object, explain: Callable[[Table], EnsembleReceipts], digest: str
) -> bool:
    """Say that a receipt is genuine, or raise a ReceiptError.

    Parameters
    ----------
    receipt : EnsembleReceipt, or what its ``to_dict`` gave
    explain : function from a table of one row to its receipts
    digest : str
        The fingerprint of the cases that are asked.
    """
    claimed = EnsembleReceipt.from_dict(receipt)
    check_digest(claimed.content["cases"]["digest"], digest)
    return check_replay(claimed.content, explain)
