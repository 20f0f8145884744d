"""Ensembles built around each query."""
