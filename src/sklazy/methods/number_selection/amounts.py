"""How many attributes a query uses, where left-out cases decide."""

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.threads import run_chunks
from sklazy.casebase import CaseBase
from sklazy.flow import Selected
from sklazy.methods.number_selection.data import (
    Asked,
    ask_of_cases,
    number_cases,
    order_without_own_row,
)
from sklazy.methods.number_selection.host import MeanHost
from sklazy.methods.selection.recipe import Recipe

# About a second of work, but at least as many cases as a choice needs.
_NANOSECONDS, _LEAST_TRIED = 1e9, 200
_NESTED = 6.0  # what all numbers of attributes cost, in terms of the last alone


def best_number(base: CaseBase, recipe: Recipe, host: MeanHost) -> int:
    """The number of attributes with the least squared error of cases left out.

    Of many cases the first `max_loo_rows` in canonical order are left out in turn, or
    fewer where that would take long: a sample that depends on the cases alone. Cuts
    and ranks stay those of all cases meanwhile.
    """
    if base.n_rows == 1:
        return 1
    key = best_number, recipe, host
    return base.derive(key, lambda: _find_best_number(base, recipe, host))


def _find_best_number(base: CaseBase, recipe: Recipe, host: MeanHost) -> int:
    cost = _NESTED * host.cost(base, len(base.names))
    affordable = max(_LEAST_TRIED, int(_NANOSECONDS / max(1.0, cost)))
    n_tried = min(base.n_rows, recipe.max_loo_rows, affordable)
    asked, errors = ask_of_cases(base, np.arange(n_tried)), np.empty((0, 0))
    errors = np.empty((n_tried, len(base.names)))

    def run(first: int, last: int) -> None:
        part = asked.part(first, last)
        orders = [order_without_own_row(part, recipe, q) for q in range(len(part))]
        errors[first:last] = _square_errors(part, np.array(orders), host)

    run_chunks(run, n_tried, recipe.n_jobs, cost * n_tried)
    return int(errors.sum(axis=0).argmin()) + 1


def _square_errors(
    asked: Asked, orders: NDArray[np.int32], host: MeanHost
) -> NDArray[np.float64]:
    """Squared errors of cases left out, with 1, 2, ... attributes, (n, n_most)."""
    counts = np.full(len(orders), orders.shape[1], np.int32)
    search = host.start(asked, Selected(orders, counts))
    targets = number_cases(asked.base).targets[asked.excluded]
    errors: Floats = (search.values_with_each(orders) - targets[:, None]) ** 2
    return errors


def local_numbers(
    asked: Asked, recipe: Recipe, host: MeanHost, orders: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The number of attributes with the least squared error near each query.

    The `n_local_neighbors` cases nearest to a query on all attributes are left out in
    turn and predicted on the first attributes of the query's own order.
    """
    n_rows, n_queries = asked.base.n_rows, len(orders)
    n_local = min(recipe.n_local_neighbors, n_rows - (asked.excluded is not None))
    if n_rows == 1 or not n_queries or not n_local:
        return np.ones(n_queries, np.int32)
    places = np.concatenate(_find_nearest(asked, host, n_local))
    nearby = ask_of_cases(asked.base, places)
    errors = _square_errors(nearby, np.repeat(orders, n_local, axis=0), host)
    sums = errors.reshape(n_queries, n_local, -1).sum(axis=1)
    return (sums.argmin(axis=1) + 1).astype(np.int32)


def _find_nearest(asked: Asked, host: MeanHost, n_nearest: int) -> list[Ints]:
    """The cases nearest to each query on all attributes, ties in canonical order."""
    n_attributes = asked.queries.codes.shape[1]
    everything = np.arange(n_attributes, dtype=np.int32)
    orders = np.tile(everything, (len(asked), 1))
    counts = np.full(len(asked), n_attributes, np.int32)
    search = host.start(asked, Selected(orders, counts))
    return [
        np.argsort(search.measure(query), kind="stable")[:n_nearest]
        for query in range(len(asked))
    ]
