"""The receipt of a case that is left out, or of a new or edited row."""

import copy
import threading
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import prepare
from sklazy.answer.batch import batch_of_cases, canonical_places
from sklazy.answer.novelty import measure_all
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import Queries
from sklazy.methods.plain import describe_rows, number, numbers, target_names
from sklazy.receipts import Receipt
from sklazy.receipts.drawing import to_blocks
from sklazy.report.plain import to_plain
from sklazy.tables import Table
from sklazy.web.explore.evidence import (
    CaseEvidence,
    find_evidence,
    split_sides,
    weigh_features,
)
from sklazy.web.explore.formats import list_features, list_parts
from sklazy.web.explore.queries import Values, is_incomplete, row_table
from sklazy.web.explore.space import heom_space
from sklazy.web.explore.state import State, plain_id

Plain = dict[str, Any]

_KEPT = 3  # models without some cases; each is a copy
_MOST_CELLS = 20_000_000  # of all of these together
_SIMILAR = 10  # cases listed if the method has no voters
_APART = 0.1  # of the range: numbers without cuts that are farther apart differ
_MOST_OTHER = 6  # changes listed that give another prediction
_MOST_CLASSES = 12  # whose probabilities are shown


class Others:
    """Models that have forgotten some cases, the latest ones kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def without(self, state: State, ids: Sequence[int | str]) -> Any:  # noqa: ANN401
        """The model without these cases."""
        if not ids:
            return state.model
        key = (state.version, *sorted(map(str, ids)))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _forget_cases(state, ids)
            self._kept.move_to_end(key)
            while len(self._kept) > _count_kept(state):
                self._kept.popitem(last=False)
            return self._kept[key]


def _count_kept(state: State) -> int:
    """The number of models to keep; fewer if they are large."""
    cells = state.n_rows * max(1, len(state.names))
    return max(1, min(_KEPT, _MOST_CELLS // cells))


def _forget_cases(state: State, ids: Sequence[int | str]) -> Any:  # noqa: ANN401
    if len(set(ids)) >= state.n_rows:
        raise BadInputError("all cases are left out; keep at least one.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
        others = copy.deepcopy(state.model).forget(list(ids))
        cases = others.cases_
        prepare(others._current_learner(cases), cases)  # once, for all requests
        return others


def make_receipt(
    model: Any,  # noqa: ANN401 - a fitted lazy estimator
    values: Values,
    row: int | str | None = None,
) -> Receipt:
    """The receipt of a row, with a feature to measure next if cells are missing.

    It is headed by the id of the row, if it has one.
    """
    table = row_table(model.cases_, values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        (receipt,) = model.explain(
            table, suggest=is_incomplete(values), reasons=True, detail="full"
        )
    return receipt if row is None else receipt.of_row(row)


def answer_quickly(model: Any, values: Values) -> Plain:  # noqa: ANN401
    """The prediction without a receipt."""
    table, base = row_table(model.cases_, values), model.cases_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if not base.class_labels:
            return {"answer": number(np.ravel(model.predict(table))[0])}
        _, shares = model.predict_both(table)
        answer = model.predict(table)
    return {
        "answer": next(label for label in base.class_labels if label == answer[0]),
        "probabilities": _list_classes(base, shares[0]),
    }


def predict_outputs(
    model: Any,  # noqa: ANN401 - a fitted lazy estimator
    table: Table,
) -> tuple[Any, list[float | None]]:
    """The class predicted for the first row, and its probability in all rows.

    For numbers the name of the target, and the predictions.
    """
    base: CaseBase = model.cases_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if not base.class_labels:
            predicted = np.asarray(model.predict(table), float).reshape(len(table), -1)
            return target_names(base)[0], numbers(predicted[:, 0])
        _, shares = model.predict_both(table)
        answer = model.predict(table.take(np.array([0])))[0]
    code = next(c for c, label in enumerate(base.class_labels) if label == answer)
    return base.class_labels[code], numbers(shares[:, code])


def _named(base: CaseBase, mask: NDArray[np.bool_]) -> list[str]:
    return [name for name, flag in zip(base.names, mask, strict=True) if flag]


def _list_classes(base: CaseBase, shares: NDArray[np.float64]) -> list[Plain]:
    """The most probable classes, in order."""
    order = np.argsort(-shares, kind="stable")[:_MOST_CLASSES].tolist()
    labels = base.class_labels
    return [{"label": labels[c], "probability": number(shares[c])} for c in order]


def find_other_answers(
    model: Any,  # noqa: ANN401 - a fitted lazy estimator
    values: Values,
    delta: float | None,
) -> Plain:
    """The smallest changes of a row that change its prediction, each predicted.

    Parameters
    ----------
    model : fitted lazy estimator
    values : dict
    delta : float, optional
        How far a number must move; by default the standard deviation of the target.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = model.changes(row_table(model.cases_, values), by=delta)
    listed = [
        {"after": one.after, "answer": one.answer, "probability": one.probability}
        for one in found[:_MOST_OTHER]
    ]
    return {"changes": listed, "n_tried": found.n_tried}


