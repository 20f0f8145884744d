"""An answer as plain, serializable, replayable data."""

from sklazy.methods.plain import MOST_LISTED
from sklazy.receipts.build import build_receipts
from sklazy.receipts.receipt import Receipt, Receipts, verify
from sklazy.receipts.schema import SCHEMA
from sklazy.receipts.seal import sealed
from sklazy.receipts.wanted import Wanted

__all__ = [
    "MOST_LISTED",
    "SCHEMA",
    "Receipt",
    "Receipts",
    "Wanted",
    "build_receipts",
    "sealed",
    "verify",
]
