"""An answer as plain, serializable, replayable data."""

from sklazy.receipts.receipt import Receipt, Receipts, verify
from sklazy.receipts.schema import MOST_LISTED, SCHEMA
from sklazy.receipts.seal import sealed
from sklazy.receipts.selection import build_receipts

__all__ = [
    "MOST_LISTED",
    "SCHEMA",
    "Receipt",
    "Receipts",
    "build_receipts",
    "sealed",
    "verify",
]
