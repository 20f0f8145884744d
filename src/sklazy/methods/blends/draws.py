"""Members that learn from a fair draw of many rows, so that most changes pass them by.

Boosted trees and linear models are fitted as a whole. Beyond some rows they learn from
the first ones in canonical order alone, and stay as long as these stay. The members are
weighed by left-out predictions of the first of these rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, batch_of_cases, left_out_places
from sklazy.answer.learner import Answer, AnyLearner, Effort, prepare
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.casebase.draws import find_draw, renew_draw
from sklazy.methods.blends.members import LearnerMember, Member, MemberAnswer

MOST_ROWS = 45_000
"""Rows that are drawn: of up to so many every one is learned from."""


def draw_from(base: CaseBase) -> CaseBase:
    """The rows that members learn from which are fitted as a whole.

    All of them where rows have weights: a draw may miss those that weigh most.
    """
    return base if base.weighted else find_draw(base, MOST_ROWS)


def draw_anew(base: CaseBase) -> None:
    """Draw the rows that are there, where an earlier draw might serve.

    The members are weighed by the first rows, which are those of the draw.
    """
    renew_draw(base, MOST_ROWS)


def is_drawn_from(base: CaseBase) -> bool:
    """Whether some members learn from a part of the rows."""
    return base.n_rows > MOST_ROWS and not base.weighted


@dataclass(frozen=True)
class DrawnMember:
    """A member that learns from a draw."""

    member: Member

    @property
    def name(self) -> str:
        """That of the member."""
        return self.member.name

    def prepare(self, base: CaseBase) -> Effort:
        """Prepare the member for the draw."""
        return self.member.prepare(draw_from(base))

    def answer(self, batch: Batch) -> MemberAnswer:
        """Answer by the draw."""
        return self.member.answer(move_to_draw(batch))

    def leave_out(self, base: CaseBase, rows: Ints) -> Floats:
        """Predict cases from the others; most are not drawn, and are asked as they are.

        Equal cases have the same answer: that without the last of them.
        """
        drawn = draw_from(base)
        if drawn is base:
            return self.member.leave_out(base, rows)
        places = left_out_places(base, rows)
        is_inside = places < drawn.n_rows
        parts = [(is_inside, self.member.leave_out(drawn, places[is_inside]))]
        if not is_inside.all():
            queries = batch_of_cases(base, rows[~is_inside]).queries
            batch = Batch(drawn, drawn.cases, queries)
            parts.append((~is_inside, self.member.answer(batch).outputs))
        outputs = np.empty((len(rows), parts[-1][1].shape[1]))
        for where, part in parts:
            outputs[where] = part
        return outputs

    def leave_in_part(self, base: CaseBase, rows: Ints) -> Floats:
        """The same of the first rows in canonical order, kept with the draw."""
        drawn = draw_from(base)
        if drawn is base:
            return self.member.leave_in_part(base, rows)
        if len(rows) > drawn.n_rows:
            return self.leave_out(base, rows)
        first = np.arange(len(rows))
        return drawn.derive(
            (self, len(rows)), lambda: self.member.leave_in_part(drawn, first)
        )

    def count_choosing(self, base: CaseBase) -> int:
        """As of the member."""
        return self.member.count_choosing(draw_from(base))

    @property
    def keeps_choices(self) -> bool:
        """As of the member; models of scikit-learn are fitted without rows."""
        return getattr(self.member, "keeps_choices", True)

    def fix_size(self, n_rows: int) -> Member:
        """The member alone, which treats any number of rows as so many.

        A draw that others were left out of is none of all rows.
        """
        member = self.member
        return member.fix_size(n_rows) if isinstance(member, LearnerMember) else member


def estimate_left_out(member: Member, base: CaseBase, rows: Ints) -> Floats:
    """Predictions for the first rows in canonical order, to weigh a member by.

    Where a change must not cost much, without what a row itself is estimated to count.
    """
    learner: Any = member.learner if isinstance(member, LearnerMember) else None
    if is_drawn_from(base) and hasattr(learner, "estimate_left_out"):
        estimated: Floats | None = learner.estimate_left_out(base, len(rows))
        if estimated is not None:
            return estimated
    return member.leave_in_part(base, rows)


@dataclass(frozen=True)
class DrawnLearner:
    """A learner that learns from a draw, whatever rows there are."""

    learner: AnyLearner

    @property
    def target(self) -> Target:
        """That of the learner."""
        return self.learner.target

    def prepare(self, base: CaseBase) -> Any:  # noqa: ANN401 - as of the learner
        """Prepare the learner for the draw."""
        return prepare(self.learner, draw_from(base))

    def answer(self, ready: Any, batch: Batch) -> Answer:  # noqa: ANN401
        """Answer by the draw."""
        return self.learner.answer(ready, move_to_draw(batch))

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """None: without a row the draw may be another."""
        return np.zeros(base.n_rows, bool)


def move_to_draw(batch: Batch) -> Batch:
    """The same queries, put to the rows that are drawn; labels have the same codes."""
    drawn = draw_from(batch.base)
    return batch if drawn is batch.base else Batch(drawn, drawn.cases, batch.queries)
