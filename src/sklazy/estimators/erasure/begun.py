"""An erasure under way: kept beside the model until it is proved.

Once rows are gone from a file, nobody can search for their bytes any more. So what is
searched for, and the digest before, are written down first, and are wiped as soon as
the proof is complete. If the process is killed in between, the same command proves it.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from sklazy.casebase.rows import Ids
from sklazy.estimators.erasure.traces import Traces
from sklazy.storage.placing import left_folders

BEGUN = "erasure"
"""The file in the folder beside a model."""


class Begun(NamedTuple):
    """Rows to erase, digests with them and of a fit without them, and their bytes."""

    names: list[int | str]
    before: str
    after: str
    traces: Traces

    @classmethod
    def read(cls, text: str) -> Self:
        """Read what `keep` wrote."""
        names, before, after, kinds, n_shared = json.loads(text)
        ids, texts, numbers = (
            [[bytes.fromhex(pattern) for pattern in some] for some in kind]
            for kind in kinds
        )
        return cls(names, before, after, Traces(ids, texts, numbers, n_shared))

    def keep(self, folder: Path) -> None:
        """Write it into a folder, on the disk before anything is erased."""
        t = self.traces
        kinds = [
            [[pattern.hex() for pattern in some] for some in kind]
            for kind in (t.ids, t.texts, t.numbers)
        ]
        parts = [self.names, self.before, self.after, kinds, t.n_shared]
        with open(folder / f"{BEGUN}.new", "w", encoding="ascii") as file:
            json.dump(parts, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(folder / f"{BEGUN}.new", folder / BEGUN)


def find_begun(path: Path, names: Ids) -> Begun | None:
    """Find the erasure of the same rows that was cut short, if there is one."""
    wanted = set(names.tolist())
    matching = (one for one in _read_begun(path) if set(one.names) == wanted)
    return next(matching, None)


def _read_begun(path: Path) -> Iterator[Begun]:
    for folder in left_folders(path):
        try:
            yield Begun.read((folder / BEGUN).read_text("ascii"))
        except (OSError, ValueError, TypeError):  # another command's
            continue


def wipe_begun(folder: Path) -> None:
    """Overwrite what was written down, and remove it."""
    file = folder / BEGUN
    with open(file, "r+b") as data:
        data.write(bytes(os.fstat(data.fileno()).st_size))
        data.flush()
        os.fsync(data.fileno())
    file.unlink()
