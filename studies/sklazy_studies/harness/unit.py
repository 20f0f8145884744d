"""A unit of work: the smallest piece of an experiment that is recorded."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sklazy
from sklazy.forking import cached_property

Plain = dict[str, Any]
"""Data that JSON can hold, so that it is the same when it is read again."""


@dataclass(frozen=True, eq=False)
class Unit:
    """One fold of one set with one setting, identified by all that decides its result.

    Parameters
    ----------
    experiment : str
    protocol : int
        The version of the experiment's protocol; a new one needs new results.
    data : str
        The checksum of the data; empty where they are drawn from a seed.
    setting : mapping of plain data
        Set, fold, parameters.
    cost : float
        The expected time in any unit; only for the order and the estimate of the
        time left.
    code : str
        The digest of the code that computes it (`code_digest`).

    Examples
    --------
    >>> unit = Unit("lazy-selection", 1, "a1b2", {"set": "wine", "fold": 3})
    >>> unit
    lazy-selection: set=wine, fold=3
    >>> unit.key == Unit("lazy-selection", 1, "a1b2", {"fold": 3, "set": "wine"}).key
    True
    >>> unit.key == Unit("lazy-selection", 2, "a1b2", {"set": "wine", "fold": 3}).key
    False
    """

    experiment: str
    protocol: int
    data: str
    setting: Mapping[str, Any]
    cost: float = 1.0
    code: str = ""

    @cached_property
    def key(self) -> str:
        """The fingerprint of all that decides the result, version and code included."""
        named = [self.experiment, self.protocol, self.data, dict(self.setting)]
        text = json.dumps([sklazy.__version__, self.code, *named], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        # Lists are the same in all units of an experiment.
        short = [(n, v) for n, v in self.setting.items() if not isinstance(v, _LONG)]
        setting = ", ".join(f"{name}={value}" for name, value in short)
        return f"{self.experiment}: {setting}"


_LONG = (list, dict)
