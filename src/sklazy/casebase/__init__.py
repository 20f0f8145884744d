"""The memory of cases: rows to add and erase, with all that follows from them."""

from sklazy.casebase.base import CaseBase
from sklazy.casebase.stored import load_cases, save_cases

__all__ = ["CaseBase", "load_cases", "save_cases"]
