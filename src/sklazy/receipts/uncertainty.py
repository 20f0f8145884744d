"""The optional part of a receipt that reports how sure its answer is."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.methods import checks as c
from sklazy.methods.plain import Floats, Plain, number, numbers, target_names
from sklazy.receipts.wanted import Wanted

_WAY = {
    "coverage": c.share,
    "method": c.one_of("jackknife", "jackknife+", "minmax", "full"),
    "by": c.maybe(c.one_of("class", "nearness", "ratio", "both")),
}
_CREDIBILITY = c.record({"label": c.label, "credibility": c.share, "in_set": c.flag})
_ENDS = c.record({"name": c.text, "low": c.figure, "high": c.figure})
OF_CLASSES = {
    "prediction_set": c.record({**_WAY, "classes": c.list_of(_CREDIBILITY)}),
    "abstention": c.record(
        {
            "accuracy": c.share,
            "threshold": c.share,
            "share_answered": c.share,
            "answered": c.flag,
        }
    ),
}
OF_NUMBERS = {"prediction_interval": c.record({**_WAY, "targets": c.list_of(_ENDS)})}


def describe_set(
    base: CaseBase, wanted: Wanted, credibility: Floats, within: NDArray[np.bool_]
) -> Plain:
    """The set of one query: every class, and whether it is in."""
    rows = zip(base.class_labels, numbers(credibility), within.tolist(), strict=True)
    keys = ("label", "credibility", "in_set")
    classes = [dict(zip(keys, row, strict=True)) for row in rows]
    return {"prediction_set": {**_way(wanted), "classes": classes}}


def describe_interval(base: CaseBase, wanted: Wanted, ends: Floats) -> Plain:
    """The intervals of one query, by target."""
    targets = [
        {"name": name, "low": number(low), "high": number(high)}
        for name, (low, high) in zip(target_names(base), ends, strict=True)
    ]
    return {"prediction_interval": {**_way(wanted), "targets": targets}}


def describe_abstention(
    accuracy: float, threshold: float, share_answered: float, probability: float
) -> Plain:
    """Whether the answer is sure enough to be given."""
    return {
        "abstention": {
            "accuracy": accuracy,
            "threshold": threshold,
            "share_answered": share_answered,
            "answered": bool(probability >= threshold),
        }
    }


def _way(wanted: Wanted) -> Plain:
    return {key: getattr(wanted, key) for key in _WAY}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    if "prediction_set" in content:
        labels = [item["label"] for item in content["prediction_set"]["classes"]]
        yield (
            "prediction_set",
            c.same(labels, [item["label"] for item in content["votes"]]),
        )
    if "prediction_interval" in content:
        names = [item["name"] for item in content["prediction_interval"]["targets"]]
        yield (
            "prediction_interval",
            names == [t["name"] for t in content["cases"]["targets"]],
        )
