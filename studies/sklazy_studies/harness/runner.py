"""Runs units of work and stores their results; recorded ones are not run again."""

import contextlib
import time
from collections.abc import Callable, Sequence

import numpy as np

from sklazy.errors import UnitsFailedError
from sklazy.report.progress import Progress
from sklazy_studies.harness.store import Store
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.harness.workers import Done, Work, work_through

_NAMED = 3  # failures in a message

Note = Callable[[str], None]


def run_units(
    work: Work,
    units: Sequence[Unit],
    store: Store,
    *,
    jobs: int = 1,
    label: str = "working",
    note: Note | None = None,
    max_seconds: float | None = None,
) -> dict[Unit, Plain]:
    """Return the results of all units, after running those that are not recorded.

    Parameters
    ----------
    work : callable
        From a unit to its result, plain data.
    units : sequence of Unit
    store : Store
    jobs : int
        Processes; see `work_through`.
    label : str
        For the progress bar.
    note : callable, optional
        Called with a line per unit done.
    max_seconds : float, optional
        No unit is begun after this time, and those begun are finished; the cheapest
        are run first then. The result lacks those that are not recorded.

    Returns
    -------
    dict of Unit to its result, in the order of the units

    Raises
    ------
    UnitsFailedError
        When units failed; all others are done and recorded.
    """
    missing = _missing(units, store)
    failed: list[Done] = []
    # The most expensive first, so that none is left for one worker at the end.
    sign = -1 if max_seconds is None else 1
    queue = sorted(missing, key=lambda unit: sign * unit.cost)
    ending = time.monotonic() + (np.inf if max_seconds is None else max_seconds)
    scale = 1000 / max(sum(unit.cost for unit in queue), 1e-300)
    stream_of_done = work_through(work, queue, jobs, lambda: time.monotonic() > ending)
    working = contextlib.closing(stream_of_done)
    with Progress(label, total=1000) as progress, working as stream:
        for n_done, done in enumerate(stream, 1):
            if done.result is None:
                failed.append(done)
            else:
                store.record(done.unit, done.result, done.seconds)
            count = f"{n_done} of {len(queue)}"
            progress.advance(done.unit.cost * scale, note=f"{count}, {done.unit}")
            if note is not None:
                note(f"{count}: {done.unit}, {done.reason or f'{done.seconds:.1f} s'}")
    if failed:
        raise _failure(failed, len(units))
    return store.find(units)


def _missing(units: Sequence[Unit], store: Store) -> list[Unit]:
    recorded = store.find(units)
    return [unit for unit in dict.fromkeys(units) if unit not in recorded]


def _failure(failed: list[Done], n_units: int) -> UnitsFailedError:
    lines = [f"\n  {done.unit}: {done.reason}" for done in failed[:_NAMED]]
    more = f"\n  and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    return UnitsFailedError(
        f"{len(failed)} of {n_units} units failed; the others are recorded and will "
        f"not be run again:{''.join(lines)}{more}",
        [done.trace for done in failed],
    )
