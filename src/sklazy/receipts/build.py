"""From an answer to its receipts: codes become the user's names, labels and values.

A field that all receipts have is made here, checked by `schema.py`, shown by
`drawing.py`, and left out of the comparison in `replay.py` if asking again gives
another value.
"""

import functools
import importlib.metadata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any

from sklazy.answer import Answer
from sklazy.answer.novelty import find_novelty
from sklazy.methods.family import Family
from sklazy.methods.plain import (
    MOST_NEAREST,
    Plain,
    describe_cases,
    describe_dates,
    describe_queries,
    numbers,
    spell_infinities,
)
from sklazy.receipts.families import family_of
from sklazy.receipts.receipt import Receipt
from sklazy.receipts.schema import SCHEMA
from sklazy.tables import Table


def build_receipts(
    answer: Answer,
    table: Table | None,
    estimator: str,
    settings: Mapping[str, Any],
    extras: Sequence[Plain] | None = None,
    reasons: Sequence[Callable[[], Plain]] | None = None,
    is_brief: bool = False,
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
    reasons : sequence of functions, optional
        One for each query, called when its receipt is first read.
    is_brief : bool
        Whether the method's evidence is cut to what a short receipt has room for.
    """
    base, family = answer.base, family_of(type(answer))
    queries = describe_queries(base, answer.queries, table)
    head = {
        "schema": SCHEMA,
        "kind": family.kind,
        "sklazy": _version(),
        "estimator": estimator,
        "settings": spell_infinities(settings),
        "cases": describe_cases(base),
        **describe_dates(base),
        **({"detail": "brief"} if is_brief else {}),
    }
    novelty, more = _describe_novelty(answer), extras or [{}] * len(queries)
    describe = partial(_cut, family) if is_brief else family.bodies
    bodies, later = describe(answer, queries), reasons or repeat(None, len(queries))
    parts = zip(queries, novelty, bodies, more, later, strict=True)
    return [
        Receipt({**head, "query": query, "novelty": new, **body, **extra}, find)
        for query, new, body, extra, find in parts
    ]


def _cut(family: Family, answer: Answer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """What is particular to the method, with the nearest of the neighbors."""
    for body in (family.brief or family.bodies)(answer, queries):
        near = body.get("neighbors")
        if near is not None:
            body["neighbors"] = {**near, "listed": near["listed"][:MOST_NEAREST]}
        yield body


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
