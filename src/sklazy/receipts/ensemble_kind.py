"""Receipts of ensembles: bags, members, their votes and what these rest on."""

from dataclasses import dataclass
from typing import Any, ClassVar

from sklazy.receipts.plain import PlainReceipt
from sklazy.report.drawing import Drawing, make_drawing
from sklazy.report.ensemble_blocks import ensemble_blocks
from sklazy.report.ensemble_page import ensemble_view


@dataclass(frozen=True)
class EnsembleReceipt(PlainReceipt):
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

    schema: ClassVar[str] = "sklazy-ensemble-receipt/1"
    keys: ClassVar[frozenset[str]] = frozenset(
        {
            *("schema", "sklazy", "estimator", "settings", "cases", "query"),
            *("distance", "neighbors", "bags", "members", "agreement", "diversity"),
            *("votes", "answer", "probability", "seal"),
        }
    )
    maker: ClassVar[str] = "a lazy ensemble"
    drawing: ClassVar[Drawing] = make_drawing(
        ensemble_blocks, ensemble_view, "ensembles"
    )

    @property
    def probability(self) -> float:
        """The share of the answer."""
        return float(self.content["probability"])

    @property
    def members(self) -> list[dict[str, Any]]:
        """The members: bag, name, vote, and the evidence it rests on."""
        return self.content["members"]

    def __hash__(self) -> int:
        return hash(self.seal)

    def __repr__(self) -> str:
        return (
            f"EnsembleReceipt(answer={self.answer!r}, "
            f"probability={self.probability:.3f}, {len(self.members)} members)"
        )
