"""Partial least squares on the neighbors of each query."""
