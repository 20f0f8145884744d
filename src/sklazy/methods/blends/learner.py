"""Blends: weighted means of members of any kind, weighted by left-out predictions."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, canonical_places
from sklazy.answer.learner import Effort
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, DataWarning, warn_once
from sklazy.flow import Queries
from sklazy.forking import cached_property
from sklazy.measures import (
    argmax_with_ties,
    find_power,
    own_class,
    temper_probabilities,
    weigh_by_likelihood,
    weigh_by_squares,
)
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.blends.draws import (
    DrawnMember,
    draw_anew,
    estimate_left_out,
    is_drawn_from,
)
from sklazy.methods.blends.members import LearnerMember, Member, MemberAnswer
from sklazy.methods.row_weights import RowWeights, find_row_weights
from sklazy.report.progress import Progress

MANY_ROWS = 2000
"""Rows beyond which other members answer."""

MORE_LEFT_OUT = 10
"""Times as many rows are left out, of many."""


class BlendCases(NamedTuple):
    """Members that are ready, and what they count.

    Attributes
    ----------
    base : CaseBase
    names : tuple of str
        The members that count; the others could not be prepared.
    weights : float64 array of shape (n_members,)
        Not negative, sum 1.
    powers : float64 array of shape (n_members,)
        Exponents of their probabilities; 1 for numbers.
    left_out : float64 array of shape (n_members, n_left_out, n_outputs)
        Left-out predictions of the first cases in canonical order, which weights and
        powers were found by.
    losses : float64 array of shape (n_members,)
        The mean left-out log loss, or the root of the mean squared error.
    in_part : bool
        Whether these predictions leave out one of the copies that a weight stands for,
        or estimate what a row counts: they serve to weigh members alone.
    effort : Effort
    """

    base: CaseBase
    names: tuple[str, ...]
    weights: Floats
    powers: Floats
    left_out: Floats
    losses: Floats
    in_part: bool
    effort: Effort


@dataclass(frozen=True, eq=False)
class BlendAnswer:
    """A batch of answered queries, with the members' answers.

    Attributes
    ----------
    ready : BlendCases
    queries : Queries
    outputs : float64 array of shape (n_members, n_queries, n_outputs)
        Predictions of each member, probabilities raised to its power; 0 where its
        weight is 0 and it was not asked.
    by_member : list of MemberAnswer
        The same before that, and what explains it.
    priors : array of shape (n_classes,) or (n_queries, n_classes)
        Cases of each class that are seen, which settle ties.
    """

    ready: BlendCases
    queries: Queries
    outputs: Floats
    by_member: Sequence[MemberAnswer]
    priors: NDArray[np.generic]

    @property
    def base(self) -> CaseBase:
        """The cases that answered."""
        return self.ready.base

    @cached_property
    def values(self) -> Floats:
        """The weighted mean of the members' outputs, (n_queries, n_outputs)."""
        total = np.zeros(self.outputs.shape[1:])
        for weight, values in zip(self.ready.weights, self.outputs, strict=True):
            total += weight * values
        return total

    @cached_property
    def probabilities(self) -> Floats:
        """The same, made to sum to 1, (n_queries, n_classes)."""
        return np.asarray(self.values / self.values.sum(axis=1, keepdims=True))

    @property
    def decisions(self) -> Ints:
        """The class of highest probability; ties by more cases, then lower code."""
        return argmax_with_ties(self.probabilities, self.priors)


