"""Why a local regression answered as it did: plain data that can be replayed."""

import hashlib
import importlib.metadata
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sklazy.answer.regression import LocalAnswer, LocalMemory
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.flow import Queries
from sklazy.receipts.local_evidence import explain_target, label_of
from sklazy.report.regression import draw_html, write_text
from sklazy.tables import Column, Table

KIND = "sklazy.local"


@dataclass(frozen=True)
class RegressionReceipt:
    """What one query was answered, and why.

    Attributes
    ----------
    answer : number, list of numbers, or label
    query : dict from column to value, None where missing
    targets : list of dicts, one a target (or class)
        ``name``, ``prediction``, ``error`` (root mean squared leave-one-out error),
        ``k`` (the most neighbours in use), ``models`` (degree, k, score, share),
        ``curves`` (scores of k = first, first + 1, ... for each degree),
        ``coefficients`` (of differences from the query, in the units of the data),
        ``neighbours`` (id, distance, target, influence; leverage and leave-one-out
        residual in the best model) and ``outside`` (columns in which the query lies
        outside its neighbours: the prediction extrapolates).
    digest : str
        Fingerprint of the cases.
    version : str
        Of sklazy.
    """

    answer: Any
    query: dict[str, Any]
    targets: list[dict[str, Any]]
    digest: str
    version: str

    def to_dict(self) -> dict[str, Any]:
        """The receipt as JSON-serialisable data, with a checksum."""
        content = {"kind": KIND, **asdict(self)}
        return {**content, "checksum": _checksum(content)}

    @classmethod
    def of(cls, given: "RegressionReceipt | Mapping[str, Any]") -> "RegressionReceipt":
        """The receipt that `to_dict` made a dict of."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping) or given.get("kind") != KIND:
            raise BadInputError(
                "this is no receipt of local regression; give what explain() or its "
                "to_dict() returned."
            )
        content = {k: v for k, v in given.items() if k not in ("kind", "checksum")}
        try:
            receipt = cls(**content)
        except TypeError as error:
            raise BadInputError(f"the receipt was edited ({error}).") from None
        if given.get("checksum") != _checksum({"kind": KIND, **content}):
            raise BadInputError(
                "the receipt was edited: its checksum does not match its content."
            )
        return receipt

    def to_html(self) -> str:
        """The receipt as a self-contained piece of HTML."""
        return draw_html(asdict(self))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return write_text(asdict(self))


def _checksum(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def make_receipts(
    base: CaseBase,
    memory: LocalMemory,
    queries: Queries,
    answer: LocalAnswer,
    values: list[Any],
) -> list[RegressionReceipt]:
    """One receipt a query.

    Parameters
    ----------
    base : CaseBase
    memory : LocalMemory
    queries : Queries
    answer : LocalAnswer
        With curves.
    values : list
        What each query was answered: a number, numbers, or a label.
    """
    digest, version = base.digest(), importlib.metadata.version("sklazy")
    return [
        RegressionReceipt(
            value,
            _cells(base, queries, q),
            [
                explain_target(base, memory, queries, answer, q, t)
                for t in range(answer.models.errors.shape[1])
            ],
            digest,
            version,
        )
        for q, value in enumerate(values)
    ]


def _cells(base: CaseBase, queries: Queries, query: int) -> dict[str, Any]:
    """The query in the user's terms; a category no case has cannot be told."""
    return {
        name: label_of(base, j, queries.codes[query, j], queries.values[query, j])
        for j, name in enumerate(base.names)
    }


def query_of(receipt: RegressionReceipt, base: CaseBase) -> Table:
    """The query of a receipt as a table of one row, if it is of these cases."""
    if receipt.digest != base.digest():
        raise BadInputError(
            "the receipt is of other cases: its digest is not that of this "
            "estimator. Rows were added or forgotten, or it is another model."
        )
    columns = []
    for name, kind in zip(base.names, base.to_table().kinds, strict=True):
        value = receipt.query.get(name)
        if kind == "numeric":
            cell = np.nan if value is None else value
            columns.append(Column(name, kind, np.array([cell], float)))
        else:
            code = np.array([-1 if value is None else 0], np.int32)
            columns.append(Column(name, kind, code, () if value is None else (value,)))
    return Table(tuple(columns))
