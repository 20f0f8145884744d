"""A case base in a file: format, log, segments, erasure."""

from sklazy.storage.stored import load_cases, save_cases

__all__ = ["load_cases", "save_cases"]
