"""Many cases: all that is chosen follows from a fair draw, the rest is summed exactly.

Ranks, weights of attributes, width, ridge, temperature and landmarks are functions of
the first rows in canonical order alone. The others are added up, so that a change of
one of them costs what it adds (see `following`).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.flow import KernelColumns
from sklazy.methods.kernel_models.choice import KernelSettings
from sklazy.methods.kernel_models.coding import (
    Coding,
    code_cases,
    make_coding,
    take_cells,
)
from sklazy.methods.kernel_models.descent import descend
from sklazy.methods.kernel_models.first_rows import FirstRows
from sklazy.methods.kernel_models.following import (
    Content,
    DrawnChoices,
    FollowedSums,
    Marks,
    find_followed,
)
from sklazy.methods.kernel_models.landmarks import (
    Landmarks,
    Marked,
    choose_ridge,
    describe_landmarks,
    draw_landmarks,
    similarities_of,
    similarities_to,
    solve_system,
    sum_rows,
    take_rows,
)
from sklazy.methods.kernel_models.limits import Limits
from sklazy.methods.kernel_models.outcomes import (
    Outcomes,
    Targets,
    choose,
    find_information,
    find_outcomes,
)
from sklazy.methods.kernel_models.sums import (
    BLOCK,
    SumGrid,
    WholeSums,
    add_many,
    fill_sums,
    find_grid,
    join_sides,
    round_similarities,
    split_targets,
    start_sums,
)
from sklazy.methods.row_weights import RowWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Draw(NamedTuple):
    """The rows that choices follow from.

    Attributes
    ----------
    places : int64 array of shape (n_drawn,)
        Where they are in canonical order.
    outcomes : Outcomes
        Of these rows.
    is_whole : bool
        Whether no other row counts.
    content : tuple of arrays
        All that choices follow from.
    """

    places: Ints
    outcomes: Outcomes
    is_whole: bool
    content: Content


def draw_choosing_rows(
    base: CaseBase, limits: Limits, targets: Targets, weights: RowWeights | None
) -> Draw:
    """Draw the first rows in canonical order, of those whose weight counts."""
    cases, n_drawn = base.cases, limits.count_drawn(base.n_rows)
    counting = np.arange(base.n_rows) if weights is None else weights.counting()
    places = counting[:n_drawn]
    rows, some = base.order[places], targets._replace(values=targets.values[places])
    own = None if weights is None else weights.take(places)
    outcomes = find_outcomes(base, rows, some, own)
    codes, numbers = take_cells(cases, rows)
    counts = np.array([limits.count_landmarks(base.n_rows), len(places)])
    labels = codes[cases.numeric < 0]
    content = numbers, labels, some.values, some.present, np.array(some.unit), counts
    return Draw(places, outcomes, len(places) == len(counting), content)


def find_values(base: CaseBase, coding: Coding, limits: Limits) -> Floats:
    """All rows as places in canonical order, (n_attributes, n_rows)."""
    return base.derive(
        (code_cases, limits), lambda: code_cases(coding, base.cases, base.order)
    )


def solve_by_landmarks(
    base: CaseBase,
    limits: Limits,
    targets: Targets,
    weights: RowWeights | None,
    advance: Callable[[str], None],
) -> tuple[DrawnChoices, Landmarks]:
    """Choose by rows that are drawn, and solve with all.

    Parameters
    ----------
    base : CaseBase
    limits : Limits
    targets : Targets
        Of all rows in canonical order.
    weights : RowWeights, or None where all rows weigh 1
    advance : callable
        Takes note of the next stage.
    """
    draw = draw_choosing_rows(base, limits, targets, weights)
    before = find_followed(base, (FollowedSums, limits))
    if before and before.draws(draw.content) and not base.choices.may_be_old:
        chosen = before.chosen
    else:
        chosen = _choose(base, limits, draw, advance)
    advance("solving")
    near = _Near(base, limits, chosen, find_grid(targets.values))
    rows = Marked(near.measure, targets.values, weights)
    if weights is None:
        sums, among = _sum_exactly(base, limits, draw, before, targets, near)
        system = fill_sums(sums, near.grid, among, chosen.settings.ridge)
        sides = join_sides(sums.sides, near.grid)
    else:
        products, sides = sum_rows(*rows)
        system = products + chosen.settings.ridge * near.measure_among()
    factor, solved = solve_system(system, sides)
    places = draw.places[chosen.marks.drawn]
    if base.choices.may_be_old:
        places = base.places[chosen.marks.rows]
    found = describe_landmarks(rows, places, chosen.centers, factor, solved)
    if weights is None:
        found = found._replace(estimate=_estimate_by(chosen, factor, solved, targets))
    return chosen, found


def _estimate_by(
    chosen: DrawnChoices, factor: Floats, solved: Floats, targets: Targets
) -> Callable[[int], Floats | None]:
    def estimate(n_wanted: int) -> Floats | None:
        if n_wanted > len(chosen.first):
            return None
        return chosen.first.estimate(n_wanted, factor, solved, targets.values)

    return estimate


class _Near(NamedTuple):
    """Similarities of rows to landmarks, rounded to a grid."""

    base: CaseBase
    limits: Limits
    chosen: DrawnChoices
    grid: SumGrid

    def measure(self, rows: Ints | slice) -> Floats:
        """Similarities of some rows, (n_rows, n_landmarks)."""
        return self.in_whole_numbers(rows) * 0.5**self.grid.bits

    def in_whole_numbers(self, rows: Ints | slice) -> Floats:
        """The same in units of the grid."""
        values = find_values(self.base, self.chosen.coding, self.limits)[:, rows]
        rate = self.chosen.settings.rate
        near = similarities_of(values, self.chosen.centers, rate)
        return round_similarities(near, self.grid.bits)

    def measure_among(self) -> Floats:
        """Similarities of the landmarks to each other, not rounded."""
        centers, rate = self.chosen.centers, self.chosen.settings.rate
        return similarities_to(centers, centers, slice(None), rate)


def _choose(
    base: CaseBase,
    limits: Limits,
    draw: Draw,
    advance: Callable[[str], None],
) -> DrawnChoices:
    """Choose by the rows that are drawn."""
    cases, outcomes, weights = base.cases, draw.outcomes, draw.outcomes.weights

    def learn_ranks() -> Coding:
        values = None if weights is None else weights.values
        drawn = not draw.is_whole
        return make_coding(cases, outcomes.rows, values, are_drawn=drawn)

    coding = base.choose(make_coding, learn_ranks, holds_rows=True)

    def place() -> KernelColumns:
        values = code_cases(coding, cases, outcomes.rows)
        ones = np.ones(len(values))
        return KernelColumns(values, coding.nominal, coding.absents, ones)

    def settle() -> tuple[Floats, KernelSettings]:
        advance("weighing columns")
        information = find_information(base, coding, outcomes, limits)
        advance("choosing settings")
        columns = place()
        settings = choose(columns, information, outcomes, limits)
        return information, _improve(base, columns, settings, outcomes, limits)

    information, settings = base.choose((choose, limits), settle)

    def mark() -> Marks:
        columns = place()._replace(weights=settings.weights)
        drawn = draw_landmarks(columns, limits.count_landmarks(base.n_rows))
        return Marks(drawn, outcomes.rows[drawn])

    marks = base.choose((draw_landmarks, limits), mark, holds_rows=True)
    values = code_cases(coding, cases, marks.rows)  # labels may have other codes now
    nominal, absents = coding.nominal, coding.absents
    centers = KernelColumns(values, nominal, absents, settings.weights)
    first = FirstRows(place()._replace(weights=settings.weights), centers, settings)
    return DrawnChoices(coding, information, settings, marks, centers, first)


def _improve(
    base: CaseBase,
    columns: KernelColumns,
    settings: KernelSettings,
    outcomes: Outcomes,
    limits: Limits,
) -> KernelSettings:
    """Settings by all rows that are drawn, with all landmarks."""
    targets, weights = outcomes.targets, outcomes.weights
    first = slice(0, limits.n_descended)
    part, judge = take_rows(columns, first), outcomes.find_judge(first)
    settings = descend(part, settings, targets[first], judge, limits.max_loo_rows)
    columns = columns._replace(weights=settings.weights)
    drawn = draw_landmarks(columns, limits.count_landmarks(base.n_rows))
    centers = take_rows(columns, drawn)
    first = slice(0, limits.n_judged)
    judged = np.arange(len(targets))[first], outcomes.find_judge(first)
    return choose_ridge(columns, centers, settings, targets, weights, judged)


def _sum_exactly(
    base: CaseBase,
    limits: Limits,
    draw: Draw,
    before: FollowedSums | None,
    targets: Targets,
    near: _Near,
) -> tuple[WholeSums, Floats]:
    """The sums over all rows, from those before where these fit, and M."""
    chosen, grid = near.chosen, near.grid
    if before is not None and before.fits(chosen, targets, grid):
        sums, among, ids = before.sum_up(), before.among, before.ids
    else:
        sums, among = _sum_all(targets, near), near.measure_among()
        if not base.is_parted:
            ids = base.rows.ids_at(draw.outcomes.rows)
    if not base.is_parted:
        followed = FollowedSums(
            base.cases.numeric,
            ids,
            draw.content,
            chosen,
            targets.present,
            targets.unit,
            grid,
            among,
            sums,
            base.n_rows,
        )
        base.let_follow((FollowedSums, limits), followed)
    return sums, among


def _sum_all(targets: Targets, near: _Near) -> WholeSums:
    parts = split_targets(targets.values, near.grid)
    sums = start_sums(len(near.chosen.marks.drawn), parts.shape[1])
    for first in range(0, len(parts), BLOCK):
        rows = slice(first, first + BLOCK)
        add_many(sums, near.in_whole_numbers(rows), parts[rows])
    return sums
