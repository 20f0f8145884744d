"""What the members of an ensemble rest on, in the user's names and labels."""

from functools import singledispatchmethod
from typing import Any

import numpy as np

from sklazy.answer.ensembles.data import Floats, Gathering
from sklazy.answer.ensembles.evidence import (
    BayesEvidence,
    Evidence,
    LinearEvidence,
    ModelEvidence,
    NeighborsEvidence,
    PathEvidence,
    RuleEvidence,
)
from sklazy.casebase.cuts import interval_labels
from sklazy.flow import MISSING, Queries
from sklazy.local.paths import PathStep
from sklazy.receipts.local_models import number

Plain = dict[str, Any]

MOST_LISTED = 25
"""Cases, steps or terms listed in a part of a receipt; there may be more."""


class MemberTeller:
    """Tells the evidence of members about one query as plain data.

    Parameters
    ----------
    crowd : Gathering
    query : Queries of one row
    """

    def __init__(self, crowd: Gathering, query: Queries) -> None:
        self.crowd, self.base = crowd, crowd.base
        self.codes = crowd.code(query)[0]

    @singledispatchmethod
    def tell(self, evidence: Evidence) -> Plain:
        """One member's evidence."""
        raise NotImplementedError(type(evidence))

    @tell.register
    def _path(self, evidence: PathEvidence) -> Plain:
        steps = [self._step(step) for step in evidence.steps[:MOST_LISTED]]
        return {"kind": "path", "n_steps": len(evidence.steps), "steps": steps}

    @tell.register
    def _bayes(self, evidence: BayesEvidence) -> Plain:
        known = [j for j, code in enumerate(self.codes) if code >= 0]
        return {
            "kind": "likelihoods",
            "prior": numbers(evidence.priors),
            "attributes": [
                {"name": self.base.names[j], "log": numbers(evidence.terms[j])}
                for j in known
            ],
        }

    @tell.register
    def _neighbors(self, evidence: NeighborsEvidence) -> Plain:
        listed = zip(evidence.rows, evidence.times, evidence.distances, strict=True)
        return {
            "kind": "neighbors",
            "n_voting": len(evidence.rows),
            "cases": [
                {**self.case(int(row), distance), "times": int(times)}
                for row, times, distance in list(listed)[:MOST_LISTED]
            ],
        }

    @tell.register
    def _linear(self, evidence: LinearEvidence) -> Plain:
        size = np.abs(evidence.terms).max(axis=1, initial=0.0)
        largest = np.argsort(-size, kind="stable")[:MOST_LISTED]
        return {
            "kind": "terms",
            "intercepts": numbers(evidence.intercepts),
            "n_terms": len(evidence.terms),
            "terms": [
                {"name": self._regressor(i), "adds": numbers(evidence.terms[i])}
                for i in largest.tolist()
            ],
        }

    @tell.register
    def _rule(self, evidence: RuleEvidence) -> Plain:
        j = evidence.attribute
        return {
            "kind": "rule",
            "attribute": self.base.names[j],
            "value": self._value(j),
            "worth": number(evidence.worth),
        }

    @tell.register
    def _model(self, evidence: ModelEvidence) -> Plain:
        return {"kind": "model", **evidence._asdict()}

    def case(self, row: int, distance: float) -> Plain:
        """A case by its place in the canonical order, with its distance."""
        slot = self.crowd.order[row]
        return {
            "id": self.base.ids[slot : slot + 1].tolist()[0],
            **self.crowd.outcome(row),
            "distance": number(np.sqrt(distance) / len(self.codes)),
        }

    def _step(self, step: PathStep) -> Plain:
        j, inner = step.attribute, step.attribute >= 0
        relation, bound = self._test(step) if inner else (None, None)
        return {
            "depth": step.depth,
            "attribute": self.base.names[j] if inner else None,
            "relation": relation,
            "bound": bound,
            "weight": number(step.weight),
            "share": number(step.share),
        }

    def _test(self, step: PathStep) -> tuple[str, Any]:
        """How the query goes on from a node, and by what."""
        j = step.attribute
        if self.codes[j] == MISSING:
            return "missing", number(step.cut)
        if self.crowd.is_numeric[j]:
            return ("<=", ">")[step.branch], number(step.cut)
        if step.branch < 0:
            return "no case", None
        return "=", self.base.categories(j)[step.branch]

    def _value(self, j: int) -> str | None:
        """The query's category or bin in words."""
        code = int(self.codes[j])
        if code < 0:
            return None
        if self.crowd.is_numeric[j]:
            return interval_labels(self.crowd.cuts[j])[code]
        return str(self.base.categories(j)[code])

    def _regressor(self, i: int) -> str:
        """A number by its name, a category as name = label."""
        j, category = self.crowd.space.sources[i], self.crowd.space.categories[i]
        name = self.base.names[j]
        if category < 0:
            return name
        return f"{name} = {self.base.categories(int(j))[category]}"


def numbers(values: Floats) -> list[float | None]:
    """Numbers for JSON."""
    return [number(value) for value in values]
