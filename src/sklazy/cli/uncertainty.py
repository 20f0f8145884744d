"""What stands beside predictions of how sure they are: intervals, sets, abstention."""

import csv
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.cli.console import Console
from sklazy.cli.models import Asked, Fitted
from sklazy.combine.conformal import rows_needed
from sklazy.errors import BadInputError

Columns = dict[str, Any]

USUAL_COVERAGE = 0.9  # of intervals, which stand beside numbers unless told otherwise
_SHOWN = 10  # rows in a note


class Sureness(NamedTuple):
    """How sure answers are to be.

    Attributes
    ----------
    coverage : float, or None
        How often a set or an interval is to hold the truth. None: intervals of the
        usual coverage where a model has them, and no sets; 0: neither.
    accuracy : float, or None
        How often answers that are given are to be right.
    """

    coverage: float | None = None
    accuracy: float | None = None


def check_sureness(fitted: Fitted, sureness: Sureness) -> Sureness:
    """Refuse what a model does not have; find the coverage of intervals."""
    model, coverage = fitted.model, sureness.coverage
    if sureness.accuracy is not None:
        if not fitted.classifies:
            raise BadInputError(
                f"--abstain is for classes; {fitted.target!r} holds numbers. See "
                "--coverage for intervals."
            )
        _check_has(fitted, "risk_coverage", "--abstain", "never abstains")
    ask = "predict_set" if fitted.classifies else "predict_interval"
    if coverage:
        what = "sets of classes" if fitted.classifies else "intervals"
        _check_has(fitted, ask, "--coverage", f"has no {what}")
    if coverage is None and ask == "predict_interval" and hasattr(model, ask):
        enough = model.cases_.n_rows >= rows_needed(USUAL_COVERAGE)
        return sureness._replace(coverage=USUAL_COVERAGE if enough else 0.0)
    return sureness


def _check_has(fitted: Fitted, name: str, option: str, text: str) -> None:
    if not hasattr(fitted.model, name):
        raise BadInputError(
            f"{option}: {fitted.method} {text}; choose a lazy method, such as blend."
        )


def describe_sureness(
    fitted: Fitted,
    rows: Any,  # noqa: ANN401 - a Table
    shares: NDArray[np.float64] | None,
    sureness: Sureness,
) -> Columns:
    """What was asked for beside the predictions of rows, as columns."""
    model, said = fitted.model, Columns()
    if sureness.accuracy is not None and shares is not None:
        threshold = model.risk_coverage().threshold_for(sureness.accuracy)
        said["answered"] = (shares.max(axis=1, initial=0.0) >= threshold).tolist()
    if not sureness.coverage:
        return said
    if fitted.classifies:
        sets = model.predict_set(rows, coverage=sureness.coverage)
        labels = np.array([*model.classes_.tolist(), None], object)[:-1]
        said["set"] = [labels[own].tolist() for own in sets]
        return said
    ends = np.asarray(model.predict_interval(rows, coverage=sureness.coverage))
    said["low"], said["high"] = ends[:, 0].tolist(), ends[:, 1].tolist()
    return said


def write_set(labels: Sequence[object]) -> str:
    """The labels of a set in one cell, a bar between them; quoted as CSV quotes.

    Examples
    --------
    >>> write_set(["gas", "stove"]), write_set([]), write_set(["a|b", 1])
    ('gas|stove', '', '"a|b"|1')
    """
    if not labels:
        return ""
    out = io.StringIO()
    csv.writer(out, delimiter="|", lineterminator="").writerow(labels)
    return out.getvalue()


def note_sureness(
    console: Console, fitted: Fitted, asked: Asked, said: Columns, sureness: Sureness
) -> None:
    """Say what sets and withheld answers mean, and how good they turned out."""
    truth = said.get(fitted.target)
    if "answered" in said:
        _note_withheld(console, fitted, said, sureness, truth)
    if "set" in said:
        _note_sets(console, fitted, asked, said["set"])
    if truth is not None and ("set" in said or "low" in said):
        _note_covered(console, said, truth)


def _note_withheld(
    console: Console,
    fitted: Fitted,
    said: Columns,
    sureness: Sureness,
    truth: Sequence[object] | None,
) -> None:
    curve, answered = fitted.model.risk_coverage(), said["answered"]
    threshold = curve.threshold_for(sureness.accuracy)
    share = curve.share_answered(threshold)
    console.note(
        f"{answered.count(False)} of {len(answered)} answers are withheld: less "
        f"probable than {threshold:.3f}. Of the cases left out {share:.1%} were "
        f"answered, and {_accuracy_at(curve, threshold):.1%} of these rightly."
    )
    triples = zip(answered, said["prediction"], truth or (), strict=False)
    right = [is_same(a, b) for given, a, b in triples if given and b is not None]
    if right:
        console.note(f"accuracy {np.mean(right):.4f} on {len(right)} rows answered")


def _accuracy_at(curve: Any, threshold: float) -> float:  # noqa: ANN401 - RiskCoverage
    return float(curve.accuracy[np.flatnonzero(curve.thresholds >= threshold)[-1]])


def _note_sets(
    console: Console, fitted: Fitted, asked: Asked, sets: Sequence[list[object]]
) -> None:
    n_classes = len(fitted.model.classes_)
    for size, text in (
        (0, "an empty set, being unlike the cases of every class"),
        (n_classes, "all classes in the set: nothing can be ruled out"),
    ):
        names = [
            n for n, own in zip(asked.names, sets, strict=False) if len(own) == size
        ]
        if names:
            have = "1 row has" if len(names) == 1 else f"{len(names)} rows have"
            console.note(f"note: {have} {text}; {name_rows(asked, names)}.")


def _note_covered(
    console: Console, said: Columns, truth: Sequence[object | None]
) -> None:
    known = [i for i, value in enumerate(truth) if value is not None]
    if "set" in said:
        sets = [said["set"][i] for i in known]
        held = [
            any(is_same(label, truth[i]) for label in own)
            for i, own in zip(known, sets, strict=True)
        ]
        what = f"sets of {np.mean([*map(len, sets)]):.2f} classes" if known else ""
    else:
        ends = [(said["low"][i], said["high"][i]) for i in known]
        held = [
            low <= float(str(truth[i])) <= high
            for i, (low, high) in zip(known, ends, strict=True)
        ]
        what = "intervals"
    if known:
        console.note(f"the truth is in {np.mean(held):.1%} of the {what}")


def is_same(one: object, other: object) -> bool:
    """Whether two labels are the same, read as numbers or as text."""
    return one == other or str(one) == str(other)


def name_rows(asked: Asked, names: Sequence[object]) -> str:
    """Some rows by name or place, the first of them if they are many."""
    shown = ", ".join(map(str, names[:_SHOWN])) + ", ..." * (len(names) > _SHOWN)
    return "row " * (asked.ids is None) + shown
