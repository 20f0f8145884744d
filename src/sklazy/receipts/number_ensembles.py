"""Receipts of ensembles that predict numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sklazy.answer.ensembles.bagged import N_TRIED, find_evidence
from sklazy.answer.ensembles.number_learner import NumberAnswer, try_errors
from sklazy.flow import Queries
from sklazy.local.bags import draw_weights
from sklazy.receipts.ensembles import describe_bags, describe_weights
from sklazy.receipts.local_models import number
from sklazy.receipts.local_receipt import query_cells
from sklazy.receipts.members import MOST_LISTED, MemberTeller
from sklazy.receipts.plain import PlainReceipt, ReceiptList
from sklazy.receipts.seal import sealed
from sklazy.receipts.selection import finite, version
from sklazy.report.drawing import Drawing
from sklazy.report.number_ensembles import NUMBERS
from sklazy.tables import Table

Plain = dict[str, Any]


@dataclass(frozen=True)
class NumberReceipt(PlainReceipt):
    """What number one query was answered by an ensemble of its own, and why.

    Made by ``explain`` of the lazy ensembles for regression; ``verify`` replays it.

    Attributes
    ----------
    content : dict
        Plain data, sealed; ``docs/receipts.md`` has its schema.

    Examples
    --------
    >>> from sklazy import LazyBaggingRegressor
    >>> model = LazyBaggingRegressor(3).fit([[1.0], [2.0], [8.0], [9.0]], [1, 1, 5, 5])
    >>> receipt = model.explain([[1.5]])[0]
    >>> len(receipt.members), model.verify(receipt)
    (3, True)
    """

    schema: ClassVar[str] = "sklazy-number-receipt/1"
    keys: ClassVar[frozenset[str]] = frozenset(
        {
            *("schema", "sklazy", "estimator", "settings", "cases", "query"),
            *("distance", "neighbors", "bags", "members", "spread", "around"),
            *("answer", "seal"),
        }
    )
    maker: ClassVar[str] = "a lazy ensemble of numbers"
    drawing: ClassVar[Drawing] = NUMBERS

    @property
    def members(self) -> list[dict[str, Any]]:
        """The members: bag, name, value, and the evidence it rests on."""
        return self.content["members"]

    def __hash__(self) -> int:
        return hash(self.seal)

    def __repr__(self) -> str:
        return f"NumberReceipt(answer={self.answer!r}, {len(self.members)} members)"


def build_number_receipts(
    answer: NumberAnswer, table: Table, estimator: str, settings: Mapping[str, Any]
) -> ReceiptList[NumberReceipt]:
    """One receipt for each query of an answer; see `build_ensemble_receipts`."""
    base = answer.crowd.base
    head = {
        "schema": NumberReceipt.schema,
        "sklazy": version(),
        "estimator": estimator,
        "settings": {name: finite(value) for name, value in settings.items()},
        "cases": {"digest": base.digest(), "n_rows": base.n_rows},
    }
    cells = query_cells(base, table)
    return ReceiptList(
        NumberReceipt(sealed({**head, "query": cells[q], **_content(answer, q)}))
        for q in range(len(answer.predictions))
    )


def _content(answer: NumberAnswer, query: int) -> Plain:
    here, crowd = slice(query, query + 1), answer.crowd
    asked = Queries(answer.queries.codes[here], answer.queries.values[here])
    teller = MemberTeller(crowd, asked)
    return {
        "distance": describe_weights(crowd),
        "neighbors": _neighbors(answer, query, teller),
        "bags": describe_bags(crowd, answer.bags, query),
        "members": _members(answer, query, asked, teller),
        "spread": number(answer.values[query].std()),
        "around": _around(answer, query),
        "answer": number(answer.predictions[query]),
    }


def _neighbors(answer: NumberAnswer, query: int, teller: MemberTeller) -> Plain:
    rows, recipe = answer.bags.neighbors[query], answer.recipe
    distances = answer.neighbors.distances[query, : len(rows)]
    pairs = list(zip(rows.tolist(), distances, strict=True))[:MOST_LISTED]
    return {
        "k": len(rows),
        "beta": recipe.beta if recipe.n_neighbors is None else None,
        **answer.crowd.sum_up(rows),
        "listed": [teller.case(row, distance) for row, distance in pairs],
    }


def _members(
    answer: NumberAnswer, query: int, asked: Queries, teller: MemberTeller
) -> list[Plain]:
    crowd, near = answer.crowd, answer.bags.neighbors[query]
    bags = draw_weights(answer.bags, query, crowd.n_rows)
    own = answer.bags.part(query, query + 1)
    told = find_evidence(crowd, asked, own, answer.recipe)
    return [
        {
            "bag": i,
            "name": name,
            "value": number(answer.values[query, i]),
            "weight": number(answer.weights[query, i]),
            "n_distinct": int((bags[i] > 0).sum()),
            "neighbor_share": number(bags[i, near].sum() / crowd.n_rows),
            "evidence": teller.tell(evidence),
        }
        for i, (name, evidence) in enumerate(told)
    ]


def _around(answer: NumberAnswer, query: int) -> Plain:
    """How far members are off on the nearest cases."""
    own = answer.bags.part(query, query + 1)
    tried = answer.neighbors.rows[query : query + 1, :N_TRIED]
    errors = try_errors(answer.crowd, own, tried, answer.recipe)[0]
    return {"n_cases": len(errors), "error": number(np.sqrt(errors.mean()))}
