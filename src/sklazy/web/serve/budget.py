"""How many rows each token may ask about, counted over restarts and workers."""

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path

from sklazy.errors import BadFileError
from sklazy.storage.placing import sync_folder
from sklazy.web.problems import Problem

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_BLOCK = 100  # rows that are written down at once, ahead of being asked


class QuestionBudget:
    """Counts rows by token and refuses those beyond a limit.

    Rows are reserved in blocks in a file before they are answered: a server that is
    killed has counted up to a block too many, never too few.

    Parameters
    ----------
    path : Path
        The file of counts; tokens are in it as hashes.
    most : int
        Rows that a token may ask about in all.
    """

    def __init__(self, path: Path, most: int) -> None:
        self._path, self._most = path, most
        self._lock = threading.Lock()
        self._reserved: dict[str, int] = {}
        self._read()

    def spend(self, token: str, n_rows: int) -> None:
        """Count rows of a token; raise a problem if it has no more left."""
        name = hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
        with self._lock:
            if self._reserved.get(name, 0) < n_rows:
                self._reserve(name, n_rows)
            self._reserved[name] -= n_rows

    def _reserve(self, name: str, n_rows: int) -> None:
        with self._alone():
            counts = self._read()
            held, used = self._reserved.get(name, 0), counts.get(name, 0)
            wanted = min(max(_BLOCK, n_rows - held), self._most - used)
            if held + wanted < n_rows:
                raise Problem(
                    429,
                    f"This token may ask about {self._most} rows in all, and has "
                    f"{max(0, held + wanted)} left. Ask the operator for a new one.",
                )
            counts[name] = used + wanted
            fresh = self._path.with_name(f"{self._path.name}.part")
            fresh.write_text(json.dumps(counts), "ascii")
            fresh.replace(self._path)
            sync_folder(self._path.parent)
            self._reserved[name] = held + wanted

    def _read(self) -> dict[str, int]:
        try:
            counts = json.loads(self._path.read_text("ascii"))
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise BadFileError(
                "is not a file of counted questions; restore or remove it.", self._path
            ) from error
        return {str(name): int(count) for name, count in counts.items()}

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from the file meanwhile."""
        with open(self._path.with_name(f"{self._path.name}.lock"), "ab") as held:
            if fcntl is not None:
                fcntl.flock(held, fcntl.LOCK_EX)
            yield
