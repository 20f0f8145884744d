"""Receipts of the lazy decision tree: the tests, and who was left after each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sklazy.answer.trees import LazyTreeAnswer, counts_along
from sklazy.receipts.local_models import number
from sklazy.receipts.local_receipt import query_cells
from sklazy.receipts.plain import PlainReceipt, ReceiptList
from sklazy.receipts.seal import sealed
from sklazy.receipts.selection import bin_names, describe, finite, version
from sklazy.report.drawing import Drawing
from sklazy.report.trees import TREES
from sklazy.tables import Table

Plain = dict[str, Any]


@dataclass(frozen=True)
class TreeReceipt(PlainReceipt):
    """What one query was answered by the tests it chose, and who agreed.

    Made by ``explain`` of the lazy decision tree; ``verify`` replays it.

    Attributes
    ----------
    content : dict
        Plain data, sealed; ``docs/receipts.md`` has its schema.

    Examples
    --------
    >>> from sklazy import LazyDecisionTreeClassifier
    >>> X = [["red", "big"], ["red", "small"], ["blue", "big"], ["blue", "small"]]
    >>> model = LazyDecisionTreeClassifier().fit(X, ["a", "b", "b", "b"])
    >>> receipt = model.explain([["red", "big"]])[0]
    >>> [step["attribute"] for step in receipt.steps], receipt.answer
    (['x0', 'x1'], 'a')
    """

    schema: ClassVar[str] = "sklazy-tree-receipt/1"
    keys: ClassVar[frozenset[str]] = frozenset(
        {
            *("schema", "sklazy", "estimator", "settings", "cases", "query"),
            *("steps", "votes", "answer", "probability", "seal"),
        }
    )
    maker: ClassVar[str] = "a lazy decision tree"
    drawing: ClassVar[Drawing] = TREES

    @property
    def probability(self) -> float:
        """The share of the answer."""
        return float(self.content["probability"])

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The tests, in order: attribute, value, bin, and the cases left."""
        return self.content["steps"]

    def __hash__(self) -> int:
        return hash(self.seal)

    def __repr__(self) -> str:
        return (
            f"TreeReceipt(answer={self.answer!r}, probability={self.probability:.3f}, "
            f"{len(self.steps)} tests)"
        )


def build_tree_receipts(
    answer: LazyTreeAnswer, table: Table, estimator: str, settings: Mapping[str, Any]
) -> ReceiptList[TreeReceipt]:
    """One receipt for each query of an answer; see `build_ensemble_receipts`."""
    head = {
        "schema": TreeReceipt.schema,
        "sklazy": version(),
        "estimator": estimator,
        "settings": {name: finite(value) for name, value in settings.items()},
        "cases": describe(answer.base),
    }
    cells, bins = query_cells(answer.base, table), bin_names(answer.base)
    return ReceiptList(
        TreeReceipt(
            sealed(
                {
                    **head,
                    "query": cells[q],
                    "steps": _steps(answer, q, cells[q], bins),
                    **_decision(answer, q),
                }
            )
        )
        for q in range(len(answer.decisions))
    )


def _steps(
    answer: LazyTreeAnswer, query: int, cells: list[Plain], bins: dict[int, list[str]]
) -> list[Plain]:
    tested, counts = counts_along(answer, query)
    codes = answer.queries.codes[query].tolist()
    return [
        {
            "attribute": cells[j]["name"],
            "value": cells[j]["value"],
            "bin": bins[j][codes[j]] if j in bins else None,
            "left": counts[i + 1].tolist(),
        }
        for i, j in enumerate(tested)
    ]


def _decision(answer: LazyTreeAnswer, query: int) -> Plain:
    labels, decision = answer.base.class_labels, int(answer.decisions[query])
    shares = answer.shares[query]
    votes = zip(labels, answer.left[query].tolist(), shares, strict=True)
    return {
        "votes": [
            {"label": label, "votes": n, "probability": number(share)}
            for label, n, share in votes
        ],
        "answer": labels[decision],
        "probability": number(shares[decision]),
    }