@dataclass(frozen=True)
class BlendLearner:
    """Answers by the weighted mean of members.

    Attributes
    ----------
    target : Target
    members : tuple of Member
    max_loo_rows : int
        How many rows are left out at most to find weights and powers.
    of_few_rows, of_many_rows : tuples of str
        The names of members that answer up to `MANY_ROWS` rows only, or beyond only.
    grows : bool
        Whether ten times as many rows are left out beyond that.
    approximate : bool
        Whether weights and powers stay those of all rows when rows are left out, and
        members leave them out in their own way.
    ask_all : bool
        Whether members of weight 0 are asked, too: receipts list every prediction.
    kept_by : tuple of str
        Names and parameters of the members: weights that may be old are kept by them.
    """

    target: Target
    members: tuple[Member, ...]
    max_loo_rows: int
    of_few_rows: tuple[str, ...] = ()
    of_many_rows: tuple[str, ...] = ()
    grows: bool = False
    approximate: bool = field(default=False, compare=False)
    ask_all: bool = field(default=False, compare=False)
    kept_by: tuple[str, ...] = field(default=(), compare=False)

    def prepare(self, base: CaseBase) -> BlendCases:
        """Prepare the members, leave rows out, and weigh the members by them."""
        # A fair draw, which is the same in whatever order the rows came.
        rows = base.order[: self._count_left_out(base.n_rows)]
        members = self._list_members(base.n_rows)
        own, key = find_row_weights(base), ("left out", self)

        def weigh() -> _Weighed:
            draw_anew(base)
            left, left_out = self._try_all(members, base, rows)
            base.derive(key, lambda: left_out)
            return _Weighed(left, *self._weigh(base, rows, left_out, own))

        is_old = base.choices.may_be_old
        settings = (self.max_loo_rows, self.kept_by, len(members)) if is_old else self
        found = base.choose((_Weighed, settings), weigh)
        # Answers that earlier rows were weighed by are not kept.
        n_outputs = base.cases.class_counts.size if self._classifies else 1
        left_out = base.derive(key, lambda: np.zeros((len(found.names), 0, n_outputs)))
        pairs = zip(found.names, found.weights, strict=True)
        counting = [name for name, weight in pairs if weight]
        efforts = [one.prepare(base) for one in members if one.name in counting]
        in_part = _are_copies(own) or is_drawn_from(base)
        shown = *found[:3], left_out, found.losses, in_part
        return BlendCases(base, *shown, _sum_up(efforts))

    def _list_members(self, n_rows: int) -> list[Member]:
        """Those that answer so many rows."""
        absent = self.of_few_rows if n_rows > MANY_ROWS else self.of_many_rows
        return [member for member in self.members if member.name not in absent]

    def _try_all(
        self, members: Sequence[Member], base: CaseBase, rows: Ints
    ) -> tuple[tuple[str, ...], Floats]:
        """The names of members that can answer, and their left-out predictions."""
        found = []
        with Progress("preparing", len(members), noun="members") as progress:
            for member in members:
                progress.advance(0, note=member.name)
                found.append(self._try(member, base, rows))
                progress.advance(note=member.name)
        left = [one for one in found if isinstance(one, _Tried)]
        self._report_failures(
            base, [one for one in found if isinstance(one, str)], bool(left)
        )
        names = tuple(one.name for one in left)
        return names, np.stack([one.left_out for one in left])

    def _weigh(
        self, base: CaseBase, rows: Ints, left_out: Floats, own: RowWeights | None
    ) -> tuple[Floats, Floats, Floats]:
        """Weights, powers and left-out losses of members."""
        of_rows = None if own is None else own.values[: len(rows)]
        if not len(rows) or (of_rows is not None and not of_rows.any()):
            return _alike(len(left_out))
        if self._classifies:
            return _weigh_classes(left_out, base.cases.classes[rows], of_rows)
        targets = base.cases.targets[0, rows]
        return _weigh_numbers(left_out[:, :, 0], targets, of_rows)

    def _count_left_out(self, n_rows: int) -> int:
        """How many rows are left out: none if there is only one."""
        more = self.grows and n_rows > MANY_ROWS
        return (n_rows > 1) * self.max_loo_rows * (MORE_LEFT_OUT if more else 1)

    def _try(self, member: Member, base: CaseBase, rows: Ints) -> "_Tried | str":
        """A member and its left-out predictions, or why it cannot be one."""
        try:
            member.prepare(base)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # preparing warned of it
                left_out = self._leave_out(member, base, rows)
        except (ValueError, ArithmeticError) as error:
            return f"{member.name}: {error}"
        if not np.isfinite(left_out).all():
            return f"{member.name}: it answers with NaN or infinity."
        return _Tried(member.name, left_out)

    def _leave_out(self, member: Member, base: CaseBase, rows: Ints) -> Floats:
        if len(rows):
            return estimate_left_out(member, base, rows)
        n_outputs = base.cases.class_counts.size if self._classifies else 1
        return np.zeros((0, n_outputs))

    @property
    def _classifies(self) -> bool:
        return self.target.kind == "nominal"

    def _report_failures(
        self, base: CaseBase, failures: list[str], any_left: bool
    ) -> None:
        """Warn of members that cannot be used; raise an error if none can."""
        if failures and not any_left:
            raise BadInputError(
                f"no member of the blend can answer with the {base.n_rows} rows "
                f"(n_samples={base.n_rows}): {' '.join(failures)} Clean or add rows, "
                "or give other members."
            )
        for failure in failures:
            warn_once(f"a member is left out of the blend: {failure}")

    def answer(self, ready: BlendCases, batch: Batch) -> BlendAnswer:
        """Ask the members, raise their probabilities to their powers."""
        members = [one for one in self.members if one.name in ready.names]
        answers = []
        for i, member in enumerate(members):
            answers.append(self._ask(ready, i, member, batch))
            _check_finite(member, answers[-1])
        outputs = np.stack([one.outputs for one in answers])
        if self._classifies:
            outputs = temper_probabilities(outputs, ready.powers[:, None, None])
        priors = batch.priors() if self._classifies else np.zeros(0)
        return BlendAnswer(ready, batch.queries, outputs, answers, priors)

    def _ask(
        self, ready: BlendCases, i: int, member: Member, batch: Batch
    ) -> MemberAnswer:
        """Predict by the i-th member that counts; cases are left out in turn."""
        if not ready.weights[i] and not self.ask_all:
            return MemberAnswer(np.zeros((len(batch), ready.left_out.shape[2])))
        if batch.excluded is None:
            return member.answer(batch)
        return _leave_out(ready, i, member, batch.excluded)

    def count_choosing(self, base: CaseBase) -> int:
        """How many rows, the first in canonical order, weights follow from."""
        counts = [
            member.count_choosing(base) for member in self._list_members(base.n_rows)
        ]
        return min(max(*counts, self._count_left_out(base.n_rows)), base.n_rows)

    @property
    def keeps_choices(self) -> bool:
        """Whether all members do; models of scikit-learn are fitted without rows."""
        return all(getattr(one, "keeps_choices", True) for one in self.members)

    def fix_size(self, n_rows: int) -> "BlendLearner":
        """The same learner, that treats any number of rows as so many."""
        sized = LearnerMember | DrawnMember
        left = tuple(
            one.fix_size(n_rows) if isinstance(one, sized) else one
            for one in self._list_members(n_rows)
        )
        return replace(self, members=left, of_few_rows=(), of_many_rows=())

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """All rows, if weights may stay; none where they must be found anew."""
        return np.full(base.n_rows, self.approximate)


