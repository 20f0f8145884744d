"""Lazy attribute selection for numbers."""
