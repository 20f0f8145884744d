"""Lazy learning for scikit-learn: learning that waits for the question."""

__version__ = "0.1.0"

__all__ = ["__version__"]
