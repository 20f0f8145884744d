"""An answer as plain, serialisable, replayable data."""

from sklazy.receipts.build import build_receipts
from sklazy.receipts.receipt import Receipt, Receipts, verify
from sklazy.receipts.schema import MOST_LISTED, SCHEMA
from sklazy.receipts.seal import sealed

__all__ = [
    "MOST_LISTED",
    "SCHEMA",
    "Receipt",
    "Receipts",
    "build_receipts",
    "sealed",
    "verify",
]
