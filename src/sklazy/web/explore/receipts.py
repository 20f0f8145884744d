"""The receipt of a case that is left out, or of a new row, and what-if."""

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
from sklazy.receipts import Receipt
from sklazy.receipts.plain import describe_rows, number
from sklazy.report.plain import to_plain
from sklazy.report.receipts import to_blocks
from sklazy.web.explore.cases import plain_id
from sklazy.web.explore.evidence import Voters, find_voters, weigh_attributes
from sklazy.web.explore.queries import Values, is_incomplete, to_table
from sklazy.web.explore.space import heom_space
from sklazy.web.explore.state import State

Plain = dict[str, Any]

_KEPT = 3  # models without some cases; each has a copy of the others
_MOST_CELLS = 20_000_000  # of all of these together
_ALIKE = 10  # cases listed where the learner has no voters
_APART = 0.1  # of the range: numbers without cuts that are farther apart differ
_MOST_CLASSES = 12  # whose probabilities are told


class Others:
    """Models that have forgotten some cases, the latest ones kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def without(self, state: State, ids: Sequence[int | str]) -> Any:  # noqa: ANN401
        """The model as if these cases had never been there."""
        if not ids:
            return state.model
        key = (state.version, *sorted(map(str, ids)))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _forget(state, ids)
            self._kept.move_to_end(key)
            while len(self._kept) > _count_kept(state):
                self._kept.popitem(last=False)
            return self._kept[key]


def _count_kept(state: State) -> int:
    """Several, unless their cells would fill the memory."""
    cells = state.n_rows * max(1, len(state.names))
    return max(1, min(_KEPT, _MOST_CELLS // cells))


def _forget(state: State, ids: Sequence[int | str]) -> Any:  # noqa: ANN401
    if len(set(ids)) >= state.n_rows:
        raise BadInputError("no case would be left to answer.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
        others = copy.deepcopy(state.model).forget(list(ids))
        cases = others.cases_
        prepare(others._current_learner(cases), cases)  # once, whoever asks first
        return others


def make_receipt(model: Any, values: Values) -> Receipt:  # noqa: ANN401
    """The receipt of a row, with what to measure next where cells are missing."""
    table = to_table(model.cases_, values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return model.explain(table, suggest=is_incomplete(values))[0]


def answer_quickly(model: Any, values: Values) -> Plain:  # noqa: ANN401
    """The answer alone, and the attributes chosen where they are chosen for the row."""
    table, base = to_table(model.cases_, values), model.cases_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if not base.class_labels:
            return {"answer": number(np.ravel(model.predict(table))[0])}
        _, shares = model.predict_both(table)
        answer = model.predict(table)
        told = {
            "answer": _plain_label(base, answer[0]),
            "probabilities": _list_classes(base, shares[0]),
        }
        if hasattr(model, "select_attributes"):
            chosen = model.select_attributes(table)[0]
            told["used"] = [n for n, own in zip(base.names, chosen, strict=True) if own]
    return told


def _plain_label(base: CaseBase, label: Any) -> Any:  # noqa: ANN401 - a label
    """A label of an array as the cases have it."""
    return next(own for own in base.class_labels if own == label)


def _list_classes(base: CaseBase, shares: NDArray[np.float64]) -> list[Plain]:
    """The most probable classes, the first first."""
    order = np.argsort(-shares, kind="stable")[:_MOST_CLASSES].tolist()
    labels = base.class_labels
    return [{"label": labels[c], "probability": number(shares[c])} for c in order]


# --- all that a page shows of a row ---------------------------------------------------


def describe_receipt(
    model: Any,  # noqa: ANN401 - a fitted lazy estimator
    values: Values,
    delta: float | None = None,
) -> Plain:
    """A row's answer, its evidence, the cases behind it and the nearest against it.

    Parameters
    ----------
    model : fitted lazy estimator
        Without the case itself, if it is one.
    values : dict
    delta : float, optional
        How far numbers must be apart to be another answer; by default half the
        standard deviation of the target.
    """
    receipt = make_receipt(model, values)
    base: CaseBase = model.cases_
    content = receipt.to_dict()
    queries = base.encode(to_table(base, values))
    weights = weigh_attributes(content)
    voters = find_voters(content)
    if not voters.cases:
        voters = Voters("alike", "", _most_alike(base, queries), 0)
    delta = _delta(content) if delta is None else delta
    return {
        "kind": content["kind"],
        "answer": _first(content["answer"]),
        "probability": content.get("probability"),
        "probabilities": _most_probable(content),
        "blocks": to_plain(to_blocks(receipt.content)),
        "weights": weights,
        "voters": _side_by_side(base, queries, voters, weights),
        "opposing": _find_opposing(base, queries, weights, content, delta),
        "delta": delta,
        "next": content.get("next_attribute"),
        "novelty": content["novelty"],
        "n_cases": base.n_rows,
    }


def _first(answer: Any) -> Any:  # noqa: ANN401 - a label, a number or several
    return answer[0] if isinstance(answer, list) else answer


def _most_probable(content: Plain) -> list[Plain]:
    votes = sorted(content.get("votes", ()), key=lambda one: -(one["probability"] or 0))
    return [
        {"label": one["label"], "probability": one["probability"]}
        for one in votes[:_MOST_CLASSES]
    ]


def _delta(content: Plain) -> float | None:
    if "votes" in content:
        return None
    return 0.5 * (content["cases"]["targets"][0]["deviation"] or 0.0)


def _most_alike(base: CaseBase, queries: Queries) -> list[Plain]:
    squares = measure_all(base, queries, 0)
    order = np.lexsort((canonical_places(base), squares))[:_ALIKE]
    return [
        {
            "id": plain_id(base.ids[place]),
            "distance": number(np.sqrt(squares[place])),
            "weight": None,
        }
        for place in order.tolist()
    ]


def _side_by_side(
    base: CaseBase, queries: Queries, voters: Voters, weights: dict[str, float]
) -> Plain:
    """Cases under each other, with the cells in which they differ from the row."""
    places = np.array([_place_of(base, one["id"]) for one in voters.cases], int)
    names = sorted(base.names, key=lambda name: -weights.get(name, 0.0))
    cells = describe_rows(base, places, range(len(base.names)))
    apart = _differ(base, queries, places)
    listed = [
        {
            **one,
            "target": _target(base, place),
            "values": own,
            "differ": [n for n, far in zip(base.names, row, strict=True) if far],
        }
        for one, place, own, row in zip(
            voters.cases, places.tolist(), cells, apart.tolist(), strict=True
        )
    ]
    return {
        "role": voters.role,
        "weight": voters.weight,
        "number": max(voters.number, len(listed)),
        "names": names,
        "cases": listed,
    }


def _place_of(base: CaseBase, given: int | str) -> int:
    return int(np.flatnonzero(base.ids == given)[0])


def _target(base: CaseBase, place: int) -> Any:  # noqa: ANN401 - a label or a number
    if base.class_labels:
        return base.class_labels[int(base.cases.classes[place])]
    return number(base.cases.targets[0, place])


def _differ(base: CaseBase, queries: Queries, places: NDArray[Any]) -> NDArray[Any]:
    """Which cells differ: labels and bins that are others, numbers that are far."""
    cases = base.cases
    apart = queries.codes[0] != cases.codes[:, places].T
    for j, cuts in enumerate(base.cuts):
        source = int(cases.numeric[j])
        if source >= 0 and not len(cuts):
            low, high = cases.ranges[source]
            numbers, own = cases.numbers[source, places], queries.values[0, j]
            with np.errstate(over="ignore", invalid="ignore"):
                far = np.abs(numbers - own) > _APART * (high - low)
            apart[:, j] = far | (np.isnan(numbers) != np.isnan(own))
    return apart


def _find_opposing(
    base: CaseBase,
    queries: Queries,
    weights: dict[str, float],
    content: Plain,
    delta: float | None,
) -> Plain | None:
    """The nearest case with another answer, on the attributes that count."""
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
    apart = _differ(base, queries, place)[0].tolist()
    differ = [
        name
        for name, far in zip(base.names, apart, strict=True)
        if far and (name in weights or not weights)
    ]
    return {
        "id": plain_id(base.ids[place[0]]),
        "target": _target(base, int(place[0])),
        "distance": number(distances[nearest]),
        "differ": sorted(differ, key=lambda name: -weights.get(name, 0.0)),
        "values": values,
    }
