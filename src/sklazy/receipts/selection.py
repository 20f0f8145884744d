"""From an answer to its receipts: codes become the user's names, labels and values."""

import functools
import importlib.metadata
import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import Answer, Vicinity
from sklazy.casebase import CaseBase
from sklazy.casebase.cuts import interval_labels
from sklazy.flow import MISSING, UNSEEN
from sklazy.receipts.receipt import Receipt, Receipts
from sklazy.receipts.schema import MOST_LISTED, SCHEMA
from sklazy.receipts.seal import sealed
from sklazy.tables import Label, Table

Plain = dict[str, Any]


def build_receipts(
    answer: Answer, table: Table, estimator: str, settings: Mapping[str, Any]
) -> Receipts:
    """One receipt for each query of an answer.

    Parameters
    ----------
    answer : Answer
    table : Table of n_queries rows
        The queries as they were asked: it still knows the labels that no case has.
    estimator : str
        The name of the estimator's class.
    settings : dict
        Its parameters, as plain data.
    """
    builder = _Builder(answer, table, estimator, settings)
    return Receipts(builder.receipt(query) for query in range(len(answer)))


@functools.cache
def version() -> str:
    """The version of sklazy."""
    return importlib.metadata.version("sklazy")


class _Builder:
    """What all receipts of a batch share."""

    def __init__(
        self, answer: Answer, table: Table, estimator: str, settings: Mapping[str, Any]
    ) -> None:
        self.answer, self.base = answer, answer.base
        self.names = self.base.names
        self.cells = [column.cells() for column in self.base.coder.matched(table)]
        self.bins = bin_names(self.base)
        self.head = {
            "schema": SCHEMA,
            "sklazy": version(),
            "estimator": estimator,
            "settings": {name: finite(value) for name, value in settings.items()},
            "cases": describe(self.base),
        }

    def receipt(self, query: int) -> Receipt:
        """The receipt of one query."""
        content = {
            **self.head,
            "query": self._query(query),
            "selection": self._selection(query),
            **self._neighbors(query),
            **self._likelihoods(query),
            **self._model(query),
            **self._decision(query),
        }
        return Receipt(sealed(content))

    def _query(self, query: int) -> list[Plain]:
        known = {MISSING: "missing", UNSEEN: "unseen"}
        codes = self.answer.queries.codes[query].tolist()
        return [
            {"name": name, "value": cells[query], "known": known.get(code, "yes")}
            for name, cells, code in zip(self.names, self.cells, codes, strict=True)
        ]

    def _selection(self, query: int) -> Plain:
        recipe, choice = self.answer.recipe, self.answer.choice(query)
        codes = self.answer.queries.codes[query].tolist()
        attributes = [
            {
                "name": name,
                "value": self.cells[j][query],
                "bin": self.bins[j][code] if j in self.bins and code >= 0 else None,
                "lazy_score": _number(choice.lazy_scores[j]),
                "value_score": _number(choice.value_scores[j]),
                "attribute_score": _number(choice.attribute_scores[j]),
                "rank": int(choice.ranks[j]),
                "used": bool(choice.used[j]),
            }
            for j, (name, code) in enumerate(zip(self.names, codes, strict=True))
        ]
        return {
            "strategy": recipe.selection,
            "measure": recipe.measure,
            "n_attributes": int(choice.used.sum()),
            "rule": self.answer.rule,
            "attributes": attributes,
        }

    def _used(self, query: int) -> list[int]:
        """The attributes in use, in their order."""
        selected = self.answer.selected
        return selected.attributes[query, : selected.counts[query]].tolist()

    def _neighbors(self, query: int) -> Plain:
        found, used = self.answer.vicinity(query), self._used(query)
        if found is None:
            return {}
        last = found.distances[-1] if len(found.rows) else np.inf
        near = zip(found.rows.tolist(), found.distances, found.agree, strict=True)
        return {
            "neighbors": {
                "k": found.n_neighbors,
                "n_voting": len(found.rows),
                "n_tied": found.n_tied,
                "distance_of_last": _number(last),
                "listed": [
                    self._case(row, distance, used, agree)
                    for row, distance, agree in itertools.islice(near, MOST_LISTED)
                ],
                "nearest_opposing": self._opposing(found, used),
            }
        }

    def _opposing(self, found: Vicinity, used: list[int]) -> Plain | None:
        if found.opposing < 0:
            return None
        distance, agree = found.opposing_distance, found.opposing_agree
        return self._case(found.opposing, distance, used, agree)

    def _case(
        self, row: int, distance: float, used: list[int], agree: NDArray[np.bool_]
    ) -> Plain:
        """A case, as far as the attributes in use are concerned."""
        base, pairs = self.base, list(zip(used, agree.tolist(), strict=True))
        return {
            "id": base.ids[row : row + 1].tolist()[0],
            "class": base.class_labels[int(base.cases.classes[row])],
            "distance": _number(distance),
            "weight": _number(base.cases.weights[row]),
            "agree": [self.names[j] for j, same in pairs if same],
            "differ": [self.names[j] for j, same in pairs if not same],
            "values": {self.names[j]: _cell(base, row, j) for j in used},
        }

    def _likelihoods(self, query: int) -> Plain:
        found = self.answer.evidence(query)
        if found is None:
            return {}
        prior = zip(self.base.class_labels, found.priors, strict=True)
        told = zip(self._used(query), found.terms, strict=True)
        return {
            "likelihoods": {
                "prior": [{"label": la, "log": _number(log)} for la, log in prior],
                "attributes": [
                    {"name": self.names[j], "log": [_number(log) for log in logs]}
                    for j, logs in told
                ],
            }
        }

    def _model(self, query: int) -> Plain:
        found = self.answer.model_use(query)
        if found is None:
            return {}
        return {
            "model": {
                "estimator": found.estimator,
                "attributes": [self.names[j] for j in self._used(query)],
                "n_models_in_batch": found.n_models,
            }
        }

    def _decision(self, query: int) -> Plain:
        labels, decision = self.base.class_labels, int(self.answer.decisions[query])
        votes = self.answer.votes[query].tolist()
        shares = self.answer.probabilities[query].tolist()
        return {
            "votes": [
                {"label": label, "votes": n, "probability": share}
                for label, n, share in zip(labels, votes, shares, strict=True)
            ],
            "answer": labels[decision],
            "probability": shares[decision],
        }


