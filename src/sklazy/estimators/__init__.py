"""scikit-learn estimators: parameters, checks, and calls of the rooms below."""

from sklazy.estimators.filters.discretizer import EntropyDiscretizer

__all__ = ["EntropyDiscretizer"]
