"""Rows and columns of a table that are worth a second look."""