def describe(base: CaseBase) -> Plain:
    """The cases of an answer."""
    counts = zip(base.class_labels, base.cases.class_counts.tolist(), strict=True)
    return {
        "digest": base.digest(),
        "n_rows": base.n_rows,
        "class_counts": [{"label": label, "rows": n} for label, n in counts],
    }


def bin_names(base: CaseBase) -> dict[int, list[str]]:
    """The names of the bins of each numeric attribute."""
    numeric = np.flatnonzero(base.cases.numeric >= 0).tolist()
    cuts = base.cuts
    return {j: interval_labels(cuts[j]) for j in numeric}


def _cell(base: CaseBase, row: int, attribute: int) -> Label | None:
    """A case's value of an attribute."""
    cases = base.cases
    numeric = int(cases.numeric[attribute])
    if numeric >= 0:
        return _number(cases.numbers[numeric, row])
    code = int(cases.codes[attribute, row])
    return None if code < 0 else base.categories(attribute)[code]


def _number(value: float) -> float | None:
    """A number for JSON; what is not finite is None."""
    return float(value) if np.isfinite(value) else None


def finite(value: object) -> object:
    """A parameter for JSON; NaN and infinity are spelled out."""
    if isinstance(value, list):
        return [finite(item) for item in value]
    if isinstance(value, dict):
        return {name: finite(item) for name, item in value.items()}
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
