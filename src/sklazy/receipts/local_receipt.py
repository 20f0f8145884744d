"""Why a local regression answered as it did: plain data that can be replayed."""

import importlib.metadata
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sklazy.answer.local_models.learner import LocalAnswer, LocalMemory
from sklazy.casebase import CaseBase
from sklazy.errors import ReceiptError
from sklazy.flow import MISSING, UNSEEN
from sklazy.receipts.local_models import explain_target
from sklazy.receipts.replay import check_digest, check_replay
from sklazy.receipts.seal import check_seal, sealed
from sklazy.report.local_models import draw_html, write_text
from sklazy.tables import Table

SCHEMA = "sklazy-local-receipt/1"

_KEYS = {"sklazy", "estimator", "settings", "digest", "query", "targets", "answer"}
_KNOWN = {MISSING: "missing", UNSEEN: "unseen"}


@dataclass(frozen=True)
class RegressionReceipt:
    """What one query was answered by local models, and why.

    Attributes
    ----------
    content : dict
        Plain data, sealed: ``schema``; ``sklazy``, the version; ``estimator`` and its
        ``settings``; ``digest`` of the cases; ``query``, a list of ``name``,
        ``value``, ``known``; ``answer``; and ``targets``, one a target or class, with
        ``name``, ``prediction``, ``error`` (root mean squared leave-one-out error),
        ``k`` (the most neighbors in use), ``models`` (degree, k, score, share),
        ``curves`` (scores of k = first, first + 1, ... for each degree),
        ``coefficients`` (of differences from the query, in the units of the data),
        ``neighbors`` (id, distance, target, influence; leverage and leave-one-out
        residual in the best model) and ``outside`` (columns in which the query lies
        outside its neighbors: the prediction extrapolates).
    """

    content: Mapping[str, Any]

    @property
    def answer(self) -> Any:  # noqa: ANN401 - a number, numbers, or a label
        """What was predicted."""
        return self.content["answer"]

    @property
    def targets(self) -> list[dict[str, Any]]:
        """The evidence for each target or class."""
        return self.content["targets"]

    @property
    def query(self) -> dict[str, Any]:
        """The query's values by column, None where missing."""
        return {item["name"]: item["value"] for item in self.content["query"]}

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data: strings, numbers, bools, None, lists and dicts."""
        return json.loads(self.to_json())

    def to_json(self, indent: int | None = None) -> str:
        """The data as JSON."""
        return json.dumps(self.content, indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, content: object) -> "RegressionReceipt":
        """The receipt that `to_dict` made a dict of; an edited one is refused."""
        if isinstance(content, cls):
            content = content.content
        if not isinstance(content, Mapping) or content.get("schema") != SCHEMA:
            raise ReceiptError(
                "this is no receipt of local regression; give what explain() returned, "
                "or its to_dict()."
            )
        if content.keys() != _KEYS | {"schema", "seal"}:
            raise ReceiptError(
                "the receipt was edited: it lacks keys or has further ones."
            )
        check_seal(content)
        return cls(content)

    @classmethod
    def from_json(cls, text: str | bytes) -> "RegressionReceipt":
        """The receipt that `to_json` wrote; an edited one is refused."""
        try:
            return cls.from_dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise ReceiptError(f"this is no JSON ({error}).") from None

    def to_text(self) -> str:
        """The receipt in a few lines for the terminal."""
        return write_text(self.content)

    def to_html(self) -> str:
        """The receipt as a self-contained piece of HTML."""
        return draw_html(self.content)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"RegressionReceipt(answer={self.answer!r})"


def make_receipts(
    base: CaseBase,
    memory: LocalMemory,
    table: Table,
    answer: LocalAnswer,
    values: list[Any],
    maker: Mapping[str, Any],
) -> list[RegressionReceipt]:
    """One receipt a query.

    Parameters
    ----------
    base : CaseBase
    memory : LocalMemory
    table : Table of n_queries rows
        The queries as they were asked: it still knows labels that no case has.
    answer : LocalAnswer
        With curves.
    values : list
        What each query was answered: a number, numbers, or a label.
    maker : dict
        The name of the ``estimator`` and its ``settings``.
    """
    head = {
        "schema": SCHEMA,
        "sklazy": importlib.metadata.version("sklazy"),
        **maker,
        "digest": base.digest(),
    }
    queries = query_cells(base, table)
    n_targets = answer.models.errors.shape[1]
    return [
        RegressionReceipt(
            sealed(
                {
                    **head,
                    "query": queries[q],
                    "targets": [
                        explain_target(base, memory, queries[q], answer, q, t)
                        for t in range(n_targets)
                    ],
                    "answer": value,
                }
            )
        )
        for q, value in enumerate(values)
    ]


def query_cells(base: CaseBase, table: Table) -> list[list[dict[str, Any]]]:
    """The queries in the user's terms, one list of columns a query."""
    cells = [column.cells() for column in base.coder.matched(table)]
    codes = base.encode(table).codes.tolist()
    return [
        [
            {"name": name, "value": column[q], "known": _known(column[q], code)}
            for name, column, code in zip(base.names, cells, row, strict=True)
        ]
        for q, row in enumerate(codes)
    ]


def _known(value: object, code: int) -> str:
    return "missing" if value is None else _KNOWN.get(code, "yes")


def verify_receipt(
    receipt: object, explain: Callable[[Table], list[RegressionReceipt]], digest: str
) -> bool:
    """Say that a receipt is genuine, or raise a ReceiptError.

    Parameters
    ----------
    receipt : RegressionReceipt, or what its ``to_dict`` gave
    explain : function from a table of one row to its receipts
    digest : str
        The fingerprint of the cases that are asked.
    """
    claimed = RegressionReceipt.from_dict(receipt)
    check_digest(claimed.content["digest"], digest)
    return check_replay(claimed.content, explain)
