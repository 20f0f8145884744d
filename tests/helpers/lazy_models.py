"""Lazy attribute selection in the settings of `model_settings`, as plain lists."""

from discovery import name_of
from model_settings.selection import SELECTION
from sklazy import LazyKNeighborsClassifier

__all__ = ["CLASSIFIERS", "NEIGHBORS", "name_of"]

CLASSIFIERS = [s.model for found in SELECTION.values() for s in found if not s.exempt]
NEIGHBORS = [m for m in CLASSIFIERS if isinstance(m, LazyKNeighborsClassifier)]
