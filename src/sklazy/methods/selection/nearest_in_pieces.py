"""Nearest neighbors of a part's rows on devices, piece by piece where they are many.

A piece gives the same results for a query as a part: `neighbors.levels` merges
either, so that neither parts nor pieces change a digit.
"""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch
from sklazy.answer.device import open_devices
from sklazy.answer.pieces import Cargo, ask_rows
from sklazy.casebase import CaseBase
from sklazy.flow import Cases
from sklazy.neighbors import NOBODY, Near, Tallies, scaled_columns
from sklazy.neighbors.cuda.cutting import cut_cases, cut_excluded, cut_scaled
from sklazy.neighbors.cuda.mixed import (
    DeviceColumns,
    DeviceMixedSearch,
    count_column_bytes,
    put_columns,
)
from sklazy.neighbors.cuda.nominal import DeviceNominalSearch
from sklazy.neighbors.cuda.pointing import GivenOnDevice
from sklazy.neighbors.cuda.sets import DeviceSets, count_set_bytes, put_sets
from sklazy.neighbors.cuda.weighted import ListingSearch, Voters, count_enough
from sklazy.neighbors.levels import Weighed

if TYPE_CHECKING:
    from sklazy.methods.selection.nearest_in_parts import Question

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ENOUGH = 1.0 + 1e-6  # as `list_weighed` has it: the order of weights must not matter


def sets_cargo(base: CaseBase) -> Cargo:
    """The cases as agreement sees them."""
    return base.derive(sets_cargo, lambda: _make_sets_cargo(base.cases, base.weighted))


def _make_sets_cargo(cases: Cases, weighted: bool) -> Cargo:
    return Cargo(
        put_sets,
        cases.n_rows,
        count_set_bytes(cases),
        lambda device, *rows: put_sets(device, cut_cases(cases, *rows), weighted),
    )


def columns_cargo(base: CaseBase) -> Cargo:
    """The cases as distances on numbers see them."""
    cases, columns = base.cases, scaled_columns(base)
    return Cargo(
        put_columns,
        cases.n_rows,
        count_column_bytes(cases),
        lambda device, *rows: put_columns(
            device, cut_cases(cases, *rows), cut_scaled(columns, *rows)
        ),
    )


def find_tallies_there(
    part: CaseBase, batch: Batch, question: "Question", device: str
) -> list[Tallies]:
    """Rows by agreements, those of the k nearest of each piece."""

    def ask(there: DeviceSets, first: int, last: int) -> Callable[[], Tallies]:
        k = question.host.n_neighbors
        search = _search_labels(there, batch, question, k, (first, last), tally=True)
        search.run(0, len(batch))
        return lambda: _read_tallies(search)

    return ask_rows(part, open_devices(device), sets_cargo(part), ask)


def _read_tallies(search: DeviceNominalSearch) -> Tallies:
    tallies = search.tallies
    assert tallies is not None
    return Tallies(search.thresholds.astype(np.int64), tallies)


def find_near_there(
    part: CaseBase, batch: Batch, question: "Question", device: str
) -> list[Near]:
    """The k nearest rows of each piece by distance.

    Queries that see other ranges than all are left without any.
    """
    blank = np.array(list(question.own_widths), np.int64)

    def ask(there: DeviceColumns, first: int, last: int) -> Callable[[], Near]:
        k = question.host.n_neighbors
        search = _search_numbers(there, batch, question, k, (first, last))
        search.list_nearest()
        search.run(0, len(batch))
        found = Near(search.near, search.kths, search.tied)
        found.near[blank], found.kths[blank], found.tied[blank] = NOBODY, np.inf, 0
        return lambda: found

    return ask_rows(part, open_devices(device), columns_cargo(part), ask)


def find_weighed_there(
    part: CaseBase, batch: Batch, question: "Question", device: str
) -> list[Weighed]:
    """The nearest rows of each piece with their weights.

    On numbers, queries that see other ranges than all are left without any.
    """
    on_numbers = question.host.compares_numbers(part)
    cargo = columns_cargo(part) if on_numbers else sets_cargo(part)
    start: Callable[..., ListingSearch]
    start = _search_numbers if on_numbers else _search_labels

    def ask(there: Any, first: int, last: int) -> Callable[[], Weighed]:  # noqa: ANN401
        cases = cut_cases(batch.cases, first, last)
        enough = count_enough(cases.weights, question.host.n_neighbors * _ENOUGH)
        if on_numbers:  # rows without a weight may be nearer than all others
            enough += int((cases.weights <= 0).sum())
        search = start(there, batch, question, enough, (first, last))
        voters = _list_voters(search, cases, len(batch), question.own_widths)
        return lambda: voters

    return ask_rows(part, open_devices(device), cargo, ask)


def _search_labels(
    there: DeviceSets,
    batch: Batch,
    question: "Question",
    n_neighbors: int,
    rows: tuple[int, int],
    *,
    tally: bool = False,
) -> DeviceNominalSearch:
    """A search of one piece."""
    return DeviceNominalSearch(
        there,
        batch.queries.codes,
        GivenOnDevice(question.selected),
        n_neighbors,
        cut_excluded(batch.excluded, *rows),
        tally=tally,
    )


def _search_numbers(
    there: DeviceColumns,
    batch: Batch,
    question: "Question",
    n_neighbors: int,
    rows: tuple[int, int],
) -> DeviceMixedSearch:
    """The same on numbers, in the ranges of all rows."""
    return DeviceMixedSearch(
        there,
        batch.queries,
        question.selected,
        n_neighbors,
        cut_excluded(batch.excluded, *rows),
        own_widths={},
    )


def _list_voters(
    search: ListingSearch,
    cases: Cases,
    n_queries: int,
    left_out: Collection[int] = (),
) -> Weighed:
    """The rows of a piece that may vote, query by query."""
    found: dict[int, Voters] = {}
    for voters in search.voters(0, n_queries):  # the second time counts
        seen = cases.weights[voters.rows] > 0
        rows, distances = voters.rows[seen], voters.distances[seen]
        found[voters.query] = Voters(voters.query, rows, distances)
    used = [found[query] for query in sorted(found) if query not in left_out]
    rows = np.concatenate([np.zeros(0, np.int64), *[own.rows for own in used]])
    owners = np.array([own.query for own in used], np.int64)
    return Weighed(
        np.repeat(owners, [len(own.rows) for own in used]),
        np.concatenate([np.zeros(0), *[own.distances for own in used]]),
        cases.classes[rows],
        cases.weights[rows],
        cases.class_counts.size,
    )
