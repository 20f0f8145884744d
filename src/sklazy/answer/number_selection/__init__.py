"""Lazy attribute selection for numbers: from a query to its attributes and mean."""
