"""The k nearest cases, on the attributes selected, have their mean for an answer."""

from dataclasses import dataclass

from sklazy.casebase import CaseBase
from sklazy.flow import Selected
from sklazy.methods.number_selection.data import Asked, number_cases, searched_cases
from sklazy.neighbors.means import MeanSearch
from sklazy.neighbors.voting import Voting


@dataclass(frozen=True)
class MeanHost:
    """Nearest neighbors, those tied with the k-th included.

    Attributes
    ----------
    voting : Voting
    discretize : bool
        Compare numbers by their bins; else by the HEOM difference.
    """

    voting: Voting
    discretize: bool

    def start(self, asked: Asked, selected: Selected) -> MeanSearch:
        """Make ready to search."""
        known = number_cases(asked.base)
        cases, columns, boxed = searched_cases(asked.base, self.discretize)
        search = MeanSearch(
            cases,
            columns,
            known.targets,
            known.weights,
            asked.queries,
            selected,
            self.voting,
            asked.excluded,
        )
        search.boxed = boxed
        return search

    def cost(self, base: CaseBase, n_selected: int) -> float:
        """Nanoseconds per query, roughly."""
        return (5.0 if base.weighted else 0.5) * base.n_rows * n_selected
