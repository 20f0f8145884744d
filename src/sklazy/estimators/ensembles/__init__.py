"""Lazy bagging and lazy stacking."""
