"""Receipts of the lazy decision tree: the tests, and who was left after each."""

from collections.abc import Iterator, Mapping
from typing import Any

from sklazy.methods import checks as c
from sklazy.methods.family import Family
from sklazy.methods.plain import (
    Plain,
    bin_labels,
    count_along,
    describe_decision,
    describe_value,
)
from sklazy.methods.trees.drawing import draw_tree
from sklazy.methods.trees.learner import TreeAnswer
from sklazy.methods.trees.reasons import contribute

FIELDS = {
    "steps": c.list_of(c.record({**c.VALUE, "remaining_per_class": c.list_of(c.count)}))
}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    sizes = {len(step["remaining_per_class"]) for step in content["steps"]}
    yield "steps", sizes <= {len(content["votes"])}
    counted = [item["label"] for item in content["cases"]["class_counts"]]
    yield "class_counts", len(counted) == len(content["votes"])
    names = {item["name"] for item in content["query"]}
    yield "steps", all(step["attribute"] in names for step in content["steps"])


def bodies(answer: TreeAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of the lazy tree, for each query."""
    bins = bin_labels(answer.base)
    for query, cells in enumerate(queries):
        yield {
            "steps": _steps(answer, query, cells, bins),
            **describe_decision(
                answer.base,
                answer.left[query],
                answer.probabilities[query],
                int(answer.decisions[query]),
            ),
        }


def _steps(
    answer: TreeAnswer, query: int, cells: list[Plain], bins: dict[int, list[str]]
) -> list[Plain]:
    tested = [int(j) for j in answer.steps[query] if j >= 0]
    codes = answer.queries.codes[query]
    counts = count_along(answer.base, codes, tested)
    return [
        {**describe_value(cells, codes.tolist(), bins, j), "remaining_per_class": left}
        for j, left in zip(tested, counts, strict=True)
    ]


FAMILY = Family(
    "trees",
    TreeAnswer,
    bodies,
    draw_tree,
    check_parts,
    classes=FIELDS,
    contribute=contribute,
)
