"""Figures of a server's processes, and counts that its workers add up in a folder."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

Counts = dict[str, list[float]]
"""Numbers by a key; those of several workers are added up, place by place."""


class SharedCounts:
    """The counts of all workers of a server, each in a file of its own.

    Those of a worker that ends are added to the file ``ended``, so that sums never
    fall.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"counts-{os.getpid()}.json"

    def save(self, counts: Counts) -> None:
        """Write the counts of this worker."""
        _write(self._path, counts)

    def sum_with(self, counts: Counts) -> Counts:
        """Add the counts of all other workers to those of this one."""
        total = counts
        for path in self._folder.glob("counts-*.json"):
            if path != self._path:
                total = _add(total, _read(path))
        return total

    def end(self, counts: Counts) -> None:
        """Leave the counts of this worker to the others."""
        ended = self._folder / "counts-ended.json"
        with open(self._folder / "lock", "ab") as held:
            if fcntl is not None:
                fcntl.flock(held, fcntl.LOCK_EX)
            _write(ended, _add(counts, _read(ended)))
            self._path.unlink(missing_ok=True)


def _read(path: Path) -> Counts:
    try:
        counts: Counts = json.loads(path.read_text("ascii"))
    except (OSError, ValueError):  # its worker has ended just now
        return {}
    return counts


def _write(path: Path, counts: Counts) -> None:
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(counts), "ascii")
    fresh.replace(path)


def _add(some: Counts, others: Counts) -> Counts:
    total = dict(some)
    for key, numbers in others.items():
        before = total.get(key, [0.0] * len(numbers))
        total[key] = [a + b for a, b in zip(before, numbers, strict=True)]
    return total


class ProcessFigure(NamedTuple):
    """A figure under the name that Prometheus' clients use."""

    name: str
    text: str
    kind: str
    value: float


def read_process_figures(start: float, *, together: bool) -> Iterator[ProcessFigure]:
    """Figures of this process, or of its parent with all processes of that together."""
    cpu = sum(os.times()[:2])
    pids = _find_processes() if together else [os.getpid()]
    if together:
        cpu = sum(_read_cpu(pid, pid == pids[0]) for pid in pids) or cpu
    yield ProcessFigure(
        "cpu_seconds_total", "Processor time in seconds.", "counter", round(cpu, 2)
    )
    yield ProcessFigure(
        "start_time_seconds", "When the server started.", "gauge", round(start, 2)
    )
    memory = n_files = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
            memory += int(pages) * os.sysconf("SC_PAGE_SIZE")
            n_files += len(os.listdir(f"/proc/{pid}/fd"))
    if memory:  # on Linux
        yield ProcessFigure(
            "resident_memory_bytes", "Resident memory.", "gauge", memory
        )
        yield ProcessFigure("open_fds", "Open files and sockets.", "gauge", n_files)


def _find_processes() -> list[int]:
    """The parent of this process, and all that it has started."""
    parent = os.getppid()
    try:
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text("ascii")
    except OSError:  # pragma: no cover - not Linux
        return [os.getpid()]
    return [parent, *map(int, text.split())]


def _read_cpu(pid: int, with_ended: bool) -> float:
    """Processor time of a process, with that of its children that have ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return 0.0
    times: list[Any] = text.rpartition(")")[2].split()[11:15]
    ticks = sum(map(int, times if with_ended else times[:2]))
    return float(ticks / os.sysconf("SC_CLK_TCK"))
