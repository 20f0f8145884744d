"""Forward searches for a good set of attributes.

Both take an evaluator (`subsets`) and give the best set found. Where merits tie,
the set met first stands: sets are met by the index of the attribute added.

References
----------
M. Hall, E. Frank, G. Holmes, B. Pfahringer, P. Reutemann, I. H. Witten: The WEKA data
mining software: an update. SIGKDD Explorations 11(1), 2009 (BestFirst,
GreedyStepwise).
"""

from typing import NamedTuple

import numpy as np

from sklazy.measures.contingency import Floats
from sklazy.measures.subsets import Evaluator

_GAIN = 1e-5  # what a set must be better by to count as better, as in Weka


class ScoredSet(NamedTuple):
    """The outcome of a search.

    Attributes
    ----------
    subset : tuple of int
        Indices of the attributes, ascending.
    merit : float
    """

    subset: tuple[int, ...]
    merit: float


class _Open:
    """The sets to expand next, best first, no more than a fixed number.

    Among equal merits the one that came first stays first.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.entries: list[ScoredSet] = []

    def add(self, entry: ScoredSet) -> None:
        if len(self.entries) == self.most:
            if entry.merit <= self.entries[-1].merit:
                return
            self.entries.pop()
        place = sum(entry.merit <= other.merit for other in self.entries)
        self.entries.insert(place, entry)


def best_first(evaluator: Evaluator, max_stale: int = 5) -> ScoredSet:
    """Expand the best set known, until `max_stale` expansions in a row gain nothing.

    As Weka's BestFirst in forward direction: the list of sets to expand holds the
    `max_stale` best (a set reached by several ways may be on it more than once), and a
    set is better than the best so far if its merit is higher by 1e-5.

    Parameters
    ----------
    evaluator : Evaluator
    max_stale : int

    Returns
    -------
    ScoredSet
    """
    best = ScoredSet((), evaluator.of_none())
    waiting = _Open(max_stale)
    waiting.add(best)
    known: dict[tuple[int, ...], Floats] = {}
    stale = 0
    while stale < max_stale and waiting.entries:
        subset = waiting.entries.pop(0).subset
        if subset not in known:
            known[subset] = evaluator.with_one_more(subset)
        before = best
        for entry in _expand(subset, known[subset]):
            waiting.add(entry)
            if entry.merit - best.merit > _GAIN:
                best = entry
        stale = stale + 1 if best is before else 0
    return best


def _expand(subset: tuple[int, ...], merits: Floats) -> list[ScoredSet]:
    """All sets with one attribute more, by its index."""
    return [
        ScoredSet(tuple(sorted((*subset, j))), float(merit))
        for j, merit in enumerate(merits)
        if j not in subset
    ]


def greedy(evaluator: Evaluator) -> ScoredSet:
    """Add the attribute that helps most, as long as one helps.

    Parameters
    ----------
    evaluator : Evaluator

    Returns
    -------
    ScoredSet
    """
    best = ScoredSet((), evaluator.of_none())
    while len(best.subset) < evaluator.n_attributes:
        merits = evaluator.with_one_more(best.subset)
        merits[list(best.subset)] = -np.inf
        j = int(np.argmax(merits))
        if merits[j] <= best.merit:
            break
        best = ScoredSet(tuple(sorted((*best.subset, j))), float(merits[j]))
    return best
