"""Nearest neighbors on a device, which has a copy of each state of the cases."""

from typing import Any

from sklazy.answer.batch import Batch
from sklazy.answer.device import open_devices
from sklazy.answer.pieces import Cargo, fits, hold
from sklazy.casebase import CaseBase
from sklazy.flow import Selected
from sklazy.measures import RankTable
from sklazy.methods.selection.nearest_in_pieces import columns_cargo, sets_cargo
from sklazy.neighbors.cuda.mixed import DeviceMixedSearch
from sklazy.neighbors.cuda.nominal import DeviceNominalSearch
from sklazy.neighbors.cuda.pointing import GivenOnDevice, put_ranks
from sklazy.neighbors.voting import Voting

SLICES = 1 << 14, 1 << 16
"""The fewest and most queries of a slice that are left out in turn."""

LONG_SEARCH = 500_000
"""Rows whose search takes longer than to make a slice ready."""

AHEAD = 5120
"""Queries of a slice that is searched while the next one is made ready."""


def has_room_for(device_name: str, base: CaseBase, on_numbers: bool) -> bool:
    """Whether one device is asked, and has room for all cases."""
    cargo = columns_cargo(base) if on_numbers else sets_cargo(base)
    devices = open_devices(device_name)
    return len(devices) == 1 and fits(devices[0], cargo)


def search_labels(
    device_name: str, batch: Batch, selected: Selected, voting: Voting
) -> DeviceNominalSearch | None:
    """Make a search among labels and bins of all cases; None without room."""
    sets = _hold(device_name, batch.base, sets_cargo(batch.base))
    if sets is None:
        return None
    return DeviceNominalSearch(
        sets,
        batch.queries.codes,
        GivenOnDevice(selected),
        voting.n_neighbors,
        batch.excluded,
        by_distance=voting.by_distance,
    )


def search_by_ranks(
    device_name: str, batch: Batch, ranks: RankTable, n_selected: int, voting: Voting
) -> DeviceNominalSearch | None:
    """Make a search among labels whose attributes are chosen on the device."""
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
) -> DeviceMixedSearch | None:
    """Make a search among numbers and labels of all cases; None without room."""
    there = _hold(device_name, batch.base, columns_cargo(batch.base))
    if there is None:
        return None
    return DeviceMixedSearch(
        there,
        batch.queries,
        selected,
        voting.n_neighbors,
        batch.excluded,
        by_distance=voting.by_distance,
    )


def _hold(device_name: str, base: CaseBase, cargo: Cargo) -> Any:  # noqa: ANN401
    """All cases on one device; None if there are several, or no room."""
    devices = open_devices(device_name)
    return hold(base, devices[0], cargo) if len(devices) == 1 else None
