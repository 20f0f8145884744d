"""Small regressions on a query's neighbors."""
