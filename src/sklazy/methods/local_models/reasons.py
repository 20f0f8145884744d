"""Contributions of features to local lines: slope times (value - mean).

The line is the tangent of the local models at the query. Its slopes hold nearby, so the
base, which is where that line comes to at the means of all cases, may be far from any
case.
"""

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats
from sklazy.answer.learner import AnyLearner
from sklazy.answer.reasons import Shares, Wish, find_known, pick_outputs
from sklazy.casebase import CaseBase
from sklazy.casebase.sums import ExactSums, add_sums, sum_exactly
from sklazy.methods.local_models.answers import LocalAnswer
from sklazy.methods.space import Space


def contribute(
    learner: AnyLearner, answer: LocalAnswer, batch: Batch, wish: Wish
) -> Shares | None:
    """Contributions to numbers; None for classes, and where no line is tried."""
    data = answer.data
    if answer.base.class_labels or not data.plan.ranges[1:].any():
        return None
    slopes = answer.models.coefficients[
        np.arange(len(batch)), wish.outputs, 1 : 1 + len(data.space.sources)
    ]
    units = np.broadcast_to(data.target_units, (answer.values.shape[1],))
    slopes = slopes / units[wish.outputs][:, None]
    totals = pick_outputs(answer, wish)
    return share_lines(slopes, answer.regressors, data.space, batch, wish, totals)


def share_lines(
    slopes: Floats,
    regressors: Floats,
    space: Space,
    batch: Batch,
    wish: Wish,
    totals: Floats,
) -> Shares | None:
    """Slope times (value - mean), by feature; None where these are not finite.

    Parameters
    ----------
    slopes, regressors : float64 arrays of shape (n_queries, n_regressors)
        Of the lines, in units of the target, and the queries as these see them.
    space : Space
    batch : Batch
    wish : Wish
    totals : float64 array of shape (n_queries,)
        The outputs.
    """
    features = wish.features
    with np.errstate(over="ignore", invalid="ignore"):
        terms = slopes * (regressors - _find_means(batch.base, space))
    terms[np.isnan(regressors)] = 0.0
    if not np.isfinite(terms).all():
        return None
    values = np.zeros((len(batch), len(features.names)))
    np.add.at(values.T, features.of_attribute[space.sources], terms.T)
    known = find_known(batch.base, batch.queries)
    for query in range(len(batch)):
        missing = np.setdiff1d(
            features.of_attribute, features.of_attribute[known[query]]
        )
        values[query, missing] = 0.0
    return Shares(values, totals - values.sum(axis=1), totals, np.zeros(values.shape))


def _find_means(base: CaseBase, space: Space) -> Floats:
    """The mean of each regressor over the cases that have a value, (n_regressors,)."""
    key = (
        _find_means,
        space.placement.units.tobytes(),
        space.placement.origins.tobytes(),
    )
    return base.derive(key, lambda: _place_means(base, space))


def _place_means(base: CaseBase, space: Space) -> Floats:
    cases, placement = base.cases, space.placement
    sums, counts = (
        add_sums(base.ask(_sum_numbers, placement.units)).rounded().reshape(2, -1)
    )
    of_codes = np.sum(base.ask(_count_codes), axis=0)
    means = np.zeros(len(space.sources))
    for i, (j, category) in enumerate(
        zip(space.sources, space.categories, strict=True)
    ):
        at, (first, last) = cases.numeric[j], cases.offsets[j : j + 2]
        if at >= 0:
            middle = sums[at] / max(counts[at], 1.0) - placement.origins[j]
            means[i] = middle * placement.factors[j] / placement.widths[j]
        else:
            share = of_codes[first + category] / max(of_codes[first:last].sum(), 1)
            means[i] = placement.units[j] * share
    return means


def _count_codes(part: CaseBase) -> NDArray[np.int64]:
    """How many rows of a part have each value."""
    cases, found = part.cases, np.zeros(int(part.cases.offsets[-1]), np.int64)
    for j, first in enumerate(cases.offsets[:-1].tolist()):
        if cases.numeric[j] < 0:
            codes = cases.codes[j, : part.n_rows]
            np.add.at(found, first + codes[codes >= 0], 1)
    return found


def _sum_numbers(part: CaseBase, units: Floats) -> ExactSums:
    """Sums of the numeric columns of a part, in units, and how many are known."""
    cases, live = part.cases, slice(part.n_rows)
    numbers = cases.numbers[:, live]
    of_column = np.empty(len(numbers))
    of_column[cases.numeric[cases.numeric >= 0]] = units[cases.numeric >= 0]
    known = ~np.isnan(numbers)
    groups = np.nonzero(known)[0]
    scaled = (numbers * of_column[:, None])[known]
    both = np.concatenate([scaled, np.ones(len(scaled))])
    places = np.concatenate([groups, groups + len(numbers)]).astype(np.int64)
    return sum_exactly(both, places, 2 * len(numbers))
