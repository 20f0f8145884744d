"""Members of blends: models that are asked beside others."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.answer.learner import Answer, AnyLearner, Effort, prepare
from sklazy.answer.leave_one_out import at_once, leave_one_out
from sklazy.casebase import CaseBase

OUTPUTS = {"nominal": "probabilities", "numeric": "values"}
"""Attribute of an answer that members contribute, by the kind of the target."""


class MemberAnswer(NamedTuple):
    """Predictions of a member for a batch.

    Attributes
    ----------
    outputs : float64 array of shape (n_queries, n_outputs)
        Probabilities of classes, or a number.
    answer : Answer, or None
        The answer behind it, for receipts; None where the member has none.
    origin : dict
        The estimator that it is of and its settings, where it has receipts.
    """

    outputs: Floats
    answer: Answer | None = None
    origin: Mapping[str, Any] = MappingProxyType({})


class Member(Protocol):
    """A model that is asked beside others."""

    @property
    def name(self) -> str:
        """Name in reports."""

    def prepare(self, base: CaseBase) -> Effort:
        """Find what all queries share, kept with the base; what a query takes."""

    def answer(self, batch: Batch) -> MemberAnswer:
        """Answer a batch of queries, none of them left out."""

    def leave_out(self, base: CaseBase, rows: Ints) -> Floats:
        """Predict cases from the others, (n_rows, n_outputs)."""

    def leave_in_part(self, base: CaseBase, rows: Ints) -> Floats:
        """The same; of a whole weight, one of the copies, where that is known."""

    def count_choosing(self, base: CaseBase) -> int:
        """How many rows, the first in canonical order, settings follow from."""


@dataclass(frozen=True)
class LearnerMember:
    """A learner of this library as a member.

    Attributes
    ----------
    name : str
    learner : Learner
    origin : dict
        The estimator that it is of and its settings.
    """

    name: str
    learner: AnyLearner
    origin: Mapping[str, Any] = field(compare=False)

    def prepare(self, base: CaseBase) -> Effort:
        """Prepare the learner."""
        effort: Effort = prepare(self.learner, base).effort
        return effort

    def answer(self, batch: Batch) -> MemberAnswer:
        """Let the learner answer."""
        answer = self.learner.answer(prepare(self.learner, batch.base), batch)
        outputs = getattr(answer, OUTPUTS[self.learner.target.kind])
        return MemberAnswer(outputs, answer, self.origin)

    def leave_out(self, base: CaseBase, rows: Ints) -> Floats:
        """Leave the cases out one by one, at once where the learner knows how."""
        return self._leave_out(at_once(self.learner, base), base, rows)

    def leave_in_part(self, base: CaseBase, rows: Ints) -> Floats:
        """The same; of a whole weight, one of the copies, if the learner can."""
        learner: Any = at_once(self.learner, base)
        if any(one.name == "in_part" for one in fields(learner)):
            learner = replace(learner, in_part=True)
        return self._leave_out(learner, base, rows)

    def count_choosing(self, base: CaseBase) -> int:
        """All, if that is not known; none of a learner with hardly any setting."""
        learner: Any = self.learner
        if getattr(learner, "is_stiff", False):
            return 0
        known = hasattr(learner, "count_choosing")
        return learner.count_choosing(base) if known else base.n_rows

    @property
    def keeps_choices(self) -> bool:
        """Whether what it chooses by targets is kept with the cases, or is hardly any.

        As for learners; see `answer.leave_one_out.leave_out_by_choices`.
        """
        is_stiff = getattr(self.learner, "is_stiff", False)
        return is_stiff or getattr(self.learner, "keeps_choices", False)

    def fix_size(self, n_rows: int) -> "LearnerMember":
        """The same member, that treats any number of rows as so many."""
        learner: Any = self.learner
        if not hasattr(learner, "fix_size"):
            return self
        return replace(self, learner=learner.fix_size(n_rows))

    def _leave_out(self, learner: AnyLearner, base: CaseBase, rows: Ints) -> Floats:
        output = OUTPUTS[learner.target.kind]
        (left_out,) = leave_one_out(
            learner, base, rows, (output,), n_jobs=1, settled=True
        )
        return left_out
