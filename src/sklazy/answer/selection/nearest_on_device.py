"""Nearest neighbors on a device, which has a copy of each state of the cases."""

from typing import NamedTuple

from sklazy.answer.batch import Batch
from sklazy.backends.device import open_device
from sklazy.flow import Selected
from sklazy.kernels.cuda.device import Device
from sklazy.neighbors import ScaledColumns
from sklazy.neighbors.cuda.mixed import DeviceMixedSearch, put_columns
from sklazy.neighbors.cuda.nominal import DeviceNominalSearch
from sklazy.neighbors.cuda.sets import DeviceSets, put_ranks, put_sets
from sklazy.neighbors.cuda.weighted import (
    DeviceWeightedSearch,
    ListingSearch,
    count_enough,
)
from sklazy.selection import RankTable

SLICES = 1 << 14, 1 << 16
"""The fewest and most queries of a slice that are left out in turn."""

LONG_SEARCH = 500_000
"""Rows whose search takes longer than to make a slice ready."""

AHEAD = 5120
"""Queries of a slice that is searched while the next one is made ready."""


class Voting(NamedTuple):
    """How cases vote; see `sklazy.answer.selection.nearest.NearestHost`."""

    n_neighbors: int
    shares: bool
    by_distance: bool


def search_labels(
    device_name: str, batch: Batch, selected: Selected, voting: Voting
) -> DeviceNominalSearch | DeviceWeightedSearch:
    """The search among labels and bins that a batch calls for."""
    sets = _sets_on(open_device(device_name), batch)
    codes, excluded = batch.queries.codes, batch.excluded
    if not batch.base.weighted:
        return DeviceNominalSearch(
            sets,
            codes,
            selected,
            voting.n_neighbors,
            excluded,
            by_distance=voting.by_distance,
        )
    weights = batch.cases.weights[: batch.cases.n_rows]
    enough = count_enough(weights, voting.n_neighbors)
    search = DeviceNominalSearch(sets, codes, selected, enough, excluded)
    return _weigh(batch, search, voting)


def search_by_ranks(
    device_name: str, batch: Batch, ranks: RankTable, n_selected: int, voting: Voting
) -> DeviceNominalSearch:
    """The same for rows that count alike, with attributes chosen on the device."""
    device = open_device(device_name)
    key = (put_ranks, device.name, id(ranks))  # the base keeps the ranks, too
    chosen = batch.base.derive(
        key, lambda: put_ranks(device, ranks.starts, ranks.ranks)
    )
    sets, codes = _sets_on(device, batch), batch.queries.codes
    chosen = chosen._replace(n_most=n_selected)
    return DeviceNominalSearch(
        sets, codes, chosen, voting.n_neighbors, by_distance=voting.by_distance
    )


def search_numbers(
    device_name: str,
    batch: Batch,
    columns: ScaledColumns,
    selected: Selected,
    voting: Voting,
) -> DeviceMixedSearch | DeviceWeightedSearch:
    """The search among numbers and labels that a batch calls for."""
    device, base, cases = open_device(device_name), batch.base, batch.cases
    on_device = base.derive(
        (put_columns, device.name), lambda: put_columns(device, cases, columns)
    )
    enough = voting.n_neighbors
    if base.weighted:
        weights = cases.weights[: cases.n_rows]
        # Rows without a weight may be nearer than all others.
        enough = count_enough(weights, enough) + int((weights <= 0).sum())
    search = DeviceMixedSearch(
        on_device,
        cases,
        columns,
        batch.queries,
        selected,
        enough,
        batch.excluded,
        by_distance=voting.by_distance and not base.weighted,
    )
    return _weigh(batch, search, voting) if base.weighted else search


def _weigh(batch: Batch, search: ListingSearch, voting: Voting) -> DeviceWeightedSearch:
    """Let the rows that a search lists vote by weight."""
    return DeviceWeightedSearch(
        batch.cases,
        search,
        len(batch),
        voting.n_neighbors,
        shares=voting.shares,
        by_distance=voting.by_distance,
    )


def _sets_on(device: Device, batch: Batch) -> DeviceSets:
    base = batch.base
    return base.derive(
        (put_sets, device.name), lambda: put_sets(device, batch.cases, base.weighted)
    )
