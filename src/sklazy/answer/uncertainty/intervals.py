"""How wide intervals of numbers must be to cover, by residuals of cases left out.

A score is an absolute residual over a length: the error that a local learner expects of
itself, or 1; and, if nearness counts, the score of the cases around, too. Residuals of
positive targets may be those of logarithms: ratios.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats
from sklazy.answer.batches import Outputs, answer_queries
from sklazy.answer.learner import AnyLearner, is_local, prepare
from sklazy.answer.leave_one_out import (
    at_once,
    check_leaves_some,
    each_without,
    leave_groups_out,
    leave_one_out,
    leave_out_by_choices,
)
from sklazy.answer.uncertainty.nearness import near_scores, near_scores_of_cases
from sklazy.answer.uncertainty.scores import N_FOLDS, draw_folds, draw_scored_cases
from sklazy.answer.uncertainty.sets import ConformalQueries
from sklazy.casebase import CaseBase
from sklazy.errors import DataWarning
from sklazy.flow import Queries
from sklazy.measures.conformal import jackknife_minmax, jackknife_plus, score_quantile
from sklazy.measures.magnitudes import find_unit
from sklazy.neighbors.copies import number_equal_rows

Ints = NDArray[np.int64]

WAYS = (None, "nearness", "ratio", "both")
"""How widths follow the row; of ways that are equally good the first is taken."""

_NEAR, _RATIO = ("nearness", "both"), ("ratio", "both")
_FEWEST_NEAR = 100  # cases; of fewer the 25 nearest are no neighborhood
_MOST_NEAR = 20_000  # cases; with more, distances take longer than answers
_FEWEST_FREE = 1000  # cases of a group by which no setting was chosen
_ENOUGH = 1800  # cases that folds have together: the fewer cases, the more folds
_FLOOR = 0.1  # of the typical error, added to a local one that may be 0 by chance


class Errors(NamedTuple):
    """How far cases lie from what the others predict.

    Attributes
    ----------
    rows : int64 array of shape (n_scored,)
        Where they lie in the base.
    scores : float64 array of shape (n_scored, n_targets)
        Absolute residuals in terms of the error expected.
    typical : float64 array of shape (n_targets,)
        The mean absolute residual, which stands for an error that is unknown.
    units : float64 array of shape (n_targets,)
        Factors of the targets, so that differences are finite.
    values, lengths : float64 arrays of shape (n_scored, n_targets)
        The predictions, and the errors expected, in units.
    """

    rows: Ints
    scores: Floats
    typical: Floats
    units: Floats
    values: Floats
    lengths: Floats


def find_intervals(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    coverage: float,
    n_jobs: int | None = None,
    *,
    by: str | None = None,
) -> Floats:
    """The plain jackknife: predictions, less and plus a quantile of the scores.

    Where no case has a target below 0, no interval begins there. `by` is one of `WAYS`.

    Returns
    -------
    intervals : float64 array of shape (n_queries, n_targets, 2)
    """
    errors = _leave_out(learner, base, queried.row_groups, n_jobs)
    queries = base.encode(queried.table)
    values, lengths = _ask(learner, base, queries, errors.typical, errors.units, n_jobs)
    scale = _find_scale(base, errors, by)
    scores = scale.scores
    if by in _RATIO:
        lengths = np.ones(lengths.shape)
    if by in _NEAR:
        batch = Batch(base, base.cases, queries)
        lengths = lengths * near_scores(base, batch, errors.rows, scores)
        scores = scores / _near_cases(learner, base, errors, by)
    half = np.empty(values.shape)
    for group in np.unique(queried.groups).tolist():
        alike, here = queried.row_groups[errors.rows] == group, queried.groups == group
        half[here] = score_quantile(scores[alike], coverage) * lengths[here]
    return _in_units(scale.around(values, half), errors.units)


def choose_way(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    coverage: float,
    n_jobs: int | None = None,
) -> str | None:
    """The way of the least interval score of the cases, left out; see `_score_way`."""
    errors = _leave_out(learner, base, queried.row_groups, n_jobs)

    def find() -> str | None:
        scores = {
            by: _score_way(learner, base, errors, coverage, by)
            for by in _possible_ways(base, len(errors.rows))
        }
        return min(scores, key=lambda by: scores[by])

    key = (choose_way, learner, errors.rows.tobytes(), coverage)
    return base.derive(key, find)


def are_positive(base: CaseBase) -> bool:
    """Whether all targets of the cases are above 0."""
    return bool((_least_targets(base) > 0.0).all())


def _possible_ways(base: CaseBase, n_scored: int) -> list[str | None]:
    near = n_scored >= _FEWEST_NEAR and base.n_rows <= _MOST_NEAR
    ratio = are_positive(base)
    return [
        by for by in WAYS if (near or by not in _NEAR) and (ratio or by not in _RATIO)
    ]


def _score_way(
    learner: AnyLearner,
    base: CaseBase,
    errors: Errors,
    coverage: float,
    by: str | None,
) -> float:
    """Mean interval score of the cases left out, over their typical error.

    The width, and for a target outside how far it lies outside, times
    2 / (1 - coverage): the least where both ends are the right quantiles for each row
    (Gneiting and Raftery 2007). By width alone, a way may win that covers less of what
    is large.
    """
    scale = _find_scale(base, errors, by)
    scores = scale.scores
    lengths = np.ones(scores.shape) if by in _RATIO else errors.lengths
    if by in _NEAR:
        near = _near_cases(learner, base, errors, by)
        scores, lengths = scores / near, lengths * near
    half = score_quantile(scores, coverage) * lengths
    targets = _targets(base, errors.rows, errors.units)
    with np.errstate(all="ignore"):  # infinite ones are never the best
        low, high = np.moveaxis(scale.around(errors.values, half), -1, 0)
        outside = np.maximum(low - targets, 0.0) + np.maximum(targets - high, 0.0)
        total = high - low + 2.0 / (1.0 - coverage) * outside
        typical = errors.typical + np.finfo(float).tiny
        mean = float((total.mean(axis=0) / typical).mean())
    return mean if np.isfinite(mean) else np.inf


class _Scale(NamedTuple):
    """Scores of cases, and how intervals are put around predictions.

    Attributes
    ----------
    scores : float64 array of shape (n_scored, n_targets)
    least : float64 array of shape (n_targets,)
        The least target of a case.
    is_ratio : bool
        Whether scores are those of logarithms.
    """

    scores: Floats
    least: Floats
    is_ratio: bool

    def around(self, values: Floats, half: Floats) -> Floats:
        """Lower and upper ends, in units, (n_queries, n_targets, 2)."""
        with np.errstate(over="ignore"):  # an end beyond floats is infinite
            if self.is_ratio:
                centers = np.maximum(values, self.least)
                low, high = centers * np.exp(-half), centers * np.exp(half)
            else:
                low, high = values - half, values + half
        low = np.where(self.least >= 0.0, np.maximum(low, 0.0), low)
        return np.stack([low, np.maximum(low, high)], axis=-1)


def _find_scale(base: CaseBase, errors: Errors, by: str | None) -> _Scale:
    least = _least_targets(base) * errors.units
    if by not in _RATIO:
        return _Scale(errors.scores, least, is_ratio=False)
    targets = _targets(base, errors.rows, errors.units)
    ratios = np.log(targets) - np.log(np.maximum(errors.values, least))
    return _Scale(np.abs(ratios), least, is_ratio=True)


def _least_targets(base: CaseBase) -> Floats:
    return np.asarray(base.cases.targets[:, : base.n_rows].min(axis=1))


def find_left_out_intervals(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    coverage: float,
    n_jobs: int | None = None,
    *,
    widest: bool = False,
) -> Floats:
    """Intervals from models that left a case out: jackknife+, or minmax if widest."""
    errors = _leave_out(learner, base, queried.row_groups, n_jobs)
    predict: Any = _hide_each if is_local(learner) else _forget_each
    scores, values, lengths = predict(learner, base, queried, errors, n_jobs)
    ends = np.empty((*values.shape[1:], 2))
    for group in np.unique(queried.groups).tolist():
        models, here = queried.row_groups[errors.rows] == group, queried.groups == group
        of_models = values[models][:, here], lengths[models][:, here], scores[models]
        ends[here] = _combine(*of_models, coverage, widest)
    return _in_units(ends, errors.units)


def _forget_each(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    errors: Errors,
    n_jobs: int | None,
) -> tuple[Floats, Floats, Floats]:
    """Scores of cases, and predictions for the queries by models without each.

    Returns
    -------
    scores : float64 array of shape (n_scored, n_targets)
    values, lengths : float64 arrays of shape (n_scored, n_queries, n_targets)
    """
    of_cases: list[tuple[Floats, Floats]] = []
    of_queries: list[tuple[Floats, Floats]] = []
    units = errors.typical, errors.units
    for others, query in each_without(base, errors.rows, learner.target):
        queries = others.encode(queried.table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # what was warned of is known
            for into, some in ((of_cases, query), (of_queries, queries)):
                into.append(_ask(learner, others, some, *units, n_jobs))
    values, lengths = (np.concatenate(part) for part in zip(*of_cases, strict=True))
    scores = np.abs(_targets(base, errors.rows, errors.units) - values) / lengths
    values, lengths = (np.stack(part) for part in zip(*of_queries, strict=True))
    return scores, values, lengths


def _hide_each(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    errors: Errors,
    n_jobs: int | None,
) -> tuple[Floats, Floats, Floats]:
    """The same of local models: only the neighbors of a query change its answer.

    Scales stay those of all cases, as for the scores.
    """
    local: Any = learner  # a dataclass, as all are that are local
    queries, quick = base.encode(queried.table), replace(local, approximate=True)
    units = errors.typical, errors.units
    whole = _ask(learner, base, queries, *units, n_jobs)
    values, lengths = (
        np.repeat(part[None], len(errors.rows), axis=0) for part in whole
    )
    for query, near in enumerate(_neighbors(quick, base, queries)):
        models = np.flatnonzero(np.isin(errors.rows, near))
        same = np.full(len(models), query)
        several = Queries(queries.codes[same], queries.values[same])
        hidden = errors.rows[models]
        predicted = _ask(quick, base, several, *units, n_jobs, excluded=hidden)
        values[models, query], lengths[models, query] = predicted
    return errors.scores, values, lengths


def _neighbors(learner: AnyLearner, base: CaseBase, queries: Queries) -> Iterator[Ints]:
    """Where the cases lie that may have a part in the answer to each query.

    These are its neighbors, and the cases that it cannot distinguish from one of them.
    """
    data, batch = prepare(learner, base), Batch(base, base.cases, queries)
    for query in range(len(batch)):
        answer: Any = learner.answer(data, batch.part(query, query + 1))
        places = answer.neighbors.rows[0]
        groups = _number_alike(base, queries, query)
        near = data.rows[places[places >= 0]]
        yield np.flatnonzero(np.isin(groups, groups[near]))


def _number_alike(base: CaseBase, queries: Queries, query: int) -> Ints:
    """Number the cases so that those equal in the cells of a query share a number."""
    numeric = base.cases.numeric >= 0
    known = np.where(
        numeric, ~np.isnan(queries.values[query]), queries.codes[query] >= 0
    )
    return base.derive(
        (number_equal_rows, known.tobytes()),
        lambda: number_equal_rows(base.cases, known),
    )


def _combine(
    values: Floats, lengths: Floats, scores: Floats, coverage: float, widest: bool
) -> Floats:
    if widest:
        return jackknife_minmax(values, lengths, scores, coverage)
    half = scores[:, None] * lengths
    return jackknife_plus(values - half, values + half, coverage)


def _leave_out(
    learner: AnyLearner, base: CaseBase, groups: Ints, n_jobs: int | None
) -> Errors:
    """The errors of cases left out, kept with the state."""
    check_leaves_some(base)
    n_choosing = _count_choosing(learner, base, groups)
    rows = draw_scored_cases(base, groups, n_choosing or 0)

    def find() -> Errors:
        units, outputs = _units(base), _outputs(learner)
        is_free = n_choosing is not None
        predicted = _predict_cases(learner, base, rows, outputs, n_jobs, is_free)
        values = predicted[0] * units
        residuals = np.abs(_targets(base, rows, units) - values)
        typical = residuals.mean(axis=0)
        lengths = _lengths(predicted[1:], residuals.shape, typical, units)
        return Errors(rows, residuals / lengths, typical, units, values, lengths)

    return base.derive((_leave_out, learner, rows.tobytes()), find)


def _count_choosing(learner: AnyLearner, base: CaseBase, groups: Ints) -> int | None:
    """How many rows, the first in canonical order, a learner chooses its settings by.

    None where too few others are left to find errors by, in a group or in all.
    """
    if not hasattr(learner, "count_choosing") or base.weighted:
        return None
    n_choosing: int = learner.count_choosing(base)
    kinds, counts = np.unique(groups[base.order[n_choosing:]], return_counts=True)
    is_enough = len(kinds) == len(np.unique(groups)) and counts.min() >= _FEWEST_FREE
    return n_choosing if is_enough else None


def _predict_cases(
    learner: AnyLearner,
    base: CaseBase,
    rows: Ints,
    outputs: Sequence[str],
    n_jobs: int | None,
    are_free: bool,
) -> Outputs:
    """Answer for cases, each by others that know nothing of its target.

    Settings chosen to make the residuals of rows left out small make these too small
    for rows that had no part in the choice. So each fold is answered with settings
    chosen by the others: where settings are kept with the cases, each case is left out
    of all cases; else all of its fold, of ten. Where the cases `are_free` of that, they
    are left out with the settings as they are.
    """
    if are_free or is_local(learner) or not hasattr(learner, "approximate"):
        return leave_one_out(at_once(learner, base), base, rows, outputs, n_jobs)
    if base.weighted or not getattr(learner, "keeps_choices", False):
        return leave_groups_out(learner, base, rows, draw_folds(base), outputs, n_jobs)
    fixed: Any = learner
    if hasattr(fixed, "fix_size"):
        fixed = fixed.fix_size(base.n_rows)
    folds = draw_folds(base, int(np.clip(-(-_ENOUGH // base.n_rows), 2, N_FOLDS)))
    return leave_out_by_choices(fixed, base, rows, folds, outputs, n_jobs)


def _near_cases(
    learner: AnyLearner, base: CaseBase, errors: Errors, by: str | None
) -> Floats:
    key = (near_scores_of_cases, learner, errors.rows.tobytes(), by)
    scores = _find_scale(base, errors, by).scores
    return base.derive(key, lambda: near_scores_of_cases(base, errors.rows, scores))


def _ask(
    learner: AnyLearner,
    base: CaseBase,
    queries: Queries,
    typical: Floats,
    units: Floats,
    n_jobs: int | None,
    excluded: Ints | None = None,
) -> tuple[Floats, Floats]:
    """Predictions of queries and what a score of 1 stands for, in units."""
    outputs = _outputs(learner)
    predicted = answer_queries(
        learner, base, queries, outputs, n_jobs=n_jobs, excluded=excluded
    )
    values = predicted[0] * units
    return values, _lengths(predicted[1:], values.shape, typical, units)


def _outputs(learner: AnyLearner) -> tuple[str, ...]:
    """Outputs of answers; only local models estimate their own error."""
    return ("values", "deviations") if is_local(learner) else ("values",)


def _lengths(
    deviations: tuple[Floats, ...],
    shape: tuple[int, ...],
    typical: Floats,
    units: Floats,
) -> Floats:
    """Expected errors as lengths above 0; one that is unknown counts as typical."""
    if not deviations:
        return np.ones(shape)
    (expected,) = deviations
    known = np.where(np.isnan(expected), typical, expected * units)
    lengths: Floats = known + _FLOOR * typical + np.finfo(float).tiny
    return lengths


def _units(base: CaseBase) -> Floats:
    targets = base.cases.targets[:, : base.n_rows]
    return np.array([find_unit(target) for target in targets])


def _targets(base: CaseBase, rows: Ints, units: Floats) -> Floats:
    targets: Floats = base.cases.targets[:, rows].T * units
    return targets


def _in_units(ends: Floats, units: Floats) -> Floats:
    with np.errstate(over="ignore"):  # an end beyond floats is infinite
        intervals: Floats = ends / units[:, None]
    return intervals