def _leave_out(ready: BlendCases, i: int, member: Member, rows: Ints) -> MemberAnswer:
    """Left-out predictions of a member; those of the first cases are known."""
    places, first = canonical_places(ready.base)[rows], ready.left_out[i]
    known = (places < len(first)) & (not ready.in_part)
    outputs = np.empty((len(rows), first.shape[1]))
    outputs[known] = first[places[known]]
    if not known.all():
        outputs[~known] = member.leave_out(ready.base, rows[~known])
    return MemberAnswer(outputs)


def _check_finite(member: Member, answer: MemberAnswer) -> None:
    """Raise `BadInputError` if an output is NaN or infinite."""
    if not np.isfinite(answer.outputs).all():
        raise BadInputError(
            f"the member {member.name} of the blend answers a query with NaN or "
            "infinity, though not those it was tried on; scale or clean the columns, "
            "or leave it out."
        )


class _Tried(NamedTuple):
    """A member that can answer, and its left-out answers."""

    name: str
    left_out: Floats


class _Weighed(NamedTuple):
    """Members that can answer, their weights, powers and left-out losses."""

    names: tuple[str, ...]
    weights: Floats
    powers: Floats
    losses: Floats


def _are_copies(weights: RowWeights | None) -> bool:
    """Whether weights are whole numbers, and some stand for several copies."""
    return weights is not None and bool((weights.shares < 1.0).any())


def _weigh_classes(
    left_out: Floats, classes: NDArray[np.integer], of_rows: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Weights, powers and left-out losses of members that give probabilities."""
    powers = np.array([find_power(own, classes, of_rows) for own in left_out])
    tempered = temper_probabilities(left_out, powers[:, None, None])
    likely = np.column_stack([own_class(own, classes) for own in tempered])
    losses = np.average(-np.log(likely), axis=0, weights=of_rows)
    return weigh_by_likelihood(likely, row_weights=of_rows), powers, losses


def _weigh_numbers(
    left_out: Floats, targets: Floats, of_rows: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Weights, powers (all 1) and left-out errors of members that give numbers."""
    unit = min(find_unit(left_out), find_unit(targets))  # so that no square overflows
    errors = left_out * unit - targets * unit
    losses = np.sqrt(np.average(errors**2, axis=1, weights=of_rows)) / unit
    weights = weigh_by_squares(left_out.T, targets, of_rows)
    return weights, np.ones(len(left_out)), losses


def _alike(n_members: int) -> tuple[Floats, Floats, Floats]:
    """Equal weights, as a single case does not distinguish members."""
    ones = np.ones(n_members)
    return ones / n_members, ones, np.full(n_members, np.nan)


def _sum_up(efforts: Sequence[Effort]) -> Effort:
    """Total effort of all members; their slices must suit each of them."""
    fewest = max(effort.fewest for effort in efforts)
    most = max(fewest, min(effort.most for effort in efforts))
    cost = sum(effort.nanoseconds for effort in efforts)
    memory = sum(effort.memory for effort in efforts)
    return Effort(cost, fewest, most, memory=memory)
