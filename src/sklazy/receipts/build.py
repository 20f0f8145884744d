"""From an answer to its receipts: codes become the user's names, labels and values."""

import functools
import importlib.metadata
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from sklazy.answer import Answer
from sklazy.answer.association import AssociationAnswer
from sklazy.answer.bayes_rules import BayesRulesAnswer
from sklazy.answer.ensembles.learner import EnsembleAnswer
from sklazy.answer.local_models.answers import LocalAnswer
from sklazy.answer.selection.result import SelectionAnswer
from sklazy.answer.trees import TreeAnswer
from sklazy.receipts import (
    association,
    bayes_rules,
    ensembles,
    local_models,
    selection,
    trees,
)
from sklazy.receipts.plain import Plain, describe_cases, describe_queries, finite
from sklazy.receipts.receipt import Receipt, Receipts
from sklazy.receipts.schema import SCHEMA
from sklazy.receipts.seal import sealed
from sklazy.tables import Table


class Family(NamedTuple):
    """How the answers of a family become receipts.

    Attributes
    ----------
    kind : str
    bodies : function
        From an answer and its queries in the user's terms to what is particular to
        the family, one dict for each query.
    """

    kind: str
    bodies: Callable[[Any, list[list[Plain]]], Iterator[Plain]]


_FAMILIES: dict[type, Family] = {
    SelectionAnswer: Family("selection", selection.bodies),
    EnsembleAnswer: Family("ensembles", ensembles.bodies),
    TreeAnswer: Family("trees", trees.bodies),
    BayesRulesAnswer: Family("bayes_rules", bayes_rules.bodies),
    AssociationAnswer: Family("association", association.bodies),
    LocalAnswer: Family("local_models", local_models.bodies),
}


def build_receipts(
    answer: Answer, table: Table, estimator: str, settings: Mapping[str, Any]
) -> Receipts:
    """One receipt for each query of an answer.

    Parameters
    ----------
    answer : answer of any family
    table : Table of n_queries rows
        The queries as they were asked: it still knows the labels that no case has.
    estimator : str
        The name of the estimator's class.
    settings : dict
        Its parameters, as plain data.
    """
    family, base = _FAMILIES[type(answer)], answer.base
    head = {
        "schema": SCHEMA,
        "kind": family.kind,
        "sklazy": _version(),
        "estimator": estimator,
        "settings": {name: finite(value) for name, value in settings.items()},
        "cases": describe_cases(base),
    }
    queries = describe_queries(base, table, answer.queries.codes)
    pairs = zip(queries, family.bodies(answer, queries), strict=True)
    return Receipts(
        Receipt(sealed({**head, "query": query, **body})) for query, body in pairs
    )


@functools.cache
def _version() -> str:
    return importlib.metadata.version("sklazy")
