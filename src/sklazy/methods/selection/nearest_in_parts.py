"""Nearest neighbors among parts of the cases: each lists its own, one vote of all."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch
from sklazy.answer.threads import run_chunks
from sklazy.casebase import CaseBase
from sklazy.flow import Queries, Selected
from sklazy.methods.selection.nearest_in_pieces import (
    find_near_there,
    find_tallies_there,
    find_weighed_there,
)
from sklazy.neighbors import NOBODY, MixedSearch, Near, NominalSearch, Tallies
from sklazy.neighbors.edges import find_two
from sklazy.neighbors.levels import Weighed, merge
from sklazy.neighbors.voting import list_weighed

if TYPE_CHECKING:
    from sklazy.methods.selection.nearest import NearestHost

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
OwnWidths = dict[int, Floats]


class Question(NamedTuple):
    """Question to every part.

    Attributes
    ----------
    host : NearestHost
    queries : Queries
    selected : Selected
    excluded : int64 array of shape (n_queries,), or None
        The rows that queries are, numbered over all parts.
    own_widths : dict
        The ranges that single queries see, where not those of all rows.
    """

    host: "NearestHost"
    queries: Queries
    selected: Selected
    excluded: Ints | None
    own_widths: OwnWidths


class PartedSearch:
    """A search that merges what all parts list: votes as `NominalSearch` has them.

    Also of cases with weights, whether in parts or not. Then ties and distances are
    settled while votes are added up (see `Votes`).
    """

    def __init__(self, host: "NearestHost", batch: Batch, selected: Selected) -> None:
        self.host, self.batch, self.selected = host, batch, selected
        shape, counted = (len(batch), batch.n_classes), not batch.base.weighted
        self.votes = np.zeros(shape, np.int64 if counted else np.float64)
        self.tied = np.zeros(shape, np.int64)
        by_distance = np.zeros((len(batch), batch.n_classes + 1))
        self.weighted = by_distance if counted and host.by_distance else None

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        here, host = slice(first, last), self.host
        question = ask_about(host, self.batch, self.selected, first, last)
        lists = _list_near(self.batch.base, question)
        merged = merge(lists, question.selected.counts, host.voting)
        self.votes[here], self.tied[here] = merged.votes, merged.tied
        if self.weighted is not None and merged.weighted is not None:
            self.weighted[here] = merged.weighted


def _list_near(
    base: CaseBase, question: Question
) -> list[Tallies] | list[Near] | list[Weighed]:
    """List the rows near to queries: with weights, by distance or by agreement."""
    if base.weighted:
        return list(chain.from_iterable(base.ask(find_weighed, question)))
    if question.host.compares_numbers(base):
        return base.ask_in_turn(find_near, question)
    return base.ask_in_turn(find_tallies, question)


def list_telling(
    host: "NearestHost", batch: Batch, selected: Selected, query: int, decision: int
) -> tuple[Ints, Floats]:
    """List the cases that may vote for a query, and the nearest of other classes.

    Numbers and measures: attributes that differ, or squared distances.
    """
    question = ask_about(host, batch, selected, query, query + 1)
    listed = batch.base.ask(find_telling, question, decision)
    numbers, measured = zip(*listed, strict=True)
    return np.concatenate(numbers), np.concatenate(measured)


def ask_about(
    host: "NearestHost", batch: Batch, selected: Selected, first: int, last: int
) -> Question:
    """Build the question to parts about the queries ``first..last - 1``."""
    part = batch.part(first, last)
    chosen = Selected(*(array[first:last] for array in selected))
    widths = {}
    if part.excluded is not None and host.compares_numbers(batch.base):
        widths = _widths_without(part)
    codes, values = map(np.ascontiguousarray, part.queries)
    if not host.compares_numbers(batch.base):
        values = np.zeros((len(part), 0))  # not used
    return Question(host, Queries(codes, values), chosen, part.excluded, widths)


# --- what a part does -----------------------------------------------------------------


def _batch_of(part: CaseBase, question: Question) -> Batch:
    """The queries put to a part, those that are its own rows left out."""
    excluded = question.excluded
    if excluded is not None:
        places = excluded - part.first_row
        excluded = np.where((places >= 0) & (places < part.n_rows), places, -1)
    return Batch(part, part.cases, question.queries, excluded)


def find_tallies(
    part: CaseBase, before: list[Tallies], question: Question
) -> list[Tallies]:
    """Rows by agreements, those of the k nearest of a part and of those before it."""
    if not part.n_rows:
        return before
    batch, host = _batch_of(part, question), question.host
    if host.device is not None:
        return before + find_tallies_there(part, batch, question, host.device)
    search = NominalSearch(
        batch.cases,
        batch.queries.codes,
        question.selected,
        host.n_neighbors,
        batch.excluded,
        tally=True,
    )
    if before:
        (search.known,) = before
    _run(search, part, question)
    assert search.tallies is not None
    return [Tallies(search.thresholds, search.tallies)]


def find_near(part: CaseBase, before: list[Near], question: Question) -> list[Near]:
    """The k nearest rows by distance of a part and of those before it."""
    if not part.n_rows:
        return before
    batch, device = _batch_of(part, question), question.host.device
    if device is None:
        return [_find_near_here(batch, question, *before)]
    found = find_near_there(part, batch, question, device)
    if question.own_widths:
        found.append(_find_near_of_some(batch, question))
    return before + found


def _find_near_here(
    batch: Batch, question: Question, known: Near | None = None
) -> Near:
    search = question.host.mixed_search(batch, question.selected, question.own_widths)
    search.list_nearest(known)
    _run(search, batch.base, question)
    return Near(search.near, search.kths, search.tied)


def _run(
    search: NominalSearch | MixedSearch, part: CaseBase, question: Question
) -> None:
    """Answer all queries, by as many threads as the part has."""
    n_queries, n_used = question.selected.attributes.shape
    if part.n_threads == 1:
        return search.run(0, n_queries)
    work = n_queries * question.host.cost(part, n_used)
    return run_chunks(search.run, n_queries, part.n_threads, work)


def _find_near_of_some(batch: Batch, question: Question) -> Near:
    """The same for queries that see other ranges than all; the others have no rows."""
    some = np.array(sorted(question.own_widths), np.int64)
    assert batch.excluded is not None
    codes, values = batch.queries
    queries = Queries(codes[some], values[some])
    few = replace(batch, queries=queries, excluded=batch.excluded[some])
    chosen = Selected(*(own[some] for own in question.selected))
    widths = {i: question.own_widths[query] for i, query in enumerate(some.tolist())}
    asked = question._replace(selected=chosen, own_widths=widths)
    found = _find_near_here(few, asked)
    near = np.full((len(batch), *found.near.shape[1:]), NOBODY)
    kths, tied = np.full(len(batch), np.inf), np.zeros((len(batch), batch.n_classes))
    near[some], kths[some], tied[some] = found
    return Near(near, kths, tied.astype(np.int64))


def find_weighed(part: CaseBase, question: Question) -> list[Weighed]:
    """A part's nearest rows with their weights; none without rows."""
    if not part.n_rows:
        return []
    batch, device = _batch_of(part, question), question.host.device
    if device is None:
        return [_find_weighed_here(batch, question, range(len(batch)))]
    found = find_weighed_there(part, batch, question, device)
    if question.own_widths:
        found.append(_find_weighed_here(batch, question, sorted(question.own_widths)))
    return found


