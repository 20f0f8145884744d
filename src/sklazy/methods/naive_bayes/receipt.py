"""Terms of naive Bayes, in receipts of every family that has them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sklazy.casebase import CaseBase
from sklazy.methods import checks as c
from sklazy.methods.plain import Floats, Plain, numbers

FIELD = c.record(
    {
        "prior": c.list_of(c.record({"label": c.label, "log": c.figure})),
        "attributes": c.list_of(c.record({"name": c.text, "log": c.list_of(c.figure)})),
    }
)


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether there is a logarithm for every class."""
    likelihoods, n_classes = content["likelihoods"], len(content["votes"])
    yield "likelihoods.prior", len(likelihoods["prior"]) == n_classes
    sizes = {len(item["log"]) for item in likelihoods["attributes"]}
    yield "likelihoods.attributes", sizes <= {n_classes}


def describe_likelihoods(
    base: CaseBase, used: Sequence[int], priors: Floats, terms: Floats
) -> Plain:
    """Priors, and what each attribute in use adds to every class."""
    names, labels = base.names, base.class_labels
    return {
        "prior": [
            {"label": label, "log": log}
            for label, log in zip(labels, numbers(priors), strict=True)
        ],
        "attributes": [
            {"name": names[j], "log": numbers(logs)}
            for j, logs in zip(used, terms, strict=True)
        ],
    }
