"""What the findings of an audit are made of, when somebody asks for them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.estimators.audit.alike import (
    Alike,
    compare_rows,
    list_equal,
    list_near,
    list_novel,
)
from sklazy.estimators.audit.columns import list_columns
from sklazy.estimators.audit.finding import Finding
from sklazy.estimators.audit.targets import judge, list_contradicted
from sklazy.measures.doubts import Doubts
from sklazy.report.progress import Progress
from sklazy.tables import Table


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows, and what was found out about their targets.

    Attributes
    ----------
    table : Table
        The columns as the user has them.
    base : CaseBase
    answers : float64 array of shape (n_rows, n_classes), or (n_rows,)
        Left-out answers, in order of arrival.
    max_rows : int
        As for `audit`.
    """

    table: Table
    base: CaseBase
    answers: NDArray[np.float64]
    max_rows: int

    @cached_property
    def doubts(self) -> Doubts:
        """How far the others contradict each row, as rows lie."""
        return judge(self.base, self.answers)

    @cached_property
    def alike(self) -> Alike:
        """How near the rows are to each other."""
        with Progress("comparing rows", total=1) as progress:
            return compare_rows(self.base, self.max_rows, progress)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """By kind, the most striking of a kind first."""
        base, alike = self.base, self.alike
        return (
            *list_contradicted(base, self.answers, self.doubts),
            *list_equal(base, alike),
            *list_near(base, alike),
            *list_novel(base, alike),
            *list_columns(self.table, base),
        )
