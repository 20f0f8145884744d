"""The part of all receipts that says how far the query is from all cases."""

from collections.abc import Iterator

from sklazy.answer import Answer
from sklazy.answer.novelty import find_novelty
from sklazy.receipts import checks as c
from sklazy.receipts.plain import Plain, numbers

FIELD = c.record(
    {
        "distance": c.figure,
        "farther_than": c.maybe(c.share),
        "unlike": c.flag,
        "n_compared": c.count,
    }
)


def describe_novelty(answer: Answer) -> Iterator[Plain]:
    """How new each query is."""
    found = find_novelty(answer.base, answer.queries)
    unlike = found.unlike.tolist()
    rows = zip(numbers(found.distances), numbers(found.shares), unlike, strict=True)
    for distance, share, is_unlike in rows:
        yield {
            "distance": distance,
            "farther_than": share,
            "unlike": is_unlike,
            "n_compared": found.n_compared,
        }