def _find_weighed_here(
    batch: Batch, question: Question, queries: Sequence[int]
) -> Weighed:
    host, live = question.host, slice(batch.base.n_rows)
    classes, weights = batch.cases.classes[live], batch.cases.weights[live]
    attributes, counts = question.selected
    rows, measures = [], []
    for query in queries:
        used = attributes[query, : counts[query]]
        measured = host.measure(batch, query, used, question.own_widths)
        own = np.where(np.isinf(measured), 0.0, weights)
        rows.append(np.flatnonzero(list_weighed(measured, own, host.n_neighbors)))
        measures.append(measured[rows[-1]])
    listed = np.concatenate([np.zeros(0, np.int64), *rows])
    owners = np.repeat(np.array(queries, np.int64), [len(own) for own in rows])
    measured = np.concatenate([np.zeros(0), *measures])
    near = owners, measured, classes[listed], weights[listed]
    return Weighed(*near, batch.n_classes)


def find_telling(
    part: CaseBase, question: Question, decision: int
) -> tuple[Ints, Floats]:
    """A part's cases that may vote for one query, and its nearest of other classes.

    Numbered over all parts, with their measures.
    """
    if not part.n_rows:
        return np.zeros(0, np.int64), np.zeros(0)
    batch, host, live = _batch_of(part, question), question.host, slice(part.n_rows)
    used = question.selected.attributes[0, : question.selected.counts[0]]
    measured = host.measure(batch, 0, used, question.own_widths)
    weights = np.where(np.isfinite(measured), batch.cases.weights[live], 0.0)
    others = np.flatnonzero((weights > 0) & (batch.cases.classes[live] != decision))
    if others.size:
        others = others[measured[others] == measured[others].min()]
        others = others[[np.argmin(part.rank(others))]]
    voters = np.flatnonzero(list_weighed(measured, weights, host.n_neighbors))
    rows = np.union1d(voters, others)
    return rows + part.first_row, measured[rows]


def _widths_without(batch: Batch) -> OwnWidths:
    """The ranges of queries that are rows which lie alone at an edge."""
    base, numeric = batch.base, np.flatnonzero(batch.cases.numeric >= 0)
    low, high = base.derive(find_ends, lambda: _merge_ends(base.ask(find_ends)))
    widths = np.full(batch.n_attributes, np.nan)
    widths[numeric] = batch.cases.ranges[:, 1] - batch.cases.ranges[:, 0]
    found = {}
    for query, values in enumerate(batch.queries.values[:, numeric]):
        lows = np.where(values == low[:, 0], low[:, 1], low[:, 0])
        highs = np.where(values == high[:, 0], high[:, 1], high[:, 0])
        if not np.array_equal(highs - lows, widths[numeric], equal_nan=True):
            own = widths.copy()
            own[numeric] = highs - lows
            found[query] = own
    return found


def find_ends(part: CaseBase) -> tuple[Floats, Floats]:
    """The two smallest and the two largest numbers of each numeric attribute."""
    numbers = part.cases.numbers[:, : part.n_rows]
    return find_two(numbers, np.fmin), find_two(numbers, np.fmax)


def _merge_ends(ends: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    lows, highs = zip(*ends, strict=True)
    return (
        find_two(np.concatenate(lows, axis=1), np.fmin),
        find_two(np.concatenate(highs, axis=1), np.fmax),
    )
