"""Kernel ridge regression, on all cases or on a query's nearest."""
