"""Lazy attribute selection: from a query to its attributes, votes and decision."""
