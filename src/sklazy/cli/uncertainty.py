"""Uncertainty beside predictions: intervals, sets, abstention."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.cli.console import Console
from sklazy.cli.models import FittedModel, QueryRows
from sklazy.cli.options import BY_CLASSES, BY_NUMBERS, Confidence
from sklazy.cli.waiting import announced_with
from sklazy.errors import BadInputError
from sklazy.measures.conformal import rows_needed
from sklazy.report.words import format_percent, format_value, join, pluralize
from sklazy.tables import Table

Columns = dict[str, Any]

USUAL_COVERAGE = 0.9  # of intervals, which are written beside numbers by default
_SHOWN = 10  # rows in a note
_RARE = 0.5  # of an even share, below which a class is called rare


def check_confidence(fitted: FittedModel, confidence: Confidence) -> Confidence:
    """Refuse what a model does not support; fill in the coverage of intervals."""
    model, coverage = fitted.model, confidence.coverage
    if confidence.abstain is not None:
        if not fitted.classifies:
            raise BadInputError(
                f"--abstain is for classes, and {fitted.target!r} has numbers. Use "
                "--coverage for intervals."
            )
        _check_has(fitted, "risk_coverage", "--abstain", "never abstains")
    method = "predict_set" if fitted.classifies else "predict_interval"
    if coverage:
        what = "sets of classes" if fitted.classifies else "intervals"
        _check_has(fitted, method, "--coverage", f"has no {what}")
    _check_by(fitted, confidence)
    if coverage is None and not fitted.classifies and hasattr(model, method):
        enough = model.cases_.n_rows >= rows_needed(USUAL_COVERAGE)
        return confidence._replace(coverage=USUAL_COVERAGE if enough else 0.0)
    return confidence


def _check_by(fitted: FittedModel, confidence: Confidence) -> None:
    """Refuse ways to cover that the target does not have, or that cover nothing."""
    by, coverage = confidence.by, confidence.coverage
    if by is None:
        return
    known = BY_CLASSES if fitted.classifies else BY_NUMBERS
    if by not in known:
        what = "classes" if fitted.classifies else "numbers"
        raise BadInputError(
            f"--by {by}: {fitted.target!r} has {what}; expected {', '.join(known[:-1])}"
            f" or {known[-1]}."
        )
    if coverage == 0 or (coverage is None and fitted.classifies):
        what = "sets" if fitted.classifies else "intervals"
        raise BadInputError(
            f"--by {by} is for {what}; ask for them, too: --coverage {USUAL_COVERAGE} "
            f"--by {by}."
        )


def choose_way(confidence: Confidence) -> dict[str, str | None]:
    """The argument `by` of the library, where ``--by`` is given.

    Examples
    --------
    >>> choose_way(Confidence(0.9, by="class")), choose_way(Confidence(0.9, by="none"))
    ({'by': 'class'}, {'by': None})
    """
    if confidence.by is None:
        return {}
    return {"by": None if confidence.by == "none" else confidence.by}


def _check_has(fitted: FittedModel, name: str, option: str, text: str) -> None:
    if not hasattr(fitted.model, name):
        raise BadInputError(
            f"{option}: {fitted.method} {text}; choose a lazy method, such as blend."
        )


def confidence_columns(
    fitted: FittedModel,
    rows: Table,
    shares: NDArray[np.float64] | None,
    confidence: Confidence,
) -> Columns:
    """The columns of sets, intervals and abstention beside the predictions."""
    model, columns = fitted.model, Columns()
    if confidence.abstain is not None and shares is not None:
        threshold = model.risk_coverage().threshold_for(confidence.abstain)
        columns["answered"] = (shares.max(axis=1, initial=0.0) >= threshold).tolist()
    if not confidence.coverage:
        return columns
    if fitted.classifies:
        masks = model.predict_set(
            rows, coverage=confidence.coverage, **choose_way(confidence)
        )
        labels = np.array([*model.classes_.tolist(), None], object)[:-1]
        columns["set"] = [labels[mask].tolist() for mask in masks]
        return columns
    way = choose_way(confidence)
    ends = np.asarray(model.predict_interval(rows, confidence.coverage, **way))
    columns["low"], columns["high"] = ends[:, 0].tolist(), ends[:, 1].tolist()
    return columns


def calibrate(
    console: Console, fitted: FittedModel, rows: Table, confidence: Confidence
) -> None:
    """Do the work that sets and intervals of all rows share, which may take long."""
    if confidence.coverage and len(rows):
        what = "sets" if fitted.classifies else "intervals"
        with announced_with(console, f"no {what}: --coverage 0", f"for the {what}, "):
            confidence_columns(fitted, rows.take([0]), None, confidence)


def join_labels(labels: Sequence[object]) -> str:
    """The labels of a set in one cell, with a bar between them; quoted as in CSV.

    Examples
    --------
    >>> join_labels(["gas", "stove"]), join_labels([]), join_labels(["a|b", 1])
    ('gas|stove', '', '"a|b"|1')
    """
    if not labels:
        return ""
    out = io.StringIO()
    csv.writer(out, delimiter="|", lineterminator="").writerow(labels)
    return out.getvalue()


def note_confidence(
    console: Console,
    fitted: FittedModel,
    queries: QueryRows,
    columns: Columns,
    confidence: Confidence,
    truth: Sequence[object] | None,
) -> None:
    """Explain sets and withheld answers, and report how good they turned out."""
    if "answered" in columns:
        _note_withheld(console, fitted, columns, confidence, truth)
    if "set" in columns:
        _note_sets(console, fitted, queries, columns["set"], confidence)
        _note_left_out(console, queries, columns, confidence)
        note_rare_classes(console, fitted, confidence)
    if truth is not None and ("set" in columns or "low" in columns):
        _note_coverage(console, columns, truth, confidence)


def _note_withheld(
    console: Console,
    fitted: FittedModel,
    columns: Columns,
    confidence: Confidence,
    truth: Sequence[object] | None,
) -> None:
    curve, answered = fitted.model.risk_coverage(), columns["answered"]
    threshold = curve.threshold_for(confidence.abstain)
    share = curve.share_answered(threshold)
    console.note(
        f"{answered.count(False)} of {len(answered)} predictions are withheld: their "
        f"probability is below {threshold:.3f}. In leave-one-out, "
        f"{format_percent(share)} of the cases are above that, and "
        f"{format_percent(_accuracy_at(curve, threshold))} of these are predicted "
        "correctly."
    )
    triples = zip(answered, columns["prediction"], truth or (), strict=False)
    right = [is_same(a, b) for is_kept, a, b in triples if is_kept and b is not None]
    if right:
        console.note(f"accuracy {np.mean(right):.4f} on {len(right)} rows answered")


def _accuracy_at(curve: Any, threshold: float) -> float:  # noqa: ANN401 - RiskCoverage
    return float(curve.accuracy[np.flatnonzero(curve.thresholds >= threshold)[-1]])


def _note_sets(
    console: Console,
    fitted: FittedModel,
    queries: QueryRows,
    sets: Sequence[list[object]],
    confidence: Confidence,
) -> None:
    for size, text in (
        (0, f"an empty set: {_explain_empty(fitted, confidence)}"),
        (len(fitted.model.classes_), "a set of all classes: none can be ruled out"),
    ):
        pairs = zip(queries.names, sets, strict=False)
        names = [name for name, labels in pairs if len(labels) == size]
        if names:
            have = (
                f"{pluralize(len(names), 'row')} {'has' if len(names) == 1 else 'have'}"
            )
            console.note(f"note: {have} {text}; {name_first_rows(queries, names)}.")


def _note_left_out(
    console: Console, queries: QueryRows, columns: Columns, confidence: Confidence
) -> None:
    """Note sets that have classes, but not the predicted one, and what that means."""
    rows = zip(queries.names, columns["set"], columns["prediction"], strict=False)
    names = [
        name
        for name, labels, best in rows
        if labels and not any(is_same(label, best) for label in labels)
    ]
    if not names:
        return
    share = format_percent(confidence.coverage)
    have = "1 row has a set" if len(names) == 1 else f"{len(names)} rows have sets"
    why = ""
    if confidence.by == "class":
        why = (
            f": it is more probable in {share} of its own cases than there, which the "
            "classes in the set are not. Prediction and set ask different questions; "
            "take these rows as unsure"
        )
    rows_named = name_first_rows(queries, names)
    console.note(f"note: {have} without the predicted class{why}; {rows_named}.")


def _explain_empty(fitted: FittedModel, confidence: Confidence) -> str:
    """Why sets are empty: every class is too improbable, compared with the cases."""
    share = format_percent(confidence.coverage)
    if confidence.by == "class":
        return f"no class is as probable there as it is in {share} of its own cases"
    why = f"no class is as probable there as the true one is in {share} of the cases"
    label, most = max(_share_classes(fitted), key=lambda pair: pair[1])
    if confidence.by == "nearness" or most <= (confidence.coverage or 0.0):
        return why
    return (
        f"{why} ({format_value(label)!r} has {format_percent(most)} of the cases, so "
        f"some sets must be empty for no more than {share} to be right)"
    )


def _share_classes(fitted: FittedModel) -> list[tuple[object, float]]:
    """Each class with its share of the cases."""
    counts = np.asarray(fitted.model.cases_.cases.class_counts, np.float64)
    shares = (counts / counts.sum()).tolist()
    return list(zip(fitted.model.classes_.tolist(), shares, strict=True))


def note_rare_classes(
    console: Console, fitted: FittedModel, confidence: Confidence
) -> None:
    """Point out classes so rare that sets without them keep the promise."""
    if not (fitted.classifies and confidence.coverage) or confidence.by is not None:
        return
    missed, shares = 1 - confidence.coverage, _share_classes(fitted)
    most = min(missed, _RARE / len(shares))
    rare = [(label, share) for label, share in shares if share < most]
    if rare:
        named = [f"{format_value(c)!r} ({format_percent(share)})" for c, share in rare]
        each = "is" if len(rare) == 1 else "are each"
        console.note(
            f"note: {join(named)} {each} rarer than the {format_percent(missed)} of "
            "rows that sets may miss, so sets without it can be right as often as "
            "promised. --by class keeps the promise within every class."
        )


def _note_coverage(
    console: Console,
    columns: Columns,
    truth: Sequence[object | None],
    confidence: Confidence,
) -> None:
    known = [i for i, value in enumerate(truth) if value is not None]
    if not known:
        return
    if "set" in columns:
        sets = [columns["set"][i] for i in known]
        held = [
            any(is_same(label, truth[i]) for label in labels)
            for i, labels in zip(known, sets, strict=True)
        ]
        what = f"sets, which have {np.mean([*map(len, sets)]):.2f} classes on average"
    else:
        low, high = columns["low"], columns["high"]
        held = [low[i] <= float(str(truth[i])) <= high[i] for i in known]
        what = "intervals"
    share = format_percent(float(np.mean(held)))
    each = _describe_each([truth[i] for i in known], held, confidence)
    console.note(f"the true value is in {share} of the {what}{each}")


def _describe_each(
    truth: Sequence[object], held: Sequence[bool], confidence: Confidence
) -> str:
    """The coverage of the rows of each class, where that is what is promised.

    Examples
    --------
    >>> _describe_each(["a", "b"], [True, False], Confidence(0.9, by="class"))
    "; 'a': 100 % of 1 row, 'b': 0 % of 1 row"
    """
    if confidence.by != "class":
        return ""
    of_class: dict[str, list[bool]] = {}
    for label, is_held in zip(truth, held, strict=True):
        of_class.setdefault(format_value(label), []).append(is_held)
    parts = [
        f"{name!r}: {format_percent(float(np.mean(own)))} of "
        f"{pluralize(len(own), 'row')}"
        for name, own in sorted(of_class.items())
    ]
    return f"; {', '.join(parts)}"


def is_same(one: object, other: object) -> bool:
    """Whether two labels are the same, read as numbers or as text."""
    return one == other or str(one) == str(other)


def name_first_rows(queries: QueryRows, names: Sequence[object]) -> str:
    """Some rows by id or position, the first of them if they are many."""
    noun = "" if queries.ids is not None else "row " if len(names) == 1 else "rows "
    return noun + join(map(format_value, names), _SHOWN)
