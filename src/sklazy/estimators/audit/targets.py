"""Labels and numbers that the other cases contradict, and who contradicts them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sklazy.answer.batch import batch_of_cases, canonical_places, left_out_places
from sklazy.answer.leave_one_out import at_once, leave_one_out
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.estimators.audit.columns import share_explained
from sklazy.estimators.audit.finding import Finding, id_of, target_of_row, values_of
from sklazy.estimators.audit.indicators import leave_out_lines
from sklazy.estimators.base import LazyEstimator
from sklazy.measures.doubts import (
    Doubts,
    compare_classes,
    doubt_labels,
    doubt_numbers,
)
from sklazy.methods.linear_models.columns import make_columns
from sklazy.methods.plain import number
from sklazy.neighbors import find_nearest, weigh_columns
from sklazy.neighbors.copies import differ_by_attribute, rows_as_queries
from sklazy.neighbors.nearest import place_queries
from sklazy.report.progress import Progress
from sklazy.tables import Label, label_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WITNESSES = 3  # cases and attributes that are named
_ALIKE = 0.1  # of its range: two numbers that differ by no more are alike


def leave_out_here(
    models: Sequence[LazyEstimator], base: CaseBase, progress: Progress
) -> Floats:
    """Average the left-out answers of unfitted models on one base, by arrival.

    What they choose from all rows is kept when one is left out. For classes, lines of
    least squares are averaged with them.
    """
    places, answers = np.argsort(base.arrival), []
    for model in models:
        learner = at_once(model._learner(), base)
        output = "probabilities" if base.class_labels else "values"
        (left_out,) = leave_one_out(learner, base, places, (output,), model.n_jobs)
        answers.append(left_out if base.class_labels else left_out[:, 0])
        progress.advance()
    if base.class_labels:
        answers.append(_leave_out_lines(base)[places])
    return np.asarray(np.mean(answers, axis=0))


def _leave_out_lines(base: CaseBase) -> Floats:
    """Left-out probabilities of classes by lines of least squares, as rows lie."""
    cases, order = base.cases, base.order
    _, placed = make_columns(cases, batch_of_cases(base, order).queries)
    n_classes = cases.class_counts.size
    probabilities = leave_out_lines(placed, cases.classes[order], n_classes)
    # Products of matrices may round equal rows differently.
    return probabilities[left_out_places(base, np.arange(base.n_rows))]


def leave_out(
    models: Sequence[Any],
    X: object,
    y: object,
    base: CaseBase,
    progress: Progress,
) -> tuple[list[Any], Floats]:
    """Fit copies of the models, and average their left-out answers."""
    ids = base.ids[np.argsort(base.arrival)]
    fitted, sums = [], np.zeros(())
    for model in models:
        named = {"ids": ids} if isinstance(model, LazyEstimator) else {}
        fitted_model = clone(model).fit(X, y, **named)
        if base.class_labels:
            sums = sums + _order_classes(
                fitted_model, label_array(base.class_labels).tolist()
            )
        else:
            sums = sums + np.asarray(fitted_model.loo_predict(), np.float64)
        fitted.append(fitted_model)
        progress.advance()
    return fitted, sums / len(fitted)


def _order_classes(model: Any, classes: Sequence[object]) -> Floats:  # noqa: ANN401
    """Left-out probabilities, the classes in this order."""
    shares = np.asarray(model.loo_predict_proba(), np.float64)
    known = {label: j for j, label in enumerate(model.classes_.tolist())}
    if shares.ndim != 2 or set(known) != set(classes):
        raise BadInputError(
            f"estimator={model!r} gave left-out probabilities of shape {shares.shape} "
            f"for the classes {list(known)}; expected those of {list(classes)}."
        )
    return shares[:, [known[label] for label in classes]]


def find_doubts(base: CaseBase, answers: Floats) -> Doubts:
    """Doubts about each row of a base, in its order, by answers in order of arrival."""
    left_out, n_rows = answers[base.arrival], base.n_rows
    if base.class_labels:
        return doubt_labels(left_out, base.cases.classes[:n_rows])
    return doubt_numbers(base.cases.targets[0, :n_rows], left_out)


def list_contradicted(base: CaseBase, answers: Floats, doubts: Doubts) -> list[Finding]:
    """Findings for the rows whose target is contradicted, the most doubtful first."""
    rows = np.flatnonzero(doubts.suspicious)
    places = canonical_places(base)[rows]
    rows = rows[np.lexsort((places, -doubts.doubts[rows]))]
    if base.class_labels:
        evidence = _against_labels(base, answers[base.arrival], doubts, rows)
    else:
        evidence = _against_numbers(base, rows)
    return [
        Finding(
            "label",
            (id_of(base, row),),
            float(doubts.doubts[row]),
            target_of_row(base, row),
            _suggested_target(base, doubts, row),
            evidence={**reasons, "values": values},
        )
        for row, reasons, values in zip(
            rows.tolist(), evidence, values_of(base, rows), strict=True
        )
    ]


def _suggested_target(base: CaseBase, doubts: Doubts, row: int) -> Label | float | None:
    suggested = doubts.suggested[row]
    return (
        base.class_labels[int(suggested)]
        if base.class_labels
        else number(float(suggested))
    )


def _against_labels(
    base: CaseBase, left_out: Floats, doubts: Doubts, rows: Ints
) -> Iterator[dict[str, Any]]:
    """How probable the labels are, and the cases and values behind it."""
    known, suggested = base.cases.classes[rows], doubts.suggested[rows]
    against = _nearest_of_classes(base, rows, suggested, _WITNESSES)
    in_favor = _nearest_of_classes(base, rows, known, 1)
    for row, known_class, other_class in zip(
        rows.tolist(), known.tolist(), suggested.tolist(), strict=True
    ):
        yield {
            "probability_given": float(left_out[row, known_class]),
            "probability_suggested": float(left_out[row, other_class]),
            "against": against[row],
            "for": in_favor[row],
            "attributes": _telling_attributes(base, row, known_class, other_class),
        }


def _against_numbers(base: CaseBase, rows: Ints) -> Iterator[dict[str, Any]]:
    """The cases that are alike and have other numbers, and in what they are alike."""
    near = _nearest_of(base, rows, base.order, _WITNESSES)
    shares = {name: share_explained(base, j) for j, name in enumerate(base.names)}
    for row in rows.tolist():
        differing = {name for case in near[row][:1] for name in case["differs_in"]}
        shared = [name for name in shares if name not in differing and shares[name] > 0]
        shared.sort(key=lambda name: -shares[name])
        attributes = [{"name": n, "share": shares[n]} for n in shared[:_WITNESSES]]
        yield {"against": near[row], "attributes": attributes}


def _nearest_of_classes(
    base: CaseBase, rows: Ints, classes: NDArray[Any], n_near: int
) -> dict[int, list[dict[str, Any]]]:
    """Describe the nearest other cases of each row, within a class per row."""
    nearest: dict[int, list[dict[str, Any]]] = {}
    order = base.order
    for label in np.unique(classes).tolist():
        seen = order[base.cases.classes[order] == label]
        nearest |= _nearest_of(base, rows[classes == label], seen, n_near)
    return nearest


def _nearest_of(
    base: CaseBase, rows: Ints, seen: Ints, n_near: int
) -> dict[int, list[dict[str, Any]]]:
    """The nearest of the cases seen that are not the row itself, for each row."""
    cases = base.cases
    weighed = weigh_columns(cases, seen, np.ones(len(cases.numeric)))
    queries = place_queries(weighed, rows_as_queries(cases, rows))
    near = find_nearest(weighed.columns, queries, n_near, groups=(seen, rows))
    queried, places = np.nonzero(near.rows >= 0)
    others = seen[near.rows[queried, places]]
    distances = np.sqrt(near.distances[queried, places])
    cases_of_row: dict[int, list[dict[str, Any]]] = {row: [] for row in rows.tolist()}
    described = _describe_cases(base, rows[queried], others, distances)
    for row, case in zip(rows[queried].tolist(), described, strict=True):
        cases_of_row[row].append(case)
    return cases_of_row


def _describe_cases(
    base: CaseBase, rows: Ints, others: Ints, distances: Floats
) -> Iterator[dict[str, Any]]:
    """Describe cases that support or contradict rows."""
    apart = differ_by_attribute(base.cases, rows, others) > _ALIKE
    names, values = np.array(base.names, object), values_of(base, others)
    for place, other in enumerate(others.tolist()):
        yield {
            "id": id_of(base, other),
            "target": target_of_row(base, other),
            "distance": float(distances[place]),
            "values": values[place],
            "differs_in": names[apart[place]].tolist(),
        }


def _telling_attributes(
    base: CaseBase, row: int, known: int, suggested: int
) -> list[dict[str, Any]]:
    """The attributes whose values most support the class that the others suggest."""
    cases, bits = base.cases, np.zeros(len(base.names))
    for j, code in enumerate(cases.codes[:, row].tolist()):
        if code >= 0:
            counts = cases.counts[cases.offsets[j] : cases.offsets[j + 1]]
            bits[j] = compare_classes(counts, code, known, suggested)
    most = np.argsort(-bits, kind="stable")[:_WITNESSES].tolist()
    return [
        {"name": base.names[j], "bits": float(bits[j])} for j in most if bits[j] > 0
    ]
