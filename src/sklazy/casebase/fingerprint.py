"""A fingerprint of plain data and arrays."""

import hashlib
import json
from collections.abc import Iterable

import numpy as np


def fingerprint(parts: Iterable[object]) -> str:
    """SHA-256 over parts in order: arrays by type, shape and bytes, the rest as JSON.

    Every part is preceded by its length, so that no two lists of parts look alike.
    """
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            array = np.ascontiguousarray(part.astype(part.dtype.newbyteorder("<")))
            head, body = f"{array.dtype.str}{array.shape}", array.tobytes()
        else:
            head, body = "json", json.dumps(part, ensure_ascii=True).encode("ascii")
        digest.update(f"{head}:{len(body)}:".encode())
        digest.update(body)
    return digest.hexdigest()
