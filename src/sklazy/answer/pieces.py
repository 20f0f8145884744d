"""Rows that devices are asked about: all at once where they fit, else in pieces.

Results for pieces of the rows are joined as those for parts of a case base are.
A method describes a copy of some rows by a `Cargo`, which is kept while there is room,
or passes in pieces. Nothing here knows what is asked.
"""

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from sklazy.casebase import CaseBase
from sklazy.errors import DeviceError
from sklazy.kernels.cuda.copies import Copy, copies_on, describe_lack_of_room
from sklazy.kernels.cuda.device import Device

Found = TypeVar("Found")

UNIT = 64
"""Pieces have a multiple of this many rows, except the last: words of bit sets."""


class Cargo(NamedTuple):
    """Rows of a base, in the form that a device holds.

    Attributes
    ----------
    key : hashable
        Distinguishes it from other copies of the same state of a base.
    n_rows : int
    row_bytes : float
    put : callable
        From a device, the first row and that behind the last to the copy.
    """

    key: Hashable
    n_rows: int
    row_bytes: float
    put: Callable[[Device, int, int], Any]

    @property
    def n_bytes(self) -> int:
        """The bytes of all rows."""
        return int(self.n_rows * self.row_bytes) + 1


Ask = Callable[[Any, int, int], Callable[[], Found]]
"""Begins to ask a copy of the rows ``first..last - 1``; what it returns ends that."""


def fits(device: Device, cargo: Cargo) -> bool:
    """Whether a device can have a copy of all rows, if it has nothing else."""
    return cargo.n_bytes <= copies_on(device).room()


def hold(base: CaseBase, device: Device, cargo: Cargo) -> Any:  # noqa: ANN401
    """The copy of all rows, kept until they change; None where there is no room."""
    return _hold(base, device, cargo, 0, cargo.n_rows)


def hold_all(base: CaseBase, device: Device, cargo: Cargo) -> Any:  # noqa: ANN401
    """The same where pieces would not do.

    Raises
    ------
    DeviceError
        The rows do not fit.
    """
    copy = hold(base, device, cargo)
    if copy is None:
        what, room = f"{cargo.n_rows:,} rows", copies_on(device).room()
        raise DeviceError(describe_lack_of_room(device, what, cargo.n_bytes, room))
    return copy


def ask_rows(
    base: CaseBase, devices: list[Device], cargo: Cargo, ask: Ask[Found]
) -> list[Found]:
    """Results for pieces of the rows, in their order.

    Every device has its share of the rows, and keeps a copy of it if that fits; else
    the share goes through in pieces. Several devices work at the same time.
    """
    n_units = -(-cargo.n_rows // UNIT)
    n_shares = max(1, min(len(devices), n_units))
    ends = [n_units * i // n_shares * UNIT for i in range(n_shares)] + [cargo.n_rows]
    shares = list(zip(devices, ends, ends[1:], strict=False))
    if n_shares == 1:
        return _ask_share(base, cargo, ask, *shares[0])
    with ThreadPoolExecutor(n_shares) as threads:
        tasks = [
            threads.submit(_ask_share, base, cargo, ask, device, first, last)
            for device, first, last in shares
        ]
        return list(chain.from_iterable(task.result() for task in tasks))


def _ask_share(
    base: CaseBase,
    cargo: Cargo,
    ask: Ask[Found],
    device: Device,
    first: int,
    last: int,
) -> list[Found]:
    copy = _hold(base, device, cargo, first, last)
    with device.in_use():
        if copy is not None:
            return [ask(copy, first, last)()]
        return list(_pass_through(device, cargo, ask, first, last))


def _hold(base: CaseBase, device: Device, cargo: Cargo, first: int, last: int) -> Any:  # noqa: ANN401 - whatever is put
    copy = base.derive((cargo.key, device.name, first, last), Copy)
    return copies_on(device).keep(
        copy,
        cargo.n_bytes * (last - first) // max(1, cargo.n_rows),
        lambda: cargo.put(device, first, last),
    )


def _pass_through(
    device: Device, cargo: Cargo, ask: Ask[Found], first: int, last: int
) -> Iterator[Found]:
    """Copy piece after piece to a device; the next one while the last is searched."""
    under_way: Callable[[], Found] | None = None
    with copies_on(device).passing(last - first, cargo.row_bytes, UNIT) as step:
        for begin in range(first, last, step):
            end = min(last, begin + step)
            begun = ask(cargo.put(device, begin, end), begin, end)
            if under_way is not None:
                yield under_way()
            under_way = begun
        assert under_way is not None
        yield under_way()
