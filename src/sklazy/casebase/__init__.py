"""The memory of cases: rows to add and erase, with all that follows from them."""

from sklazy.casebase.base import CaseBase

__all__ = ["CaseBase"]
