"""Thin scikit-learn shells: validate, keep, ask."""

from sklazy.estimators.discretizer import EntropyDiscretizer

__all__ = ["EntropyDiscretizer"]