# --- the page of a row ----------------------------------------------------------------


def describe_receipt(
    model: Any,  # noqa: ANN401 - a fitted lazy estimator
    values: Values,
    delta: float | None = None,
    row: int | str | None = None,
) -> Plain:
    """The prediction of a row, its evidence, and the nearest counterexample.

    Parameters
    ----------
    model : fitted lazy estimator
        Without the case itself, if it is one.
    values : dict
    delta : float, optional
        How much the target of a counterexample differs at least; by default half the
        standard deviation of the target.
    row : int or str, optional
        The id of the row.
    """
    receipt = make_receipt(model, values, row)
    base: CaseBase = model.cases_
    content = receipt.to_dict()
    queries = base.encode(row_table(base, values))
    weights = weigh_features(content, list_parts(base))
    evidence = find_evidence(content)
    if not evidence.cases:
        evidence = CaseEvidence("similar", "", _most_similar(base, queries), 0)
    delta = _default_delta(content) if delta is None else delta
    return {
        "kind": content["kind"],
        "answer": _first(content["answer"]),
        "probability": content.get("probability"),
        "probabilities": _most_probable(content),
        "blocks": to_plain(to_blocks(receipt.content)),
        "weights": weights,
        "reasons": _describe_reasons(content),
        "voters": _side_by_side(base, queries, evidence, content, weights),
        "opposing": _find_opposing(base, queries, weights, content, delta),
        "delta": delta,
        "next": content.get("next_attribute"),
        "novelty": content["novelty"],
        "n_cases": base.n_rows,
    }


def _describe_reasons(content: Plain) -> Plain | None:
    """What each feature adds, and the sums of cases for and against."""
    reasons = content.get("reasons")
    if reasons is None:
        return None
    cases = reasons["cases"] or {}
    kept = {key: reasons[key] for key in ("of", "base", "answer", "features")}
    return {**kept, "for": cases.get("for"), "against": cases.get("against")}


def _first(answer: Any) -> Any:  # noqa: ANN401 - a label, a number or several
    return answer[0] if isinstance(answer, list) else answer


def _most_probable(content: Plain) -> list[Plain]:
    votes = sorted(content.get("votes", ()), key=lambda one: -(one["probability"] or 0))
    return [
        {"label": one["label"], "probability": one["probability"]}
        for one in votes[:_MOST_CLASSES]
    ]


def _default_delta(content: Plain) -> float | None:
    if "votes" in content:
        return None
    return 0.5 * (content["cases"]["targets"][0]["std"] or 0.0)


