"""Naive Bayes on the query's attributes."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, Votes, class_totals
from sklazy.casebase import CaseBase
from sklazy.casebase.sums import ExactSums, add_sums, sum_exactly
from sklazy.flow import MISSING, Selected
from sklazy.measures import RankTable
from sklazy.memory import cells_within
from sklazy.methods.naive_bayes.model import (
    Likelihoods,
    RankedLikelihoods,
    add_by_rank,
    add_likelihoods,
    can_add_by_rank,
    contributions,
    estimate_likelihoods,
    rank_likelihoods,
    to_probabilities,
)
from sklazy.methods.naive_bayes.normal import (
    Moments,
    NumberSums,
    PlacedNumbers,
    find_moments,
    normal_terms,
    place_numbers,
    sum_powers,
    survey_numbers,
)
from sklazy.methods.naive_bayes.without_own_row import (
    LeftOutTerms,
    Tallied,
    count_right,
    find_left_out_terms,
    is_count_due,
    terms_without_own_row,
)
from sklazy.methods.selection.host import Attributes, BayesTerms

# Elements of the arrays of terms that are written down at once.
_MOST_TERMS = 4_000_000


@dataclass(frozen=True)
class BayesHost:
    """Naive Bayes with smoothed frequencies.

    Attributes
    ----------
    alpha : float
        Added to every count.
    discretize : bool
        Count numbers by their bins; else they are normal in each class.
    """

    alpha: float
    discretize: bool

    def start(self, batch: Batch, attributes: Attributes) -> "BayesWork":
        """Make ready to add up."""
        return BayesWork(self, batch, attributes)

    def reads_ranks(self, base: CaseBase) -> bool:
        """Whether a kernel chooses the attributes of plain queries as it adds up."""
        return not self.has_normals(base)

    def slices(self, _: CaseBase) -> None:
        """Any number of queries will do."""

    def cost(self, base: CaseBase, n_selected: int) -> float:
        """Nanoseconds per query, roughly."""
        n_classes = base.cases.class_counts.size
        if self.has_normals(base):
            return 20.0 * n_selected * n_classes
        return (2.0 + 0.2 * n_classes) * n_selected + 3.0 * len(base.names)

    def can_leave_out(self, base: CaseBase) -> bool:
        """Whether leaving a case out of a batch equals forgetting it."""
        return not base.weighted and not self.has_normals(base)

    def has_normals(self, base: CaseBase) -> bool:
        """Whether some attributes are normal in each class."""
        return not self.discretize and bool((base.cases.numeric >= 0).any())

    def tallies(self, base: CaseBase) -> Tallied:
        """Counts that the likelihoods are estimated from."""
        cases = base.cases
        counts = _weigh_values(base) if base.weighted else cases.counts
        vanishing = base.derive(_find_vanishing, lambda: _find_vanishing(base))
        return Tallied(counts, class_totals(base), cases.offsets, self.alpha, vanishing)

    def likelihoods(self, base: CaseBase) -> Likelihoods:
        """The table of log-likelihoods."""
        key, find = (estimate_likelihoods, self.alpha), estimate_likelihoods
        return base.derive(key, lambda: find(*self.tallies(base)[:4]))

    def left_out_terms(self, base: CaseBase) -> LeftOutTerms:
        """Terms of the cases, each without itself."""
        key, find = (find_left_out_terms, self.alpha), find_left_out_terms
        return base.derive(
            key, lambda: find(self.tallies(base), self.likelihoods(base))
        )

    def ranked(self, base: CaseBase, ranks: RankTable) -> RankedLikelihoods:
        """The table of log-likelihoods, in the order of some ranks."""
        found = self.likelihoods(base)
        key = (rank_likelihoods, self.alpha, id(ranks.ranks))  # what is kept holds them
        return base.derive(key, lambda: rank_likelihoods(found, *ranks[:2]))

    def moments(self, base: CaseBase) -> Moments:
        """Moments that the normal distributions are estimated from."""
        return base.derive(find_moments, lambda: _sum_numbers(base))


def _weigh_values(base: CaseBase) -> Floats:
    return base.derive(_add_weights, lambda: _add_weights(base))


def _add_weights(base: CaseBase) -> Floats:
    """Weights by value and class, added up exactly."""
    columns = zip(*base.ask(_weigh_part), strict=True)
    n_classes = base.cases.class_counts.size
    counts = [add_sums(own).rounded().reshape(-1, n_classes) for own in columns]
    return np.concatenate(counts)


def _weigh_part(part: CaseBase) -> list[ExactSums]:
    """Weights of a part by value and class, for each attribute."""
    cases, live, sums = part.cases, slice(part.n_rows), []
    n_classes, classes = cases.class_counts.size, cases.classes[live]
    for j, (first, last) in enumerate(itertools.pairwise(cases.offsets.tolist())):
        codes = cases.codes[j, live]
        known = codes >= 0
        cells = codes[known] * np.int64(n_classes) + classes[known]
        size = (last - first) * n_classes
        sums.append(sum_exactly(cases.weights[live][known], cells, size))
    return sums


def _find_vanishing(base: CaseBase) -> NDArray[np.bool_]:
    """Which values would be unknown without the one case that has them."""
    cases = base.cases
    lonely = cases.counts.sum(axis=1) == 1
    for j, attribute in enumerate(base.schema.attributes):
        first, last = cases.offsets[j : j + 2]
        stays = last - first if attribute.kind == "numeric" else len(attribute.declared)
        lonely[first : first + stays] = False
    return lonely


def _sum_numbers(base: CaseBase) -> Moments:
    placed = place_numbers(base.ask(_survey_part))
    sums = base.ask(_sum_part, placed)
    return find_moments(placed, sums, base.cases.class_counts.size)


def _survey_part(part: CaseBase) -> NumberSums:
    cases, live = part.cases, slice(part.n_rows)
    return survey_numbers(cases.numbers[:, live], cases.weights[live])


def _sum_part(part: CaseBase, placed: PlacedNumbers) -> ExactSums:
    cases, live = part.cases, slice(part.n_rows)
    classes, weights = cases.classes[live], cases.weights[live]
    n_classes = cases.class_counts.size
    return sum_powers(cases.numbers[:, live], classes, weights, placed, n_classes)


class BayesWork:
    """Naive Bayes at work on a batch: votes are log P(class, query)."""

    def __init__(self, host: BayesHost, batch: Batch, attributes: Attributes) -> None:
        self.host, self.batch, self.attributes = host, batch, attributes
        self.votes = np.empty((len(batch), batch.n_classes))
        self.likelihoods = host.likelihoods(batch.base)
        self.has_normals = host.has_normals(batch.base)
        self.codes = batch.queries.codes
        if self.has_normals:
            host.moments(batch.base)
            self.codes = self.codes.copy()
            self.codes[:, batch.cases.numeric >= 0] = MISSING

    @property
    def selected(self) -> Selected:
        """The attributes of each query."""
        return self.attributes.selected

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        ranks, n_most = self.attributes.waiting_ranks, self.attributes.n_most
        if ranks is not None and can_add_by_rank(last - first, *ranks[:2]):
            found = self.host.ranked(self.batch.base, ranks)
            add_by_rank(found, self.codes, n_most, self.votes, first, last)
            return
        if not self.has_normals and self.batch.excluded is None:
            add_likelihoods(
                self.likelihoods, self.codes, self.selected, self.votes, first, last
            )
            return
        attributes, counts = self.selected
        step = self._step(attributes.shape[1])
        for begin in range(first, last, step):
            part = slice(begin, min(last, begin + step))
            chosen = Selected(attributes[part], counts[part])
            self.votes[part] = self._cumulate(chosen, begin)[:, -1]

    def vote_with_each(self, order: NDArray[np.int32], first: int) -> Floats:
        """Sums with the first attribute, the first two, ... of each query's order."""
        n_queries, n_most = order.shape
        votes = np.empty((n_queries, n_most, self.batch.n_classes))
        step = self._step(n_most)
        for begin in range(0, n_queries, step):
            part = slice(begin, min(n_queries, begin + step))
            counts = np.full(part.stop - begin, n_most, np.int32)
            chosen = Selected(order[part], counts)
            votes[part] = self._cumulate(chosen, first + begin)[:, 1:]
        return votes

    def count_right(self, order: NDArray[np.int32], first: int) -> Ints | None:
        """Count the left-out cases decided right with one attribute, two, ...

        None where votes have to be looked at.
        """
        base, last = self.batch.base, first + len(order)
        part = self.batch.part(first, last)
        if self.has_normals or base.weighted or part.excluded is None:
            return None
        if not is_count_due(order.size * self.batch.n_classes):
            return None
        classes, _ = part.own_classes()
        terms, offsets = self.host.left_out_terms(base), base.cases.offsets
        return count_right(terms, offsets, self.codes[first:last], classes, order)

    def _step(self, n_most: int) -> int:
        n_cells = (n_most + 1) * self.batch.n_classes
        return max(1, cells_within(_MOST_TERMS) // n_cells)

    def _cumulate(self, selected: Selected, first: int) -> Floats:
        """Priors, then with each term added in order, (n, n_most + 1, n_classes)."""
        priors, terms = self._terms(selected, first)
        begin = np.broadcast_to(priors, (len(terms), terms.shape[2]))[:, None]
        return np.concatenate([begin, terms], axis=1).cumsum(axis=1)

    def _terms(self, selected: Selected, first: int) -> tuple[Floats, Floats]:
        """Priors and the terms of queries from `first` on, in the order selected."""
        last = first + len(selected.counts)
        part = self.batch.part(first, last)
        codes = self.codes[first:last]
        if part.excluded is None:
            priors = self.likelihoods.priors
            terms = contributions(self.likelihoods, codes, selected)
            own = None
        else:
            own = self._own(part, part.excluded)
            tallied = self.host.tallies(part.base)
            priors, terms = terms_without_own_row(tallied, codes, *own, selected)
        if self.has_normals:
            self._add_normals(part, selected, own, terms)
        return priors, terms

    def _own(self, part: Batch, rows: Ints) -> tuple[NDArray[np.int32], Votes]:
        """Class and weight of the cases left out."""
        classes, weights = part.own_classes()
        whole = weights if part.base.weighted else np.ones(len(rows), np.int64)
        return classes, whole

    def _add_normals(
        self,
        part: Batch,
        selected: Selected,
        own: tuple[NDArray[np.int32], Votes] | None,
        terms: Floats,
    ) -> None:
        """Put the terms of numeric attributes where they belong."""
        moments = self.host.moments(part.base)
        used = np.arange(terms.shape[1]) < selected.counts[:, None]
        for j in np.flatnonzero(part.cases.numeric >= 0).tolist():
            rows, places = np.nonzero((selected.attributes == j) & used)
            values = part.queries.values[rows, j]
            left_out = None
            if own is not None:
                left_out = own[0][rows], own[1][rows].astype(np.float64)
            column = int(part.cases.numeric[j])
            terms[rows, places] = normal_terms(
                moments, column, values, self.host.alpha, left_out
            )

    def to_probabilities(self, votes: Votes) -> Floats:
        """P(class | query)."""
        return to_probabilities(np.asarray(votes, np.float64))

    def evidence(self, query: int, decision: int) -> BayesTerms:
        """Terms that were added up for a query."""
        attributes = self.selected.attributes[query : query + 1]
        chosen = Selected(attributes, self.selected.counts[query : query + 1])
        priors, terms = self._terms(chosen, query)
        flat = np.broadcast_to(priors, (1, terms.shape[2]))[0]
        return BayesTerms(flat, terms[0, : chosen.counts[0]])
