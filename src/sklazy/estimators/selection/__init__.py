"""Classifiers that choose attributes for each query."""