def _most_similar(base: CaseBase, queries: Queries) -> list[Plain]:
    squares = measure_all(base, queries, 0)
    order = np.lexsort((canonical_places(base), squares))[:_SIMILAR]
    return [
        {
            "id": plain_id(base.ids[place]),
            "distance": number(np.sqrt(squares[place])),
            "weight": None,
        }
        for place in order.tolist()
    ]


def _side_by_side(
    base: CaseBase,
    queries: Queries,
    evidence: CaseEvidence,
    content: Plain,
    weights: dict[str, float],
) -> Plain:
    """Cases with their cells, and the columns in which they differ from the row."""
    targets = [_target(base, place) for place in _find_places(base, evidence).tolist()]
    evidence = split_sides(content, evidence, targets)
    places = _find_places(base, evidence)
    names = sorted(list_features(base), key=lambda name: -weights.get(name, 0.0))
    rows = describe_rows(base, places, range(len(base.names)))
    listed = [
        {
            **one,
            "target": _target(base, place),
            "values": cells,
            "differ": _named(base, differs),
        }
        for one, place, cells, differs in zip(
            evidence.cases,
            places.tolist(),
            rows,
            _differ(base, queries, places),
            strict=True,
        )
    ]
    return {
        "role": evidence.role,
        "weight": evidence.weight,
        "number": max(evidence.number, len(listed)),
        "names": names,
        "cases": listed,
    }


def _find_places(base: CaseBase, evidence: CaseEvidence) -> NDArray[np.int64]:
    """Where the cases lie in the base."""
    ids = [one["id"] for one in evidence.cases]
    return np.array([np.flatnonzero(base.ids == one)[0] for one in ids], np.int64)


def _target(base: CaseBase, place: int) -> Any:  # noqa: ANN401 - a label or a number
    if base.class_labels:
        return base.class_labels[int(base.cases.classes[place])]
    return number(base.cases.targets[0, place])


def _differ(base: CaseBase, queries: Queries, places: NDArray[Any]) -> NDArray[Any]:
    """Which cells differ: other labels or bins, or numbers that are far apart."""
    cases = base.cases
    apart = queries.codes[0] != cases.codes[:, places].T
    for j, cuts in enumerate(base.cuts):
        source = int(cases.numeric[j])
        if source >= 0 and not len(cuts):
            low, high = cases.ranges[source]
            numbers, value = cases.numbers[source, places], queries.values[0, j]
            with np.errstate(over="ignore", invalid="ignore"):
                far = np.abs(numbers - value) > _APART * (high - low)
            apart[:, j] = far | (np.isnan(numbers) != np.isnan(value))
    return apart


def _find_opposing(
    base: CaseBase,
    queries: Queries,
    weights: dict[str, float],
    content: Plain,
    delta: float | None,
) -> Plain | None:
    """The nearest case with another target, on the features that matter."""
    answer, cases = _first(content["answer"]), base.cases
    if base.class_labels:
        code = base.class_labels.index(answer)
        against = cases.classes[: base.n_rows] != code
    else:
        against = np.abs(cases.targets[0, : base.n_rows] - answer) > (delta or 0.0)
    places = np.flatnonzero(against)
    if not len(places):
        return None
    space = heom_space(
        base,
        batch_of_cases(base, places).queries,
        weights or dict.fromkeys(base.names, 1.0),
    )
    row = heom_space(base, queries, weights).places[0]
    distances = space.measure(row)
    nearest = int(np.lexsort((canonical_places(base)[places], distances))[0])
    place = places[nearest : nearest + 1]
    (values,) = describe_rows(base, place, range(len(base.names)))
    names, features = (
        _named(base, _differ(base, queries, place)[0]),
        list_features(base),
    )
    differ = [n for n in names if n in features and (n in weights or not weights)]
    return {
        "id": plain_id(base.ids[place[0]]),
        "target": _target(base, int(place[0])),
        "distance": number(distances[nearest]),
        "differ": sorted(differ, key=lambda name: -weights.get(name, 0.0)),
        "values": values,
    }
