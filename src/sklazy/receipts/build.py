"""From an answer to its receipts: codes become the user's names, labels and values.

A field that all receipts have is made here, checked by `schema.py`, shown by
`drawing.py`, and left out of the comparison in `replay.py` if asking again gives
another value.
"""

import functools
import importlib.metadata
from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.answer import Answer
from sklazy.answer.novelty import find_novelty
from sklazy.methods.plain import (
    Plain,
    describe_cases,
    describe_dates,
    describe_queries,
    numbers,
    spell_infinities,
)
from sklazy.receipts.families import FAMILIES_BY_ANSWER
from sklazy.receipts.receipt import Receipt
from sklazy.receipts.schema import SCHEMA
from sklazy.receipts.seal import sealed
from sklazy.tables import Table


def build_receipts(
    answer: Answer,
    table: Table | None,
    estimator: str,
    settings: Mapping[str, Any],
    extras: Sequence[Plain] | None = None,
) -> list[Receipt]:
    """Build one receipt for each query of an answer.

    Parameters
    ----------
    answer : answer of any family
    table : Table of n_queries rows, or None where all columns are plain numbers
        The queries as the user gave them: it still knows the labels that no case has.
    estimator : str
        The name of the estimator's class.
    settings : dict
        Its parameters, as plain data.
    extras : sequence of dict, optional
        Further contents requested, one for each query.
    """
    base, family = answer.base, FAMILIES_BY_ANSWER[type(answer)]
    queries = describe_queries(base, answer.queries, table)
    head = {
        "schema": SCHEMA,
        "kind": family.kind,
        "sklazy": _version(),
        "estimator": estimator,
        "settings": spell_infinities(settings),
        "cases": describe_cases(base),
        **describe_dates(base),
    }
    novelty, more = _describe_novelty(answer), extras or [{}] * len(queries)
    bodies = family.bodies(answer, queries)
    parts = zip(queries, novelty, bodies, more, strict=True)
    return [
        Receipt(sealed({**head, "query": query, "novelty": new, **body, **extra}))
        for query, new, body, extra in parts
    ]


def _describe_novelty(answer: Answer) -> list[Plain]:
    """Describe how far each query is from all cases."""
    novelty = find_novelty(answer.base, answer.queries)
    shares, unlike = numbers(novelty.shares), novelty.unlike.tolist()
    rows = zip(numbers(novelty.distances), shares, unlike, strict=True)
    return [
        {
            "distance": distance,
            "farther_than": share,
            "unlike": is_unlike,
            "n_compared": novelty.n_compared,
        }
        for distance, share, is_unlike in rows
    ]


@functools.cache
def _version() -> str:
    return importlib.metadata.version("sklazy")
