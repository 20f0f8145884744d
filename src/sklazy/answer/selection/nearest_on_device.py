"""Nearest neighbors on a device, which has a copy of each state of the cases."""

from typing import Any, NamedTuple

from sklazy.answer.batch import Batch
from sklazy.answer.selection.nearest_in_pieces import (
    columns_cargo,
    sets_cargo,
)
from sklazy.backends.device import open_devices
from sklazy.backends.pieces import Cargo, fits, hold
from sklazy.casebase import CaseBase
from sklazy.flow import Selected
from sklazy.neighbors.cuda.mixed import DeviceMixedSearch
from sklazy.neighbors.cuda.nominal import DeviceNominalSearch
from sklazy.neighbors.cuda.sets import put_ranks
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


def has_room_for(device_name: str, base: CaseBase, on_numbers: bool) -> bool:
    """Whether one device is asked, and has room for all cases."""
    cargo = columns_cargo(base) if on_numbers else sets_cargo(base)
    devices = open_devices(device_name)
    return len(devices) == 1 and fits(devices[0], cargo)


def search_labels(
    device_name: str, batch: Batch, selected: Selected, voting: Voting
) -> DeviceNominalSearch | DeviceWeightedSearch | None:
    """The search among labels and bins that a batch calls for; None without room."""
    sets = _hold(device_name, batch.base, sets_cargo(batch.base))
    if sets is None:
        return None
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
) -> DeviceNominalSearch | None:
    """The same for rows that count alike, with attributes chosen on the device."""
    sets = _hold(device_name, batch.base, sets_cargo(batch.base))
    if sets is None:
        return None
    device = sets.device
    key = (put_ranks, device.name, id(ranks))  # the base keeps the ranks, too
    chosen = batch.base.derive(
        key, lambda: put_ranks(device, ranks.starts, ranks.ranks)
    )
    chosen = chosen._replace(n_most=n_selected)
    return DeviceNominalSearch(
        sets,
        batch.queries.codes,
        chosen,
        voting.n_neighbors,
        by_distance=voting.by_distance,
    )


def search_numbers(
    device_name: str, batch: Batch, selected: Selected, voting: Voting
) -> DeviceMixedSearch | DeviceWeightedSearch | None:
    """The search among numbers and labels that a batch calls for."""
    base, cases = batch.base, batch.cases
    there = _hold(device_name, base, columns_cargo(base))
    if there is None:
        return None
    enough = voting.n_neighbors
    if base.weighted:
        weights = cases.weights[: cases.n_rows]
        # Rows without a weight may be nearer than all others.
        enough = count_enough(weights, enough) + int((weights <= 0).sum())
    search = DeviceMixedSearch(
        there,
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


def _hold(device_name: str, base: CaseBase, cargo: Cargo) -> Any:  # noqa: ANN401
    """All cases on one device; None if there are several, or no room."""
    devices = open_devices(device_name)
    return hold(base, devices[0], cargo) if len(devices) == 1 else None
