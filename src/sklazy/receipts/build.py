"""From an answer to its receipts: codes become the user's names, labels and values."""

import functools
import importlib.metadata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sklazy.answer import Answer
from sklazy.answer.association import AssociationAnswer
from sklazy.answer.bayes_rules import BayesRulesAnswer
from sklazy.answer.blends import BlendAnswer
from sklazy.answer.ensembles.learner import EnsembleAnswer
from sklazy.answer.kernel_models.learner import KernelAnswer
from sklazy.answer.linear_models import LinearAnswer
from sklazy.answer.local_models.answers import LocalAnswer
from sklazy.answer.number_selection.learner import NumberSelectionAnswer
from sklazy.answer.pls import PLSAnswer
from sklazy.answer.selection.result import SelectionAnswer
from sklazy.answer.trees import TreeAnswer
from sklazy.receipts import (
    association,
    bayes_rules,
    blends,
    ensembles,
    kernel_models,
    linear_models,
    local_models,
    number_selection,
    pls,
    selection,
    trees,
)
from sklazy.receipts.novelty import describe_novelty
from sklazy.receipts.plain import (
    Plain,
    describe_cases,
    describe_dates,
    describe_queries,
    finite,
)
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


def _explain(answer: Answer, queries: list[list[Plain]]) -> blends.Body:
    """The family of an answer, and what is particular to it."""
    family = _FAMILIES[type(answer)]
    return family.kind, family.bodies(answer, queries)


_FAMILIES: dict[type, Family] = {
    BlendAnswer: Family("blends", functools.partial(blends.bodies, explain=_explain)),
    LinearAnswer: Family("linear_models", linear_models.bodies),
    SelectionAnswer: Family("selection", selection.bodies),
    NumberSelectionAnswer: Family("number_selection", number_selection.bodies),
    EnsembleAnswer: Family("ensembles", ensembles.bodies),
    TreeAnswer: Family("trees", trees.bodies),
    BayesRulesAnswer: Family("bayes_rules", bayes_rules.bodies),
    AssociationAnswer: Family("association", association.bodies),
    LocalAnswer: Family("local_models", local_models.bodies),
    KernelAnswer: Family("kernel_models", kernel_models.bodies),
    PLSAnswer: Family("pls", pls.bodies),
}


def build_receipts(
    answer: Answer,
    table: Table,
    estimator: str,
    settings: Mapping[str, Any],
    beside: Sequence[Plain] | None = None,
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
    beside : sequence of dict, optional
        What else was asked for, one for each query.
    """
    base = answer.base
    queries = describe_queries(base, table, answer.queries.codes)
    kind, bodies = _explain(answer, queries)
    head = {
        "schema": SCHEMA,
        "kind": kind,
        "sklazy": _version(),
        "estimator": estimator,
        "settings": {name: finite(value) for name, value in settings.items()},
        "cases": describe_cases(base),
        **describe_dates(base),
    }
    novelty, more = describe_novelty(answer), beside or [{}] * len(queries)
    parts = zip(queries, novelty, bodies, more, strict=True)
    return Receipts(
        Receipt(sealed({**head, "query": query, "novelty": new, **body, **extra}))
        for query, new, body, extra in parts
    )


@functools.cache
def _version() -> str:
    return importlib.metadata.version("sklazy")
