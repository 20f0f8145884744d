"""How queries are answered: the protocol that every family of learners follows."""

from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.flow import Queries


class Prepared(Protocol):
    """State that all queries share.

    Where answers do without the bins of numbers it has `reads_bins`, which is false.
    """

    @property
    def effort(self) -> "Effort":
        """Cost of a query."""


Ready = TypeVar("Ready", bound=Prepared)


class Answer(Protocol):
    """A batch of queries, answered; learners add what explains the answer.

    For classes an answer has `decisions` of shape (n_queries,) and `probabilities` of
    shape (n_queries, n_classes); for numbers `values` of shape (n_queries, n_targets).
    Where probabilities cost time it has `finite`, which decisions rest on numbers.
    """

    @property
    def base(self) -> CaseBase:
        """The cases that answered."""

    @property
    def queries(self) -> Queries:
        """The queries answered."""


class Effort(NamedTuple):
    """Cost of a query, and how many are best answered at a time.

    Attributes
    ----------
    nanoseconds : float
        Of one query, roughly.
    fewest, most : int
        Queries per slice: what a slice shares must pay, and its arrays must fit the
        memory.
    ahead : int
        Queries per slice that a device answers while the next slice is made ready; 0
        where nothing is gained by that.
    faster : str
        Settings that take less time, as parameters of the estimator; "" if nothing is
        known.
    memory : float
        Bytes of the arrays of one query while its slice is answered, roughly, beside
        its cells and what it is asked for.
    """

    nanoseconds: float
    fewest: int
    most: int
    ahead: int = 0
    faster: str = ""
    memory: float = 0.0


class Learner(Protocol[Ready]):
    """An estimator's parameters, checked, and the way from queries to answers.

    It is immutable, can be pickled and knows no data; equal learners prepare the same.
    One whose answers rest on a query's neighbors alone, and estimate their
    own error, has an attribute `is_local`. One whose choices by targets are all kept
    with the base (`CaseBase.choose`), or that makes none, has `keeps_choices`; where it
    treats few rows another way than many, `fix_size(n_rows)` makes that the same.
    """

    def __hash__(self) -> int: ...

    @property
    def target(self) -> Target:
        """Target of the predictions."""

    def prepare(self, base: CaseBase) -> Ready:
        """Compute what all queries share, once for every state of the base."""

    def answer(self, ready: Ready, batch: Batch) -> Answer:
        """Answer a batch of queries, each by itself."""

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """Which rows a batch may exclude; the others must be forgotten to be left out.

        Excluding such a row equals forgetting it.
        """


def prepare(learner: Learner[Ready], base: CaseBase) -> Ready:
    """Prepare a learner for a base; the result is kept until the cases change."""
    return base.derive(learner, lambda: learner.prepare(base))


AnyLearner = Learner[Any]


def is_local(learner: AnyLearner) -> bool:
    """Whether answers rest on neighbors alone, and have the error they expect."""
    return getattr(learner, "is_local", False)
