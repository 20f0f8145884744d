"""How many attributes a query uses, where the cases themselves shall say.

A number of attributes is tried on cases that are left out: the one that classifies
most of them correctly is taken, of equally good ones the smallest. The cuts of numeric
attributes stay those of all cases meanwhile.

References
----------
R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Improving
lazy attribute selection. Journal of Information and Data Management 2(3), 2011.
"""

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.selection.choosing import Selection
from sklazy.answer.selection.nearest import NearestHost
from sklazy.answer.selection.question import (
    Asked,
    Host,
    Question,
    ask_about_cases,
    canonical_places,
)
from sklazy.answer.selection.recipe import Recipe
from sklazy.answer.selection.result import Ints, Votes
from sklazy.backends import run_chunks
from sklazy.casebase import CaseBase
from sklazy.flow import Selected

# Votes that are written down at once.
_MOST_VOTES = 4_000_000


def best_count(base: CaseBase, recipe: Recipe, host: Host) -> int:
    """The number of attributes with the best leave-one-out accuracy over the cases.

    Of many cases the first `n_auto` in canonical order are left out in turn: a
    sample that depends on the cases alone.
    """
    if base.n_rows == 1:
        return 1
    key = ("best count", recipe.selection, recipe.measure, recipe.n_auto, host)
    return base.derive(key, lambda: _find_best_count(base, recipe, host))


def _find_best_count(base: CaseBase, recipe: Recipe, host: Host) -> int:
    question = ask_about_cases(base, base.order[: recipe.n_auto])
    selection = Selection(question, recipe, question.n_attributes)
    asked = host.ask(question, selection.selected)
    classes = base.cases.classes[question.excluded]
    right = np.zeros((len(question), question.n_attributes), bool)

    def work(first: int, last: int) -> None:
        selection.run(first, last)
        order = selection.selected.attributes[first:last]
        chosen = decide_with_each(question, asked, order, first)
        right[first:last] = chosen == classes[first:last, None]

    cost = host.cost(question, question.n_attributes) * question.n_attributes
    run_chunks(work, len(question), recipe.n_jobs, cost * len(question))
    return int(right.sum(axis=0).argmax()) + 1


def decide_with_each(
    question: Question, asked: Asked, order: NDArray[np.int32], first: int
) -> Ints:
    """The class decided with the first attribute, the first two, ... of each order.

    Parameters
    ----------
    question : Question
    asked : Asked
    order : int32 array of shape (n, n_most)
        The orders of the queries from `first` on.
    first : int

    Returns
    -------
    int64 array of shape (n, n_most)
    """
    n_queries, n_most = order.shape
    decisions = np.empty(order.shape, np.int64)
    step = max(1, _MOST_VOTES // (n_most * question.n_classes))
    for begin in range(0, n_queries, step):
        end = min(n_queries, begin + step)
        priors = question.part(first + begin, first + end).priors()
        votes = asked.vote_with_each(order[begin:end], first + begin)
        decisions[begin:end] = _decide_all(asked, votes, priors)
    return decisions


def _decide_all(asked: Asked, votes: Votes, priors: Votes) -> Ints:
    """Decide for votes of shape (n, n_most, n_classes)."""
    n_most, n_classes = votes.shape[1:]
    if priors.ndim == 2:
        priors = np.repeat(priors, n_most, axis=0)
    return asked.decide(votes.reshape(-1, n_classes), priors).reshape(-1, n_most)


def local_counts(
    question: Question,
    recipe: Recipe,
    host: Host,
    order: NDArray[np.int32],
    first: int,
) -> NDArray[np.int32]:
    """The number of attributes with the best leave-one-out accuracy near each query.

    The `n_local` cases nearest to a query on all attributes are left out in turn and
    classified on the first attributes of the query's own order.

    Parameters
    ----------
    question : Question
    recipe : Recipe
    host : Host
    order : int32 array of shape (n, n_attributes)
        The orders of the queries from `first` on.
    first : int
    """
    base, n_local = question.base, min(recipe.n_local, question.cases.n_rows)
    if question.cases.n_rows == 1:
        return np.ones(len(order), np.int32)
    queries = range(first, first + len(order))
    rows = np.concatenate([_nearest(question, host, q, n_local) for q in queries])
    nearby = ask_about_cases(base, rows)
    orders = np.repeat(order, n_local, axis=0)
    counts = np.full(len(rows), order.shape[1], np.int32)
    asked = host.ask(nearby, Selected(orders, counts))
    chosen = decide_with_each(nearby, asked, orders, 0)
    right = chosen == base.cases.classes[rows][:, None]
    by_query = right.reshape(len(order), n_local, -1).sum(axis=1)
    return (by_query.argmax(axis=1) + 1).astype(np.int32)


def _nearest(question: Question, host: Host, query: int, n_nearest: int) -> Ints:
    """The cases nearest to a query on all attributes, ties in canonical order."""
    metric = host if isinstance(host, NearestHost) else NearestHost(n_nearest, True)
    everything = np.arange(question.n_attributes, dtype=np.int32)
    distances = metric.measure(question, query, everything)
    places = canonical_places(question.base)
    kth = np.partition(distances, n_nearest - 1)[n_nearest - 1]
    near = np.flatnonzero(distances <= kth)
    return near[np.lexsort((places[near], distances[near]))][:n_nearest]
