"""How many attributes and neighbors a query uses, where left-out cases decide.

A number of attributes is tried on cases that are left out: the one that classifies
most of them correctly is taken, of equally good ones the smallest. The cuts of numeric
attributes stay those of all cases meanwhile.

References
----------
R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Improving
lazy attribute selection. Journal of Information and Data Management 2(3), 2011.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import (
    Batch,
    Ints,
    Votes,
    batch_of_cases,
    canonical_places,
)
from sklazy.answer.threads import run_chunks
from sklazy.casebase import CaseBase
from sklazy.flow import Selected
from sklazy.forking import cached_property
from sklazy.kernels.listed_votes import UNITS
from sklazy.measures import argmax_with_ties
from sklazy.memory import cells_within
from sklazy.methods.selection.bayes import BayesWork
from sklazy.methods.selection.choosing import Selection
from sklazy.methods.selection.following import VoteFollower
from sklazy.methods.selection.host import GivenAttributes, Host, HostWork
from sklazy.methods.selection.nearest import NearestHost, NearestWork
from sklazy.methods.selection.recipe import Recipe

# About a second of work, but at least as many cases as a choice needs.
_NANOSECONDS, _LEAST_TRIED = 1e9, 200
_SHORT = 1e6  # nanoseconds that are not worth cutting
_NESTED = 6.0  # what all numbers of attributes cost, in terms of the last alone

# Votes that are written down at once.
_MOST_VOTES = 4_000_000


def best_count(base: CaseBase, recipe: Recipe, host: Host) -> int:
    """The number of attributes with the best leave-one-out accuracy over the cases.

    Of many cases the first `max_loo_rows` in canonical order are left out in turn, or
    fewer where that would take long: a sample that depends on the cases alone.
    """
    if base.n_rows == 1:
        return 1
    key = best_count, recipe, host
    return base.choose(key, lambda: _find_best_count(base, recipe, host))


def _count_tried(base: CaseBase, recipe: Recipe, host: Host) -> int:
    """How many cases are left out in turn."""
    cost = _NESTED * host.cost(base, len(base.names))
    affordable = int(_NANOSECONDS / max(1.0, cost))
    return min(recipe.max_loo_rows, max(_LEAST_TRIED, affordable))


def _find_best_count(base: CaseBase, recipe: Recipe, host: Host) -> int:
    def judge(tried: Tried, order: NDArray[np.int32], first: int) -> Ints:
        if isinstance(tried.work, BayesWork):
            right = tried.work.count_right(order, first)
            if right is not None:
                return right
        chosen = decide_with_each(tried.batch, tried.work, order, first)
        own = tried.classes[first : first + len(order), None]
        return np.asarray((chosen == own).sum(axis=0))

    n_attributes = len(base.names)
    return int(_add_up(base, recipe, host, n_attributes, judge).argmax()) + 1


def best_pair(
    base: CaseBase, recipe: Recipe, host: NearestHost, n_given: int | None
) -> tuple[int, int]:
    """The numbers of attributes and neighbors that are best together.

    Cases are left out in turn as in `best_count`. A case counts 1 if it is classified
    correctly, less half its Brier score, so that of numbers as often right those are
    taken whose probabilities are better; of equally good pairs the one of fewer
    attributes, then that of the first candidate.

    Parameters
    ----------
    base : CaseBase
    recipe : Recipe
    host : NearestHost
        Its `candidates` are tried.
    n_given : int, or None
        The number of attributes, where neighbors alone are to be chosen.
    """
    if base.n_rows == 1:
        return n_given or 1, host.candidates[0]
    key = best_pair, recipe, host, n_given
    return base.choose(key, lambda: _find_best_pair(base, recipe, host, n_given))


def _find_best_pair(
    base: CaseBase, recipe: Recipe, host: NearestHost, n_given: int | None
) -> tuple[int, int]:
    followers: list[VoteFollower] = []
    key = VoteFollower, recipe, host, n_given

    def judge(tried: Tried, order: NDArray[np.int32], first: int) -> Ints:
        if followers:
            return followers[0].score(order, first)
        return _judge_pairs(tried, host.candidates, order, first)

    def follow(tried: Tried) -> bool:
        given = host, tried.batch, host.candidates, n_most
        if VoteFollower.can_follow(*given):
            followers.append(VoteFollower(*given, key))
        return bool(followers) and followers[0].is_warm

    n_most = n_given or len(base.names)
    by_pair = _add_up(base, recipe, host, n_most, judge, follow)
    for follower in followers:
        follower.keep()
    if n_given is not None:
        return n_given, host.candidates[int(by_pair[:, -1].argmax())]
    count, candidate = divmod(int(by_pair.T.argmax()), len(host.candidates))
    return count + 1, host.candidates[candidate]


def _judge_pairs(
    tried: "Tried", numbers: tuple[int, ...], order: NDArray[np.int32], first: int
) -> Ints:
    """Scores of each pair of numbers over cases left out, (n_numbers, n_most)."""
    assert isinstance(tried.work, NearestWork)
    batch, (n_queries, n_most) = tried.batch, order.shape
    total = np.zeros((len(numbers), n_most), np.int64)
    step = max(
        1, cells_within(_MOST_VOTES) // (n_most * batch.n_classes * len(numbers))
    )
    for begin in range(0, n_queries, step):
        end = min(n_queries, begin + step)
        part = batch.part(first + begin, first + end)
        own = tried.classes[first + begin : first + end]
        some_order = order[begin:end]
        votes = tried.work.vote_with_each_of(numbers, some_order, first + begin)
        for i, some in enumerate(votes):
            total[i] += score_votes(some, part.n_others(), part.priors(), own)
    return total


def score_votes(votes: Votes, n_others: int, priors: Votes, own: Ints) -> Ints:
    """Right or not, less half the Brier score, added up in whole units, (n_most,).

    Parameters
    ----------
    votes : array of shape (n, n_most, n_classes)
    n_others : int
        Rows besides each case, which probabilities begin with.
    priors : array of shape (n_classes,) or (n, n_classes)
        Settle ties.
    own : int64 array of shape (n,)
        The classes of the cases.
    """
    right = _decide_all(votes, priors) == own[:, None]
    scores = votes + 1.0 / max(n_others, 1)
    # One after the other, as a kernel adds them.
    shares = scores / scores.cumsum(axis=2)[:, :, -1:]
    of_own = np.take_along_axis(shares, own[:, None, None], axis=2)[:, :, 0]
    brier = 1.0 - 2.0 * of_own + (shares * shares).cumsum(axis=2)[:, :, -1]
    units = np.rint((right - 0.5 * brier) * UNITS)
    return np.asarray(units.astype(np.int64).sum(axis=0))


class Tried:
    """Cases that are left out in turn, the host at work on them, and their classes."""

    def __init__(self, host: Host, batch: Batch, selection: Selection) -> None:
        self.batch, self._host, self._selection = batch, host, selection
        self.classes = batch.own_classes()[0].astype(np.int64)

    @cached_property
    def work(self) -> HostWork:
        """The host at work, where votes are to be found."""
        return self._host.start(self.batch, self._selection)


Judge = Callable[[Tried, NDArray[np.int32], int], Ints]
"""Scores the cases from the first on, whose attributes are in this order."""


def _add_up(
    base: CaseBase,
    recipe: Recipe,
    host: Host,
    n_most: int,
    judge: Judge,
    follow: Callable[[Tried], bool] = lambda _: False,
) -> Ints:
    """Add up the scores of cases left out in turn.

    Whole numbers: they add up to the same, whichever come first. `follow` returns
    whether most scores are known, so that threads are not worth their start.
    """
    n_tried = _count_tried(base, recipe, host)
    every = n_tried >= base.n_rows  # in any order
    rows = np.arange(base.n_rows) if every else base.first_in_order(n_tried)
    batch = batch_of_cases(base, rows)
    selection = Selection(batch, recipe, n_most)  # rows are left out
    tried = Tried(host, batch, selection)
    is_known = follow(tried)
    found: list[Ints] = []

    def run(first: int, last: int) -> None:
        selection.run(first, last)
        order = selection.selected.attributes[first:last]
        found.append(judge(tried, order, first))

    cost = _NESTED * host.cost(base, n_most) * len(batch)
    if cost < _SHORT or is_known:
        run(0, len(batch))
    else:
        run_chunks(run, len(batch), recipe.n_jobs, cost)
    return np.asarray(sum(found))


def decide_with_each(
    batch: Batch, work: HostWork, order: NDArray[np.int32], first: int
) -> Ints:
    """The class decided with the first attribute, the first two, ... of each order.

    Parameters
    ----------
    batch : Batch
    work : HostWork
    order : int32 array of shape (n, n_most)
        The orders of the queries from `first` on.
    first : int

    Returns
    -------
    int64 array of shape (n, n_most)
    """
    n_queries, n_most = order.shape
    decisions = np.empty(order.shape, np.int64)
    step = max(1, cells_within(_MOST_VOTES) // (n_most * batch.n_classes))
    for begin in range(0, n_queries, step):
        end = min(n_queries, begin + step)
        priors = batch.part(first + begin, first + end).priors()
        votes = work.vote_with_each(order[begin:end], first + begin)
        decisions[begin:end] = _decide_all(votes, priors)
    return decisions


def _decide_all(votes: Votes, priors: Votes) -> Ints:
    """Decide for votes of shape (n, n_most, n_classes)."""
    n_most, n_classes = votes.shape[1:]
    if priors.ndim == 2:
        priors = np.repeat(priors, n_most, axis=0)
    flat = votes.reshape(-1, n_classes)
    return argmax_with_ties(flat, priors).reshape(-1, n_most)


def local_counts(
    batch: Batch, recipe: Recipe, host: Host, order: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The number of attributes with the best leave-one-out accuracy near each query.

    The `n_local_neighbors` cases nearest to a query on all attributes are left out in
    turn and classified on the first attributes of the query's own order.

    Parameters
    ----------
    batch : Batch
    recipe : Recipe
    host : Host
    order : int32 array of shape (n_queries, n_attributes)
        The order of each query.
    """
    base, n_local = batch.base, min(recipe.n_local_neighbors, batch.cases.n_rows)
    if batch.cases.n_rows == 1 or not len(order):
        return np.ones(len(order), np.int32)
    queries = range(len(order))
    rows = np.concatenate([_nearest(batch, host, q, n_local) for q in queries])
    nearby = batch_of_cases(base, rows)
    orders = np.repeat(order, n_local, axis=0)
    counts = np.full(len(rows), order.shape[1], np.int32)
    work = host.start(nearby, GivenAttributes(Selected(orders, counts)))
    chosen = decide_with_each(nearby, work, orders, 0)
    right = chosen == base.cases.classes[rows][:, None]
    by_query = right.reshape(len(order), n_local, -1).sum(axis=1)
    return (by_query.argmax(axis=1) + 1).astype(np.int32)


def _nearest(batch: Batch, host: Host, query: int, n_nearest: int) -> Ints:
    """The cases nearest to a query on all attributes, ties in canonical order."""
    metric = host if isinstance(host, NearestHost) else NearestHost(n_nearest, True)
    everything = np.arange(batch.n_attributes, dtype=np.int32)
    distances = metric.measure(batch, query, everything)
    places = canonical_places(batch.base)
    kth = np.partition(distances, n_nearest - 1)[n_nearest - 1]
    near = np.flatnonzero(distances <= kth)
    return near[np.lexsort((places[near], distances[near]))][:n_nearest]
