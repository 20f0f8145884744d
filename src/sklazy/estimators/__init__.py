"""Thin scikit-learn shells: validate, keep, ask."""

from sklazy.estimators.filters.discretizer import EntropyDiscretizer

__all__ = ["EntropyDiscretizer"]
