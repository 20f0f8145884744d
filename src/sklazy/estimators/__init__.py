"""Thin scikit-learn shells: validate, keep, ask."""
